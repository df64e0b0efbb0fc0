// A weight with scales of rows, which has one kernel and no choice of plans: 16-byte stores where rows and blocks are
// whole vectors, else any address.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH

#include <algorithm>
#include <cstdint>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/dequantize_4bit/steps.cuh"
#include "backend/cuda/device/row_tiles.cuh"
#include "backend/cuda/gpu.h"

namespace qfuse::cuda::dequantize_4bit {

// ---- what the kernel sees ----

struct RowsArguments {
  qfuse_weight_4bit weight;
  std::int64_t row_bytes;   // of codes
  std::int64_t row_blocks;  // a row has so many
  float values[format::kCodes4];
  float zero_point;  // where there is no array of them
  RowTiles tiles;
  void* out;
};

// ---- steps ----

__device__ inline float decode_scale(const qfuse_weight_4bit& w, std::int64_t block) {
  const float scale = w.scale_type == QFUSE_SCALES_E4M3
                          ? format::from_e4m3(static_cast<const std::uint8_t*>(w.scales)[block])
                          : load_scale(w.scales, block, w.scale_type);
  if (w.global_scale != nullptr) return __fmul_rn(scale, load<false>(w.global_scale));
  if (w.global_divisor != nullptr) return divide(scale, load<false>(w.global_divisor));
  return scale;
}

template <class Out, bool kWide, bool kStream>
__device__ void decode_group(const float* values, std::uint32_t codes, float zero, float scale, int left, Out* out) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  float numbers[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e)
    numbers[e] = __fmul_rn(__fsub_rn(values[nibble<format::NibbleOrder::low_first>(codes, e)], zero), scale);
  store_group<kWide, kStream>(out, left, numbers);
}

// ---- kernel ----

// A group of an odd row's last column has one element; its byte is there as any other.
template <class Out, bool kWide, bool kStream>
__global__ void __launch_bounds__(kTileThreads) decode_tile_of_rows(const __grid_constant__ RowsArguments a) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  __shared__ float values[format::kCodes4];
  const qfuse_weight_4bit& w = a.weight;
  const RowPlace place = place_in(a.tiles);
  const std::int64_t col = place.group * kGroup;
  const std::int64_t col_block = quotient(col, w.blocksize);
  const std::int64_t rows = col < w.cols ? w.rows : 0;
  std::uint32_t codes[kRowsEach];
  float scales[kRowsEach];
  float zeros[kRowsEach];
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (const std::int64_t row = place.row + r * place.step; row < rows)
      codes[r] = load_bytes_once<kGroup / 2>(w.packed + row * a.row_bytes + col / 2);
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (const std::int64_t row = place.row + r * place.step; row < rows) {
      const std::int64_t block = row * a.row_blocks + col_block;
      scales[r] = decode_scale(w, block);
      zeros[r] = w.zero_points != nullptr ? static_cast<float>(w.zero_points[block]) : a.zero_point;
    }
  if (threadIdx.x < format::kCodes4) values[threadIdx.x] = a.values[threadIdx.x];
  __syncthreads();
  const int left = w.cols - col < kGroup ? static_cast<int>(w.cols - col) : kGroup;
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (const std::int64_t row = place.row + r * place.step; row < rows)
      decode_group<Out, kWide, kStream>(values, codes[r], zeros[r], scales[r], left,
                                        static_cast<Out*>(a.out) + row * w.cols + col);
}

// ---- the kernel of a call ----

// Whether every group is a vector of codes and of outputs, and has one scale.
template <class Out>
bool is_wide(const contract::Dequantize4bit& p) {
  constexpr int kGroup = kDecodeGroup<Out, true>;
  const qfuse_weight_4bit& w = p.weight;
  return w.cols % kGroup == 0 && (w.blocksize % kGroup == 0 || w.blocksize >= w.cols) &&
         is_aligned(w.packed, kGroup / 2) && is_aligned(p.out, kStoreBytes);
}

template <class Out, bool kWide, bool kStream>
contract::Outcome launch_rows(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  const qfuse_weight_4bit& w = p.weight;
  const format::Format4& format = format::format4(w.quant_type);
  RowsArguments a{.weight = w,
                  .row_bytes = contract::bytes_a_row(w),
                  .row_blocks = contract::blocks_a_row(w),
                  .values = {},
                  .zero_point = format.zero_point,
                  .tiles = row_tiles(w.rows, format::ceil_div(w.cols, kDecodeGroup<Out, kWide>)),
                  .out = p.out};
  std::ranges::copy(format.values, a.values);
  return launch(decode_tile_of_rows<Out, kWide, kStream>, {.blocks = a.tiles.blocks, .threads = kTileThreads}, a, exec);
}

// What fits the L2 cache is left there for who reads it next, as plan.cpp has it.
template <class Out>
contract::Outcome launch_rows(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  if (!is_wide<Out>(p)) return launch_rows<Out, false, false>(p, exec);
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  const std::int64_t bytes = contract::element_count(p.weight) * static_cast<std::int64_t>(sizeof(Out));
  return bytes > facts.l2_bytes ? launch_rows<Out, true, true>(p, exec) : launch_rows<Out, true, false>(p, exec);
}

inline contract::Outcome launch_rows(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch_rows<float>(p, exec);
    case QFUSE_FLOAT16: return launch_rows<Half>(p, exec);
    case QFUSE_BFLOAT16: return launch_rows<Bfloat16>(p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda::dequantize_4bit

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH
