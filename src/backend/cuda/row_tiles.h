// Tiles of a matrix: a thread block is 8 rows of 32 threads, or another shape if there are few columns or rows. A
// thread has a group of neighboring columns in each of 4 rows, so that 4 loads are in flight, and neighboring threads
// store neighboring groups. This header counts tiles for plans; device/row_tiles.cuh finds a thread's place.
#ifndef QFUSE_BACKEND_CUDA_ROW_TILES_H
#define QFUSE_BACKEND_CUDA_ROW_TILES_H

#include <algorithm>
#include <bit>
#include <cstdint>

#include "format/layout.h"

namespace qfuse::cuda {

constexpr int kTileThreads = 256;
constexpr int kColumnThreads = 32;  // side by side, if the matrix has enough rows
constexpr int kRowsEach = 4;

struct RowTiles {
  std::int64_t across;  // tiles per row of tiles
  int column_shift;     // log2 of the threads that a block has side by side
  std::int64_t blocks;
};

// log2 of n, rounded up; n is at least 1 and is limited to `most`, a power of two.
inline int ceil_log2(std::int64_t n, std::int64_t most) {
  return std::countr_zero(std::bit_ceil(static_cast<std::uint64_t>(std::min(n, most))));
}

inline RowTiles row_tiles(std::int64_t rows, std::int64_t groups) {
  const std::int64_t most_rows = kTileThreads >> ceil_log2(groups, kColumnThreads);
  const int row_threads = 1 << ceil_log2(rows, most_rows);
  const std::int64_t across = format::ceil_div(groups, kTileThreads / row_threads);
  return {.across = across,
          .column_shift = std::countr_zero(static_cast<unsigned>(kTileThreads / row_threads)),
          .blocks = across * format::ceil_div(rows, std::int64_t{row_threads} * kRowsEach)};
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_ROW_TILES_H
