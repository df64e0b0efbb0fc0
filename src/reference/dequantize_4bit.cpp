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

float decode_absmax(const format::Dequantize4bit& p, std::int64_t block) {
  if (!format::is_nested(p)) return format::load_unaligned<float>(p.absmax, block);
  const float value = format::load_unaligned<float>(p.nested_quant_map, p.absmax_8bit[block]);
  const float scale = format::load_unaligned<float>(p.nested_absmax, block / p.nested_blocksize);
  return format::mul_ftz(value, scale) + format::nested_offset(p);
}

}  // namespace

void dequantize_4bit(const format::Dequantize4bit& p) {
  const format::Codebook4& codebook = format::codebook4(p.quant_type);
  for (std::int64_t i = 0; i < p.n; ++i) {
    const float absmax = decode_absmax(p, i / p.blocksize);
    const float weight = format::mul_ftz(codebook.values[format::load_nibble(p.packed, i)], absmax);
    format::store_rounded(p.out, i, p.out_dtype, weight);
  }
}

}  // namespace qfuse::reference
