// Scalar steps for groups of int8 values with one fp32 scale each.
#ifndef QFUSE_FORMAT_INT8_GROUPS_H
#define QFUSE_FORMAT_INT8_GROUPS_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "format/host_device.h"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr std::uint32_t kBfloat16Magnitude = 0x7fffU;  // all bits but the sign
inline constexpr std::uint32_t kBfloat16Inf = 0x7f80U;        // magnitudes above it are NaN

QFUSE_HOST_DEVICE constexpr float int8_scale(float absmax) {
  const float scale = absmax * kInt8Scale;
  return scale < kMinGroupScale ? kMinGroupScale : canonical(scale);
}

// absmax is a group's largest bf16 magnitude, as bits. These order like the numbers, with NaN above all.
constexpr float group_scale(std::uint16_t absmax) { return int8_scale(from_bfloat16(absmax)); }

// The definition: integer part of z / scale. The quotient never reaches 128 in magnitude, because the scale is never
// that much too small for absmax.
QFUSE_HOST_DEVICE constexpr std::int8_t quantize_value(float z, float scale) {
  const float quotient = z / scale;
  if (quotient != quotient) return 0;
  const float magnitude = float_of(bits_of(quotient) & ~kSignBit);
  const int size = static_cast<int>(magnitude < 127.0F ? magnitude : 127.0F);
  return static_cast<std::int8_t>(quotient < 0 ? -size : size);
}

// Factor with which z * factor has the same integer part as z / scale, for every bf16 z of the group. It is 0 for a
// group whose scale is infinite or NaN, because such a group's payload is all zeros. docs/ACCURACY.md has the argument,
// and a test tries every pair.
constexpr float group_factor(std::uint16_t absmax) {
  if (absmax >= kBfloat16Inf) return 0.0F;
  constexpr float kNudge = 0x1p-18F;
  const float scale = group_scale(absmax);
  const float factor = 1.0F / scale;
  return from_bfloat16(absmax) / scale >= 127.0F ? factor + factor * kNudge : factor - factor * kNudge;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_INT8_GROUPS_H
