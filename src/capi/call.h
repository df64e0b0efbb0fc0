// The ops through the C interface, from the parameters that the library's own layers see: for tests and benchmarks.
#ifndef QFUSE_CAPI_CALL_H
#define QFUSE_CAPI_CALL_H

#include <qfuse/qfuse.h>

#include "contract/ops.h"

namespace qfuse::capi {

// The parameters as a caller of the C interface has them, sizes of structs filled in; they may point into `p`.
template <class Params, class Op>
const Params& as_caller(Op& p) {
  Params& params = p;
  params.struct_size = sizeof params;
  if constexpr (requires { p.weight; }) {
    p.weight.struct_size = sizeof p.weight;
    params.weight = &p.weight;
  }
  return params;
}

template <class Params, class Op>
qfuse_status call_as(qfuse_status (*op)(const Params*, const qfuse_exec*, qfuse_error*), Op p, const qfuse_exec* exec,
                     qfuse_error* error) {
  return op(&as_caller<Params>(p), exec, error);
}

inline qfuse_status call(const contract::Dequantize4bit& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_dequantize_4bit, p, exec, error);
}
inline qfuse_status call(const contract::Quantize4bit& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_quantize_4bit, p, exec, error);
}
inline qfuse_status call(const contract::QuantizeBlockwise& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_quantize_blockwise, p, exec, error);
}
inline qfuse_status call(const contract::DequantizeBlockwise& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_dequantize_blockwise, p, exec, error);
}
inline qfuse_status call(const contract::DequantizeInt8& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_dequantize_int8, p, exec, error);
}
inline qfuse_status call(const contract::Swiglu& p, const qfuse_exec* exec = nullptr, qfuse_error* error = nullptr) {
  return call_as(qfuse_swiglu, p, exec, error);
}
inline qfuse_status call(const contract::LoraMerge& p, const qfuse_exec* exec = nullptr, qfuse_error* error = nullptr) {
  return call_as(qfuse_lora_merge, p, exec, error);
}
inline qfuse_status call(const contract::Matmul4bit& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  return call_as(qfuse_matmul_4bit, p, exec, error);
}

}  // namespace qfuse::capi

#endif  // QFUSE_CAPI_CALL_H
