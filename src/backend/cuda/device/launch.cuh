// Launches a kernel on the caller's device and stream.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH

#include <qfuse/qfuse.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "backend/cuda/device/current.h"
#include "backend/cuda/platform.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

// `x` is a power of two.
inline int log2(std::int64_t x) { return std::countr_zero(static_cast<std::uint64_t>(x)); }

struct LaunchShape {
  std::int64_t blocks;
  int threads;           // per block
  int shared_bytes = 0;  // dynamic, per block; for more than 40 KiB launch() sets the function's limit
  int cluster = 1;       // blocks that are scheduled together and reach each other's shared memory, from sm_90 on
  int rows = 1;          // of the grid, each with `blocks` blocks: blockIdx.y
  bool programmatic_launch = false;  // the kernel calls wait_for_prerequisite_grids() itself; code before sm_90 cannot
};

// Costs more host time than a launch without attributes.
inline contract::Outcome launch_with_attributes(const void* kernel, const LaunchShape& shape, void** arguments,
                                                cudaStream_t stream) {
#ifdef QFUSE_PORTABLE
  static_cast<void>(kernel), static_cast<void>(arguments), static_cast<void>(stream);
  return contract::unsupported("clusters of " + std::to_string(shape.cluster) + " thread blocks are NVIDIA's");
#else
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = shape.programmatic_launch ? 1 : 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.rows));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  return outcome_of(cudaLaunchKernelExC(&config, kernel, arguments));
#endif
}

// Returns the launch's own error, never one that other work left behind.
template <class Argument>
contract::Outcome launch(void (*kernel)(Argument), const LaunchShape& shape, Argument argument,
                         const qfuse_exec& exec) {
  constexpr int kSharedOfAll = 40 << 10;  // bytes; kernels may have 48 KiB by default, including static shared memory
  if (shape.blocks > std::numeric_limits<int>::max() ||  // the x limit of every architecture's grid
      shape.blocks > kMostThreads / shape.threads / shape.rows)
    return contract::unsupported(std::to_string(shape.blocks * shape.rows) +
                                 " thread blocks are more than a launch can have");
  const CurrentDevice current(exec.device.index);
  if (!current.outcome().ok()) return current.outcome();
  const auto stream = static_cast<cudaStream_t>(exec.stream);
  if (contract::Outcome o = check_stream(exec.device.index, stream); !o.ok()) return o;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > kSharedOfAll)
    if (const cudaError_t error =
            cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes);
        error != cudaSuccess)
      return contract::unsupported("a thread block of this kernel cannot have " + std::to_string(shape.shared_bytes) +
                                   " bytes of shared memory beside its own on this GPU: " + outcome_of(error).message);
  void* arguments[] = {&argument};
  LaunchShape possible = shape;
  possible.programmatic_launch = shape.programmatic_launch && waits_for_prerequisites(function, exec.device.index);
  if (possible.cluster > 1 || possible.programmatic_launch)
    return launch_with_attributes(function, possible, arguments, stream);
  const dim3 grid(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.rows));
  return outcome_of(cudaLaunchKernel(kernel, grid, dim3(static_cast<unsigned>(shape.threads)), arguments,
                                     static_cast<std::size_t>(shape.shared_bytes), stream));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_LAUNCH_CUH
