#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome quantize_blockwise(const format::QuantizeBlockwise& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::quantize_blockwise, "quantize_blockwise", p, exec);
}

}  // namespace qfuse::ops
