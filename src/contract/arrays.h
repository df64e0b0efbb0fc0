// The arrays of an op, named once in its contract: visit_arrays(p, visit) calls visit(name, pointer, bytes) for each.
// A pointer to const is an input, another one an output; kWorkspace marks scratch memory. What must know an op's arrays
// reads them there: the check of presence and overlap, the bytes of a bandwidth figure, and the tests, which move them
// to a GPU by changing the pointers.
#ifndef QFUSE_CONTRACT_ARRAYS_H
#define QFUSE_CONTRACT_ARRAYS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "contract/outcome.h"

namespace qfuse::contract {

enum class Direction { input, output, workspace };

struct Workspace {};
inline constexpr Workspace kWorkspace;

struct Array {
  const char* name;
  const void* data;
  std::int64_t size;  // bytes, gaps between strided rows included
  Direction direction;
};

// A constness-preserving parameter type: P is Op or const Op.
template <class P, class Op>
concept ParamsOf = std::is_same_v<std::remove_const_t<P>, Op>;

template <class T>
constexpr Direction direction_of() {
  return std::is_const_v<T> ? Direction::input : Direction::output;
}

// All arrays of an op's parameters, in the order of its contract.
class ArrayList {
 public:
  template <class Op>
  explicit ArrayList(const Op& p) {
    visit_arrays(p, *this);
  }
  template <class T>
  void operator()(const char* name, T* data, std::int64_t size) {
    arrays_.at(count_++) = {name, data, size, direction_of<T>()};
  }
  void operator()(const char* name, const void* data, std::int64_t size, Workspace) {
    arrays_.at(count_++) = {name, data, size, Direction::workspace};
  }
  [[nodiscard]] std::span<const Array> all() const { return {arrays_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 16;  // arrays of one op
  std::array<Array, kMost> arrays_{};
  std::size_t count_ = 0;
};

// What the arrays hold, for devices that can look before they begin; an op that accepts all says nothing about it.
template <class Op>
Outcome check_values(const Op& /*p*/) {
  return {};
}

// Every array present, and nothing that is written over another array.
Outcome check_arrays(const ArrayList& arrays);

// No output of one call over an array of another.
Outcome check_outputs_apart(const ArrayList& written, const ArrayList& other);

// Bytes that an op moves at least: each input read once and each output written once.
std::int64_t total_size(const ArrayList& arrays);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_ARRAYS_H
