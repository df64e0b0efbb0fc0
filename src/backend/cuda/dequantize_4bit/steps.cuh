// The steps and the kernel of dequantize_4bit; those on the weight stand in device/weight_4bit.cuh.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH

#include <cstdint>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/weight_4bit.cuh"

namespace qfuse::cuda {

// ---- what a kernel sees ----

struct DecodeArguments {
  std::int64_t n;
  Weight4bit weight;
  void* out;
};

template <class Out>
constexpr int kWideGroup = kStoreBytes / static_cast<int>(sizeof(Out));

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

// ---- kernel ----

template <class Out, bool kNested, bool kWide, bool kStream, int kThreads, int kGroups>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ DecodeArguments a) {
  constexpr int kGroup = kWide ? kWideGroup<Out> : kNarrowGroup;
  constexpr int kTile = kThreads * kGroups * kGroup;  // a power of two, so that blocks and tiles contain one another
  const Weight4bit& w = a.weight;
  __shared__ Tables<kNested> tables;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(a.n - tile < kTile ? a.n - tile : kTile);
  const std::uint8_t* const packed = w.packed + tile / 2;
  std::uint32_t codes[kGroups];
  Absmax absmax[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int at = (g * kThreads + static_cast<int>(threadIdx.x)) * kGroup;
    if (at >= count) continue;
    codes[g] = load_codes<kGroup>(packed + at / 2, count - at);
    absmax[g] = load_absmax<kWide, kNested>(w, (tile >> w.block_shift) + (at >> w.block_shift));
  }
  const float offset = load_offset<kWide, kNested>(w);
  load_tables<kThreads, kWide>(w, tables);
  __syncthreads();
  Out* const out = static_cast<Out*>(a.out) + tile;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int at = (g * kThreads + static_cast<int>(threadIdx.x)) * kGroup;
    if (at >= count) continue;
    const float scale = decode_absmax(tables, absmax[g], offset);
    float weights[kGroup];
#pragma unroll
    for (int e = 0; e < kGroup; ++e) weights[e] = decode_code(tables, codes[g], e, scale);
    store_group<kWide, kStream>(out + at, count - at, weights);
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
