// The ops through the C interface, from the parameters that the library's own layers see.
#ifndef QFUSE_BENCH_OPS_H
#define QFUSE_BENCH_OPS_H

#include <stdexcept>

#include "contract/ops.h"

namespace qfuse::bench {

// Throws what the op refuses.
template <class Params>
void call(qfuse_status (*op)(const Params*, const qfuse_exec*, qfuse_error*), Params p, const qfuse_exec& exec) {
  p.struct_size = sizeof p;
  qfuse_error error{};
  if (op(&p, &exec, &error) != QFUSE_OK) throw std::runtime_error(error.message);
}

inline void run(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  call<qfuse_dequantize_4bit_params>(qfuse_dequantize_4bit, {0, &p.weight, p.out_dtype, p.out}, exec);
}
inline void run(const contract::Quantize4bit& p, const qfuse_exec& exec) {
  call<qfuse_quantize_4bit_params>(
      qfuse_quantize_4bit,
      {0, p.in_dtype, p.in, &p.weight, p.given_offset, p.reciprocal, p.workspace, p.workspace_size}, exec);
}
inline void run(const contract::QuantizeBlockwise& p, const qfuse_exec& exec) {
  call<qfuse_quantize_blockwise_params>(qfuse_quantize_blockwise, p, exec);
}
inline void run(const contract::Matmul4bit& p, const qfuse_exec& exec) {
  call<qfuse_matmul_4bit_params>(qfuse_matmul_4bit,
                                 {0, &p.weight, p.direction, p.dtype, p.m, p.in, p.out, p.in_stride, p.out_stride,
                                  p.bias, p.accumulation, p.order, p.lora_rank, p.lora_in, p.lora_weight},
                                 exec);
}
inline void run(const contract::Swiglu& p, const qfuse_exec& exec) { call<qfuse_swiglu_params>(qfuse_swiglu, p, exec); }

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPS_H
