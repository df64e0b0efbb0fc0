// in:   codes [n] u8, absmax [blocks] fp32, quant_map [256] fp32
// out:  [n] fp32, fp16 or bf16
// math: out = round(ftz(quant_map[code] * absmax)), each step rounded in fp32
#include <cstdint>

#include "format/elements.h"
#include "format/rounding.h"
#include "reference/reference.h"

namespace qfuse::reference {

void dequantize_blockwise(const contract::DequantizeBlockwise& p) {
  for (std::int64_t i = 0; i < p.n; ++i) {
    const float value = format::load_unaligned<float>(p.quant_map, p.codes[i]);
    const float absmax = format::load_unaligned<float>(p.absmax, i / p.blocksize);
    format::store_rounded(p.out, i, p.out_dtype, format::mul_ftz(value, absmax));
  }
}

}  // namespace qfuse::reference
