// Steps of scale that the kernels of all architectures share, and the declarations that kernels need.
#ifndef QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_STEPS_CUH
#define QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_STEPS_CUH

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "skeleton/backend/cuda/scale/plan.h"

namespace qfuse::cuda::scale {

template <class T>
__device__ T scaled(T x, float factor) {
  return Rounding<T>::one(__fmul_rn(widen(x), factor));
}

// Launches the kernel of bulk.cu; callable from code for other architectures.
contract::Outcome launch_scale_bulk(const contract::Scale& p, const Plan& plan, const qfuse_exec& exec);

}  // namespace qfuse::cuda::scale

#endif  // QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_STEPS_CUH
