// Loads scales of any qfuse_scale_type as fp32 vectors, converts the scales of consecutive blocks to fp32, and applies
// the global scale. Compiled once per target (hence no ordinary include guard).
#if defined(QFUSE_BACKEND_CPU_SCALES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_SCALES_INL_H
#undef QFUSE_BACKEND_CPU_SCALES_INL_H
#else
#define QFUSE_BACKEND_CPU_SCALES_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "backend/cpu/steps-inl.h"
#include "contract/weight_4bit.h"
#include "format/elements.h"
#include "format/fp8_groups.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

template <class DF>
HWY_INLINE hn::Vec<DF> from_e4m3(DF df, hn::Vec<Bits<DF>> code) {
  const Bits<DF> du;
  const auto sign = hn::ShiftLeft<24>(hn::And(code, hn::Set(du, 0x80U)));
  const auto magnitude = hn::And(code, hn::Set(du, 0x7fU));
  auto bits = hn::ShiftLeft<format::kE4m3Shift>(hn::Add(magnitude, hn::Set(du, format::kE4m3Rebias)));
  bits = hn::IfThenElse(magnitude_less(du, magnitude, format::kFp8Nan), bits, hn::Set(du, format::kNan32));
  const auto integer = hn::ConvertTo(df, hn::BitCast(hn::RebindToSigned<DF>(), magnitude));
  const auto subnormal = hn::BitCast(du, hn::Mul(integer, hn::Set(df, format::kE4m3SubnormalUnit)));
  bits = hn::IfThenElse(magnitude_less(du, magnitude, format::kE4m3MinNormal), subnormal, bits);
  return hn::BitCast(df, hn::Or(bits, sign));
}

template <class DF>
HWY_INLINE hn::Vec<DF> from_ue8m0(DF df, hn::Vec<Bits<DF>> exponent) {
  const Bits<DF> du;
  auto bits = hn::ShiftLeft<23>(exponent);
  bits = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), hn::Set(du, format::kUe8m0Least), bits);
  bits = hn::IfThenElse(magnitude_less(du, exponent, format::kUe8m0Nan), bits, hn::Set(du, format::kNan32));
  return hn::BitCast(df, bits);
}

template <class DF>
HWY_INLINE hn::Vec<Bits<DF>> load_code_bytes([[maybe_unused]] DF df, const std::uint8_t* codes) {
  return hn::PromoteTo(Bits<DF>(), hn::LoadU(hn::Rebind<std::uint8_t, DF>(), codes));
}

// Loads a vector of consecutive scales, as format::load_scale does for one.
template <qfuse_scale_type kType, class DF>
HWY_INLINE hn::Vec<DF> load_scales(DF df, const std::uint8_t* scales) {
  if constexpr (kType == QFUSE_SCALES_UE8M0) {
    return from_ue8m0(df, load_code_bytes(df, scales));
  } else if constexpr (kType == QFUSE_SCALES_E4M3) {
    return from_e4m3(df, load_code_bytes(df, scales));
  } else {
    constexpr qfuse_dtype kDtype = kType == QFUSE_SCALES_FLOAT32   ? QFUSE_FLOAT32
                                   : kType == QFUSE_SCALES_FLOAT16 ? QFUSE_FLOAT16
                                                                   : QFUSE_BFLOAT16;
    return load_as_float<kDtype>(df, scales);
  }
}

// Converts `count` scales, a multiple of a vector's lanes, to an aligned fp32 array.
template <qfuse_scale_type kType>
HWY_INLINE void widen_scales(const std::uint8_t* from, std::size_t count, float* to) {
  const hn::ScalableTag<float> df;
  for (std::size_t i = 0; i < count; i += hn::Lanes(df))
    hn::Store(load_scales<kType>(df, from + i * format::scale_size(kType)), df, to + i);
}

HWY_INLINE void widen_scales(qfuse_scale_type type, const std::uint8_t* from, std::size_t count, float* to) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return widen_scales<QFUSE_SCALES_FLOAT32>(from, count, to);
    case QFUSE_SCALES_UE8M0: return widen_scales<QFUSE_SCALES_UE8M0>(from, count, to);
    case QFUSE_SCALES_FLOAT16: return widen_scales<QFUSE_SCALES_FLOAT16>(from, count, to);
    case QFUSE_SCALES_BFLOAT16: return widen_scales<QFUSE_SCALES_BFLOAT16>(from, count, to);
    case QFUSE_SCALES_E4M3: return widen_scales<QFUSE_SCALES_E4M3>(from, count, to);
  }
}

// Multiplies or divides `count` scales, of an aligned array of whole vectors, by the value of a global scale.
HWY_INLINE void apply_global(const contract::Global& global, float value, std::size_t count, float* scales) {
  const hn::ScalableTag<float> df;
  const auto by = hn::Set(df, value);
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const auto scale = hn::Load(df, scales + i);
    hn::Store(global.divides ? hn::Div(scale, by) : hn::Mul(scale, by), df, scales + i);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
