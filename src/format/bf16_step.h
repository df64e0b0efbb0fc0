// How the bf16 instructions of CPUs add. VDPBF16PS of AVX512-BF16 and TDPBF16PS of AMX take these steps, each in its
// own order (qfuse.h). tests/format/bf16_step_test.cpp compares the instructions with this model.
#ifndef QFUSE_FORMAT_BF16_STEP_H
#define QFUSE_FORMAT_BF16_STEP_H

#include <cmath>

#include "format/rounding.h"

namespace qfuse::format {

// Number of partial sums of a forward dot product: the lanes of an AVX-512 vector.
inline constexpr int kDotSums = 16;

// sum + a * b, rounded once to nearest even. Subnormal operands count as zero. So does a result that is subnormal once
// it is rounded to 24 bits with an unbounded exponent: its magnitude is below 2^-126 - 2^-151. Where a sum could be so
// small, fp64 holds it exactly, or far enough from that bound.
inline float bf16_step(float sum, float a, float b) {
  sum = ftz(sum);
  a = ftz(a);
  b = ftz(b);
  const double exact = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(sum);
  const float fused = std::fma(a, b, sum);
  return std::fabs(exact) < 0x1p-126 - 0x1p-151 ? std::copysign(0.0F, fused) : fused;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_BF16_STEP_H
