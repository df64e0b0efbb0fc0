// Sums in fp64. QFUSE_NO_FP64 is for GPUs without fp64: integer arithmetic gives the same bits.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_SUM_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_SUM_CUH

#include <cstdint>

#include "backend/cuda/device/steps.cuh"
#include "backend/cuda/platform.h"
#include "format/binary64.h"

namespace qfuse::cuda {

#ifdef QFUSE_NO_FP64

using Sum = format::Binary64;
__device__ inline Sum sum_of(float x) { return format::to_binary64(x); }
__device__ inline Sum plus(Sum a, Sum b) { return format::add(a, b); }
__device__ inline float mean_of(Sum total, std::int64_t count) { return format::divide(total, count); }

#else

using Sum = double;
__device__ inline Sum sum_of(float x) { return x; }
__device__ inline Sum plus(Sum a, Sum b) { return __dadd_rn(a, b); }
__device__ inline float mean_of(Sum total, std::int64_t count) {
  return canonical(__double2float_rn(__ddiv_rn(total, static_cast<double>(count))));
}

#endif

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_SUM_CUH
