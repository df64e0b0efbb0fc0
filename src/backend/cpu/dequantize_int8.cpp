// in:     in [rows, cols] i8, scb [rows] fp32
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out = round((in * scb) * 1/127), each step rounded in fp32
// cost:   rows*cols bytes read, 2 or 4 times that written: bound by the stores to memory
// oracle: reference/dequantize_int8.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/dequantize_int8.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- steps ----

template <qfuse_dtype kDtype, class DF>
HWY_INLINE void decode_vector([[maybe_unused]] DF df, const std::int8_t* in, hn::Vec<DF> scale, std::uint8_t* out) {
  const hn::Rebind<std::int32_t, DF> d32;
  const auto codes = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<std::int8_t, DF>(), in));
  const auto scaled = hn::Mul(hn::ConvertTo(df, codes), scale);
  store_rounded<kDtype>(df, hn::Mul(scaled, hn::Set(df, format::kInt8Scale)), out);
}

// ---- kernel: `count` elements of one row ----

template <qfuse_dtype kDtype>
HWY_INLINE void decode_row(const std::int8_t* in, float scb, std::int64_t count, std::uint8_t* out) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const auto scale = hn::Set(df, scb);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) decode_vector<kDtype>(df, in + i, scale, out + i * kSize);
  if (i >= count) return;
  std::array<std::int8_t, hn::MaxLanes(df)> rest{};
  std::array<std::uint8_t, hn::MaxLanes(df) * sizeof(float)> outputs;
  std::memcpy(rest.data(), in + i, static_cast<std::size_t>(count - i));
  decode_vector<kDtype>(df, rest.data(), scale, outputs.data());
  std::memcpy(out + i * kSize, outputs.data(), static_cast<std::size_t>((count - i) * kSize));
}

// Decodes elements [begin, end) of the flattened matrix, row by row.
template <qfuse_dtype kDtype>
void decode_elements(const contract::DequantizeInt8& p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t row = i / p.cols;
    const std::int64_t count = std::min(end, (row + 1) * p.cols) - i;
    decode_row<kDtype>(p.in + i, format::load_unaligned<float>(p.scb, row), count,
                       static_cast<std::uint8_t*>(p.out) + i * format::dtype_size(kDtype));
    i += count;
  }
}

void dequantize_int8_elements(const contract::DequantizeInt8& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_elements<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return decode_elements<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return decode_elements<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(dequantize_int8_elements);

// Approximate number of elements per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrainElements = 1 << 17;

}  // namespace

contract::Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec) {
  return run(p, p.rows * p.cols, kGrainElements, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(dequantize_int8_elements)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
