// Rounding between fp32 and the 16-bit types, and flush-to-zero, by integer steps, so that the floating-point mode of
// the compiler or processor cannot change a bit. The SIMD and CUDA files take the same steps.
#ifndef QFUSE_FORMAT_ROUNDING_H
#define QFUSE_FORMAT_ROUNDING_H

#include <cstdint>

#include "format/host_device.h"

namespace qfuse::format {

inline constexpr std::uint32_t kSignBit = 0x80000000U;
inline constexpr std::uint32_t kInfBits = 0x7f800000U;        // fp32 infinity; magnitudes above it are NaN
inline constexpr std::uint32_t kMinNormalBits = 0x00800000U;  // 2^-126; magnitudes below it are subnormal or zero
inline constexpr std::uint32_t kNan16 = 0x7fffU;              // the NaN that cvt.rn writes, for fp16 and bf16 alike

// fp16 limits as fp32 bits: 2^-14, the least normal value, and 65520, from which rounding to nearest gives infinity.
inline constexpr std::uint32_t kHalfMinNormalBits = 0x38800000U;
inline constexpr std::uint32_t kHalfOverflowBits = 0x477ff000U;
inline constexpr std::uint32_t kHalfInf = 0x7c00U;
inline constexpr std::uint32_t kHalfMinNormal = 0x0400U;          // least normal value, as fp16 bits
inline constexpr float kHalfSubnormalUnit = 0x1p-24F;             // spacing of the subnormals
inline constexpr std::uint32_t kHalfRebias = (127U - 15U) << 23;  // difference of the exponent biases
// The ulp of 0.5 is 2^-24, the spacing of fp16 subnormals: adding 0.5 makes the fp32 adder round them.
inline constexpr float kHalfSubnormalMagic = 0.5F;

// x86 and CUDA produce different NaNs. One is chosen, so that devices agree.
inline constexpr std::uint32_t kNan32 = 0x7fffffffU;  // the NaN that CUDA's fp32 arithmetic gives

// Like std::bit_cast, which some compilers of kernels treat as a host function.
QFUSE_HOST_DEVICE constexpr std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
QFUSE_HOST_DEVICE constexpr float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

QFUSE_HOST_DEVICE constexpr float canonical(float x) { return x == x ? x : float_of(kNan32); }

// Subnormals become zero of the same sign. All other values, including NaN, are unchanged.
QFUSE_HOST_DEVICE constexpr float ftz(float x) {
  const auto bits = bits_of(x);
  return (bits & ~kSignBit) < kMinNormalBits ? float_of(bits & kSignBit) : x;
}

// Scales products of fp32 numbers so that none near 2^-126, the least normal number, is subnormal.
inline constexpr float kFlushScale = 0x1p64F;
inline constexpr std::uint32_t kFlushedBits = kMinNormalBits + (64U << 23);  // 2^-126 * kFlushScale

// mul.ftz.f32: subnormal operands and results count as zero. A result is subnormal if it is below 2^-126 after rounding
// to 24 bits with an unbounded exponent, as in CUDA (seen on an H100), even where plain rounding gives 2^-126.
QFUSE_HOST_DEVICE constexpr float mul_ftz(float a, float b) {
  a = ftz(a);
  b = ftz(b);
  const auto scaled = bits_of(a * kFlushScale * b);
  const float product = a * b;
  if ((scaled & ~kSignBit) >= kFlushedBits) return product;
  return float_of(bits_of(product) & kSignBit);
}

// Rounds to nearest even.
QFUSE_HOST_DEVICE constexpr std::uint16_t to_bfloat16(float x) {
  const auto bits = bits_of(x);
  if ((bits & ~kSignBit) > kInfBits) return kNan16;
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

QFUSE_HOST_DEVICE constexpr float from_bfloat16(std::uint16_t x) {
  return float_of(static_cast<std::uint32_t>(x) << 16);
}

// Rounds to nearest even; overflow gives infinity, underflow gives subnormals.
QFUSE_HOST_DEVICE constexpr std::uint16_t to_float16(float x) {
  const auto bits = bits_of(x);
  const std::uint32_t magnitude = bits & ~kSignBit;
  if (magnitude > kInfBits) return kNan16;
  std::uint32_t half = (magnitude - kHalfRebias + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  if (magnitude >= kHalfOverflowBits) half = kHalfInf;
  if (magnitude < kHalfMinNormalBits)
    half = bits_of(float_of(magnitude) + kHalfSubnormalMagic) - bits_of(kHalfSubnormalMagic);
  return static_cast<std::uint16_t>(half | ((bits & kSignBit) >> 16));
}

QFUSE_HOST_DEVICE constexpr float from_float16(std::uint16_t x) {
  const std::uint32_t sign = (x & 0x8000U) << 16;
  const std::uint32_t magnitude = x & 0x7fffU;
  std::uint32_t bits = (magnitude << 13) + kHalfRebias;
  if (magnitude >= kHalfInf) bits = (magnitude << 13) | kInfBits;
  // Subnormals are small integers times their unit: both the conversion and the product are exact.
  if (magnitude < kHalfMinNormal) bits = bits_of(static_cast<float>(magnitude) * kHalfSubnormalUnit);
  return float_of(bits | sign);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ROUNDING_H
