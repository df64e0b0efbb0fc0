#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::silu_dot_fwd_bwd_quant_fuse, "silu_dot_fwd_bwd_quant_fuse", p, exec);
}

}  // namespace qfuse::ops
