// Weights in GPU memory, as several sets of buffers with the same content, and the oracle's answers for them.
#ifndef QFUSE_BENCH_GPU_NF4_WEIGHTS_H
#define QFUSE_BENCH_GPU_NF4_WEIGHTS_H

#include <cstdint>
#include <vector>

#include "gpu/device.h"
#include "report.h"

namespace qfuse::bench {

// NF4 codes with nested absmax, the inputs of decoding.
class DecodeWeights {
 public:
  DecodeWeights(const Card& card, Shape shape);
  // Makes `sets` sets. The constructor without `sets` makes enough to keep the L2 cache cold.
  DecodeWeights(const Card& card, Shape shape, int sets);

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  // Bytes that decoding to a 16-bit dtype moves at least. Needs at least one set.
  [[nodiscard]] std::int64_t bytes() const { return contract::bytes(params(0, QFUSE_BFLOAT16)); }
  // Parameters of decoding set i on the GPU.
  [[nodiscard]] contract::Dequantize4bit params(int i, qfuse_dtype dtype) const;
  // The codes of every set, on the host.
  [[nodiscard]] const Codes& codes() const { return codes_; }
  // Scratch of set i: one fp32 value per block.
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

// Weights distributed like trained ones, the inputs of encoding.
class EncodeWeights {
 public:
  EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets);

  [[nodiscard]] contract::Quantize4bit plain(int i) const;
  [[nodiscard]] contract::Quantize4bit nested(int i) const;
  // Plain, with scales chosen by the importance of each column.
  [[nodiscard]] contract::Quantize4bit by_importance(int i) const;
  // Parameters of only the nested step, which reads the absmax of set i.
  [[nodiscard]] contract::QuantizeBlockwise nested_step(int i, float offset) const;

  void poison(int i) const;
  [[nodiscard]] Codes read(int i) const;
  [[nodiscard]] Codes oracle() const { return encode_by_oracle(values_, shape_.count(), dtype_); }
  // The arrays that by_importance() writes, by the CPU.
  [[nodiscard]] Codes oracle_by_importance() const;

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

  Shape shape_;
  qfuse_dtype dtype_;
  Bytes values_;
  std::vector<float> importance_;
  DeviceArray importance_on_gpu_;
  std::vector<Set> sets_;
};

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_NF4_WEIGHTS_H
