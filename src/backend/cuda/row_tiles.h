// Matrices in tiles: a thread block is 8 rows of 32 threads, of few columns or rows what these have. A thread has one
// group of neighbouring columns in each of 4 rows, whose loads are then under way at once, and neighbours store
// neighbouring groups. How many there are, for plans on the host; device/row_tiles.cuh has a thread's place.
#ifndef QFUSE_BACKEND_CUDA_ROW_TILES_H
#define QFUSE_BACKEND_CUDA_ROW_TILES_H

#include <algorithm>
#include <bit>
#include <cstdint>

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
