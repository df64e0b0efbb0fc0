// Steps of SwiGLU in fp32 that several ops share.
#if defined(QFUSE_BACKEND_CPU_SWIGLU_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_SWIGLU_STEPS_INL_H
#undef QFUSE_BACKEND_CPU_SWIGLU_STEPS_INL_H
#else
#define QFUSE_BACKEND_CPU_SWIGLU_STEPS_INL_H
#endif

#include <hwy/highway.h>

#include "backend/cpu/steps-inl.h"
#include "format/exponential.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// Targets differ in Min of NaN. This does not matter: where g is NaN, g itself makes all results of its element NaN.
template <class DF>
HWY_INLINE hn::Vec<DF> exponential(DF df, hn::Vec<DF> x) {
  const Bits<DF> du;
  const auto most = hn::Set(df, format::kExpMax);
  const auto least = hn::Set(df, format::kExpMin);
  x = hn::Max(least, hn::Min(most, x));
  const auto magic = hn::Set(df, format::kExpMagic);
  const auto sum = hn::Add(hn::Mul(x, hn::Set(df, format::kLog2e)), magic);
  const auto n = hn::Sub(sum, magic);
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(df, format::kLn2High))),  //
                         hn::Mul(n, hn::Set(df, format::kLn2Low)));
  constexpr format::ExpCoefficients kCoefficients;
  auto p = hn::Set(df, kCoefficients.values[0]);
  for (int i = 1; i < format::kExpTerms; ++i) p = hn::Add(hn::Mul(p, r), hn::Set(df, kCoefficients.values[i]));
  const auto e = hn::Add(hn::Set(df, 1.0F), hn::Add(r, hn::Mul(p, hn::Mul(r, r))));
  const auto exponent = hn::BitCast(du, sum);
  const auto half = hn::ShiftRight<1>(exponent);
  const auto low = hn::BitCast(df, hn::ShiftLeft<format::kExponentShift>(half));
  const auto high = hn::BitCast(df, hn::ShiftLeft<format::kExponentShift>(hn::Sub(exponent, half)));
  return hn::Mul(hn::Mul(e, low), high);
}

template <class DF>
HWY_INLINE hn::Vec<DF> sigmoid(DF df, hn::Vec<DF> g) {
  const auto one = hn::Set(df, 1.0F);
  return hn::Div(one, hn::Add(one, exponential(df, hn::Neg(g))));
}

// exponent: the argument of the sigmoid, g unless there is an alpha.
template <class DF>
HWY_INLINE hn::Vec<DF> gate_gradient(DF df, hn::Vec<DF> exponent, hn::Vec<DF> u, hn::Vec<DF> dy, hn::Vec<DF> s) {
  const auto one = hn::Set(df, 1.0F);
  return hn::Mul(hn::Mul(hn::Mul(dy, u), s), hn::Add(one, hn::Mul(exponent, hn::Sub(one, s))));
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // QFUSE_BACKEND_CPU_SWIGLU_STEPS_INL_H
