#ifndef QFUSE_BACKEND_CUDA_SILU_DOT_FWD_BWD_QUANT_FUSE_H
#define QFUSE_BACKEND_CUDA_SILU_DOT_FWD_BWD_QUANT_FUSE_H

#include <cstdint>
#include <string>

#include "backend/cuda/gpu.h"
#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cuda {

// How a call will run: made from its parameters and the device's facts alone.
struct SiluDotFwdBwdQuantFusePlan {
  bool wide = false;        // 16-byte loads of rows and 8-byte stores of gradients; else element by element
  bool wide_y = false;      // 16-byte stores of y; else byte by byte
  int threads = 0;          // of a thread block, which has one tile of 128 tokens by 128 channels
  std::int64_t blocks = 0;  // thread blocks
};

SiluDotFwdBwdQuantFusePlan plan(const format::SiluDotFwdBwdQuantFuse& p, const DeviceFacts& facts);
std::string describe(const SiluDotFwdBwdQuantFusePlan& plan);

// Checked parameters, arrays that the device can reach. Enqueues one kernel on exec's device and stream.
format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SILU_DOT_FWD_BWD_QUANT_FUSE_H
