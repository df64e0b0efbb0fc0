// in:   in [n] fp32, fp16 or bf16; importance [cols] fp32 or none; kept absmax, plain or nested, or none
// out:  packed [ceil(n/2)] u8, absmax [blocks] fp32 or, nested, absmax_8bit [blocks] u8, nested_absmax and offset
// math: absmax = max |x|; code = rank(ftz(x * ftz(1/absmax)));
//       nested: the same of absmax - offset, in the 8-bit code;
//       importance: absmax becomes absmax * f, where f has the least sum of importance * (decoded - x)^2;
//       kept: absmax = ftz(kept absmax); MXFP4: code = e2m1(x * 1/scale)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "format/block_codes.h"
#include "format/codebook4.h"
#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/mean.h"
#include "format/rounding.h"
#include "format/scale_search.h"
#include "reference/absmax.h"
#include "reference/reference.h"
#include "reference/weight_4bit.h"

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

float load(const contract::Quantize4bit& p, std::int64_t i) {
  return format::ftz(format::load_as_float(p.in, i, p.in_dtype));
}

// Adds the terms of one block, [blocksize], in the order that format/scale_search.h defines.
float sum_of_errors(std::vector<float> terms) {
  const std::size_t groups = terms.size() / format::kErrorGroup;
  for (std::size_t half = format::kErrorGroup / 2; half > 0; half /= 2)
    for (std::size_t group = 0; group < groups; ++group)
      for (std::size_t i = 0; i < half; ++i)
        terms[group * format::kErrorGroup + i] += terms[group * format::kErrorGroup + i + half];
  for (std::size_t apart = format::kErrorGroup; apart < terms.size(); apart *= 2)
    for (std::size_t i = 0; i < terms.size(); i += 2 * apart) terms[i] += terms[i + apart];
  return terms[0];
}

// The error of the elements [begin, end), which are one block, if `scale` is stored in place of absmax.
float error_of(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end, float scale) {
  const format::Codebook4& codebook = format::codebook4(p.weight.quant_type);
  std::vector<float> terms(static_cast<std::size_t>(p.weight.blocksize));
  for (std::int64_t i = begin; i < end; ++i) {
    const float x = load(p, i);
    if (std::isnan(x)) continue;
    const unsigned code = encode_4bit(codebook, format::mul_ftz(x, reciprocal(scale)));
    const float error = format::mul_ftz(codebook.values[code], scale) - x;
    const float importance = format::load_unaligned<float>(p.importance, i % p.weight.cols);
    terms[static_cast<std::size_t>(i - begin)] = importance * (error * error);
  }
  return sum_of_errors(std::move(terms));
}

float search_scale(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end, float absmax) {
  float best = absmax;
  float least = std::numeric_limits<float>::infinity();
  for (int i = 0; i < format::kScaleFactors; ++i) {
    const float scale = absmax * format::scale_factor(i);
    const float error = error_of(p, begin, end, scale);
    if (!(error < least)) continue;
    best = scale;
    least = error;
  }
  return best;
}

// What the elements [begin, end), which are one block, are scaled by.
float scale_of(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  if (contract::has_kept(p)) return format::ftz(decode_absmax(p.kept, begin / p.weight.blocksize));
  AbsmaxOf absmax(end - begin == p.weight.blocksize);
  for (std::int64_t i = begin; i < end; ++i) absmax.add(load(p, i));
  const bool searched = p.importance != nullptr && format::is_searched(absmax.value());
  return searched ? search_scale(p, begin, end, absmax.value()) : absmax.value();
}

void encode_weights(const contract::Quantize4bit& p) {
  const qfuse_weight_4bit_out& w = p.weight;
  const format::Codebook4& codebook = format::codebook4(w.quant_type);
  const std::int64_t n = contract::element_count(w);
  for (std::int64_t begin = 0; begin < n; begin += w.blocksize) {
    const std::int64_t end = std::min(n, begin + w.blocksize);
    const float absmax = scale_of(p, begin, end);
    if (!contract::has_kept(p)) format::store_unaligned(contract::absmax(p), begin / w.blocksize, absmax);
    const float scale = reciprocal(absmax);
    for (std::int64_t i = begin; i < end; i += 2) {
      const unsigned high = encode_4bit(codebook, format::mul_ftz(load(p, i), scale));
      const unsigned low = encode_4bit(codebook, format::mul_ftz(i + 1 < end ? load(p, i + 1) : 0.0F, scale));
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

void encode_mx_block(const contract::Quantize4bit& p, std::int64_t block) {
  const qfuse_weight_4bit_out& w = p.weight;
  const bool is_nearest = w.mx_scales == QFUSE_MX_NEAREST;
  const auto load = [&](std::int64_t i) { return format::load_as_float(p.in, block * w.blocksize + i, p.in_dtype); };
  std::uint32_t most = 0;
  for (std::int64_t i = 0; i < w.blocksize; ++i) most = std::max(most, format::bits_of(load(i)) & ~format::kSignBit);
  const std::uint8_t exponent = contract::has_kept(p) ? static_cast<const std::uint8_t*>(p.kept.scales)[block]
                                                      : format::mx_exponent(is_nearest, most);
  if (!contract::has_kept(p)) w.scales[block] = exponent;
  const float factor = format::mx_factor(is_nearest, exponent);
  for (std::int64_t i = 0; i < w.blocksize; i += 2)
    w.packed[(block * w.blocksize + i) / 2] = static_cast<std::uint8_t>(
        format::to_e2m1(is_nearest, load(i) * factor) | format::to_e2m1(is_nearest, load(i + 1) * factor) << 4);
}

}  // namespace

void quantize_4bit(const contract::Quantize4bit& p) {
  if (contract::has_scales_of_rows(p.weight)) {
    for (std::int64_t block = 0; block < contract::block_count(p.weight); ++block) encode_mx_block(p, block);
    return;
  }
  encode_weights(p);
  if (contract::nests_absmax(p)) encode_absmax(p);
}

}  // namespace qfuse::reference
