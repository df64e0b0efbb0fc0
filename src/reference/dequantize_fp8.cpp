// in:   codes [rows, cols] e4m3, scales [row blocks, column blocks] fp32, fp16, bf16 or UE8M0
// out:  [rows, cols] fp32, fp16 or bf16
// math: out = round(e4m3(code) * scale), the product rounded in fp32
#include <cstdint>

#include "format/elements.h"
#include "format/fp8_groups.h"
#include "format/layout.h"
#include "reference/reference.h"

namespace qfuse::reference {

void dequantize_fp8(const contract::DequantizeFp8& p) {
  const std::int64_t scale_cols = format::ceil_div(p.cols, p.block_cols);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    for (std::int64_t col = 0; col < p.cols; ++col) {
      const std::int64_t block = row / p.block_rows * scale_cols + col / p.block_cols;
      const float scale = format::load_scale(p.scales, block, p.scale_type);
      const std::int64_t i = row * p.cols + col;
      format::store_rounded(p.out, i, p.out_dtype, format::from_e4m3(p.codes[i]) * scale);
    }
  }
}

}  // namespace qfuse::reference
