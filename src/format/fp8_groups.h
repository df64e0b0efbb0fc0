// Scalar steps for FP8 values with one scale per group or block. FP8 is e4m3 as in OCP's paper of 2023: 4 exponent
// bits, 3 fraction bits, no infinities, and one NaN of each sign.
#ifndef QFUSE_FORMAT_FP8_GROUPS_H
#define QFUSE_FORMAT_FP8_GROUPS_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr float kE4m3Most = 448.0F;
inline constexpr float kE4m3LeastNormal = 0x1p-6F;
inline constexpr float kE4m3Subnormals = 0x1p14F;               // a float whose ulp is e4m3's least subnormal
inline constexpr int kE4m3Shift = 20;                           // how many more fraction bits fp32 has than e4m3
inline constexpr std::uint32_t kE4m3Rebias = (127U - 7U) << 3;  // bias difference, in e4m3's exponent field
inline constexpr std::uint32_t kE4m3MinNormal = 1U << 3;        // least normal value, as e4m3 bits
inline constexpr float kE4m3SubnormalUnit = 0x1p-9F;            // spacing of the subnormals
inline constexpr std::uint8_t kFp8Nan = 0x7f;

inline constexpr float kDeepSeekFloor = 1e-4F;     // floor of absmax in DeepGEMM and TileKernels
inline constexpr std::uint32_t kTwoBiases = 254U;  // sum of the exponent fields of a power of two and its inverse

// Rounds to nearest even. Magnitudes above kE4m3Most become kE4m3Most.
QFUSE_HOST_DEVICE constexpr std::uint8_t to_e4m3(float v) {
  const auto bits = bits_of(v);
  if (v != v) return kFp8Nan;
  const float magnitude = float_of(bits & ~kSignBit);
  const float kept = magnitude < kE4m3Most ? magnitude : kE4m3Most;
  const auto kept_bits = bits_of(kept);
  const std::uint32_t half = (1U << (kE4m3Shift - 1)) - 1U + (kept_bits >> kE4m3Shift & 1U);
  const std::uint32_t rounded = kept < kE4m3LeastNormal ? bits_of(kept + kE4m3Subnormals) - bits_of(kE4m3Subnormals)
                                                        : ((kept_bits + half) >> kE4m3Shift) - kE4m3Rebias;
  return static_cast<std::uint8_t>((bits >> 24 & 0x80U) | rounded);
}

// Exact. Subnormals are small integers times their unit, as in format::from_float16.
QFUSE_HOST_DEVICE constexpr float from_e4m3(std::uint8_t code) {
  const std::uint32_t sign = (code & 0x80U) << 24;
  const std::uint32_t magnitude = code & 0x7fU;
  std::uint32_t bits = (magnitude + kE4m3Rebias) << kE4m3Shift;
  if (magnitude == kFp8Nan) bits = kNan32;
  if (magnitude < kE4m3MinNormal) bits = bits_of(static_cast<float>(magnitude) * kE4m3SubnormalUnit);
  return float_of(bits | sign);
}

// Least power of two s such that max(absmax, floor) / s is at most kE4m3Most; NaN if absmax is not finite. The product
// with 1 / kE4m3Most need not equal the exact quotient: both exceed the same powers of two, as a test checks for every
// absmax.
QFUSE_HOST_DEVICE constexpr float power_of_two_scale(float absmax, float floor) {
  if (!(absmax < float_of(kInfBits))) return float_of(kNan32);
  const auto bits = bits_of((absmax > floor ? absmax : floor) * (1.0F / kE4m3Most));
  return float_of((bits + (kMinNormalBits - 1U)) & kInfBits);
}

// The exact inverse of the scale; NaN for NaN.
QFUSE_HOST_DEVICE constexpr float power_of_two_factor(float scale) {
  return scale != scale ? scale : float_of((kTwoBiases << 23) - bits_of(scale));
}

// DeepSeek's e4m3, the FP8 format of a call that changes no other field.
QFUSE_HOST_DEVICE constexpr float e4m3_scale(float absmax) { return power_of_two_scale(absmax, kDeepSeekFloor); }
QFUSE_HOST_DEVICE constexpr float e4m3_factor(float scale) { return power_of_two_factor(scale); }

// ---- UE8M0: a power of two as its exponent, 2^-127 to 2^127, or NaN ----

inline constexpr std::uint8_t kUe8m0Nan = 255;
inline constexpr std::uint32_t kUe8m0Least = 0x00400000U;  // 2^-127, a subnormal of fp32

QFUSE_HOST_DEVICE constexpr float from_ue8m0(std::uint32_t exponent) {
  if (exponent == kUe8m0Nan) return float_of(kNan32);
  return float_of(exponent == 0 ? kUe8m0Least : exponent << 23);
}

QFUSE_HOST_DEVICE constexpr std::uint8_t to_ue8m0(float power_of_two) {
  return power_of_two != power_of_two ? kUe8m0Nan : static_cast<std::uint8_t>(bits_of(power_of_two) >> 23);
}

// Rounds up to the next power of two, and infinity to the greatest one, as MXFP8 scales are rounded.
QFUSE_HOST_DEVICE constexpr std::uint8_t round_up_to_ue8m0(float v) {
  constexpr std::uint32_t kHalfOfLeastNormal = 0x00400000U;
  const auto bits = bits_of(v);
  if (v != v) return kUe8m0Nan;
  if (bits >= ((kTwoBiases << 23) | 1U)) return kTwoBiases;  // beyond 2^127
  if (bits <= kHalfOfLeastNormal) return 0;
  return static_cast<std::uint8_t>((bits + (kMinNormalBits - 1U)) >> 23);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_FP8_GROUPS_H
