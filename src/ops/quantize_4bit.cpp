#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome quantize_4bit(const format::Quantize4bit& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::quantize_4bit, "quantize_4bit", p, exec);
}

}  // namespace qfuse::ops
