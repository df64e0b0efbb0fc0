// The quotient of two fp32 numbers, rounded to nearest even by integer steps: OpenCL guarantees only a few ulps, and
// what HIP's compiler makes of a division cannot be relied on.
#ifndef QFUSE_FORMAT_QUOTIENT_H
#define QFUSE_FORMAT_QUOTIENT_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr int kQuotientBits = 27;  // left shift of a 24-bit dividend, so that the quotient has 27 or 28 bits

// A number above zero, as a 24-bit fraction times a power of two with fp32's exponent bias.
struct Magnitude32 {
  std::uint32_t fraction;
  int exponent;
};

QFUSE_HOST_DEVICE constexpr Magnitude32 magnitude32(std::uint32_t bits) {
  if (bits >= kMinNormalBits) return {(bits & (kMinNormalBits - 1U)) | kMinNormalBits, static_cast<int>(bits >> 23)};
  int exponent = 1;
  for (; bits < kMinNormalBits; bits <<= 1) --exponent;
  return {bits, exponent};
}

// Rounds q to a number with that exponent: to 24 bits, or to fewer if it is subnormal. The lowest bit of q is set if
// nonzero bits of the quotient were cut off.
QFUSE_HOST_DEVICE constexpr std::uint32_t rounded_quotient(std::uint32_t q, int exponent) {
  if (exponent >= 255) return kInfBits;
  int drop = (q >> kQuotientBits) != 0 ? 4 : 3;
  if (exponent < 1) drop += 1 - exponent;
  if (drop > 31) drop = 31;  // 31 already drops all 28 bits
  const std::uint32_t kept = q >> drop;
  const std::uint32_t rest = q & ((1U << drop) - 1U);
  const std::uint32_t half = 1U << (drop - 1);
  const std::uint32_t up = rest > half || (rest == half && (kept & 1U) != 0) ? 1U : 0U;
  return (exponent > 1 ? static_cast<std::uint32_t>(exponent - 1) << 23 : 0U) + kept + up;
}

QFUSE_HOST_DEVICE constexpr float quotient(float a, float b) {
  const std::uint32_t sign = (bits_of(a) ^ bits_of(b)) & kSignBit;
  const std::uint32_t x = bits_of(a) & ~kSignBit;
  const std::uint32_t y = bits_of(b) & ~kSignBit;
  if (x > kInfBits || y > kInfBits || (x == y && (x == 0 || x == kInfBits))) return float_of(kNan32);
  if (x == kInfBits || y == 0) return float_of(kInfBits | sign);
  if (x == 0 || y == kInfBits) return float_of(sign);
  const Magnitude32 m = magnitude32(x);
  const Magnitude32 n = magnitude32(y);
  std::uint32_t q = m.fraction / n.fraction;
  std::uint32_t rest = m.fraction % n.fraction;
  for (int left = kQuotientBits; left > 0;) {  // a remainder of 24 bits leaves room for 8 more
    const int step = left < 8 ? left : 8;
    rest <<= step;
    q = q << step | rest / n.fraction;
    rest %= n.fraction;
    left -= step;
  }
  const std::uint32_t cut = rest != 0 ? 1U : 0U;
  const int exponent = m.exponent - n.exponent + ((q >> kQuotientBits) != 0 ? 127 : 126);
  return float_of(rounded_quotient(q | cut, exponent) | sign);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_QUOTIENT_H
