// Quantizes a weight along its columns, along which the backward product sums (terms are elements along K). A thread
// block transposes a tile of codes through shared memory.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_COLUMNS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_COLUMNS_CUH

#include <cstdint>

#include "backend/cuda/rotated_int8/steps.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- kernel arguments ----

template <Pass kPass>
struct ColumnArguments {
  Weights source;
  std::int64_t rows;
  std::int64_t cols;
  bool is_wide;
  Scale<kPass>* scale;
  std::int8_t* q;
  std::int64_t tile_step;  // thread blocks that share 64 columns, taking tiles in turn
};

// ---- a tile: 64 columns by one rotated block of terms, in the stored layout ----

// Thread blocks per multiprocessor, for 96 registers per thread. On AMD GPUs the bound counts wavefronts per SIMD.
template <int kBlock>
constexpr int kColumnBlocks = kHasMatrixInstructions ? 640 / kBlock : 1;
constexpr int kTileColBytes = kTileCols / 2;
constexpr int kColHalves = kTileCols / kLaneTerms;  // halves of a tile's row, each with one absmax
// Lanes of a block read rows that are 8 apart: padding after every 8 rows moves them to different banks.
constexpr int kOffsetBytes = 32;

template <int kBlock>
struct alignas(sizeof(uint4)) Tile {
  unsigned char codes[kBlock * kTileColBytes + kBlock / kEight * kOffsetBytes];
  std::uint32_t absmax[kColHalves][kBlock];
};
__device__ inline int code_place(int row) { return row * kTileColBytes + row / kEight * kOffsetBytes; }

// Called by kBlock threads, one per term.
template <int kBlock, Pass kPass>
__device__ void load_tile(const ColumnArguments<kPass>& a, std::int64_t first, Tile<kBlock>& tile) {
  constexpr int kVector = static_cast<int>(sizeof(uint4));
  const Weight4bit& w = a.source.weight;
#pragma unroll
  for (int half = 0; half < kColHalves; ++half) {
    const int i = static_cast<int>(threadIdx.x) + half * kBlock;  // index of a vector, two per row
    const std::uint8_t* const packed = w.packed + (first + i / 2 * a.cols) / 2 + i % 2 * kVector;
    *reinterpret_cast<uint4*>(tile.codes + code_place(i / 2) + i % 2 * kVector) = load_code_vector(packed, a.is_wide);
    const std::int64_t at = first + threadIdx.x * a.cols + half * kLaneTerms;
    tile.absmax[half][threadIdx.x] =
        __float_as_uint(load_decoded_absmax<false>(w, a.source.is_nested, at >> w.block_shift));
  }
}

// A thread has two neighboring columns: a byte has one code of each, the first column's in the high nibble.
template <int kBlock>
struct ThreadColumns {
  static constexpr int kLanes = BlockLanes<kBlock>::kCount;
  int pair = static_cast<int>(threadIdx.x) / kLanes;
  int term = static_cast<int>(threadIdx.x) % kLanes * kEight;
};

template <int kBlock>
__device__ void decode_columns(const Tile<kBlock>& tile, const float* values, const ThreadColumns<kBlock>& at,
                               float (&v)[2][kLaneTerms]) {
#pragma unroll
  for (int i = 0; i < kLaneTerms; i += 4) {
    const int term = at.term + i / kEight * BlockLanes<kBlock>::kStep + i % kEight;
    const unsigned char* const codes = tile.codes + code_place(term) + at.pair;
    std::uint32_t of[4];
    unpack(*reinterpret_cast<const uint4*>(tile.absmax[2 * at.pair / kLaneTerms] + term), of);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const unsigned byte = codes[r * kTileColBytes];
      v[0][i + r] = mul_ftz(values[byte >> 4], __uint_as_float(of[r]));
      v[1][i + r] = mul_ftz(values[byte & 0xfU], __uint_as_float(of[r]));
    }
  }
}

// ---- kernel ----

template <int kBlock, Pass kPass>
__global__ void __launch_bounds__(kBlock, kColumnBlocks<kBlock>)
    quantize_columns(const __grid_constant__ ColumnArguments<kPass> a) {
  constexpr float kRoot = format::rotated_root(kBlock);
  __shared__ Tile<kBlock> tile;
  const float* const values = shared_values(a.source.weight);
  const ThreadColumns<kBlock> at;
  const std::int64_t first_col = std::int64_t{kTileCols} * blockIdx.x;
  const std::int64_t col = first_col + 2 * at.pair;
  std::uint32_t largest[2] = {};
  float factor[2] = {};
  if constexpr (kPass == Pass::codes) {
#pragma unroll
    for (int c = 0; c < 2; ++c) factor[c] = format::rotated_factor(load<false>(a.scale + col + c), kRoot);
  }
#pragma unroll 1
  for (std::int64_t term = std::int64_t{kBlock} * blockIdx.y; term < a.rows; term += kBlock * a.tile_step) {
    __syncthreads();  // the previous tile has been read
    load_tile(a, term * a.cols + first_col, tile);
    __syncthreads();
    float v[2][kLaneTerms];
    decode_columns(tile, values, at, v);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      rotate<kBlock>(v[c]);
      if constexpr (kPass == Pass::codes)
        store_nearest<kBlock>(a.q + (col + c) * a.rows + term + at.term, a.is_wide, v[c], factor[c]);
      else
        largest[c] = larger_of(largest[c], v[c]);
    }
  }
  if constexpr (kPass == Pass::scales) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
#pragma unroll
      for (int lanes = 1; lanes < at.kLanes; lanes *= 2) largest[c] = larger(largest[c], exchange(largest[c], lanes));
      if (at.term == 0) store<false>(a.scale + col + c, format::rotated_scale(largest[c], kRoot));
    }
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_COLUMNS_CUH
