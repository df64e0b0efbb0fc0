// in:   packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset
// out:  [n] fp32, fp16 or bf16
// math: A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
#include <cstdint>

#include "format/codebook4.h"
#include "format/elements.h"
#include "format/rounding.h"
#include "reference/reference.h"

namespace qfuse::reference {
namespace {

float decode_absmax(const qfuse_weight_4bit& w, std::int64_t block) {
  if (!contract::is_nested(w)) return format::load_unaligned<float>(w.absmax, block);
  const float value = format::load_unaligned<float>(w.nested_quant_map, w.absmax_8bit[block]);
  const float scale = format::load_unaligned<float>(w.nested_absmax, block / w.nested_blocksize);
  return format::mul_ftz(value, scale) + contract::nested_offset(w);
}

}  // namespace

void dequantize_4bit(const contract::Dequantize4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  const format::Codebook4& codebook = format::codebook4(w.quant_type);
  for (std::int64_t i = 0; i < contract::element_count(w); ++i) {
    const float absmax = decode_absmax(w, i / w.blocksize);
    const float weight = format::mul_ftz(codebook.values[format::load_nibble(w.packed, i)], absmax);
    format::store_rounded(p.out, i, p.out_dtype, weight);
  }
}

}  // namespace qfuse::reference
