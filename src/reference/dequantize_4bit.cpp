// in:   packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset;
//       scales of rows: packed [rows, ceil(cols/2)] u8, scales [rows, blocks], global scale or divisor, zero points
// out:  [n] fp32, fp16 or bf16
// math: A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//       row scales: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
#include <cstdint>

#include "format/elements.h"
#include "reference/reference.h"
#include "reference/weight_4bit.h"

namespace qfuse::reference {

void dequantize_4bit(const contract::Dequantize4bit& p) {
  for (std::int64_t i = 0; i < contract::element_count(p.weight); ++i)
    format::store_rounded(p.out, i, p.out_dtype, decode_element(p.weight, i));
}

}  // namespace qfuse::reference
