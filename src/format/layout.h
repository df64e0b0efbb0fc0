// Sizes of the layouts: how elements fill bytes, blocks and groups. Counts are in elements, sizes in bytes.
#ifndef QFUSE_FORMAT_LAYOUT_H
#define QFUSE_FORMAT_LAYOUT_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "format/host_device.h"

namespace qfuse::format {

inline constexpr std::int64_t kMinBlocksize = 32;    // bitsandbytes: 32, 64, ..., 4096
inline constexpr std::int64_t kMaxBlocksize = 4096;  //
inline constexpr std::int64_t kRowBlocksize = 16;    // block sizes along rows are multiples of it, or whole rows
inline constexpr std::int64_t kNestedBlocksize =
    QFUSE_NESTED_BLOCKSIZE;         // blocks per nested block; hard-coded in bitsandbytes' quantize_4bit
inline constexpr int kCodes4 = 16;  // entries of a 4-bit codebook
inline constexpr int kCodes8 = QFUSE_QUANT_MAP_SIZE;        // entries of an 8-bit codebook
inline constexpr float kInt8Scale = 7.874015718698502e-3F;  // fp32 1/127: LLM.int8's constant, also of swiglu's groups

// Groups of swiglu, with one scale each.
inline constexpr std::int64_t kGroupSize = QFUSE_SWIGLU_GROUP_SIZE;  // elements per group
inline constexpr float kMinGroupScale = 1e-10F;  // scale of an int8 group that is (nearly) all zeros

// Does not overflow for counts near 2^63.
QFUSE_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t d) {
  return n / d + (n % d != 0 ? 1 : 0);
}

// Two codes per byte; the format says which nibble comes first (format/codebook4.h).
constexpr std::int64_t packed_size(std::int64_t n) { return ceil_div(n, 2); }

// Blocks divide the flattened tensor, so they may cross rows; the last one may be short.
QFUSE_HOST_DEVICE constexpr std::int64_t block_count(std::int64_t n, std::int64_t blocksize) {
  return ceil_div(n, blocksize);
}

// Upper bound on columns for m tokens if each expert's are padded to whole groups, for any split among experts.
constexpr std::int64_t expert_columns(std::int64_t m, std::int64_t experts) {
  return (m + (kGroupSize - 1) * experts) / kGroupSize * kGroupSize;
}

constexpr std::int64_t dtype_size(qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return 4;
    case QFUSE_FLOAT16: return 2;
    case QFUSE_BFLOAT16: return 2;
  }
  return 0;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_LAYOUT_H
