#ifndef QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_H
#define QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_H

#include <cstdint>
#include <string>

#include "backend/cuda/gpu.h"
#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cuda {

// How a call will run: made from its parameters alone.
struct Quantize4bitPlan {
  bool wide = false;        // 16-byte loads; else element by element, for arrays at odd addresses
  int threads = 0;          // of a thread block, each with 16 elements
  int lanes = 0;            // of them that share an absmax
  std::int64_t blocks = 0;  // thread blocks
  std::int64_t chunks = 0;  // nested: of the mean, the last one apart; 0 where the offset is given
};

Quantize4bitPlan plan(const format::Quantize4bit& p);
std::string describe(const Quantize4bitPlan& plan);

// Checked parameters, arrays that the device can reach. Enqueues one kernel on exec's device and stream; for nested
// absmax two or three more, whose only other memory is absmax_8bit, before it gets its codes.
format::Outcome quantize_4bit(const format::Quantize4bit& p, const qfuse_exec& exec);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_H
