// in:   in [n] fp32, fp16 or bf16
// out:  [n] of the same dtype
// math: out = round(in * factor), each step rounded in fp32
#include "format/elements.h"
#include "skeleton/kernels.h"

namespace qfuse::reference {

void scale(const contract::Scale& p) {
  for (std::int64_t i = 0; i < p.n; ++i)
    format::store_rounded(p.out, i, p.dtype, format::load_as_float(p.in, i, p.dtype) * p.factor);
}

}  // namespace qfuse::reference
