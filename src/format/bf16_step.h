// How CPUs' bf16 instructions add: VDPBF16PS of AVX512-BF16 and TDPBF16PS of AMX take these steps, in orders of their
// own (qfuse.h). tests/format/bf16_step_test.cpp compares the instructions with it.
#ifndef QFUSE_FORMAT_BF16_STEP_H
#define QFUSE_FORMAT_BF16_STEP_H

#include <cmath>

#include "format/rounding.h"

namespace qfuse::format {

// Sums of dot products, forward: the lanes of a vector of AVX-512.
inline constexpr int kDotSums = 16;

// sum + a * b, rounded once to nearest even. Subnormal operands count as zero, and so does a result that is subnormal
// after it was rounded to 24 bits as if no exponent were too small: that is below 2^-126 - 2^-151. Where a sum could be
// so small, fp64 has it exactly, or far enough from that.
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
