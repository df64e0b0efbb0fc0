// in:   in [n] fp32, fp16 or bf16
// out:  codes [n] u8, absmax [blocks] fp32
// math: v = in - offset; absmax = max |v|; code = nearest of the dynamic 8-bit code to ftz(v * ftz(1/absmax))
// The oracle searches the code with pivots, as bitsandbytes does; the backends count thresholds.
#include <algorithm>
#include <cstdint>

#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/rounding.h"
#include "reference/absmax.h"
#include "reference/reference.h"

namespace qfuse::reference {

std::uint8_t encode_8bit(float x) {
  const auto& map = format::kDynamic8;
  int pivot = 127;
  int lower = 0;
  int upper = 255;
  for (int step = 64; step > 0; step >>= 1) {
    if (x > map[static_cast<std::size_t>(pivot)]) {
      lower = pivot;
      pivot += step;
    } else {
      upper = pivot;
      pivot -= step;
    }
  }
  const auto value_at = [&](int i) { return map[static_cast<std::size_t>(i)]; };
  if (x > value_at(pivot))
    return static_cast<std::uint8_t>(x > (value_at(upper) + value_at(pivot)) * 0.5F ? upper : pivot);
  return static_cast<std::uint8_t>(x < (value_at(lower) + value_at(pivot)) * 0.5F ? lower : pivot);
}

void quantize_blockwise(const contract::QuantizeBlockwise& p) {
  const auto load = [&](std::int64_t i) { return format::ftz(format::load_as_float(p.in, i, p.in_dtype) - p.offset); };
  for (std::int64_t begin = 0; begin < p.n; begin += p.blocksize) {
    const std::int64_t end = begin + std::min(p.n - begin, p.blocksize);
    AbsmaxOf absmax(end - begin == p.blocksize);
    for (std::int64_t i = begin; i < end; ++i) absmax.add(load(i));
    format::store_unaligned(p.absmax, begin / p.blocksize, absmax.value());
    const float scale = reciprocal(absmax.value());
    for (std::int64_t i = begin; i < end; ++i) p.codes[i] = encode_8bit(format::mul_ftz(load(i), scale));
  }
}

}  // namespace qfuse::reference
