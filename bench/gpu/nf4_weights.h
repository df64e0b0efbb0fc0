// Weights in a GPU's memory, in several sets of buffers with the same content, and the oracle's answers for them.
#ifndef QFUSE_BENCH_GPU_NF4_WEIGHTS_H
#define QFUSE_BENCH_GPU_NF4_WEIGHTS_H

#include <cstdint>
#include <vector>

#include "gpu/device.h"
#include "report.h"

namespace qfuse::bench {

// NF4 codes with nested absmax, to be decoded.
class DecodeWeights {
 public:
  DecodeWeights(const Card& card, Shape shape);
  // With so many sets; otherwise with as many as keep the L2 cache cold.
  DecodeWeights(const Card& card, Shape shape, int sets);

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  // That decoding to a 16-bit dtype moves at least; a set must be there.
  [[nodiscard]] std::int64_t bytes() const { return contract::bytes(params(0, QFUSE_BFLOAT16)); }
  // Of a set on the GPU.
  [[nodiscard]] contract::Dequantize4bit params(int i, qfuse_dtype dtype) const;
  // What all sets have, on the host.
  [[nodiscard]] const Codes& codes() const { return codes_; }
  // Scratch of a set: fp32, one for each block.
  [[nodiscard]] float* scratch(int i) const { return set(i).scratch.as<float>(); }
  [[nodiscard]] const DeviceArray& out(int i) const { return set(i).out; }
  [[nodiscard]] Bytes oracle(qfuse_dtype dtype) const { return decode_by_oracle(codes_, shape_.count(), dtype); }

 private:
  struct Set {
    DeviceArray packed;
    DeviceArray absmax_8bit;
    DeviceArray nested_absmax;
    DeviceArray map;
    DeviceArray offset;
    DeviceArray scratch;
    DeviceArray out;
  };
  [[nodiscard]] const Set& set(int i) const { return sets_[static_cast<std::size_t>(i)]; }

  Shape shape_;
  Codes codes_;
  std::vector<Set> sets_;
};

// Weights like trained ones, to be encoded.
class EncodeWeights {
 public:
  EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets);

  [[nodiscard]] contract::Quantize4bit plain(int i) const;
  [[nodiscard]] contract::Quantize4bit nested(int i) const;
  // The nested step alone, from the absmax of the set.
  [[nodiscard]] contract::QuantizeBlockwise nested_step(int i, float offset) const;

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
    DeviceArray workspace;
  };
  [[nodiscard]] const Set& set(int i) const { return sets_[static_cast<std::size_t>(i)]; }

  std::int64_t count_;
  qfuse_dtype dtype_;
  Bytes values_;
  std::vector<Set> sets_;
};

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_NF4_WEIGHTS_H
