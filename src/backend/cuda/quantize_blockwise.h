#ifndef QFUSE_BACKEND_CUDA_QUANTIZE_BLOCKWISE_H
#define QFUSE_BACKEND_CUDA_QUANTIZE_BLOCKWISE_H

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cuda {

// Checked parameters, arrays that the device can reach. Enqueues one kernel on exec's device and stream.
format::Outcome quantize_blockwise(const format::QuantizeBlockwise& p, const qfuse_exec& exec);

// The same with the offset in the device's memory, whose value is also written to `offset_out` if that is not null.
format::Outcome quantize_blockwise_at(const format::QuantizeBlockwise& p, const float* offset_at, float* offset_out,
                                      const qfuse_exec& exec);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_QUANTIZE_BLOCKWISE_H
