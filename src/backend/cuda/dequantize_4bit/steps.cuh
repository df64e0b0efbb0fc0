// The steps of dequantize_4bit; those on the weight stand in device/weight_4bit.cuh.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH

#include <cstdint>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/device/weight_4bit.cuh"

namespace qfuse::cuda::dequantize_4bit {

// ---- what a kernel sees ----

struct Arguments {
  std::int64_t n;
  Weight4bit weight;
  void* out;
};

template <class Out, bool kWide>
constexpr int kDecodeGroup = kWide ? kStoreBytes / static_cast<int>(sizeof(Out)) : kNarrowGroup;

// ---- steps ----

template <bool kWide, bool kStream, class Out, int kGroup>
__device__ void store_group(Out* out, int left, const float (&weights)[kGroup]) {
  constexpr int kPerWord = sizeof(std::uint32_t) / sizeof(Out);
  if constexpr (kWide) {
    if (left >= kGroup) {
      const uint4 words = {Rounding<Out>::word(weights), Rounding<Out>::word(weights + kPerWord),
                           Rounding<Out>::word(weights + 2 * kPerWord), Rounding<Out>::word(weights + 3 * kPerWord)};
      store_vector<kStream>(out, words);
      return;
    }
  }
#pragma unroll
  for (int e = 0; e < kGroup; ++e)
    if (e < left) store<kWide>(out + e, Rounding<Out>::one(weights[e]));
}

// A tile of `count` elements. kWhole: as many as it can have, so that nothing branches on what is left and all loads
// are under way before the first is waited for.
template <class Out, bool kNested, bool kWide, bool kStream, bool kWhole>
__device__ __forceinline__ void decode_tile(const Arguments& a, Tables<kNested>& tables, std::int64_t tile, int count) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  constexpr int kStride = kDecodeThreads * kGroup;  // between a thread's groups: neighbours have neighbouring ones
  const Weight4bit& w = a.weight;
  const unsigned first = threadIdx.x * kGroup;
  const std::uint8_t* const packed = w.packed + tile / 2 + threadIdx.x * (kGroup / 2);
  Out* const out = static_cast<Out*>(a.out) + tile + first;
  int left[kDecodeGroups];
  std::uint32_t codes[kDecodeGroups];
  Absmax absmax[kDecodeGroups];
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g) {
    left[g] = kWhole ? kGroup : count - static_cast<int>(first) - g * kStride;
    if (left[g] > 0) codes[g] = load_codes<kGroup>(packed + g * kStride / 2, left[g]);
  }
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g)
    if (left[g] > 0) absmax[g] = load_absmax<kWide, kNested>(w, tile, first + g * kStride);
  const float offset = load_offset<kWide, kNested>(w);
  load_tables<kDecodeThreads, kWide>(w, tables);
  __syncthreads();
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g) {
    sync_warp();  // keeps the compiler from storing the first group only when it has decoded all: 1 % slower
    if (left[g] <= 0) continue;
    const float scale = decode_absmax(kNested, tables.map, absmax[g], offset);
    float weights[kGroup];
#pragma unroll
    for (int e = 0; e < kGroup; ++e) weights[e] = decode_code(tables, codes[g], e, scale);
    store_group<kWide, kStream>(out + g * kStride, left[g], weights);
  }
}

}  // namespace qfuse::cuda::dequantize_4bit

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
