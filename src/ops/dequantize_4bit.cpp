#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::dequantize_4bit, "dequantize_4bit", p, exec);
}

}  // namespace qfuse::ops
