// in:     codes [rows, cols] e4m3, scales [row blocks, column blocks] fp32, fp16, bf16 or UE8M0; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out = round(e4m3(code) * scale), the product rounded in fp32
// cost:   rows*cols bytes read, 2 or 4 times that written: bound by the stores to memory
// oracle: reference/dequantize_fp8.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/dequantize_fp8.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/scales-inl.h"
#include "backend/cpu/steps-inl.h"
#include "format/elements.h"
#include "format/fp8_groups.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- steps ----

template <qfuse_dtype kDtype, class DF>
HWY_INLINE void decode_fp8_vector([[maybe_unused]] DF df, const std::uint8_t* codes, hn::Vec<DF> scale,
                                  std::uint8_t* out) {
  store_rounded<kDtype>(df, hn::Mul(from_e4m3(df, load_code_bytes(df, codes)), scale), out);
}

// ---- kernel: `count` elements of one row that share a scale ----

template <qfuse_dtype kDtype>
HWY_INLINE void decode_fp8_stretch(const std::uint8_t* codes, float scale, std::int64_t count, std::uint8_t* out) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const auto scales = hn::Set(df, scale);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) decode_fp8_vector<kDtype>(df, codes + i, scales, out + i * kSize);
  if (i >= count) return;
  std::array<std::uint8_t, hn::MaxLanes(df)> rest{};
  std::array<std::uint8_t, hn::MaxLanes(df) * sizeof(float)> outputs;
  std::memcpy(rest.data(), codes + i, static_cast<std::size_t>(count - i));
  decode_fp8_vector<kDtype>(df, rest.data(), scales, outputs.data());
  std::memcpy(out + i * kSize, outputs.data(), static_cast<std::size_t>((count - i) * kSize));
}

// Decodes elements [begin, end) of the flattened matrix, one block of a row at a time.
template <qfuse_dtype kDtype>
void decode_fp8(const contract::DequantizeFp8& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t scale_cols = format::ceil_div(p.cols, p.block_cols);
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t row = i / p.cols;
    const std::int64_t col = i % p.cols;
    const std::int64_t block = col / p.block_cols;
    const std::int64_t left_in_block = p.block_cols - col % p.block_cols;
    const std::int64_t count = std::min({end - i, p.cols - col, left_in_block});
    decode_fp8_stretch<kDtype>(p.codes + i,
                               format::load_scale(p.scales, row / p.block_rows * scale_cols + block, p.scale_type),
                               count, static_cast<std::uint8_t*>(p.out) + i * format::dtype_size(kDtype));
    i += count;
  }
}

void dequantize_fp8_elements(const contract::DequantizeFp8& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_fp8<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return decode_fp8<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return decode_fp8<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(dequantize_fp8_elements);

// Approximate number of elements per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrainFp8 = 1 << 17;

}  // namespace

contract::Outcome dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec) {
  return run(p, p.rows * p.cols, kGrainFp8, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(dequantize_fp8_elements)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
