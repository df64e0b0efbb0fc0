// One launch of a kernel on the caller's device and stream.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "backend/cuda/device/current.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

// Of a power of two.
inline int log2(std::int64_t x) { return std::countr_zero(static_cast<std::uint64_t>(x)); }

struct LaunchShape {
  std::int64_t blocks;
  int threads;           // of a block
  int shared_bytes = 0;  // of a block, beside what the kernel declares; more than 48 KiB are asked for
  int cluster = 1;       // blocks that are scheduled together and reach each other's shared memory, from sm_90 on
};

// The launch's own error, never one that other work left behind.
template <class Argument>
contract::Outcome launch(void (*kernel)(Argument), const LaunchShape& shape, Argument argument,
                         const qfuse_exec& exec) {
  constexpr int kSharedOfAll = 48 << 10;               // bytes that every kernel may have without asking
  if (shape.blocks > std::numeric_limits<int>::max())  // the widest grid of every architecture
    return contract::unsupported(std::to_string(shape.blocks) + " thread blocks are more than a launch can have");
  const CurrentDevice current(exec.device.index);
  if (current.error() != cudaSuccess) return outcome_of(current.error());
  const auto* const function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > kSharedOfAll)
    if (const cudaError_t error =
            cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes);
        error != cudaSuccess)
      return outcome_of(error);
  const dim3 grid(static_cast<unsigned>(shape.blocks));
  const dim3 block(static_cast<unsigned>(shape.threads));
  const auto shared_bytes = static_cast<std::size_t>(shape.shared_bytes);
  const auto stream = static_cast<cudaStream_t>(exec.stream);
  void* arguments[] = {&argument};
  if (shape.cluster == 1)  // costs the host less than a launch with attributes
    return outcome_of(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return outcome_of(cudaLaunchKernelExC(&config, function, arguments));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
