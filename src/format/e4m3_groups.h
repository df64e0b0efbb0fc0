// Groups of bf16 values as FP8 e4m3 with one scale each, a power of two: the scalar steps. e4m3 as in OCP's FP8 of 2023:
// 4 bits of exponent, 3 of fraction, no infinities, one NaN of each sign.
#ifndef QFUSE_FORMAT_E4M3_GROUPS_H
#define QFUSE_FORMAT_E4M3_GROUPS_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr float kE4m3Most = 448.0F;
inline constexpr float kE4m3PerMost = 1.0F / 448.0F;
inline constexpr float kE4m3LeastAbsmax = 1e-4F;  // DeepSeek's, of DeepGEMM and TileKernels
inline constexpr std::uint8_t kE4m3Nan = 0x7f;
inline constexpr float kE4m3LeastNormal = 0x1p-6F;
inline constexpr float kE4m3Subnormals = 0x1p14F;  // a float whose unit in the last place is that of e4m3's subnormals
inline constexpr int kE4m3Shift = 20;              // places from fp32's fraction to e4m3's
inline constexpr std::uint32_t kE4m3Rebias = (127U - 7U) << 3;

// The least power of two by which absmax, or 1e-4 where that is more, is at most 448; NaN for what is not finite. The
// product needs no exact quotient: it lies beyond a power of two where the quotient does, as a test tries for all absmax.
QFUSE_HOST_DEVICE constexpr float e4m3_scale(float absmax) {
  if (!(absmax < float_of(kInfBits))) return float_of(kNan32);
  const float most = absmax > kE4m3LeastAbsmax ? absmax : kE4m3LeastAbsmax;
  const auto bits = bits_of(most * kE4m3PerMost);
  return float_of((bits + (kMinNormalBits - 1U)) & kInfBits);
}

// Its inverse, exact; NaN of NaN.
QFUSE_HOST_DEVICE constexpr float e4m3_factor(float scale) {
  constexpr std::uint32_t kTwoBiases = 254U << 23;
  return scale != scale ? scale : float_of(kTwoBiases - bits_of(scale));
}

// To nearest even; what is beyond 448 becomes 448.
QFUSE_HOST_DEVICE constexpr std::uint8_t to_e4m3(float v) {
  const auto bits = bits_of(v);
  if (v != v) return kE4m3Nan;
  const float magnitude = float_of(bits & ~kSignBit);
  const float kept = magnitude < kE4m3Most ? magnitude : kE4m3Most;
  const auto kept_bits = bits_of(kept);
  const std::uint32_t half = (1U << (kE4m3Shift - 1)) - 1U + (kept_bits >> kE4m3Shift & 1U);
  const std::uint32_t rounded = kept < kE4m3LeastNormal ? bits_of(kept + kE4m3Subnormals) - bits_of(kE4m3Subnormals)
                                                        : ((kept_bits + half) >> kE4m3Shift) - kE4m3Rebias;
  return static_cast<std::uint8_t>((bits >> 24 & 0x80U) | rounded);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_E4M3_GROUPS_H
