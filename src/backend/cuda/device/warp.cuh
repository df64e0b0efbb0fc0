// What the threads of a warp do together. A warp is 32 threads to the kernels. Where the hardware's has 64, two of ours
// are in it: they exchange values among their own 32, and wait for the other 32 as well.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_WARP_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_WARP_CUH

#include "backend/cuda/platform.h"

namespace qfuse::cuda {

constexpr int kWarp = 32;

#ifdef QFUSE_HIP

// The value of the thread whose lane differs in `mask`, which is less than kWarp; all threads of a warp come here.
template <class T>
__device__ T exchange(T value, int mask) {
  return __shfl_xor(value, mask, kWarp);
}

// The value of the thread of that lane.
template <class T>
__device__ T value_of(T value, int lane) {
  return __shfl(value, lane, kWarp);
}

// That of the thread so many lanes before; where there is none, any.
template <class T>
__device__ T value_before(T value, int lanes) {
  return __shfl_up(value, lanes, kWarp);
}

// What threads of the warp wrote to memory before it, all of them see behind it.
__device__ inline void sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

#else

// All threads of the hardware's warp: 32, where nothing else is said, or 64.
#if !defined(QFUSE_LANES) || QFUSE_LANES == 32
constexpr auto kAllLanes = 0xffffffffU;
#elif QFUSE_LANES == 64
constexpr auto kAllLanes = 0xffffffffffffffffULL;
#else
#error "QFUSE_LANES is the number of threads of a warp, 32 or 64"
#endif

template <class T>
__device__ T exchange(T value, int mask) {
  return __shfl_xor_sync(kAllLanes, value, mask, kWarp);
}

template <class T>
__device__ T value_of(T value, int lane) {
  return __shfl_sync(kAllLanes, value, lane, kWarp);
}

template <class T>
__device__ T value_before(T value, int lanes) {
  return __shfl_up_sync(kAllLanes, value, static_cast<unsigned>(lanes), kWarp);
}

__device__ inline void sync_warp() { __syncwarp(kAllLanes); }

#endif

// Of a thread's value and those of all lanes before it the sum.
template <class T>
__device__ T sum_until(T value) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int apart = 1; apart < kWarp; apart *= 2) {
    const T other = value_before(value, apart);
    if (lane >= apart) value += other;
  }
  return value;
}

// Of them the greatest.
template <class T>
__device__ T greatest_until(T value) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int apart = 1; apart < kWarp; apart *= 2) {
    const T other = value_before(value, apart);
    if (lane >= apart && other > value) value = other;
  }
  return value;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_WARP_CUH
