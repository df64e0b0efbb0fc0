// in:     codes [n] u8, absmax [blocks] fp32, quant_map [256] fp32
// out:    [n] fp32, fp16 or bf16; any address
// math:   out = round(ftz(quant_map[code] * absmax)), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written: bound by the gathers from the map
// oracle: reference/dequantize_blockwise.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/dequantize_blockwise.cpp"
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

// Decodes one vector of codes of one block.
template <qfuse_dtype kDtype, class DF>
HWY_INLINE void decode_vector([[maybe_unused]] DF df, const float* map, const std::uint8_t* codes, hn::Vec<DF> absmax,
                              std::uint8_t* out) {
  const hn::Rebind<std::int32_t, DF> d32;
  const auto at = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<std::uint8_t, DF>(), codes));
  store_rounded<kDtype>(df, mul_ftz(df, hn::GatherIndex(df, map, at), absmax), out);
}

// ---- kernel: `count` values of one block ----

template <qfuse_dtype kDtype>
HWY_INLINE void decode_codes(const float* map, const std::uint8_t* codes, float absmax, std::int64_t count,
                             std::uint8_t* out) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const auto scale = hn::Set(df, absmax);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) decode_vector<kDtype>(df, map, codes + i, scale, out + i * kSize);
  if (i >= count) return;
  std::array<std::uint8_t, hn::MaxLanes(df)> rest{};
  std::array<std::uint8_t, hn::MaxLanes(df) * sizeof(float)> outputs;
  std::memcpy(rest.data(), codes + i, static_cast<std::size_t>(count - i));
  decode_vector<kDtype>(df, map, rest.data(), scale, outputs.data());
  std::memcpy(out + i * kSize, outputs.data(), static_cast<std::size_t>((count - i) * kSize));
}

template <qfuse_dtype kDtype>
void decode_values(const contract::DequantizeBlockwise& p, std::int64_t begin, std::int64_t end) {
  std::array<float, format::kCodes8> map;
  std::memcpy(map.data(), static_cast<const void*>(p.quant_map), sizeof map);  // the source may be unaligned
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t block = i / p.blocksize;
    const std::int64_t count = std::min(end - i, p.blocksize - i % p.blocksize);
    decode_codes<kDtype>(map.data(), p.codes + i, format::load_unaligned<float>(p.absmax, block), count,
                         static_cast<std::uint8_t*>(p.out) + i * format::dtype_size(kDtype));
    i += count;
  }
}

void dequantize_blockwise_values(const contract::DequantizeBlockwise& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_values<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return decode_values<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return decode_values<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(dequantize_blockwise_values);

// Approximate number of values per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrainValues = 1 << 17;

}  // namespace

contract::Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec) {
  return run(p, p.n, kGrainValues, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(dequantize_blockwise_values)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
