#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::dequantize_blockwise, "dequantize_blockwise", p, exec);
}

}  // namespace qfuse::ops
