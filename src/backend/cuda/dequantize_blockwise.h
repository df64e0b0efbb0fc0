#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_BLOCKWISE_H
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_BLOCKWISE_H

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cuda {

// Checked parameters, arrays that the device can reach. Enqueues one kernel on exec's device and stream.
format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_BLOCKWISE_H
