// Values as 8- and 4-bit floats with scales of blocks, as the libraries that ship checkpoints make them: the scalar
// steps. A block is known by its absmax, which is finite. Decoding is fp8_groups.h's and codebook4.h's.
#ifndef QFUSE_FORMAT_BLOCK_CODES_H
#define QFUSE_FORMAT_BLOCK_CODES_H

#include <cmath>
#include <cstdint>

#include "format/fp8_groups.h"
#include "format/rounding.h"

namespace qfuse::format {

// What a block's values are multiplied by before they are rounded to codes, and what decodes them again.
struct BlockScale {
  float factor;
  float scale;
};

// ---- FP8 -------------------------------------------------------------------------------------------------------

inline constexpr BlockScale kNothingToScale{1.0F, 1.0F};  // a block of zeros

// transformers' Fp8Quantize, which divides a number by a tensor as torch does: by the tensor's rounded inverse. A block
// below 2^-119 is one of zeros: there the library's factor is infinite, and its zeros become NaN.
inline BlockScale fp8_block_scale(float absmax) {
  const float factor = 1.0F / absmax * kE4m3Most;
  if (!(factor < float_of(kInfBits))) return kNothingToScale;
  return {factor, 1.0F / factor};
}

// The same where scales are powers of two, by an exponent that log2 rounded to fp32 gives.
inline BlockScale fp8_power_scale(float absmax) {
  const float inverse = fp8_block_scale(absmax).scale;
  const double kept = inverse > float_of(kMinNormalBits) ? inverse : float_of(kMinNormalBits);
  const float scale = std::ldexp(1.0F, static_cast<int>(std::ceil(static_cast<float>(std::log2(kept)))));
  return {1.0F / scale, scale};
}

// compressed-tensors: values are divided by this, once it is rounded to the type that it is stored in; what that makes
// zero becomes the type's epsilon.
inline float fp8_divisor(float absmax) { return absmax / kE4m3Most; }

// to_e4m3() of a number: steps in integers, which order magnitudes, and a mask instead of a choice, so that compilers
// vectorize loops of it.
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

// triton_kernels: absmax / 6 rounded up to a power of two, as its exponent; 0 is that of zeros, whose factor is 0.
inline std::uint8_t mx_exponent_rounded_up(float absmax) {
  return static_cast<std::uint8_t>((bits_of(absmax / kE2m1Most) + (kMinNormalBits - 1U)) >> 23);
}
inline float mx_factor(std::uint8_t exponent) { return exponent == 0 ? 0.0F : float_of((kTwoBiases - exponent) << 23); }

// compressed-tensors: absmax rounded down to a power of two, but up from 1.75 times one on; and a quarter of that.
inline std::uint8_t mx_exponent_of_nearest(float absmax) {
  constexpr std::uint32_t kQuarter = 1U << 21;
  const std::uint32_t exponent = (bits_of(absmax) + kQuarter) >> 23;
  return static_cast<std::uint8_t>(exponent < 2 ? 0 : exponent - 2);
}

// ---- e2m1 ------------------------------------------------------------------------------------------------------

// To nearest; what is beyond the most becomes that. Comparisons, not branches, so that loops of them are vectorized.
// Ties go up, and zeros keep their sign: triton_kernels.
inline std::uint8_t to_e2m1_up(float v) {
  const float m = float_of(bits_of(v) & ~kSignBit);
  const int code = static_cast<int>(m >= 0.25F) + static_cast<int>(m >= 0.75F) + static_cast<int>(m >= 1.25F) +
                   static_cast<int>(m >= 1.75F) + static_cast<int>(m >= 2.5F) + static_cast<int>(m >= 3.5F) +
                   static_cast<int>(m >= 5.0F);
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(code) | (bits_of(v) >> 28 & 8U));
}

// Ties go to the even code, and -0 is 0, though what rounds to it from below is -0: compressed-tensors and modelopt.
inline std::uint8_t to_e2m1_even(float v) {
  const float m = float_of(bits_of(v) & ~kSignBit);
  const int code = static_cast<int>(m > 0.25F) + static_cast<int>(m >= 0.75F) + static_cast<int>(m > 1.25F) +
                   static_cast<int>(m >= 1.75F) + static_cast<int>(m > 2.5F) + static_cast<int>(m >= 3.5F) +
                   static_cast<int>(m > 5.0F);
  return static_cast<std::uint8_t>(code | static_cast<int>(v < 0.0F) * 8);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_BLOCK_CODES_H
