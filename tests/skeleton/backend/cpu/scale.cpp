// in:     in [n] fp32, fp16 or bf16; any address
// out:    [n] of the same dtype; any address
// math:   out = round(in * factor), each step rounded in fp32
// cost:   2n or 4n bytes read and as many written: memory-bound
// oracle: reference/scale.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skeleton/backend/cpu/scale.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "skeleton/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- steps ----

template <qfuse_dtype kDtype, class DF>
HWY_INLINE void scale_vector(DF df, const std::uint8_t* in, hn::Vec<DF> factor, std::uint8_t* out) {
  store_rounded<kDtype>(df, hn::Mul(load_as_float<kDtype>(df, in), factor), out);
}

// ---- kernel: the values [begin, end) ----

template <qfuse_dtype kDtype>
void scale_range(const contract::Scale& p, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const auto factor = hn::Set(df, p.factor);
  const auto* const in = static_cast<const std::uint8_t*>(p.in);
  auto* const out = static_cast<std::uint8_t*>(p.out);
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes) scale_vector<kDtype>(df, in + i * kSize, factor, out + i * kSize);
  if (i == end) return;
  // The tail goes through the same step, in a zero-padded copy.
  std::array<std::uint8_t, hn::MaxLanes(df) * sizeof(float)> rest{};
  std::memcpy(rest.data(), in + i * kSize, static_cast<std::size_t>((end - i) * kSize));
  scale_vector<kDtype>(df, rest.data(), factor, rest.data());
  std::memcpy(out + i * kSize, rest.data(), static_cast<std::size_t>((end - i) * kSize));
}

void scale_values(const contract::Scale& p, std::int64_t begin, std::int64_t end) {
  switch (p.dtype) {
    case QFUSE_FLOAT32: return scale_range<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return scale_range<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return scale_range<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(scale_values);

// Least number of values per range: enough to outweigh scheduling, few enough to balance the threads.
constexpr std::int64_t kGrainValues = 1 << 16;

}  // namespace

contract::Outcome scale(const contract::Scale& p, const qfuse_exec& exec) {
  return run(p, p.n, kGrainValues, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(scale_values)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
