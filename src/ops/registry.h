// The support table: which backend has which op.
#ifndef QFUSE_OPS_REGISTRY_H
#define QFUSE_OPS_REGISTRY_H

#include <string>

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::ops {

template <class Params>
using Launch = format::Outcome (*)(const Params&, const qfuse_exec&);

// A null entry is an op that the backend does not have in this build.
struct Backend {
  qfuse_device_type type;
  const char* name;
  Launch<format::Dequantize4bit> dequantize_4bit;
  Launch<format::Quantize4bit> quantize_4bit;
  Launch<format::QuantizeBlockwise> quantize_blockwise;
  Launch<format::DequantizeBlockwise> dequantize_blockwise;
  Launch<format::DequantizeInt8> dequantize_int8;
  Launch<format::SiluDotFwdBwdQuantFuse> silu_dot_fwd_bwd_quant_fuse;
};

// Null: no backend for the type in this build.
const Backend* find_backend(qfuse_device_type type);

// The middle and the end of every op: choose the backend whose entry `op` is, launch.
template <class Params>
format::Outcome launch(Launch<Params> Backend::*op, const char* name, const Params& p, const qfuse_exec& exec) {
  if (format::Outcome o = format::check(exec); !o.ok()) return o;
  if (format::Outcome o = format::check_device(p, exec); !o.ok()) return o;
  const Backend* backend = find_backend(exec.device.type);
  if (backend == nullptr || backend->*op == nullptr)
    return format::unsupported(std::string(name) +
                               ": this build of qfuse has no kernel for the device asked for; use cpu");
  if (format::is_empty(p)) return {};
  format::Outcome outcome = (backend->*op)(p, exec);
  if (!outcome.ok()) outcome.message = std::string(name).append(": ").append(outcome.message);
  return outcome;
}

}  // namespace qfuse::ops

#endif  // QFUSE_OPS_REGISTRY_H
