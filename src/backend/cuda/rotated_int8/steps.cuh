// Device steps of rotated_int8, in the words of reference/rotated_int8.cpp: a lane has 32 terms of a row, and the two
// or four lanes of a block are neighbors. Terms are elements along K.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_STEPS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_STEPS_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/rotated_int8/plan.h"
#include "format/rotated_int8.h"

namespace qfuse::cuda::rotated_int8 {

// ---- a weight ----

struct Weights {
  Weight4bit weight;
  bool is_nested;
};

// Row scales: read-only in the pass that makes codes from them, written in the others.
template <Pass kPass>
using Scale = std::conditional_t<kPass == Pass::codes, const float, float>;

// Called by all threads. Copies the values of the 16 codes to shared memory, each to a bank of its own.
__device__ inline const float* shared_values(const Weight4bit& weight) {
  __shared__ float values[format::kCodes4];
  if (threadIdx.x < format::kCodes4) values[threadIdx.x] = weight.values[threadIdx.x];
  __syncthreads();
  return values;
}

// Loads 32 codes that are not read again soon; is_wide: from an aligned address.
__device__ inline uint4 load_code_vector(const std::uint8_t* packed, bool is_wide) {
  return is_wide ? load_once(reinterpret_cast<const uint4*>(packed)) : load_bytes<uint4>(packed);
}

// Decodes the eight codes of a word; a byte's high nibble comes first. Shifts turn nibbles in place into byte offsets
// into `values`. absmax(i): that of code i.
template <class AbsmaxOf>
__device__ void decode_word(const float* values, std::uint32_t codes, const AbsmaxOf& absmax, float* v) {
  constexpr std::uint32_t kPlaces = 0x3c3c3c3c;  // a nibble times four, in each byte
  constexpr std::uint32_t kByte = 0x4440;        // selects one byte, zero-extended
  const std::uint32_t halves[2] = {codes >> 2 & kPlaces, codes << 2 & kPlaces};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t place = permuted(halves[i % 2], 0, kByte + static_cast<std::uint32_t>(i / 2));
    v[i] = mul_ftz(*reinterpret_cast<const float*>(reinterpret_cast<const char*>(values) + place), absmax(i));
  }
}

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

template <int kDistance, int kCount>
__device__ void rotate_own(float (&v)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
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
__device__ inline std::uint32_t larger_of(std::uint32_t largest, const float (&v)[kLaneTerms]) {
#pragma unroll
  for (int i = 0; i < kLaneTerms; ++i) largest = larger(largest, __float_as_uint(v[i]) & ~format::kSignBit);
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
