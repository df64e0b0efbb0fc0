// in:   in [rows, cols] fp32, fp16 or bf16, or a 4-bit source; a [rank, cols] fp32, b [rows, rank] fp32
// out:  [rows, cols] fp32, fp16 or bf16; perhaps a 4-bit target
// math: out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//       fp32
#include <cmath>
#include <cstdint>

#include "format/elements.h"
#include "reference/reference.h"

namespace qfuse::reference {
namespace {

void run_step(const contract::Dequantize4bit& step) { dequantize_4bit(step); }
void run_step(const contract::Quantize4bit& step) { quantize_4bit(step); }
void run_step(const contract::LoraMerge& p) {
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.cols; ++j) {
      float acc = 0.0F;
      for (std::int64_t k = 0; k < p.rank; ++k)
        acc = std::fma(format::load_unaligned<float>(p.b, i * p.rank + k),
                       format::load_unaligned<float>(p.a, k * p.cols + j), acc);
      const float scaled = acc * p.scale;
      const std::int64_t at = i * p.cols + j;
      format::store_rounded(p.out, at, p.out_dtype, format::load_as_float(p.in, at, p.in_dtype) + scaled);
    }
}

}  // namespace

void lora_merge(const contract::LoraMerge& p) {
  (void)contract::run_steps(p, [](const auto& step) {
    run_step(step);
    return contract::Outcome{};
  });
}

}  // namespace qfuse::reference
