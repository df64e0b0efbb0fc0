// in:   in [n] fp32, fp16 or bf16
// out:  packed [ceil(n/2)] u8, absmax [blocks] fp32 or, nested, absmax_8bit [blocks] u8, nested_absmax and offset
// math: absmax = max |x|; code = rank(ftz(x * ftz(1/absmax))); nested: the same of absmax - offset, in the 8-bit code
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "format/codebook4.h"
#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/mean.h"
#include "format/rounding.h"
#include "reference/absmax.h"
#include "reference/reference.h"

namespace qfuse::reference {
namespace {

unsigned encode_4bit(const format::Codebook4& codebook, float x) {
  const bool negative = codebook.signed_magnitude && x < 0;
  const float value = codebook.signed_magnitude ? std::fabs(x) : x;
  unsigned rank = 0;
  for (const float threshold : codebook.used_thresholds()) rank += value > threshold ? 1U : 0U;
  return codebook.code_of_rank[rank + (negative ? format::kSignRank : 0)];
}

// Adds in the order that format/mean.h defines.
float mean(const float* values, std::int64_t count) {
  double total = 0.0;
  for (std::int64_t chunk = 0; chunk < count; chunk += format::kMeanChunk) {
    std::array<double, format::kMeanLanes> lanes{};
    for (std::int64_t i = chunk; i < std::min(count, chunk + format::kMeanChunk); ++i)
      lanes[static_cast<std::size_t>(i % format::kMeanLanes)] += format::load_unaligned<float>(values, i);
    for (std::size_t half = lanes.size() / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    total += lanes[0];
  }
  return format::canonical(static_cast<float>(total / static_cast<double>(count)));
}

void encode_weights(const contract::Quantize4bit& p) {
  const qfuse_weight_4bit_out& w = p.weight;
  const format::Codebook4& codebook = format::codebook4(w.quant_type);
  const auto load = [&](std::int64_t i) { return format::ftz(format::load_as_float(p.in, i, p.in_dtype)); };
  const std::int64_t n = contract::element_count(w);
  for (std::int64_t begin = 0; begin < n; begin += w.blocksize) {
    const std::int64_t end = std::min(n, begin + w.blocksize);
    AbsmaxOf absmax(end - begin == w.blocksize);
    for (std::int64_t i = begin; i < end; ++i) absmax.add(load(i));
    format::store_unaligned(contract::absmax(p), begin / w.blocksize, absmax.value());
    const float scale = reciprocal(absmax.value());
    for (std::int64_t i = begin; i < end; i += 2) {
      const unsigned high = encode_4bit(codebook, format::mul_ftz(load(i), scale));
      const unsigned low = encode_4bit(codebook, format::mul_ftz(i + 1 < end ? load(i + 1) : 0.0F, scale));
      w.packed[i / 2] = static_cast<std::uint8_t>(high << 4 | low);
    }
  }
}

void encode_absmax(const contract::Quantize4bit& p) {
  const float offset = p.given_offset != nullptr ? format::load_unaligned<float>(p.given_offset, 0)
                                                 : mean(contract::absmax(p), contract::block_count(p.weight));
  format::store_unaligned(p.weight.nested_offset, 0, offset);
  format::store_nested_quant_map(p.weight.nested_quant_map);
  quantize_blockwise(contract::nested_step(p, offset));
}

}  // namespace

void quantize_4bit(const contract::Quantize4bit& p) {
  encode_weights(p);
  if (contract::is_nested(p.weight)) encode_absmax(p);
}

}  // namespace qfuse::reference
