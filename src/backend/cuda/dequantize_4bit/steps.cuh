// Device steps of dequantize_4bit; the steps on the weight itself are in device/weight_4bit.cuh.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH

#include <cstdint>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/device/weight_4bit.cuh"

namespace qfuse::cuda::dequantize_4bit {

// ---- kernel arguments ----

template <class Weight>
struct Arguments {
  std::int64_t n;
  Weight weight;
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

// Scales codes by the absmax of blocks of the flattened weight; ScalesOfRows in rows.cuh does so by row scales.
template <bool kNested, bool kWide>
struct AbsmaxOfBlocks {
  using Weight = Weight4bit;
  using Tables = cuda::Tables<kNested>;
  using Scale = Absmax;
  static __device__ Scale load(const Weight& w, std::int64_t tile, unsigned at) {
    return load_absmax<kWide, kNested>(w, tile, at);
  }
  static __device__ float load_common(const Weight& w) { return load_offset<kWide, kNested>(w); }
  static __device__ void load_tables(const Weight& w, float /*offset*/, Tables& tables) {
    cuda::load_tables<kDecodeThreads, kWide>(w, tables);
  }
  static __device__ float decode_scale(const Weight& /*w*/, const Tables& tables, Scale absmax, float offset) {
    return decode_absmax(kNested, tables.map, absmax, offset);
  }
  static __device__ float decode(const Tables& tables, std::uint32_t codes, int e, Scale /*absmax*/, float scale) {
    return decode_code(tables, codes, e, scale);
  }
};

// Decodes a tile of `count` elements. kWhole: the tile is full, so nothing branches on the remainder, and all loads are
// issued before the first result is needed.
template <class Scales, class Out, bool kWide, bool kStream, bool kWhole>
__device__ __forceinline__ void decode_tile(const typename Scales::Weight& w, void* to, typename Scales::Tables& tables,
                                            std::int64_t tile, int count) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  constexpr int kStride = kDecodeThreads * kGroup;  // elements between a thread's groups: accesses coalesce
  const unsigned first = threadIdx.x * kGroup;
  const std::uint8_t* const packed = w.packed + tile / 2 + threadIdx.x * (kGroup / 2);
  Out* const out = static_cast<Out*>(to) + tile + first;
  int left[kDecodeGroups];
  std::uint32_t codes[kDecodeGroups];
  typename Scales::Scale scales[kDecodeGroups];
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g) {
    left[g] = kWhole ? kGroup : count - static_cast<int>(first) - g * kStride;
    if (left[g] > 0) codes[g] = load_codes<kGroup>(packed + g * kStride / 2, left[g]);
  }
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g)
    if (left[g] > 0) scales[g] = Scales::load(w, tile, first + g * kStride);
  const float common = Scales::load_common(w);
  Scales::load_tables(w, common, tables);
  __syncthreads();
#pragma unroll
  for (int g = 0; g < kDecodeGroups; ++g) {
    sync_warp();  // else the compiler delays the first group's stores until all are decoded: 1 % slower
    if (left[g] <= 0) continue;
    const float scale = Scales::decode_scale(w, tables, scales[g], common);
    float weights[kGroup];
#pragma unroll
    for (int e = 0; e < kGroup; ++e) weights[e] = Scales::decode(tables, codes[g], e, scales[g], scale);
    store_group<kWide, kStream>(out + g * kStride, left[g], weights);
  }
}

// Decodes the tile of this thread block.
template <class Scales, class Out, bool kWide, bool kStream>
__device__ void decode_own_tile(const typename Scales::Weight& w, std::int64_t n, void* out) {
  constexpr int kTile = kDecodeThreads * kDecodeGroups * kDecodeGroup<Out, kWide>;
  __shared__ typename Scales::Tables tables;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t left = n - tile;
  if (left < kTile) [[unlikely]]  // keeps the full tile's code on the fall-through path
    decode_tile<Scales, Out, kWide, kStream, false>(w, out, tables, tile, static_cast<int>(left));
  else
    decode_tile<Scales, Out, kWide, kStream, true>(w, out, tables, tile, kTile);
}

}  // namespace qfuse::cuda::dequantize_4bit

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_STEPS_CUH
