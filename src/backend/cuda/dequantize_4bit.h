#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_H
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_H

#include <cstdint>
#include <string>

#include "backend/cuda/gpu.h"
#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cuda {

// How a call will run: made from its parameters and the device's facts alone.
struct Dequantize4bitPlan {
  bool wide = false;        // 16-byte stores; else element by element, for arrays at odd addresses
  bool stream = false;      // store past the caches
  int group = 0;            // elements that a thread decodes at once
  int groups = 0;           // of them that it has in flight
  int threads = 0;          // of a thread block
  std::int64_t blocks = 0;  // thread blocks
};

Dequantize4bitPlan plan(const format::Dequantize4bit& p, const DeviceFacts& facts);
std::string describe(const Dequantize4bitPlan& plan);

// Checked parameters, arrays that the device can reach. Enqueues one kernel on exec's device and stream.
format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_H
