// What a case is made from: inputs and weights on the GPU, with copies on the host for the CPU's ops.
#ifndef QFUSE_TESTS_SOAK_CONTEXT_H
#define QFUSE_TESTS_SOAK_CONTEXT_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "case.h"
#include "gpu.h"
#include "kernels.h"

namespace qfuse::soak {

// Leaves elements as they are: gigabytes of zeros would take longer than an op that overwrites them.
template <class T>
struct Uninitialized : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Uninitialized<U>;
  };
  template <class U>
  void construct(U* /*element*/) const noexcept {}
};
using Bytes = std::vector<std::uint8_t, Uninitialized<std::uint8_t>>;

// Of a case's arrays, which are numbered from 0 to 15.
inline std::uint32_t seed_of(const Case& c, std::uint32_t array) {
  return static_cast<std::uint32_t>(c.number("seed")) * 16 + array;
}

// A stored weight's shape and format, of qfuse_weight_4bit or qfuse_weight_4bit_out; its arrays are still to be set.
template <class Weight4bit>
void set_format(Weight4bit& w, const Case& c) {
  w.struct_size = sizeof w;
  w.rows = c.number("rows");
  w.cols = c.number("cols");
  w.blocksize = c.number("blocksize");
  w.quant_type = c.is("type", "fp4") ? QFUSE_FP4 : c.is("type", "mxfp4") ? QFUSE_E2M1 : QFUSE_NF4;
  w.nested_blocksize = c.number("nested");
}

// An array on the GPU, which ops read where it was displaced to, and the oracles where it is aligned.
struct Input {
  std::uint8_t* aligned = nullptr;
  std::uint8_t* given = nullptr;
  std::int64_t size = 0;  // bytes

  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(given);
  }
  [[nodiscard]] Bytes read() const;
};

class Context;

class Weight {
 public:
  // Codes, and scales as those of trained models.
  Weight(Context& context, const Case& c, Life life);

  [[nodiscard]] const qfuse_weight_4bit& on_gpu() const { return on_gpu_; }
  [[nodiscard]] std::int64_t count() const { return on_gpu_.rows * on_gpu_.cols; }

  // The same weight on the host. `keeper` holds its arrays.
  [[nodiscard]] qfuse_weight_4bit on_host(std::vector<Bytes>& keeper) const;
  // Its values, decoded by the CPU's op, on the GPU; made once.
  const std::uint8_t* decoded(Context& context, qfuse_dtype dtype);
  // Their two factors, likewise: the codes' values as fp16, and absmax of all blocks.
  const std::uint8_t* code_values(Context& context);
  const float* absmax(Context& context);

 private:
  // Keeps what is decoded.
  const std::uint8_t* decode(Context& context, const qfuse_weight_4bit& w, qfuse_dtype dtype);

  Life life_;
  qfuse_weight_4bit on_gpu_{};
  std::vector<Input> arrays_;
  std::map<qfuse_dtype, const std::uint8_t*> decoded_;
  const std::uint8_t* code_values_ = nullptr;
  const float* absmax_ = nullptr;
};

class Context {
 public:
  Context(Card card, std::int64_t arena_size) : card_(std::move(card)), arena_(arena_size) {}

  [[nodiscard]] const Card& card() const { return card_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  Arena& arena() { return arena_; }

  // Of `count` elements, `at` bytes behind an aligned address.
  Input input(std::int64_t count, const Fill& what, std::int64_t at, Life life = Life::of_case);
  // What the host has.
  Input upload(const void* from, std::int64_t size, std::int64_t at, Life life = Life::of_case);
  // Not filled.
  std::uint8_t* scratch(std::int64_t size) { return arena_.take(size, Life::of_case); }

  // The case's: a large one is kept for the cases to come.
  Weight& weight(const Case& c);

  void end_case();  // whose arrays are void then
  void forget();    // kept weights too

 private:
  Input displaced(std::uint8_t* aligned, std::int64_t size, std::int64_t at, Life life);

  Card card_;
  Arena arena_;
  OwnStream stream_;
  std::map<std::string, std::unique_ptr<Weight>> layers_;
  std::vector<std::unique_ptr<Weight>> of_case_;
};

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_CONTEXT_H
