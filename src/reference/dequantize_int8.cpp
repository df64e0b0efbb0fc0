// in:   in [rows, cols] i8, scb [rows] fp32
// out:  [rows, cols] fp32, fp16 or bf16
// math: out = round((in * scb) * 1/127), each step rounded in fp32
#include <cstdint>

#include "format/elements.h"
#include "format/layout.h"
#include "reference/reference.h"

namespace qfuse::reference {

void dequantize_int8(const contract::DequantizeInt8& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const float scale = format::load_unaligned<float>(p.scb, row);
    for (std::int64_t i = row * p.cols; i < (row + 1) * p.cols; ++i)
      format::store_rounded(p.out, i, p.out_dtype, static_cast<float>(p.in[i]) * scale * format::kInt8Scale);
  }
}

}  // namespace qfuse::reference
