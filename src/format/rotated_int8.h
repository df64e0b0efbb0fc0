// What rotated_int8 rounds a row of terms by: blocks, the scale of a row, and what its values are multiplied by.
#ifndef QFUSE_FORMAT_ROTATED_INT8_H
#define QFUSE_FORMAT_ROTATED_INT8_H

#include <cstdint>

#include "format/host_device.h"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr std::int64_t kRotatedBlock = 128;      // terms; a matrix of 1024 would err by a tenth less
inline constexpr std::int64_t kSmallRotatedBlock = 64;  // all terms are a multiple of it
inline constexpr float kLeastRotated = 0x1p-100F;       // below it a row has fewer levels, but no subnormal scale
inline constexpr float kNearestMagic = 0x1.8p23F;       // a number added to it is rounded to its low bits

// One size for all blocks of a row: with whole blocks of 128 and a last one of 64, each block would need a factor of
// its own before the maximum, for a twentieth less error where the number of terms is an odd multiple of 64.
QFUSE_HOST_DEVICE constexpr std::int64_t rotated_block(std::int64_t terms) {
  return terms % kRotatedBlock == 0 ? kRotatedBlock : kSmallRotatedBlock;
}

// block^(-1/2), what a rotation without roots is short of on each side of a product.
QFUSE_HOST_DEVICE constexpr float rotated_root(std::int64_t block) {
  return block == kRotatedBlock ? 0x1.6a09e6p-4F : 0x1p-3F;
}

// Of the largest magnitude of a row's rotated values, compared as bits, so that NaN is above infinity.
QFUSE_HOST_DEVICE constexpr float rotated_scale(std::uint32_t largest_bits, float root) {
  if (largest_bits == 0) return 0.0F;
  if (largest_bits >= kInfBits) return float_of(kNan32);
  const float largest = float_of(largest_bits);
  return (largest < kLeastRotated ? kLeastRotated : largest) * kInt8Scale * root;
}

// What values are multiplied by before they are rounded to integers. 0: they all become 0, whatever they are.
QFUSE_HOST_DEVICE constexpr float rotated_factor(float scale, float root) { return scale > 0.0F ? root / scale : 0.0F; }

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ROTATED_INT8_H
