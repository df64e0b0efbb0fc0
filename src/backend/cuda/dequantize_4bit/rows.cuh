// Decodes weights with row scales. If rows are whole blocks of 2^n elements, the weight is one run of blocks, decoded
// like one with absmax; others are decoded in tiles of rows, with 16-byte stores if rows and blocks are whole vectors.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH

#include <algorithm>
#include <cstdint>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/dequantize_4bit/steps.cuh"
#include "backend/cuda/device/row_tiles.cuh"
#include "backend/cuda/device/scales.cuh"

namespace qfuse::cuda::dequantize_4bit {

// ---- kernel arguments ----

struct RowsWeight {
  int block_shift;  // log2 of the elements per block, if the weight is one run of blocks
  qfuse_scale_type scale_type;
  const std::uint8_t* packed;
  const void* scales;
  const float* global;  // factor or divisor of all scales, or null
  bool is_divisor;
  const std::uint8_t* zero_points;
  float values[format::kCodes4];  // value of each code; minus the format's zero point if zero_points is null
};

inline RowsWeight rows_view(const qfuse_weight_4bit& w) {
  const format::Format4& format = format::format4(w.quant_type);
  const contract::Global global = contract::global_of(w);
  RowsWeight view{.block_shift = log2(std::min(w.blocksize, w.cols)),
                  .scale_type = w.scale_type,
                  .packed = w.packed,
                  .scales = w.scales,
                  .global = global.value,
                  .is_divisor = global.divides,
                  .zero_points = w.zero_points,
                  .values = {}};
  std::ranges::transform(format.values, view.values,
                         [&](float value) { return w.zero_points != nullptr ? value : value - format.zero_point; });
  return view;
}

struct RowsArguments {
  RowsWeight weight;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t blocksize;
  std::int64_t row_bytes;   // bytes of codes per row
  std::int64_t row_blocks;  // blocks per row
  RowTiles tiles;
  void* out;
};

// ---- steps ----

template <bool kAligned>
__device__ float load_global(const RowsWeight& w) {
  return w.global != nullptr ? load<kAligned>(w.global) : 0.0F;
}

__device__ inline float scale_of(const RowsWeight& w, std::uint32_t bits, float global) {
  const float scale = widen_scale(bits, w.scale_type);
  if (w.global == nullptr) return scale;
  return w.is_divisor ? divide(scale, global) : __fmul_rn(scale, global);
}

// The same for a scale of one byte.
__device__ inline float scale_of_byte(const RowsWeight& w, std::uint32_t byte, float global) {
  const float scale = widen_byte(byte, w.scale_type);
  if (w.global == nullptr) return scale;
  return w.is_divisor ? divide_byte(scale, global, w.scale_type) : __fmul_rn(scale, global);
}

// kZeros: a zero point is subtracted from each value.
template <bool kZeros>
__device__ float decode_rows_code(const float* values, std::uint32_t codes, int e, unsigned zero, float scale) {
  const float value = values[nibble<format::NibbleOrder::low_first>(codes, e)];
  return __fmul_rn(kZeros ? __fsub_rn(value, static_cast<float>(zero)) : value, scale);
}

// ---- one run of blocks ----

// mapped: each thread block decodes all 256 8-bit scales into a table. direct, with_zeros: each use decodes its scale.
enum class RowsScales { mapped, direct, with_zeros };

template <RowsScales kScales>
struct ScalesOfRows {
  static constexpr bool kMapped = kScales == RowsScales::mapped;
  static constexpr bool kZeros = kScales == RowsScales::with_zeros;
  using Weight = RowsWeight;
  using Tables = cuda::Tables<kMapped>;
  struct Scale {
    std::uint32_t bits;
    unsigned zero;
  };
  static __device__ Scale load(const Weight& w, std::int64_t tile, unsigned at) {
    const std::int64_t block = block_of(tile, at, w.block_shift);
    if constexpr (kMapped) return {__ldg(static_cast<const std::uint8_t*>(w.scales) + block), 0};
    const std::uint32_t bits = w.scale_type == QFUSE_SCALES_FLOAT32
                                   ? __ldg(static_cast<const std::uint32_t*>(w.scales) + block)
                                   : __ldg(static_cast<const std::uint16_t*>(w.scales) + block);
    return {bits, kZeros ? __ldg(w.zero_points + block) : 0U};
  }
  static __device__ float load_common(const Weight& w) { return load_global<true>(w); }
  static __device__ void load_tables(const Weight& w, float global, Tables& tables) {
    static_assert(kDecodeThreads == format::kCodes8, "each thread decodes one scale");
    if (threadIdx.x < format::kCodes4) tables.values[threadIdx.x] = w.values[threadIdx.x];
    if constexpr (kMapped) tables.map[threadIdx.x] = scale_of_byte(w, threadIdx.x, global);
  }
  static __device__ float decode_scale(const Weight& w, const Tables& tables, Scale scale, float global) {
    if constexpr (kMapped) return tables.map[scale.bits];
    return scale_of(w, scale.bits, global);
  }
  static __device__ float decode(const Tables& tables, std::uint32_t codes, int e, Scale scale, float decoded) {
    return decode_rows_code<kZeros>(tables.values, codes, e, scale.zero, decoded);
  }
};

// ---- row by row ----

template <class Out, bool kWide, bool kZeros>
__device__ void decode_group(const float* values, std::uint32_t codes, unsigned zero, float scale, int left, Out* out) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  float numbers[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) numbers[e] = decode_rows_code<kZeros>(values, codes, e, zero, scale);
  store_group<kWide, false>(out, left, numbers);
}

// If cols is odd, a row's last group has one element; its byte of codes is loaded like any other.
template <class Out, bool kWide>
__device__ void decode_tile_of_rows(const RowsArguments& a) {
  constexpr int kGroup = kDecodeGroup<Out, kWide>;
  __shared__ float values[format::kCodes4];
  const RowsWeight& w = a.weight;
  const RowPlace place = place_in(a.tiles);
  const std::int64_t col = place.group * kGroup;
  const std::int64_t col_block = quotient(col, a.blocksize);
  RowBlocks rows;
  std::uint32_t codes[kRowsEach];
  std::uint32_t scales[kRowsEach];
  static_assert(kRowsEach <= 4);
  std::uint32_t zeros = 0;  // one byte per row
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    const std::int64_t row = place.row + r * place.step;
    rows.there[r] = col < a.cols && row < a.rows;
    rows.blocks[r] = row * a.row_blocks + col_block;
    if (rows.there[r]) codes[r] = load_bytes_once<kGroup / 2>(w.packed + row * a.row_bytes + col / 2);
  }
  load_scale_bits(w.scales, w.scale_type, rows, scales);
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (rows.there[r] && w.zero_points != nullptr)
      zeros |= static_cast<std::uint32_t>(w.zero_points[rows.blocks[r]]) << (8 * r);
  const float global = load_global<false>(w);
  if (threadIdx.x < format::kCodes4) values[threadIdx.x] = w.values[threadIdx.x];
  __syncthreads();
  const int left = a.cols - col < kGroup ? static_cast<int>(a.cols - col) : kGroup;
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    if (!rows.there[r]) continue;
    Out* const out = static_cast<Out*>(a.out) + (place.row + r * place.step) * a.cols + col;
    const float scale = scale_of(w, scales[r], global);
    if (w.zero_points != nullptr)
      decode_group<Out, kWide, true>(values, codes[r], zeros >> (8 * r) & 0xffU, scale, left, out);
    else
      decode_group<Out, kWide, false>(values, codes[r], 0, scale, left, out);
  }
}

}  // namespace qfuse::cuda::dequantize_4bit

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_ROWS_CUH
