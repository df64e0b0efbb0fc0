// in:   in [n] fp32, fp16 or bf16
// out:  packed [ceil(n/2)] u8, absmax [blocks] fp32, and if nested absmax_8bit [blocks] u8, nested_absmax, offset
// math: absmax = max |x|; code = rank(ftz(x * ftz(1/absmax))); nested: the same of absmax - offset, in the 8-bit code
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "format/codebook4.h"
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

// format/mean.h defines the order.
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

void encode_weights(const format::Quantize4bit& p) {
  const format::Codebook4& codebook = format::codebook4(p.quant_type);
  const auto load = [&](std::int64_t i) { return format::ftz(format::load_as_float(p.in, i, p.in_dtype)); };
  for (std::int64_t begin = 0; begin < p.n; begin += p.blocksize) {
    const std::int64_t end = std::min(p.n, begin + p.blocksize);
    AbsmaxOf absmax(end - begin == p.blocksize);
    for (std::int64_t i = begin; i < end; ++i) absmax.add(load(i));
    format::store_unaligned(p.absmax, begin / p.blocksize, absmax.value());
    const float scale = reciprocal(absmax.value());
    for (std::int64_t i = begin; i < end; i += 2) {
      const unsigned high = encode_4bit(codebook, format::mul_ftz(load(i), scale));
      const unsigned low = encode_4bit(codebook, format::mul_ftz(i + 1 < end ? load(i + 1) : 0.0F, scale));
      p.packed[i / 2] = static_cast<std::uint8_t>(high << 4 | low);
    }
  }
}

void encode_absmax(const format::Quantize4bit& p) {
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  const float offset =
      p.given_offset != nullptr ? format::load_unaligned<float>(p.given_offset, 0) : mean(p.absmax, blocks);
  format::store_unaligned(p.nested_offset, 0, offset);
  format::QuantizeBlockwise nested{};
  nested.n = blocks;
  nested.blocksize = p.nested_blocksize;
  nested.in = p.absmax;
  nested.offset = offset;
  nested.codes = p.absmax_8bit;
  nested.absmax = p.nested_absmax;
  quantize_blockwise(nested);
}

}  // namespace

void quantize_4bit(const format::Quantize4bit& p) {
  encode_weights(p);
  if (format::is_nested(p)) encode_absmax(p);
}

}  // namespace qfuse::reference
