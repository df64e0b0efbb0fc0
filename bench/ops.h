// The ops through the C interface, from the parameters that the library's own layers see.
#ifndef QFUSE_BENCH_OPS_H
#define QFUSE_BENCH_OPS_H

#include <stdexcept>

#include "contract/ops.h"

namespace qfuse::bench {

// Throws what the op refuses.
template <class Params, class Op>
void call(qfuse_status (*op)(const Params*, const qfuse_exec*, qfuse_error*), Op p, const qfuse_exec& exec) {
  qfuse_error error{};
  if (op(&contract::as_caller<Params>(p), &exec, &error) != QFUSE_OK) throw std::runtime_error(error.message);
}

inline void run(const contract::Dequantize4bit& p, const qfuse_exec& exec) { call(qfuse_dequantize_4bit, p, exec); }
inline void run(const contract::Quantize4bit& p, const qfuse_exec& exec) { call(qfuse_quantize_4bit, p, exec); }
inline void run(const contract::QuantizeBlockwise& p, const qfuse_exec& exec) {
  call(qfuse_quantize_blockwise, p, exec);
}
inline void run(const contract::Matmul4bit& p, const qfuse_exec& exec) { call(qfuse_matmul_4bit, p, exec); }
inline void run(const contract::Swiglu& p, const qfuse_exec& exec) { call(qfuse_swiglu, p, exec); }

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPS_H
