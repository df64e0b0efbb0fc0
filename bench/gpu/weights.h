// Weights in a GPU's memory, in several sets of buffers with the same content, and the oracle's answers for them.
#ifndef QFUSE_BENCH_GPU_WEIGHTS_H
#define QFUSE_BENCH_GPU_WEIGHTS_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cases/dequantize_4bit.h"
#include "format/params.h"
#include "runtime/memory.h"

namespace qfuse::bench {

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  [[nodiscard]] std::int64_t count() const { return rows * cols; }
};

inline constexpr std::int64_t kBlocksize = 64;
inline constexpr std::int64_t kElementBytes = 2;  // of fp16 and bf16, the dtypes that are timed

using Bytes = std::vector<std::uint8_t>;

// Device memory with a copy of bytes from the host or the device, or with poison.
class DeviceArray {
 public:
  DeviceArray(int device, const void* from, std::int64_t size);
  DeviceArray(int device, std::int64_t size);

  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(memory_->data());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(memory_->size()); }
  void poison() const;
  // What is there when all work on the device is done.
  [[nodiscard]] Bytes read() const;

 private:
  std::unique_ptr<runtime::DeviceMemory> memory_;
};

// NF4 codes with nested absmax, to be decoded.
class DecodeWeights {
 public:
  DecodeWeights(int device, Shape shape);

  void allocate_sets(int count);
  [[nodiscard]] Shape shape() const { return shape_; }
  // That decoding to a 16-bit dtype moves at least.
  [[nodiscard]] std::int64_t bytes() const;
  // Of a set on the GPU.
  [[nodiscard]] format::Dequantize4bit params(int set, qfuse_dtype dtype) const;
  // Scratch of a set: fp32, one for each block.
  [[nodiscard]] float* scratch(int set) const { return sets_[at(set)].scratch.as<float>(); }
  [[nodiscard]] const DeviceArray& out(int set) const { return sets_[at(set)].out; }
  [[nodiscard]] Bytes oracle(qfuse_dtype dtype) const;

 private:
  struct Set {
    DeviceArray packed;
    DeviceArray absmax_8bit;
    DeviceArray nested_absmax;
    DeviceArray map;
    DeviceArray scratch;
    DeviceArray out;
  };
  static std::size_t at(int set) { return static_cast<std::size_t>(set); }

  int device_;
  Shape shape_;
  tests::Dequantize4bitCase case_;
  tests::Dequantize4bitInput input_;
  std::vector<Set> sets_;
};

// What encoding gives.
struct Codes {
  Bytes packed;
  std::vector<float> absmax;
  Bytes absmax_8bit;
  std::vector<float> nested_absmax;
  float nested_offset = 0.0F;
};

// Weights like trained ones, to be encoded.
class EncodeWeights {
 public:
  EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets);

  [[nodiscard]] format::Quantize4bit plain(int set) const;
  [[nodiscard]] format::Quantize4bit nested(int set) const;
  // The nested step alone, from the absmax of the set.
  [[nodiscard]] format::QuantizeBlockwise nested_step(int set, float offset) const;

  void poison(int set) const;
  [[nodiscard]] Codes read(int set) const;
  [[nodiscard]] Codes oracle() const;

 private:
  struct Set {
    DeviceArray in;
    DeviceArray packed;
    DeviceArray absmax;
    DeviceArray absmax_8bit;
    DeviceArray nested_absmax;
    DeviceArray offset;
  };
  [[nodiscard]] const Set& set(int i) const { return sets_[static_cast<std::size_t>(i)]; }

  std::int64_t count_;
  qfuse_dtype dtype_;
  Bytes values_;
  std::vector<Set> sets_;
};

// Where two arrays of `element`-byte elements first differ, in words; empty: nowhere.
std::string difference(const void* expected, const void* actual, std::int64_t size, std::int64_t element);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_WEIGHTS_H
