// Steps that the encoders share: the absmax of a block, and counting thresholds. Compiled once per target.
#if defined(QFUSE_BACKEND_CPU_ENCODE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_ENCODE_INL_H
#undef QFUSE_BACKEND_CPU_ENCODE_INL_H
#else
#define QFUSE_BACKEND_CPU_ENCODE_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cfloat>
#include <cstdint>

#include "backend/cpu/steps-inl.h"
#include "format/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

// Stands for NaN among magnitudes as integer bits, which order like the numbers: it is below all of them.
constexpr std::int32_t kNoNumber = -1;

HWY_INLINE hn::Vec<Ints> comparable_magnitude(hn::Vec<Floats> v) {
  const auto magnitude = hn::BitCast(Ints(), magnitude_bits(Floats(), v));
  const auto is_nan = hn::Gt(magnitude, hn::Set(Ints(), static_cast<std::int32_t>(format::kInfBits)));
  return hn::IfThenElse(is_nan, hn::Set(Ints(), kNoNumber), magnitude);
}

// A block of only NaN: bitsandbytes' start value if full; 0 if short, because bitsandbytes pads it with zeros.
HWY_INLINE float absmax_of(std::int32_t magnitude, bool full_block) {
  if (magnitude == kNoNumber) return full_block ? -FLT_MAX : 0.0F;
  return format::ftz(std::bit_cast<float>(magnitude));
}

HWY_INLINE float reciprocal(float absmax) { return format::ftz(1.0F / absmax); }

HWY_INLINE hn::Mask<Ints> is_above(hn::Vec<Floats> v, hn::Vec<Floats> threshold) {
  return hn::RebindMask(Ints(), hn::Gt(v, threshold));
}

HWY_INLINE hn::Vec<Ints> step_if(hn::Mask<Ints> above, hn::Vec<Ints> rank, std::int32_t step) {
  return hn::IfThenElse(above, hn::Add(rank, hn::Set(Ints(), step)), rank);
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
