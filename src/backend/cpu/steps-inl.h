// Vector versions of the roundings in format/rounding.h, step by step under the same names, and loads and stores at any
// address. Compiled once per target (hence no ordinary include guard).
#if defined(QFUSE_BACKEND_CPU_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_STEPS_INL_H
#undef QFUSE_BACKEND_CPU_STEPS_INL_H
#else
#define QFUSE_BACKEND_CPU_STEPS_INL_H
#endif

#include <hwy/highway.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class DF>
using Bits = hn::RebindToUnsigned<DF>;  // tag for the bits of fp32 lanes

template <class DF>
HWY_INLINE hn::Vec<Bits<DF>> magnitude_bits([[maybe_unused]] DF df, hn::Vec<DF> v) {
  return hn::AndNot(hn::Set(Bits<DF>(), format::kSignBit), hn::BitCast(Bits<DF>(), v));
}

// Unsigned comparison of magnitudes. Their sign bit is clear, so the signed comparison serves, which every target has.
template <class DU>
HWY_INLINE hn::Mask<DU> magnitude_less([[maybe_unused]] DU du, hn::Vec<DU> magnitude, std::uint32_t bound) {
  const hn::RebindToSigned<DU> di;
  return hn::RebindMask(du, hn::Lt(hn::BitCast(di, magnitude), hn::Set(di, static_cast<std::int32_t>(bound))));
}

template <class DF>
HWY_INLINE hn::Vec<DF> canonical([[maybe_unused]] DF df, hn::Vec<DF> v) {
  return hn::IfThenElse(hn::Eq(v, v), v, hn::BitCast(df, hn::Set(Bits<DF>(), format::kNan32)));
}

template <class DF>
HWY_INLINE hn::Vec<DF> ftz([[maybe_unused]] DF df, hn::Vec<DF> v) {
  const Bits<DF> du;
  const auto subnormal = hn::RebindMask(df, magnitude_less(du, magnitude_bits(df, v), format::kMinNormalBits));
  const auto zero = hn::BitCast(df, hn::And(hn::BitCast(du, v), hn::Set(du, format::kSignBit)));
  return hn::IfThenElse(subnormal, zero, v);
}

template <class DF>
HWY_INLINE hn::Vec<DF> mul_ftz([[maybe_unused]] DF df, hn::Vec<DF> a, hn::Vec<DF> b) {
  const Bits<DF> du;
  a = ftz(df, a);
  b = ftz(df, b);
  const auto scaled = hn::Mul(hn::Mul(a, hn::Set(df, format::kFlushScale)), b);
  const auto product = hn::Mul(a, b);
  const auto flushed = hn::RebindMask(df, magnitude_less(du, magnitude_bits(df, scaled), format::kFlushedBits));
  const auto zero = hn::BitCast(df, hn::And(hn::BitCast(du, product), hn::Set(du, format::kSignBit)));
  return hn::IfThenElse(flushed, zero, product);
}

#if !HWY_NATIVE_FMA
// a * b + c with one rounding, for targets without an FMA instruction. In fp64 the product is exact, and so is the
// error of the sum. The sum is truncated, and its last bit is set if anything was lost. That rounds to fp32 like the
// exact sum, because fp64 has more than two spare bits.
HWY_INLINE float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  const double of_addend = sum - product;
  const double lost = (product - (sum - of_addend)) + (addend - of_addend);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  bits -= lost * sum < 0.0 ? 1U : 0U;  // the sum was rounded away from zero
  bits |= lost < 0.0 || lost > 0.0 ? 1U : 0U;
  return static_cast<float>(std::bit_cast<double>(bits));
}
#endif

// a * b + c with one rounding, on every target.
template <class DF>
HWY_INLINE hn::Vec<DF> mul_add([[maybe_unused]] DF df, hn::Vec<DF> a, hn::Vec<DF> b, hn::Vec<DF> c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  alignas(64) float as[hn::MaxLanes(df)];
  alignas(64) float bs[hn::MaxLanes(df)];
  alignas(64) float cs[hn::MaxLanes(df)];
  hn::Store(a, df, as);
  hn::Store(b, df, bs);
  hn::Store(c, df, cs);
  for (std::size_t i = 0; i < hn::MaxLanes(df); ++i) cs[i] = fused(as[i], bs[i], cs[i]);
  return hn::Load(df, cs);
#endif
}

// Rounding to 16 bits takes two functions, so that a caller who knows that no lane is NaN can omit nan_to_16bit().
template <class DF>
HWY_INLINE hn::Vec<Bits<DF>> number_to_bfloat16([[maybe_unused]] DF df, hn::Vec<DF> v) {
  const Bits<DF> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
  return hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7fffU)), odd));
}

template <class DF>
HWY_INLINE hn::Vec<Bits<DF>> number_to_float16([[maybe_unused]] DF df, hn::Vec<DF> v) {
  const Bits<DF> du;
  const auto magnitude = magnitude_bits(df, v);
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1U));
  auto half = hn::ShiftRight<13>(
      hn::Add(hn::Add(hn::Sub(magnitude, hn::Set(du, format::kHalfRebias)), hn::Set(du, 0xfffU)), odd));
  half = hn::IfThenElse(magnitude_less(du, magnitude, format::kHalfOverflowBits), half, hn::Set(du, format::kHalfInf));
  const auto magic = hn::Set(df, format::kHalfSubnormalMagic);
  const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, magnitude), magic)), hn::BitCast(du, magic));
  half = hn::IfThenElse(magnitude_less(du, magnitude, format::kHalfMinNormalBits), subnormal, half);
  const auto sign = hn::ShiftRight<16>(hn::And(hn::BitCast(du, v), hn::Set(du, format::kSignBit)));
  return hn::Or(half, sign);
}

template <class DF>
HWY_INLINE hn::Vec<Bits<DF>> nan_to_16bit([[maybe_unused]] DF df, hn::Vec<DF> v, hn::Vec<Bits<DF>> rounded) {
  const Bits<DF> du;
  return hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), rounded, hn::Set(du, format::kNan16));
}

template <class DF>
HWY_INLINE hn::Vec<DF> from_bfloat16(DF df, hn::Vec<Bits<DF>> x) {
  return hn::BitCast(df, hn::ShiftLeft<16>(x));
}

// By integer steps, because Highway's own promotion treats infinities and NaN as numbers on SSE4 and SSSE3.
template <class DF>
HWY_INLINE hn::Vec<DF> from_float16(DF df, hn::Vec<Bits<DF>> x) {
  const Bits<DF> du;
  const auto sign = hn::ShiftLeft<16>(hn::And(x, hn::Set(du, 0x8000U)));
  const auto magnitude = hn::And(x, hn::Set(du, 0x7fffU));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  auto bits = hn::Add(shifted, hn::Set(du, format::kHalfRebias));
  bits = hn::IfThenElse(magnitude_less(du, magnitude, format::kHalfInf), bits,
                        hn::Or(shifted, hn::Set(du, format::kInfBits)));
  const auto integer = hn::ConvertTo(df, hn::BitCast(hn::RebindToSigned<DF>(), magnitude));
  const auto subnormal = hn::BitCast(du, hn::Mul(integer, hn::Set(df, format::kHalfSubnormalUnit)));
  bits = hn::IfThenElse(magnitude_less(du, magnitude, format::kHalfMinNormal), subnormal, bits);
  return hn::BitCast(df, hn::Or(bits, sign));
}

// Rounds v to a dtype. The bits are in the low bytes of each lane. No lane may be NaN.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE hn::Vec<Bits<DF>> round_number_to([[maybe_unused]] DF df, hn::Vec<DF> v) {
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return hn::BitCast(Bits<DF>(), v);
  } else if constexpr (kDtype == QFUSE_FLOAT16) {
    return number_to_float16(df, v);
  } else {
    return number_to_bfloat16(df, v);
  }
}

// Like round_number_to(), but lanes may be NaN.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE hn::Vec<Bits<DF>> round_to(DF df, hn::Vec<DF> v) {
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return hn::BitCast(Bits<DF>(), canonical(df, v));
  } else {
    return nan_to_16bit(df, v, round_number_to<kDtype>(df, v));
  }
}

// Load and store a vector at any byte address.
template <class D>
HWY_INLINE hn::Vec<D> load_bytes([[maybe_unused]] D d, const void* from) {
#if HWY_TARGET == HWY_SCALAR
  hn::TFromD<D> lane;
  std::memcpy(&lane, from, sizeof lane);
  return hn::Set(d, lane);
#else
  const hn::Repartition<std::uint8_t, D> d8;
  return hn::BitCast(d, hn::LoadU(d8, static_cast<const std::uint8_t*>(from)));
#endif
}

template <class D>
HWY_INLINE void store_bytes([[maybe_unused]] D d, hn::Vec<D> v, void* to) {
#if HWY_TARGET == HWY_SCALAR
  const hn::TFromD<D> lane = hn::GetLane(v);
  std::memcpy(to, &lane, sizeof lane);
#else
  const hn::Repartition<std::uint8_t, D> d8;
  hn::StoreU(hn::BitCast(d8, v), d8, static_cast<std::uint8_t*>(to));
#endif
}

// Widens a dtype's bits, in the low bytes of each lane, to fp32 exactly.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE hn::Vec<DF> widen([[maybe_unused]] DF df, hn::Vec<Bits<DF>> bits) {
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return hn::BitCast(df, bits);
  } else if constexpr (kDtype == QFUSE_FLOAT16) {
    return from_float16(df, bits);
  } else {
    return from_bfloat16(df, bits);
  }
}

// Loads lanes of a dtype and widens them to fp32 exactly.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE hn::Vec<DF> load_as_float([[maybe_unused]] DF df, const void* from) {
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return load_bytes(df, from);
  } else {
    return widen<kDtype>(df, hn::PromoteTo(Bits<DF>(), load_bytes(hn::Rebind<std::uint16_t, DF>(), from)));
  }
}

// Rounds fp32 lanes to a dtype and stores them.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE void store_rounded([[maybe_unused]] DF df, hn::Vec<DF> v, void* to) {
  const auto bits = round_to<kDtype>(df, v);
  if constexpr (kDtype == QFUSE_FLOAT32) {
    store_bytes(Bits<DF>(), bits, to);
  } else {
    const hn::Rebind<std::uint16_t, DF> d16;
    store_bytes(d16, hn::TruncateTo(d16, bits), to);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
