#ifndef QFUSE_BACKEND_CPU_DEQUANTIZE_BLOCKWISE_H
#define QFUSE_BACKEND_CPU_DEQUANTIZE_BLOCKWISE_H

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cpu {

// Checked parameters; exec chooses threads and target. UNSUPPORTED: no such target here.
format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec);

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_DEQUANTIZE_BLOCKWISE_H
