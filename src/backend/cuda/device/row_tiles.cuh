// Maps a thread to its rows and columns of a matrix in tiles (backend/cuda/row_tiles.h).
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ROW_TILES_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ROW_TILES_CUH

#include <cstdint>

#include "backend/cuda/platform.h"
#include "backend/cuda/row_tiles.h"

namespace qfuse::cuda {

// The compiler's 64-bit division takes four times the instructions of its 32-bit division.
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
