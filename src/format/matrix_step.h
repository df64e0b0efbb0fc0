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
inline constexpr int kExponentBits32 = 8;
inline constexpr int kBias32 = 127;
inline constexpr int kLeastExponent32 = -126;
inline constexpr int kNoExponent = INT32_MIN / 2;  // exponent of zeros

// significand * 2^(exponent - fraction bits). A subnormal has the least exponent and is not normalized.
struct Number {
  std::int32_t significand;
  int exponent;
  bool is_infinite;
  bool is_nan;
};

QFUSE_HOST_DEVICE constexpr Number number(std::uint32_t bits, int fraction_bits, int exponent_bits) {
  const auto highest = static_cast<std::int32_t>((1U << exponent_bits) - 1);
  const auto field = static_cast<std::int32_t>(bits >> fraction_bits) & highest;
  const auto fraction = static_cast<std::int32_t>(bits & ((1U << fraction_bits) - 1));
  const std::int32_t significand = field == 0 ? fraction : fraction | 1 << fraction_bits;
  const bool is_negative = (bits >> (fraction_bits + exponent_bits) & 1U) != 0;
  return {is_negative ? -significand : significand, (field == 0 ? 1 : field) - highest / 2,
          field == highest && fraction == 0, field == highest && fraction != 0};
}

QFUSE_HOST_DEVICE constexpr std::int64_t magnitude(std::int64_t x) { return x < 0 ? -x : x; }

// x * 2^by, truncated toward zero. Only zeros, whose exponent does not matter, come with a `by` above 63.
QFUSE_HOST_DEVICE constexpr std::int64_t scaled(std::int64_t x, int by) {
  const std::int64_t size = by >= 0 ? magnitude(x) << (by & 63) : by > -64 ? magnitude(x) >> -by : 0;
  return x < 0 ? -size : size;
}

// total * 2^unit, truncated toward zero to fp32; beyond the largest number infinity. The result is +0 if total is 0,
// and also if truncation leaves nothing.
QFUSE_HOST_DEVICE constexpr float truncated(std::int64_t total, int unit) {
  if (total == 0) return 0.0F;
  const auto size = static_cast<std::uint64_t>(magnitude(total));
  int highest = 0;
  while (size >> (highest + 1) != 0) ++highest;
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

}  // namespace matrix

// Operands of a step. A matrix row that is multiplied by many columns is taken apart once.
struct StepTerms {
  matrix::Number numbers[kStepTerms];
};
QFUSE_HOST_DEVICE constexpr StepTerms step_terms(Binary16 type, const std::uint16_t (&bits)[kStepTerms]) {
  StepTerms terms{};
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i)
    terms.numbers[i] = matrix::number(bits[i], type.fraction_bits, type.exponent_bits);
  return terms;
}

// sum + a[0] * b[0] + ... + a[15] * b[15], with operands of `type`. The 17 terms are exact. Each is truncated
// toward zero to a multiple of 2^(e - 25), where e is the greatest exponent among them; a product's exponent is the sum
// of its operands' exponents. They are added exactly, and the result is truncated toward zero to fp32. The order of the
// terms does not matter.
QFUSE_HOST_DEVICE constexpr float matrix_step(Binary16 type, float sum, const StepTerms& a, const StepTerms& b) {
  using namespace matrix;
  const int fraction = type.fraction_bits;
  const Number start = number(bits_of(sum), kFraction32, kExponentBits32);
  int most = start.significand != 0 ? start.exponent : kNoExponent;
  bool is_nan = start.is_nan;
  bool has_plus = start.is_infinite && start.significand > 0;
  bool has_minus = start.is_infinite && start.significand < 0;
  std::int32_t products[kStepTerms];
  int exponents[kStepTerms];
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i) {
    const Number& x = a.numbers[i];
    const Number& y = b.numbers[i];
    const std::int32_t product = products[i] = x.significand * y.significand;
    const int exponent = exponents[i] = x.exponent + y.exponent;
    const bool is_infinite = x.is_infinite || y.is_infinite;
    if (product != 0 && exponent > most) most = exponent;
    is_nan = is_nan || x.is_nan || y.is_nan || (is_infinite && product == 0);
    has_plus = has_plus || (is_infinite && product > 0);
    has_minus = has_minus || (is_infinite && product < 0);
  }
  if (is_nan || (has_plus && has_minus)) return float_of(kNan32);
  if (has_plus || has_minus) return float_of(has_minus ? kInfBits | kSignBit : kInfBits);
  if (most == kNoExponent) return 0.0F;
  std::int64_t total = scaled(start.significand, start.exponent - most + kUnitBits - kFraction32);
  QFUSE_UNROLL
  for (int i = 0; i < kStepTerms; ++i) total += scaled(products[i], exponents[i] - most + kUnitBits - 2 * fraction);
  return truncated(total, most - kUnitBits);
}
QFUSE_HOST_DEVICE constexpr float matrix_step(Binary16 type, float sum, const std::uint16_t (&a)[kStepTerms],
                                              const std::uint16_t (&b)[kStepTerms]) {
  return matrix_step(type, sum, step_terms(type, a), step_terms(type, b));
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_MATRIX_STEP_H
