// The arrays of an op, listed once in its contract: visit_arrays(p, visit) calls visit(name, pointer, bytes) for each.
// A pointer to const is an input, any other pointer an output; kWorkspace marks scratch memory. Code that needs an op's
// arrays gets them there: the checks for NULL and overlap, the byte count of bandwidth figures, and the tests, which
// move arrays to a GPU by changing the pointers.
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
  std::int64_t size;  // bytes, including gaps between strided rows
  Direction direction;
};

// P is Op or const Op: a parameter type that preserves constness.
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
  static constexpr std::size_t kMost = 16;  // arrays per op
  std::array<Array, kMost> arrays_{};
  std::size_t count_ = 0;
};

// Checks the contents of the arrays, on devices that can read them before launch. Ops that accept all need no overload.
template <class Op>
Outcome check_values(const Op& /*p*/) {
  return {};
}

// Checks that every array is present, and that no array that is written overlaps another one. in_place: `out` may be
// `in`, at its address and with as many bytes.
Outcome check_arrays(const ArrayList& arrays, bool in_place = false);

// Checks that no output of one call overlaps an array of the other.
Outcome check_outputs_apart(const ArrayList& written, const ArrayList& other);

// Minimum number of bytes that an op moves: each input read once, each output written once.
std::int64_t total_size(const ArrayList& arrays);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_ARRAYS_H
