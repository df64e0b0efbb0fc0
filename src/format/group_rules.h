// Scalar steps that quantize a group of values to payload and a scale, for all formats that a call can request.
#ifndef QFUSE_FORMAT_GROUP_RULES_H
#define QFUSE_FORMAT_GROUP_RULES_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "format/fp8_groups.h"
#include "format/host_device.h"
#include "format/int8_groups.h"
#include "format/rounding.h"

namespace qfuse::format {

// A checked format. amax_floor is the effective floor, 0 for none.
struct GroupRules {
  qfuse_payload type;
  qfuse_scale_rule scale_rule;
  qfuse_zero_rule zero_rule;
  float amax_floor;
  int size;               // elements per group, 32 or 128
  bool scales_are_ue8m0;  // one byte each; else fp32
};

// Bytes per scale.
QFUSE_HOST_DEVICE constexpr int scale_size(const GroupRules& rules) {
  return rules.scales_are_ue8m0 ? 1 : static_cast<int>(sizeof(float));
}

// The scale to store, and the factor that values are multiplied by. For INT8 the factor is the scale, a divisor.
struct GroupScale {
  float scale;
  float factor;
};

QFUSE_HOST_DEVICE constexpr bool is_finite(float v) { return (bits_of(v) & ~kSignBit) < kInfBits; }

// Limits a factor that overflows to the largest bf16, as TransformerEngine does.
QFUSE_HOST_DEVICE constexpr float at_most_bfloat16(float factor) {
  constexpr std::uint32_t kMost = 0x7f7f0000U;
  return factor < float_of(kMost) ? factor : float_of(kMost);
}

// The scale under QFUSE_ZERO_SCALE_ONE of a group whose absmax is not 0, infinite or NaN.
QFUSE_HOST_DEVICE constexpr GroupScale scale_beside_one(qfuse_scale_rule rule, float absmax) {
  const float factor = at_most_bfloat16(kE4m3Most / absmax);
  if (rule == QFUSE_SCALES_TORCHAO) return {1.0F / factor, factor};
  const float power = float_of(bits_of(factor) & kInfBits);
  return {1.0F / power, power};
}

QFUSE_HOST_DEVICE constexpr GroupScale scale_from_floor(const GroupRules& rules, float absmax) {
  if (rules.scale_rule == QFUSE_SCALES_TORCHAO) {
    const float most = absmax < rules.amax_floor ? rules.amax_floor : absmax;  // NaN stays NaN
    return {canonical(1.0F / (kE4m3Most / most)), kE4m3Most / most};
  }
  const float scale = power_of_two_scale(absmax, rules.amax_floor);
  return {scale, power_of_two_factor(scale)};
}

QFUSE_HOST_DEVICE constexpr GroupScale scale_of_group(const GroupRules& rules, float absmax) {
  if (rules.type == QFUSE_INT8) {
    const float scale = int8_scale(absmax);
    return {scale, scale};
  }
  if (rules.zero_rule == QFUSE_ZERO_SCALE_LEAST) {
    const std::uint8_t exponent = round_up_to_ue8m0(absmax * (1.0F / kE4m3Most));
    return {from_ue8m0(exponent), exponent == kUe8m0Nan ? float_of(kNan32) : from_ue8m0(kTwoBiases - exponent)};
  }
  if (rules.zero_rule == QFUSE_ZERO_AT_FLOOR) return scale_from_floor(rules, absmax);
  const float most = absmax < rules.amax_floor ? rules.amax_floor : absmax;
  if (most == 0 || !is_finite(most)) return {1.0F, 1.0F};
  return scale_beside_one(rules.scale_rule, most);
}

// Quantizes a value to payload, the bits of an int8 or an e4m3.
QFUSE_HOST_DEVICE constexpr std::uint8_t quantize_in_group(const GroupRules& rules, float z, float factor) {
  if (rules.type == QFUSE_INT8) return static_cast<std::uint8_t>(quantize_value(z, factor));
  return to_e4m3(z * factor);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_GROUP_RULES_H
