// NF4 weights in blocks of 64, nested in blocks of 256, on the host, and the oracle's answers, computed on all cores.
#ifndef QFUSE_BENCH_NF4_ORACLE_H
#define QFUSE_BENCH_NF4_ORACLE_H

#include <cstdint>
#include <string>
#include <vector>

#include "contract/ops.h"

namespace qfuse::bench {

inline constexpr std::int64_t kBlocksize = 64;

using Bytes = std::vector<std::uint8_t>;

// The arrays that encoding writes.
struct Codes {
  Bytes packed;
  std::vector<float> absmax;
  Bytes absmax_8bit;
  std::vector<float> nested_absmax;
  float nested_offset = 0.0F;
};

// Normally distributed values with deviation 0.02, like trained weights.
Bytes trained_weights(std::int64_t count, qfuse_dtype dtype);
// Random codes, with scales like those of trained weights.
Codes random_codes(std::int64_t count);

// Parameters of plain encoding. The caller sets the weight's nested arrays to make it nested.
contract::Quantize4bit encode_params(std::int64_t count, qfuse_dtype dtype, const void* in, std::uint8_t* packed,
                                     float* absmax);
// Parameters of only the nested step.
contract::QuantizeBlockwise nested_step_params(std::int64_t blocks, const float* in, float offset, std::uint8_t* codes,
                                               float* absmax);
contract::Dequantize4bit decode_params(std::int64_t count, qfuse_dtype dtype, const qfuse_weight_4bit& arrays,
                                       void* out);

Codes encode_by_oracle(const Bytes& values, std::int64_t count, qfuse_dtype dtype);
Bytes decode_by_oracle(const Codes& codes, std::int64_t count, qfuse_dtype dtype);

// Describes where two arrays of `element`-byte elements first differ. Returns an empty string if nowhere.
std::string difference(const void* expected, const void* actual, std::int64_t size, std::int64_t element);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_NF4_ORACLE_H
