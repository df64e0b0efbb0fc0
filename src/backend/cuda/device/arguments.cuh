// Where a kernel's arguments are read.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ARGUMENTS_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ARGUMENTS_CUH

#include "backend/cuda/platform.h"

namespace qfuse::cuda {

// kMany: more are in use at once than AMD's GPUs have scalar registers for. These wait in shared memory then, of which
// each thread reads what it needs; NVIDIA's have a memory of their own for arguments. All threads of a block come here.
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
