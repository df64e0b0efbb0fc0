// How the matrix instructions of an NVIDIA H200 add, bit by bit, as measured (docs/ACCURACY.md). This is the only copy
// of the model: the oracle uses it, and so does the portable replacement for the instructions.
#ifndef QFUSE_FORMAT_MATRIX_STEP_H
#define QFUSE_FORMAT_MATRIX_STEP_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

// Elements of K per step: mma.sync.m16n8k16 and every wgmma for 16-bit types.
inline constexpr int kStepTerms = 16;
// Elements of K per step of int8, whose sums are integers: mma.sync.m16n8k32 and every wgmma.
inline constexpr int kInt8StepTerms = 32;

// Number of partial sums of a forward sum in fp32, which uses no matrix instructions.
inline constexpr int kFp32Sums = 32;

// Bit fields of a 16-bit type.
struct Binary16 {
  int fraction_bits;
  int exponent_bits;
};
inline constexpr Binary16 kBinaryFloat16 = {10, 5};
inline constexpr Binary16 kBinaryBfloat16 = {7, 8};

namespace matrix {

inline constexpr int kUnitBits = 25;  // bits from the greatest exponent of the terms down to the unit of their sum
inline constexpr int kFraction32 = 23;
inline constexpr int kBias32 = 127;
inline constexpr int kLeastExponent32 = -126;

// Bits of an operand: its significand, its exponent plus kBias, whether it is infinite or NaN, its sign. Zeros have
// exponent 0, so that their products have less than kLeastSum. A subnormal has the least exponent, not normalized.
inline constexpr std::uint32_t kSignificand = 0xffff;
inline constexpr std::uint32_t kExponent = 0xfff0000;
inline constexpr int kExponentPlace = 16;
inline constexpr std::uint32_t kSpecial = 1U << 30;
inline constexpr int kBias = 1024;
inline constexpr std::uint32_t kLeastSum = 3 * kBias / 2;  // of two exponents with kBias

// size * 2^-down with the sign of the highest bit of `sign`, truncated toward zero.
QFUSE_HOST_DEVICE constexpr std::uint64_t scaled(std::uint32_t size, std::uint32_t down, std::uint32_t sign) {
  const std::uint64_t all = 0U - static_cast<std::uint64_t>(sign >> 31);
  return ((size >> (down < 31 ? down : 31)) ^ all) - all;
}

// total * 2^unit, truncated toward zero to fp32; beyond the largest number infinity. The result is +0 if total is 0,
// and also if truncation leaves nothing. The total has at most 32 bits.
QFUSE_HOST_DEVICE constexpr float truncated(std::int64_t total, int unit) {
  if (total == 0) return 0.0F;
  const auto size = static_cast<std::uint64_t>(total < 0 ? -total : total);
  int highest = 0;
  for (int half = 16; half > 0; half /= 2) highest += size >> (highest + half) != 0 ? half : 0;
  const bool is_normal = highest + unit >= kLeastExponent32;
  const int exponent = is_normal ? highest + unit : kLeastExponent32;
  const int shift = exponent - kFraction32 - unit;  // to the position of a significand
  const std::uint64_t significand = shift <= 0 ? size << -shift : shift < 64 ? size >> shift : 0;
  std::uint32_t bits = kInfBits;
  if (exponent <= kBias32) {
    const auto field = static_cast<std::uint32_t>(is_normal ? exponent + kBias32 - 1 : 0);  // the hidden bit adds 1
    bits = (field << kFraction32) + static_cast<std::uint32_t>(significand);
  }
  return float_of(total < 0 && bits != 0 ? bits | kSignBit : bits);
}

// An infinity, a NaN, a zero, or in the place of any other number 1 with its sign.
QFUSE_HOST_DEVICE constexpr float kind(Binary16 type, std::uint32_t x) {
  const std::uint32_t finite = (x & kSignificand) != 0 ? bits_of(1.0F) : 0;
  const std::uint32_t fraction = x & ((1U << type.fraction_bits) - 1);
  return float_of((x & kSignBit) | ((x & kSpecial) != 0 ? kInfBits | fraction : finite));
}

}  // namespace matrix

// Operands of a step. A matrix row that is multiplied by many columns is taken apart once.
struct StepTerms {
  std::uint32_t operands[kStepTerms];
  std::uint32_t any;  // their bits
};
QFUSE_HOST_DEVICE constexpr StepTerms step_terms(Binary16 type, const std::uint16_t (&bits)[kStepTerms]) {
  const std::uint32_t hidden = 1U << type.fraction_bits;
  const std::uint32_t highest = (1U << type.exponent_bits) - 1;
  const std::uint32_t unit = 1U << (matrix::kExponentPlace - type.fraction_bits);  // from a field's place
  StepTerms terms{};
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i) {
    const std::uint32_t x = bits[i];
    const std::uint32_t field = x & highest * hidden;
    const std::uint32_t significand = (x & (hidden - 1)) | (field != 0 ? hidden : 0);
    const std::uint32_t biased = (field != 0 ? field : hidden) + (matrix::kBias - highest / 2) * hidden;
    const std::uint32_t marks = (field == highest * hidden ? matrix::kSpecial : 0) | x >> 15 << 31;
    terms.any |= terms.operands[i] = significand | (significand != 0 ? biased * unit : 0) | marks;
  }
  return terms;
}

// sum + a[0] * b[0] + ... + a[15] * b[15], with operands of `type`. The 17 terms are exact. Each is truncated
// toward zero to a multiple of 2^(e - 25), where e is the greatest exponent among them; a product's exponent is the sum
// of its operands' exponents. They are added exactly, and the result is truncated toward zero to fp32. The order of the
// terms does not matter.
QFUSE_HOST_DEVICE constexpr float matrix_step(Binary16 type, float sum, const StepTerms& a, const StepTerms& b) {
  using namespace matrix;
  const std::uint32_t start = bits_of(sum);
  const std::uint32_t field = start >> kFraction32 & 255;
  if (field == 255 || ((a.any | b.any) & kSpecial) != 0) {  // the sum is an infinity or NaN
    QFUSE_UNROLL
    for (int i = 0; i < kStepTerms; ++i) sum += kind(type, a.operands[i]) * kind(type, b.operands[i]);
    return canonical(sum);
  }
  const std::uint32_t size = (start & 0x7fffff) | (field != 0 ? 0x800000 : 0);
  const std::uint32_t exponent = size == 0 ? 0 : (field != 0 ? field : 1) + 2 * kBias - kBias32;
  std::uint32_t most = exponent << kExponentPlace;
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i) {
    const std::uint32_t exponents = (a.operands[i] & kExponent) + (b.operands[i] & kExponent);
    most = exponents > most ? exponents : most;
  }
  most >>= kExponentPlace;
  if (most < kLeastSum) return 0.0F;
  std::uint64_t total = scaled(size << (kUnitBits - kFraction32), most - exponent, start);
  const std::uint32_t unit = 1U << (kUnitBits - 2 * type.fraction_bits);
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i) {
    const std::uint32_t x = a.operands[i];
    const std::uint32_t y = b.operands[i];
    const std::uint32_t exponents = ((x & kExponent) + (y & kExponent)) >> kExponentPlace;
    total += scaled((x & kSignificand) * (y & kSignificand) * unit, most - exponents, x ^ y);
  }
  return truncated(static_cast<std::int64_t>(total), static_cast<int>(most) - 2 * kBias - kUnitBits);
}
QFUSE_HOST_DEVICE constexpr float matrix_step(Binary16 type, float sum, const std::uint16_t (&a)[kStepTerms],
                                              const std::uint16_t (&b)[kStepTerms]) {
  return matrix_step(type, sum, step_terms(type, a), step_terms(type, b));
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_MATRIX_STEP_H
