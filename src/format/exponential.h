// exp in fp32 as one sequence of IEEE operations, each rounded by itself: no FMA, no library, no table. So every CPU
// and SIMD target gives the same bits, at most one ulp from the correctly rounded result (docs/ACCURACY.md).
#ifndef QFUSE_FORMAT_EXPONENTIAL_H
#define QFUSE_FORMAT_EXPONENTIAL_H

#include <cstdint>

#include "format/rounding.h"

namespace qfuse::format {

// Beyond these, exp is infinity or less than half the least subnormal. Clamping keeps 2^n within reach of two factors.
inline constexpr float kExpMax = 89.0F;
inline constexpr float kExpMin = -104.0F;

inline constexpr float kLog2e = 0x1.715476p+0F;
// ln 2 in two parts. The first has nine bits, so that n times it, and x minus that product, are exact.
inline constexpr float kLn2High = 0x1.63p-1F;
inline constexpr float kLn2Low = -0x1.bd0106p-13F;

// Its ulp is 1: adding it rounds to an integer n, and leaves n + 254 in the low bits of the sum. 254 is twice the
// exponent bias: half of n + 254, shifted into the exponent field, is 2^(n/2).
inline constexpr float kExpMagic = 0x1.8p23F + 254.0F;
inline constexpr int kExponentShift = 23;

// Coefficients of (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, highest power first: a minimax fit of the relative error
// that they cause in exp(r), which is at most 2^-27.9, with the last coefficient fixed at 1/2.
// (A struct, because nvcc does not accept a host array in a kernel.)
inline constexpr int kExpTerms = 5;
struct ExpCoefficients {
  float values[kExpTerms] = {0x1.6b6e42p-10F, 0x1.122f88p-7F, 0x1.555688p-5F, 0x1.5554a4p-3F, 0.5F};
};

// exp(n ln 2 + r) = 2^n exp(r). 2^n is applied as two factors. Each is a normal number, and only the second product can
// round, to a subnormal or to infinity. NaN stays NaN.
QFUSE_HOST_DEVICE constexpr float exponential(float x) {
  x = x > kExpMax ? kExpMax : x;
  x = x < kExpMin ? kExpMin : x;
  const float sum = x * kLog2e + kExpMagic;
  const float n = sum - kExpMagic;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  constexpr ExpCoefficients kCoefficients;
  float p = kCoefficients.values[0];
  for (int i = 1; i < kExpTerms; ++i) p = p * r + kCoefficients.values[i];
  const float e = 1.0F + (r + p * (r * r));
  const auto exponent = bits_of(sum);
  const std::uint32_t half = exponent >> 1U;
  const auto low = float_of(half << kExponentShift);
  const auto high = float_of((exponent - half) << kExponentShift);
  return (e * low) * high;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_EXPONENTIAL_H
