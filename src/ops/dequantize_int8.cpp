#include "ops/ops.h"
#include "ops/registry.h"

namespace qfuse::ops {

format::Outcome dequantize_int8(const format::DequantizeInt8& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(p); !o.ok()) return o;
  return launch(&Backend::dequantize_int8, "dequantize_int8", p, exec);
}

}  // namespace qfuse::ops
