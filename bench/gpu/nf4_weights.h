// Weights in a GPU's memory, in several sets of buffers with the same content, and the oracle's answers for them.
#ifndef QFUSE_BENCH_GPU_NF4_WEIGHTS_H
#define QFUSE_BENCH_GPU_NF4_WEIGHTS_H

#include <cstdint>
#include <vector>

#include "cases/dequantize_4bit.h"
#include "format/params.h"
#include "gpu/device.h"
#include "report.h"

namespace qfuse::bench {

// NF4 codes with nested absmax, to be decoded.
class DecodeWeights {
 public:
  DecodeWeights(int device, Shape shape);

  void allocate_sets(int count);
  [[nodiscard]] Shape shape() const { return shape_; }
  // That decoding to a 16-bit dtype moves at least.
  [[nodiscard]] std::int64_t bytes() const;
  // Of a set on the GPU.
  [[nodiscard]] format::Dequantize4bit params(int i, qfuse_dtype dtype) const;
  // Scratch of a set: fp32, one for each block.
  [[nodiscard]] float* scratch(int i) const { return set(i).scratch.as<float>(); }
  [[nodiscard]] const DeviceArray& out(int i) const { return set(i).out; }
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
  [[nodiscard]] const Set& set(int i) const { return sets_[static_cast<std::size_t>(i)]; }

  int device_;
  Shape shape_;
  tests::Dequantize4bitCase case_;
  tests::Dequantize4bitInput input_;
  std::vector<Set> sets_;
};

// Weights like trained ones, to be encoded.
class EncodeWeights {
 public:
  EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets);

  [[nodiscard]] format::Quantize4bit plain(int i) const;
  [[nodiscard]] format::Quantize4bit nested(int i) const;
  // The nested step alone, from the absmax of the set.
  [[nodiscard]] format::QuantizeBlockwise nested_step(int i, float offset) const;

  void poison(int i) const;
  [[nodiscard]] Codes read(int i) const;
  [[nodiscard]] Codes oracle() const { return encode_by_oracle(values_, count_, dtype_); }

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

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_NF4_WEIGHTS_H
