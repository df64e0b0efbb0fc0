// Chooses where a kernel reads its arguments from.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ARGUMENTS_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ARGUMENTS_CUH

#include "backend/cuda/platform.h"

namespace qfuse::cuda {

// kMany: more arguments are in use at once than AMD GPUs have scalar registers. On AMD they are then copied to shared
// memory; NVIDIA GPUs have constant memory for arguments. All threads of a block must call this.
template <bool kMany, class Arguments>
__device__ const Arguments& arguments_within_reach(const Arguments& given) {
#ifdef QFUSE_HIP
  if constexpr (kMany) {
    __shared__ Arguments kept;
    if (threadIdx.x == 0) kept = given;
    __syncthreads();
    return kept;
  }
#endif
  return given;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ARGUMENTS_CUH
