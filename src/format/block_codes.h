// The scalar steps that encode values as 8- and 4-bit floats with block scales, as the libraries that ship checkpoints
// do. A block is given by its absmax, which is finite. fp8_groups.h and codebook4.h have the decoding.
#ifndef QFUSE_FORMAT_BLOCK_CODES_H
#define QFUSE_FORMAT_BLOCK_CODES_H

#include <cmath>
#include <cstdint>

#include "format/fp8_groups.h"
#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

// The factor of a block's values before they are rounded to codes, and the scale that decodes them.
struct BlockScale {
  float factor;
  float scale;
};

// ---- FP8 -------------------------------------------------------------------------------------------------------

inline constexpr BlockScale kNothingToScale{1.0F, 1.0F};  // a block of zeros

// transformers' Fp8Quantize, which divides a number by a tensor as torch does: it multiplies by the rounded inverse.
// Blocks with an absmax below 2^-119 count as zeros: the library's factor is infinite there, and its zeros become NaN.
inline BlockScale fp8_block_scale(float absmax) {
  const float factor = 1.0F / absmax * kE4m3Most;
  if (!(factor < float_of(kInfBits))) return kNothingToScale;
  return {factor, 1.0F / factor};
}

// The same for scales that are powers of two, with the exponent from a log2 that is rounded to fp32.
inline BlockScale fp8_power_scale(float absmax) {
  const float inverse = fp8_block_scale(absmax).scale;
  const double kept = inverse > float_of(kMinNormalBits) ? inverse : float_of(kMinNormalBits);
  const float scale = std::ldexp(1.0F, static_cast<int>(std::ceil(static_cast<float>(std::log2(kept)))));
  return {1.0F / scale, scale};
}

// to_e4m3() for a number that is not NaN. Integer steps, because integers order magnitudes, and a mask instead of a
// branch let compilers vectorize loops over it.
constexpr std::uint8_t number_to_e4m3(float v) {
  const auto bits = bits_of(v);
  const auto magnitude = static_cast<std::int32_t>(bits & ~kSignBit);
  constexpr auto kMost = static_cast<std::int32_t>(bits_of(kE4m3Most));
  const auto kept = static_cast<std::uint32_t>(magnitude < kMost ? magnitude : kMost);
  const std::uint32_t half = (1U << (kE4m3Shift - 1)) - 1U + (kept >> kE4m3Shift & 1U);
  const std::uint32_t normal = ((kept + half) >> kE4m3Shift) - kE4m3Rebias;
  const std::uint32_t subnormal = bits_of(float_of(kept) + kE4m3Subnormals) - bits_of(kE4m3Subnormals);
  const std::uint32_t is_subnormal = 0U - static_cast<std::uint32_t>(kept < bits_of(kE4m3LeastNormal));
  return static_cast<std::uint8_t>((bits >> 24 & 0x80U) | (subnormal & is_subnormal) | (normal & ~is_subnormal));
}

// ---- MXFP4 -----------------------------------------------------------------------------------------------------

inline constexpr float kE2m1Most = 6.0F;

// triton_kernels: the exponent of absmax / 6 rounded up to a power of two; 0 for blocks of zeros, whose factor is 0.
QFUSE_HOST_DEVICE inline std::uint8_t mx_exponent_rounded_up(float absmax) {
  return static_cast<std::uint8_t>((bits_of(absmax / kE2m1Most) + (kMinNormalBits - 1U)) >> 23);
}
QFUSE_HOST_DEVICE inline float mx_factor(std::uint8_t exponent) {
  return exponent == 0 ? 0.0F : float_of((kTwoBiases - exponent) << 23);
}

// compressed-tensors: absmax rounded to a power of two (up from 1.75 times one, else down), divided by 4.
QFUSE_HOST_DEVICE inline std::uint8_t mx_exponent_of_nearest(float absmax) {
  constexpr std::uint32_t kQuarter = 1U << 21;
  const std::uint32_t exponent = (bits_of(absmax) + kQuarter) >> 23;
  return static_cast<std::uint8_t>(exponent < 2 ? 0 : exponent - 2);
}

// A block as either rule encodes it. `most`: the bits of its largest magnitude.
QFUSE_HOST_DEVICE inline std::uint8_t mx_exponent(bool is_nearest, std::uint32_t most) {
  if (most >= kInfBits) return kUe8m0Nan;
  return is_nearest ? mx_exponent_of_nearest(float_of(most)) : mx_exponent_rounded_up(float_of(most));
}
// The factor of a block's values; NaN if they have none.
QFUSE_HOST_DEVICE inline float mx_factor(bool is_nearest, std::uint8_t exponent) {
  if (exponent == kUe8m0Nan) return float_of(kNan32);
  return is_nearest ? 1.0F / from_ue8m0(exponent) : mx_factor(exponent);
}

// ---- INT4 ------------------------------------------------------------------------------------------------------

inline constexpr float kInt4Steps = 7.5F;  // half the distance between the least and the greatest code

// The code of v, to nearest, ties to even, saturated; code 8 is zero. The sum's lowest bits are the rounded integer.
inline std::uint8_t to_int4(float v) {
  constexpr float kIntegers = 0x1.8p23F;  // a float whose ulp is 1
  const float kept = v < -8.0F ? -8.0F : v > 7.0F ? 7.0F : v;
  return static_cast<std::uint8_t>(bits_of(kept + (kIntegers + 8.0F)) & 15U);
}

// ---- e2m1 ------------------------------------------------------------------------------------------------------

// Rounds to nearest and saturates. Comparisons instead of branches, so that loops over these are vectorized. Ties go
// up, and zeros keep their sign, as in triton_kernels.
QFUSE_HOST_DEVICE inline std::uint8_t to_e2m1_up(float v) {
  const float m = float_of(bits_of(v) & ~kSignBit);
  const int code = static_cast<int>(m >= 0.25F) + static_cast<int>(m >= 0.75F) + static_cast<int>(m >= 1.25F) +
                   static_cast<int>(m >= 1.75F) + static_cast<int>(m >= 2.5F) + static_cast<int>(m >= 3.5F) +
                   static_cast<int>(m >= 5.0F);
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(code) | (bits_of(v) >> 28 & 8U));
}

// Ties go to the even code. -0 becomes 0, but negative values that round to 0 become -0: compressed-tensors, modelopt.
QFUSE_HOST_DEVICE inline std::uint8_t to_e2m1_even(float v) {
  const float m = float_of(bits_of(v) & ~kSignBit);
  const int code = static_cast<int>(m > 0.25F) + static_cast<int>(m >= 0.75F) + static_cast<int>(m > 1.25F) +
                   static_cast<int>(m >= 1.75F) + static_cast<int>(m > 2.5F) + static_cast<int>(m >= 3.5F) +
                   static_cast<int>(m > 5.0F);
  return static_cast<std::uint8_t>(code | static_cast<int>(v < 0.0F) * 8);
}

// The code of a scaled value by either rule.
QFUSE_HOST_DEVICE inline std::uint8_t to_e2m1(bool is_nearest, float v) {
  if (v != v) return 0;
  return is_nearest ? to_e2m1_even(v) : to_e2m1_up(v);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_BLOCK_CODES_H
