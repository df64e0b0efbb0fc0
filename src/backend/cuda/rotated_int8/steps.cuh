// Device steps of rotated_int8, in the words of reference/rotated_int8.cpp: a lane has 32 terms of a row, and the two
// or four lanes of a block are neighbors. Terms are elements along K.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_STEPS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_STEPS_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/rotated_int8/plan.h"
#include "format/rotated_int8.h"

namespace qfuse::cuda::rotated_int8 {

// ---- terms ----

// A lane has every second or fourth group of eight terms of a block, so that neighboring lanes load or store adjacent
// memory at a time and fill whole L2 sectors. Storing 32 adjacent terms per lane took 1.4 times as long on an H200.
constexpr int kEight = 8;
constexpr int kEights = kLaneTerms / kEight;  // per lane
template <int kBlock>
struct BlockLanes {
  static constexpr int kCount = kBlock / kLaneTerms;
  static constexpr int kStep = kEight * kCount;  // terms from one group of eight of a lane to its next
  // A thread's first term, counted over all threads of the block.
  static __device__ int first_term() {
    return static_cast<int>(threadIdx.x) / kCount * kBlock + static_cast<int>(threadIdx.x) % kCount * kEight;
  }
};

template <int kDistance, int kTerms>
__device__ void rotate_own(float (&v)[kTerms]) {
#pragma unroll
  for (int i = 0; i < kTerms; ++i) {
    if ((i & kDistance) != 0) continue;
    const float x = v[i];
    const float y = v[i + kDistance];
    v[i] = x + y;
    v[i + kDistance] = x - y;
  }
}

// Distances from 8 on are between lanes. The second lane of a pair gets the difference: it multiplies its own value by
// -1, which is exact. The two largest distances are between a lane's own groups of eight.
template <int kBlock>
__device__ void rotate(float (&v)[kLaneTerms]) {
  rotate_own<1>(v);
  rotate_own<2>(v);
  rotate_own<4>(v);
#pragma unroll
  for (int lanes = 1; lanes < BlockLanes<kBlock>::kCount; lanes *= 2) {
    const float sign = (static_cast<int>(threadIdx.x) & lanes) == 0 ? 1.0F : -1.0F;
#pragma unroll
    for (int i = 0; i < kLaneTerms; ++i) v[i] = __fmaf_rn(sign, v[i], exchange(v[i], lanes));
  }
  rotate_own<kEight>(v);
  rotate_own<2 * kEight>(v);
}

// Maximum of magnitudes, compared as bits.
__device__ inline std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
template <int kTerms>
__device__ std::uint32_t larger_of(std::uint32_t largest, const float (&v)[kTerms]) {
#pragma unroll
  for (int i = 0; i < kTerms; ++i) largest = larger(largest, __float_as_uint(v[i]) & ~format::kSignBit);
  return largest;
}

// Rounds four values to codes: the low bits of each sum are the nearest integer, and its low byte is the code.
__device__ inline std::uint32_t nearest(const float* v, float factor) {
  std::uint32_t sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = __float_as_uint(canonical(__fmaf_rn(v[i], factor, format::kNearestMagic)));
  constexpr std::uint32_t kLowBytes = 0x0040;
  constexpr std::uint32_t kLowPairs = 0x5410;
  return permuted(permuted(sums[0], sums[1], kLowBytes), permuted(sums[2], sums[3], kLowBytes), kLowPairs);
}

// A factor of 0 gives zeros, even for values that are not finite.
template <int kBlock>
__device__ void store_nearest(std::int8_t* q, bool is_wide, const float (&v)[kLaneTerms], float factor) {
#pragma unroll
  for (int i = 0; i < kEights; ++i) {
    const float* const eight = v + kEight * i;
    const uint2 codes = factor == 0.0F ? uint2{0, 0} : uint2{nearest(eight, factor), nearest(eight + 4, factor)};
    auto* const to = reinterpret_cast<uint2*>(q + BlockLanes<kBlock>::kStep * i);
    if (is_wide)
      *to = codes;
    else
      store_bytes(to, codes);
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_STEPS_CUH
