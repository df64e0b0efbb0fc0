// How rotated_int8 quantizes a row: its blocks, its scale, and the factor that its values are multiplied by.
#ifndef QFUSE_FORMAT_ROTATED_INT8_H
#define QFUSE_FORMAT_ROTATED_INT8_H

#include <cstdint>

#include "format/host_device.h"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr std::int64_t kRotatedBlock = 128;      // elements of K; with blocks of 1024 the error is a tenth less
inline constexpr std::int64_t kSmallRotatedBlock = 64;  // K is a multiple of it
inline constexpr float kLeastRotated = 0x1p-100F;       // a smaller maximum gives fewer levels, but no subnormal scale
inline constexpr float kNearestMagic = 0x1.8p23F;       // adding it rounds a number to an integer, in its low bits

// All blocks of a row have the same size. With blocks of 128 and a last one of 64, each block would need its own factor
// before the maximum, for 5 % less error only where K is an odd multiple of 64.
QFUSE_HOST_DEVICE constexpr std::int64_t rotated_block(std::int64_t terms) {
  return terms % kRotatedBlock == 0 ? kRotatedBlock : kSmallRotatedBlock;
}

// block^(-1/2): the normalization that the rotation of each operand of a product leaves out.
QFUSE_HOST_DEVICE constexpr float rotated_root(std::int64_t block) {
  return block == kRotatedBlock ? 0x1.6a09e6p-4F : 0x1p-3F;
}

// A row's scale, from the bits of its largest rotated magnitude. Compared as bits, NaN is above infinity.
QFUSE_HOST_DEVICE constexpr float rotated_scale(std::uint32_t largest_bits, float root) {
  if (largest_bits == 0) return 0.0F;
  if (largest_bits >= kInfBits) return float_of(kNan32);
  const float largest = float_of(largest_bits);
  return (largest < kLeastRotated ? kLeastRotated : largest) * kInt8Scale * root;
}

// What values are multiplied by before they are rounded to integers. 0: all values become 0, also NaN and infinity.
QFUSE_HOST_DEVICE constexpr float rotated_factor(float scale, float root) { return scale > 0.0F ? root / scale : 0.0F; }

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ROTATED_INT8_H
