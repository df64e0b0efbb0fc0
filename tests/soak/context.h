// The inputs and weights of cases on the GPU, with copies on the host for the CPU's ops.
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

// Leaves elements uninitialized, because zeroing gigabytes would take longer than an op that overwrites them.
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

// Seed of one of a case's arrays, which are numbered from 0 to 15.
inline std::uint32_t seed_of(const Case& c, std::uint32_t array) {
  return static_cast<std::uint32_t>(c.number("seed")) * 16 + array;
}

// Sets a weight's shape and format in a qfuse_weight_4bit or qfuse_weight_4bit_out. The caller sets its arrays.
template <class Weight4bit>
void set_format(Weight4bit& w, const Case& c) {
  w.struct_size = sizeof w;
  w.rows = c.number("rows");
  w.cols = c.number("cols");
  w.blocksize = c.number("blocksize");
  w.quant_type = c.is("type", "fp4")    ? QFUSE_FP4
                 : c.is("type", "nf4")  ? QFUSE_NF4
                 : c.is("type", "int4") ? QFUSE_INT4
                                        : QFUSE_E2M1;
  w.nested_blocksize = c.number("nested");
}

// An array on the GPU. Ops read the displaced copy at `given`, oracles the aligned one.
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
  // Makes random codes, and scales like those of trained models.
  Weight(Context& context, const Case& c, Life life);

  [[nodiscard]] const qfuse_weight_4bit& on_gpu() const { return on_gpu_; }
  [[nodiscard]] std::int64_t count() const { return on_gpu_.rows * on_gpu_.cols; }

  // Returns the same weight on the host. `keeper` owns its arrays.
  [[nodiscard]] qfuse_weight_4bit on_host(std::vector<Bytes>& keeper) const;
  // Returns the values on the GPU, decoded once by the CPU's op.
  const std::uint8_t* decoded(Context& context, qfuse_dtype dtype);
  // Return the two factors of the values, also made once: the codes' values as fp16, and the absmax of all blocks.
  const std::uint8_t* code_values(Context& context);
  const float* absmax(Context& context);

 private:
  // Keeps the decoded values.
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

  // Makes `count` elements, `at` bytes after an aligned address.
  Input input(std::int64_t count, const Fill& what, std::int64_t at, Life life = Life::of_case);
  // Copies an array from the host.
  Input upload(const void* from, std::int64_t size, std::int64_t at, Life life = Life::of_case);
  // Uninitialized memory of the case.
  std::uint8_t* scratch(std::int64_t size) { return arena_.take(size, Life::of_case); }

  // Returns the case's weight. A large weight is kept for later cases.
  Weight& weight(const Case& c);

  void end_case();  // invalidates the case's arrays
  void forget();    // also frees kept weights

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
