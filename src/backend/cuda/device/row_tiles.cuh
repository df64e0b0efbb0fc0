// Matrices in tiles: a thread block is 8 rows of 32 threads, of few columns or rows what these have. A thread has one
// group of neighbouring columns in each of 4 rows, whose loads are then under way at once, and neighbours store
// neighbouring groups.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ROW_TILES_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ROW_TILES_CUH

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/platform.h"
#include "format/layout.h"

namespace qfuse::cuda {

constexpr int kTileThreads = 256;
constexpr int kColumnThreads = 32;  // side by side, where there are more rows than a block has
constexpr int kRowsEach = 4;

struct RowTiles {
  std::int64_t across;  // tiles side by side
  int column_shift;     // a block has 1 << column_shift threads side by side
  std::int64_t blocks;
};

// Of 1 to `most`, which is a power of two: rounded up to one.
inline int ceil_log2(std::int64_t n, std::int64_t most) {
  return log2(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(n, most)))));
}

inline RowTiles row_tiles(std::int64_t rows, std::int64_t groups) {
  const std::int64_t most_rows = kTileThreads >> ceil_log2(groups, kColumnThreads);
  const int row_threads = 1 << ceil_log2(rows, most_rows);
  const std::int64_t across = format::ceil_div(groups, kTileThreads / row_threads);
  return {.across = across,
          .column_shift = log2(kTileThreads / row_threads),
          .blocks = across * format::ceil_div(rows, std::int64_t{row_threads} * kRowsEach)};
}

// The compiler's division of 64 bits takes four times the instructions of that of 32.
__device__ inline std::int64_t quotient(std::int64_t n, std::int64_t d) {
  if (((n | d) >> 32) == 0) return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(d);
  return n / d;
}

// A thread's rows are `row`, `row` + `step` and so on.
struct RowPlace {
  std::int64_t row;
  std::int64_t group;
  int step;
};

__device__ inline RowPlace place_in(const RowTiles& tiles) {
  const int step = kTileThreads >> tiles.column_shift;
  const std::int64_t tile_row = quotient(blockIdx.x, tiles.across);
  const std::int64_t tile_col = blockIdx.x - tile_row * tiles.across;
  const int place = static_cast<int>(threadIdx.x) & ((1 << tiles.column_shift) - 1);
  return {tile_row * step * kRowsEach + (threadIdx.x >> tiles.column_shift), (tile_col << tiles.column_shift) + place,
          step};
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ROW_TILES_CUH
