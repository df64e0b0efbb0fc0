// Device steps of the encoders: the scale of a block, and the rank of a scaled value.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ENCODE_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ENCODE_CUH

#include <qfuse/qfuse.h>

#include <cfloat>

#include "backend/cuda/device/steps.cuh"
#include "backend/cuda/device/warp.cuh"
#include "contract/outcome.h"

namespace qfuse::cuda {

constexpr float kNoNumber = -FLT_MAX;  // the maximum of a block that has only NaN

// Returns the largest `most` of `lanes` neighboring threads, a power of two up to kThreads. All threads of the block
// must call this together. The only negative value of `most` is kNoNumber.
template <int kThreads>
__device__ float largest_of(float most, int lanes, float (&of_warps)[kThreads / kWarp]) {
  for (int step = 1; step < lanes && step < kWarp; step *= 2) most = fmaxf(most, exchange(most, step));
  if (lanes <= kWarp) return most;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  __syncthreads();  // until the previous call's values have been read
  if (threadIdx.x % kWarp == 0) of_warps[warp] = most;
  __syncthreads();
  const int first = warp & ~(lanes / kWarp - 1);
  for (int i = 0; i < lanes / kWarp; ++i) most = fmaxf(most, of_warps[first + i]);
  return most;
}

// Rejects QFUSE_RECIPROCAL_APPROX if the device's approximation is not NVIDIA's.
inline contract::Outcome check_reciprocal(qfuse_reciprocal kind) {
  if (kind != QFUSE_RECIPROCAL_APPROX || kIsNvidiasReciprocal) return {};
  return contract::unsupported(
      "reciprocal is QFUSE_RECIPROCAL_APPROX, the approximation of NVIDIA's GPUs: this is none");
}

__device__ inline float reciprocal(float absmax, qfuse_reciprocal kind) {
  return kind == QFUSE_RECIPROCAL_APPROX ? reciprocal_near(absmax) : reciprocal_ftz(absmax);
}

// Returns how many of kCount ascending thresholds are strictly below x, 0 for NaN. kCount + 1 is a power of two.
template <int kCount>
__device__ int rank(const float* thresholds, float x) {
  int below = 0;
#pragma unroll
  for (int step = (kCount + 1) / 2; step > 0; step /= 2)
    if (x > thresholds[below + step - 1]) below += step;
  return below;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ENCODE_CUH
