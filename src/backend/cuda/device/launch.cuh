// One launch of a kernel on the caller's device and stream.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cstdint>

#include "backend/cuda/device/current.h"
#include "format/outcome.h"

namespace qfuse::cuda {

// Of a power of two.
inline int log2(std::int64_t x) { return std::countr_zero(static_cast<std::uint64_t>(x)); }

// `blocks` blocks of `threads` threads. The launch's own error, never one that other work left behind.
template <class Argument>
format::Outcome launch(void (*kernel)(Argument), std::int64_t blocks, int threads, Argument argument,
                       const qfuse_exec& exec) {
  const CurrentDevice current(exec.device.index);
  if (current.error() != cudaSuccess) return outcome_of(current.error());
  void* arguments[] = {&argument};
  return outcome_of(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                     dim3(static_cast<unsigned>(threads)), arguments, 0,
                                     static_cast<cudaStream_t>(exec.stream)));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
