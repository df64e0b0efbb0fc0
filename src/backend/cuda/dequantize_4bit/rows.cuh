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
#include "format/fp8_groups.h"

namespace qfuse::cuda::dequantize_4bit {

// ---- what the kernel sees ----

struct RowsArguments {
  qfuse_weight_4bit weight;
  std::int64_t row_bytes;   // of codes
  std::int64_t row_blocks;  // a row has so many
  int scale_bytes;
  const float* global;            // a factor or a divisor, or null
  float values[format::kCodes4];  // less the zero point, where there is no array of them
  RowTiles tiles;
  void* out;
};

// ---- steps ----

// Of a thread's rows: those that there are, and which blocks of the weight they have here.
struct RowBlocks {
  bool there[kRowsEach];
  std::int64_t blocks[kRowsEach];
};

// Bits of scales, which are all under way before the first is waited for.
template <class Bits>
__device__ void load_scale_bits(const void* scales, const RowBlocks& rows, std::uint32_t (&bits)[kRowsEach]) {
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (rows.there[r]) bits[r] = load<false>(static_cast<const Bits*>(scales) + rows.blocks[r]);
}

__device__ inline void load_scale_bits(const qfuse_weight_4bit& w, int bytes, const RowBlocks& rows,
                                       std::uint32_t (&bits)[kRowsEach]) {
  if (bytes == 1)
    load_scale_bits<std::uint8_t>(w.scales, rows, bits);
  else if (bytes == 2)
    load_scale_bits<std::uint16_t>(w.scales, rows, bits);
  else
    load_scale_bits<std::uint32_t>(w.scales, rows, bits);
}

__device__ inline float widen_scale(std::uint32_t bits, qfuse_scale_type type) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return __uint_as_float(bits);
    case QFUSE_SCALES_UE8M0: return format::from_ue8m0(bits);
    case QFUSE_SCALES_FLOAT16: return half_value(static_cast<std::uint16_t>(bits));
    case QFUSE_SCALES_BFLOAT16: return __uint_as_float(bits << 16);
    case QFUSE_SCALES_E4M3: return format::from_e4m3(static_cast<std::uint8_t>(bits));
  }
  return 0.0F;
}

__device__ inline float decode_scale(const qfuse_weight_4bit& w, std::uint32_t bits, float global) {
  const float scale = widen_scale(bits, w.scale_type);
  if (w.global_scale != nullptr) return __fmul_rn(scale, global);
  if (w.global_divisor != nullptr) return divide(scale, global);
  return scale;
}

// kZeros: there is a zero point to be taken from each value.
template <class Out, bool kWide, bool kStream, bool kZeros>
__device__ void decode_group(const float* values, std::uint32_t codes, unsigned zero, float scale, int left, Out* out) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  float numbers[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) {
    const float value = values[nibble<format::NibbleOrder::low_first>(codes, e)];
    numbers[e] = __fmul_rn(kZeros ? __fsub_rn(value, static_cast<float>(zero)) : value, scale);
  }
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
  RowBlocks rows;
  std::uint32_t codes[kRowsEach];
  std::uint32_t scales[kRowsEach];
  static_assert(kRowsEach <= 4);
  std::uint32_t zeros = 0;  // a byte for each row
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    const std::int64_t row = place.row + r * place.step;
    rows.there[r] = col < w.cols && row < w.rows;
    rows.blocks[r] = row * a.row_blocks + col_block;
    if (rows.there[r]) codes[r] = load_bytes_once<kGroup / 2>(w.packed + row * a.row_bytes + col / 2);
  }
  load_scale_bits(w, a.scale_bytes, rows, scales);
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (rows.there[r] && w.zero_points != nullptr)
      zeros |= static_cast<std::uint32_t>(w.zero_points[rows.blocks[r]]) << (8 * r);
  const float global = a.global != nullptr ? load<false>(a.global) : 0.0F;
  if (threadIdx.x < format::kCodes4) values[threadIdx.x] = a.values[threadIdx.x];
  __syncthreads();
  const int left = w.cols - col < kGroup ? static_cast<int>(w.cols - col) : kGroup;
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    if (!rows.there[r]) continue;
    Out* const out = static_cast<Out*>(a.out) + (place.row + r * place.step) * w.cols + col;
    const float scale = decode_scale(w, scales[r], global);
    if (w.zero_points != nullptr)
      decode_group<Out, kWide, kStream, true>(values, codes[r], zeros >> (8 * r) & 0xffU, scale, left, out);
    else
      decode_group<Out, kWide, kStream, false>(values, codes[r], 0, scale, left, out);
  }
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
                  .scale_bytes = static_cast<int>(format::scale_size(w.scale_type)),
                  .global = w.global_scale != nullptr ? w.global_scale : w.global_divisor,
                  .values = {},
                  .tiles = row_tiles(w.rows, format::ceil_div(w.cols, kDecodeGroup<Out, kWide>)),
                  .out = p.out};
  std::ranges::transform(format.values, a.values,
                         [&](float value) { return w.zero_points != nullptr ? value : value - format.zero_point; });
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
