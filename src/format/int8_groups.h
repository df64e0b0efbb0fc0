// Groups of bf16 values as int8 with one fp32 scale each, truncated toward zero: the scalar steps.
#ifndef QFUSE_FORMAT_INT8_GROUPS_H
#define QFUSE_FORMAT_INT8_GROUPS_H

#include <algorithm>
#include <cstdint>

#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr std::uint32_t kBfloat16Magnitude = 0x7fffU;  // all bits but the sign
inline constexpr std::uint32_t kBfloat16Inf = 0x7f80U;        // magnitudes above it are NaN

// absmax is a group's largest bf16 magnitude, as bits: they order like the numbers they are, and NaN above all.
constexpr float group_scale(std::uint16_t absmax) {
  if (absmax > kBfloat16Inf) return canonical(from_bfloat16(absmax));
  return std::max(from_bfloat16(absmax) * kInt8Scale, kMinGroupScale);
}

// The definition. A quotient beyond 127 does not occur, as the scale is never too small for absmax by a whole step.
constexpr std::int8_t quantize_value(float z, float scale) {
  const float quotient = z / scale;
  if (quotient != quotient) return 0;
  return static_cast<std::int8_t>(std::clamp(quotient, -127.0F, 127.0F));
}

// A factor by which a product has the integer part of the quotient, for every z of the group: 0 for a group whose
// payload is all zeros, as its scale is infinite or NaN. docs/ACCURACY.md has the argument, a test tries every pair.
constexpr float group_factor(std::uint16_t absmax) {
  if (absmax >= kBfloat16Inf) return 0.0F;
  constexpr float kNudge = 0x1p-18F;
  const float scale = group_scale(absmax);
  const float factor = 1.0F / scale;
  return from_bfloat16(absmax) / scale >= 127.0F ? factor + factor * kNudge : factor - factor * kNudge;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_INT8_GROUPS_H
