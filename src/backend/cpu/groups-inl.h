// Quantizes groups of fp32 values, one vector at a time, in swiglu's formats. Each call uses one of them:
//   Int8Groups, E4m3Groups   the two formats with specialized steps, for bf16 values
//   AnyGroups                any format that format::GroupRules can describe
#if defined(QFUSE_BACKEND_CPU_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_GROUPS_INL_H
#undef QFUSE_BACKEND_CPU_GROUPS_INL_H
#else
#define QFUSE_BACKEND_CPU_GROUPS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "backend/cpu/steps-inl.h"
#include "format/fp8_groups.h"
#include "format/group_rules.h"
#include "format/int8_groups.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kStrip = 16;  // channels transposed together: their payload bytes fill the narrowest registers

using Floats = hn::CappedTag<float, kStrip>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::Rebind<std::uint16_t, Floats>;   // bf16
using Payload = hn::Rebind<std::uint8_t, Floats>;  // int8 or e4m3, as bits
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));

// Integer part of z / scale, by a product: format/int8_groups.h says why that is exact and fits int8. Adding the magic
// number leaves it in the low byte, in two's complement; Highway's conversion would take four more steps.
HWY_INLINE hn::Vec<Payload> quantize_value(hn::Vec<Floats> z, hn::Vec<Floats> factor) {
  const auto product = hn::Mul(z, factor);
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Payload(), static_cast<std::uint8_t>(static_cast<std::int32_t>(hn::GetLane(product))));
#else
  const auto sum = hn::Add(hn::Trunc(product), hn::Set(Floats(), 0x1.8p23F));
  return hn::TruncateTo(Payload(), hn::BitCast(Bits<Floats>(), sum));
#endif
}

// The steps of format::to_e4m3, for magnitudes of at most kE4m3Most.
HWY_INLINE hn::Vec<Payload> e4m3_value(hn::Vec<Floats> value) {
  constexpr int kShift = format::kE4m3Shift;
  const Bits<Floats> du;
  const auto v = hn::BitCast(du, value);
  const auto magnitude = hn::And(v, hn::Set(du, ~format::kSignBit));
  const auto odd = hn::And(hn::ShiftRight<kShift>(magnitude), hn::Set(du, 1U));
  const auto half = hn::Add(hn::Set(du, (1U << (kShift - 1)) - 1U), odd);
  const auto normal = hn::Sub(hn::ShiftRight<kShift>(hn::Add(magnitude, half)), hn::Set(du, format::kE4m3Rebias));
  const auto magic = hn::Set(Floats(), format::kE4m3Subnormals);
  const auto small = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(Floats(), magnitude), magic)), hn::BitCast(du, magic));
  const auto is_small = hn::Lt(hn::BitCast(Floats(), magnitude), hn::Set(Floats(), format::kE4m3LeastNormal));
  const auto rounded = hn::IfThenElse(hn::RebindMask(du, is_small), small, normal);
  const auto sign = hn::And(hn::ShiftRight<24>(v), hn::Set(du, 0x80U));
  return hn::TruncateTo(Payload(), hn::Or(sign, rounded));
}

// Like e4m3_value(), for any value: larger magnitudes become kE4m3Most, and NaN becomes NaN.
HWY_INLINE hn::Vec<Payload> any_e4m3_value(hn::Vec<Floats> v) {
  const auto most = hn::Set(Floats(), format::kE4m3Most);
  const auto is_nan = hn::IsNaN(v);
  const auto number = hn::IfThenZeroElse(is_nan, v);
  const auto kept = hn::IfThenElse(hn::Gt(hn::Abs(number), most), hn::CopySign(most, number), number);
  const Bits<Floats> du;
  const auto bytes = hn::PromoteTo(du, e4m3_value(kept));
  return hn::TruncateTo(Payload(),
                        hn::IfThenElse(hn::RebindMask(du, is_nan), hn::Set(du, std::uint32_t{format::kFp8Nan}), bytes));
}

// Integer part of z / scale, limited to 127 in magnitude; 0 for NaN.
HWY_INLINE hn::Vec<Payload> any_int8_value(hn::Vec<Floats> z, hn::Vec<Floats> scale) {
  const auto quotient = hn::Div(z, scale);
  const auto most = hn::Set(Floats(), 127.0F);
  const auto number = hn::IfThenZeroElse(hn::IsNaN(quotient), quotient);
  const auto kept = hn::IfThenElse(hn::Gt(hn::Abs(number), most), hn::CopySign(most, number), number);
  const auto sum = hn::BitCast(Bits<Floats>(), hn::Add(hn::Trunc(kept), hn::Set(Floats(), 0x1.8p23F)));
  return hn::TruncateTo(Payload(), hn::And(sum, hn::Set(Bits<Floats>(), 0xffU)));
}

// How a format quantizes a group. has_one_byte(): whether a group with this bf16 absmax is not finite, so that each of
// its payload bytes is kNotFinite and quantize() must not be called.
struct GroupsOf128 {
  static constexpr bool has_one_byte(std::uint16_t absmax) { return absmax >= format::kBfloat16Inf; }
  explicit GroupsOf128(const format::GroupRules& /*rules*/) {}
  static constexpr std::int64_t size() { return format::kGroupSize; }
};
struct Int8Groups : GroupsOf128 {
  using GroupsOf128::GroupsOf128;
  static constexpr std::uint8_t kNotFinite = 0;
  static format::GroupScale scale(std::uint16_t absmax) {
    return {format::group_scale(absmax), format::group_factor(absmax)};
  }
  static HWY_INLINE hn::Vec<Payload> quantize(hn::Vec<Floats> z, hn::Vec<Floats> factor) {
    return quantize_value(z, factor);
  }
};
struct E4m3Groups : GroupsOf128 {
  using GroupsOf128::GroupsOf128;
  static constexpr std::uint8_t kNotFinite = format::kFp8Nan;
  static format::GroupScale scale(std::uint16_t absmax) {
    const float scale = format::e4m3_scale(format::from_bfloat16(absmax));
    return {scale, has_one_byte(absmax) ? 0.0F : format::e4m3_factor(scale)};
  }
  static HWY_INLINE hn::Vec<Payload> quantize(hn::Vec<Floats> z, hn::Vec<Floats> factor) {
    return e4m3_value(hn::Mul(z, factor));
  }
};
struct AnyGroups {
  static constexpr std::uint8_t kNotFinite = 0;
  static constexpr bool has_one_byte(std::uint16_t /*absmax*/) { return false; }
  explicit AnyGroups(const format::GroupRules& of) : rules(of) {}
  [[nodiscard]] std::int64_t size() const { return rules.size; }
  [[nodiscard]] format::GroupScale scale(std::uint16_t absmax) const {
    return format::scale_of_group(rules, format::from_bfloat16(absmax));
  }
  [[nodiscard]] HWY_INLINE hn::Vec<Payload> quantize(hn::Vec<Floats> z, hn::Vec<Floats> factor) const {
    return rules.type == QFUSE_INT8 ? any_int8_value(z, factor) : any_e4m3_value(hn::Mul(z, factor));
  }
  format::GroupRules rules;
};

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
