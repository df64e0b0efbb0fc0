// Operations of a warp, which is 32 threads to the kernels. A hardware warp of 64 threads holds two such warps: each
// exchanges values only among its own 32 threads, but also waits for the other 32.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_WARP_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_WARP_CUH

#include "backend/cuda/platform.h"

namespace qfuse::cuda {

constexpr int kWarp = 32;

#ifdef QFUSE_HIP

// Returns the value of the thread at lane ^ mask, with mask less than kWarp. All threads of a warp must call this.
template <class T>
__device__ T exchange(T value, int mask) {
  return __shfl_xor(value, mask, kWarp);
}

// Returns the value of the thread at `lane`.
template <class T>
__device__ T value_of(T value, int lane) {
  return __shfl(value, lane, kWarp);
}

// Returns the value of the thread `lanes` lanes before; unspecified if there is none.
template <class T>
__device__ T value_before(T value, int lanes) {
  return __shfl_up(value, lanes, kWarp);
}

// Synchronizes the warp: its threads then see what any of them wrote to memory before.
__device__ inline void sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

#else

// All threads of the hardware's warp: 32 by default, or 64.
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

// Returns the inclusive prefix sum: the sum of the values of this lane and all lanes before it.
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

// Returns the inclusive prefix maximum.
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
