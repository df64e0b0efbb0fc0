// fp64 sums by integer steps, for processors without fp64: the same bits as IEEE arithmetic rounded to nearest even.
#ifndef QFUSE_FORMAT_BINARY64_H
#define QFUSE_FORMAT_BINARY64_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

// An fp64 number that is not subnormal, as its bits.
struct Binary64 {
  std::uint64_t bits;
};

namespace binary64 {
inline constexpr int kFractionBits = 52;
inline constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kFractionBits;
inline constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kInf = std::uint64_t{0x7ff} << kFractionBits;  // magnitudes above it are NaN
inline constexpr std::uint64_t kNan = kInf | kHiddenBit / 2;
inline constexpr int kRebias = 1023 - 127;  // difference of the exponent biases of fp64 and fp32
inline constexpr int kFp32FractionBits = 23;
inline constexpr int kMaxExponent32 = 254;
inline constexpr int kGuardBits = 3;  // below the last bit: enough for one rounding, if the lowest is sticky

QFUSE_HOST_DEVICE constexpr std::uint64_t magnitude(Binary64 x) { return x.bits & ~kSign; }
QFUSE_HOST_DEVICE constexpr int exponent(Binary64 x) { return static_cast<int>(magnitude(x) >> kFractionBits); }
QFUSE_HOST_DEVICE constexpr std::uint64_t significand(Binary64 x) { return (x.bits & (kHiddenBit - 1)) | kHiddenBit; }

// `significand` includes the hidden bit, which is not stored. If rounding made it 2^53, the exponent grows by 1.
QFUSE_HOST_DEVICE constexpr Binary64 pack(std::uint64_t sign, int exponent, std::uint64_t significand) {
  return {sign | ((static_cast<std::uint64_t>(exponent) << kFractionBits) + (significand - kHiddenBit))};
}

// Shifts right. The lowest bit becomes 1 if a 1 was shifted out.
QFUSE_HOST_DEVICE constexpr std::uint64_t shift_sticky(std::uint64_t x, int by) {
  if (by >= 64) return x != 0 ? 1 : 0;
  return x >> by | ((x >> by) << by != x ? 1 : 0);
}

// Drops the last `by` bits, rounded to nearest even.
QFUSE_HOST_DEVICE constexpr std::uint64_t round_off(std::uint64_t x, int by) {
  const std::uint64_t half = std::uint64_t{1} << (by - 1);
  return (x + half - 1 + (x >> by & 1)) >> by;
}

// Shifts x, which is not 0, so that its highest bit is at `place`. `shift` returns the number of places to the right.
QFUSE_HOST_DEVICE constexpr std::uint64_t normalize(std::uint64_t x, int place, int& shift) {
  shift = 0;
  while (x >> (place + 1) != 0) {
    x = shift_sticky(x, 1);
    ++shift;
  }
  while (x >> place == 0) {
    x <<= 1;
    --shift;
  }
  return x;
}
}  // namespace binary64

QFUSE_HOST_DEVICE constexpr Binary64 to_binary64(float x) {
  using namespace binary64;
  const std::uint32_t bits = bits_of(x);
  const std::uint64_t sign = static_cast<std::uint64_t>(bits & kSignBit) << 32;
  const std::uint32_t rest = bits & ~kSignBit;
  if (rest > kInfBits) return {kNan};
  if (rest == kInfBits) return {sign | kInf};
  if (rest == 0) return {sign};
  int shift = 0;
  int exponent = static_cast<int>(rest >> kFp32FractionBits);
  std::uint64_t fraction = rest & (kMinNormalBits - 1);
  if (exponent != 0)
    fraction |= kMinNormalBits;
  else
    exponent = 1;
  fraction = normalize(fraction, kFractionBits, shift);
  exponent += shift + (kFractionBits - kFp32FractionBits) + kRebias;
  return pack(sign, exponent, fraction);
}

// For numbers whose sum is zero or a normal fp64 number, as sums of fp32 numbers are.
QFUSE_HOST_DEVICE constexpr Binary64 add(Binary64 a, Binary64 b) {
  using namespace binary64;
  if (magnitude(a) > kInf || magnitude(b) > kInf) return {kNan};
  if (magnitude(a) < magnitude(b)) {
    const Binary64 larger = b;
    b = a;
    a = larger;
  }
  if (magnitude(a) == kInf) return magnitude(b) == kInf && a.bits != b.bits ? Binary64{kNan} : a;
  if (magnitude(b) == 0) return magnitude(a) == 0 ? Binary64{a.bits & b.bits} : a;
  const std::uint64_t upper = significand(a) << kGuardBits;
  const std::uint64_t lower = shift_sticky(significand(b) << kGuardBits, exponent(a) - exponent(b));
  const std::uint64_t sum = ((a.bits ^ b.bits) & kSign) == 0 ? upper + lower : upper - lower;
  if (sum == 0) return {0};
  int shift = 0;
  const std::uint64_t rounded = round_off(normalize(sum, kFractionBits + kGuardBits, shift), kGuardBits);
  return pack(a.bits & kSign, exponent(a) + shift, rounded);
}

// x / count, rounded to fp64 and then to fp32. x is a sum of fp32 numbers, and count is 1 to 2^53.
QFUSE_HOST_DEVICE constexpr float divide(Binary64 x, std::int64_t count) {
  using namespace binary64;
  const std::uint32_t sign = x.bits >> 63 != 0 ? kSignBit : 0;
  if (magnitude(x) > kInf) return float_of(kNan32);
  if (magnitude(x) == kInf) return float_of(sign | kInfBits);
  if (magnitude(x) == 0) return float_of(sign);
  int shift = 0;
  const std::uint64_t divisor = normalize(static_cast<std::uint64_t>(count), kFractionBits, shift);
  // Long division, bit by bit, until further bits cannot change the rounding.
  std::uint64_t rest = significand(x);
  std::uint64_t quotient = 0;
  constexpr int kBits = kFractionBits + kGuardBits + 1;
  for (int bit = 0; bit <= kBits; ++bit) {
    quotient <<= 1;
    if (rest >= divisor) {
      quotient |= 1;
      rest -= divisor;
    }
    rest <<= 1;
  }
  if (rest != 0) quotient |= 1;
  const int divided =
      exponent(x) - (shift + kFractionBits);  // the quotient is scaled by 2^kBits and below 2^(kBits + 1)
  int carry = 0;
  quotient = round_off(normalize(quotient, kFractionBits + kGuardBits, shift), kGuardBits);
  quotient = normalize(quotient, kFractionBits, carry);
  const int exponent32 = divided + shift - 1 + carry - kRebias;
  constexpr int kLess = kFractionBits - kFp32FractionBits;
  if (exponent32 > kMaxExponent32) return float_of(sign | kInfBits);
  if (exponent32 <= 0)
    return float_of(sign | static_cast<std::uint32_t>(round_off(shift_sticky(quotient, 1 - exponent32), kLess)));
  const auto fraction = static_cast<std::uint32_t>(round_off(quotient, kLess));
  return float_of(sign | ((static_cast<std::uint32_t>(exponent32) << kFp32FractionBits) + (fraction - kMinNormalBits)));
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_BINARY64_H
