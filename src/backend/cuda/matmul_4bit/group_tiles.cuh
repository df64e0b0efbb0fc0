// matmul_4bit_grouped: distributes the tiles of all experts among persistent thread blocks.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

struct GroupTile {
  int left;   // tiles that the taker (see below) still has, including this one
  int owner;  // the expert
  int begin;  // first of the expert's tokens
  int until;  // end of the expert's tokens
  int index;  // among the expert's tiles
  [[nodiscard]] __device__ bool exists() const { return left > 0; }
};

// A taker of tiles is a thread block or a team of its warps. It takes tiles in turn (every step-th), or a contiguous
// run; runs differ in length by at most one. Tiles of the same tokens are adjacent. In a run, the next tile's expert is
// found without skipping others. In turn, concurrent takers share inputs, as they must if all inputs do not fit in L2.
// Experts' ends are loaded as data that the previous grid may have written.
template <bool kForward, int kOutputs, int kTokens>
struct GroupTiles {
  const MatmulArguments& a;
  const Groups& groups;
  int output_tiles;
  int step;
  // takers: their number in the whole grid.
  __device__ GroupTiles(const MatmulArguments& matmul, const Groups& of_matmul, int takers)
      : a(matmul),
        groups(of_matmul),
        output_tiles((static_cast<int>(kForward ? a.rows : a.cols) + kOutputs - 1) / kOutputs),
        step(groups.in_turn ? takers : 1) {}

  [[nodiscard]] __device__ bool has(const GroupTile& tile) const { return tile.exists(); }
  [[nodiscard]] __device__ int output(const GroupTile& tile) const { return tile.index % output_tiles * kOutputs; }
  [[nodiscard]] __device__ int token(const GroupTile& tile) const {
    return tile.begin + tile.index / output_tiles * kTokens;
  }
  [[nodiscard]] __device__ int tiles_of(int rows) const { return (rows + kTokens - 1) / kTokens * output_tiles; }

  __device__ void advance(GroupTile& tile) const {
    if (--tile.left <= 0) return;
    tile.index += step;
    int own = tiles_of(tile.until - tile.begin);
    while (tile.index >= own && tile.owner < groups.experts) {
      constexpr int kAtOnce = 4;  // loads in flight
      int ends[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        ends[i] = load_end(groups, static_cast<int>(a.m), tile.owner + 1 + i, load_word);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (tile.index < own) break;
        tile.index -= own;
        ++tile.owner;
        tile.begin = tile.until;
        if (ends[i] > tile.until) tile.until = ends[i];
        own = tiles_of(tile.until - tile.begin);
      }
    }
  }

  // Returns the first tile of a taker. All lanes of a warp call it together.
  [[nodiscard]] __device__ GroupTile find_first(int taker, int takers) const {
    constexpr int kBeyond = 0x7fffffff;
    const std::int64_t tiles = find(kBeyond).tiles_before;
    const auto share = [&](std::int64_t of) { return static_cast<int>(tiles * of / takers); };
    const int number = groups.in_turn ? taker : share(taker);
    const auto in_turn = static_cast<int>((tiles - taker + takers - 1) / takers);
    const Group<int> group = find(number);
    return {groups.in_turn ? in_turn : share(taker + 1) - number, group.expert, group.begin, group.end,
            number - group.tiles_before};
  }
  [[nodiscard]] __device__ Group<int> find(int number) const {
    return find_group(
        groups, static_cast<int>(a.m), number, [this](int rows) { return tiles_of(rows); }, load_word);
  }
  static __device__ std::uint32_t load_word(const std::uint32_t* word) { return load_dependent(word); }
};

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
