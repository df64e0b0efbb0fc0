// matmul_4bit_grouped: the tiles of persistent thread blocks, which are those of several experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

struct GroupTile {
  int left;   // tiles of who has it, with this one
  int owner;  // the expert
  int begin;  // the expert's tokens
  int until;
  int index;  // among the expert's tiles
  [[nodiscard]] __device__ bool exists() const { return left > 0; }
};

// Who takes tiles, a thread block or a team of its warps, takes every step-th one, or, one after another, as many as
// the others or one more; tiles of the same tokens are neighbours. The second way knows the next tile's expert without
// having to pass others. In the first one those who are at work at the same time share inputs, as they must where the
// inputs of all find no room in the L2. What is read was perhaps written by the grid before.
template <bool kForward, int kOutputs, int kTokens>
struct GroupTiles {
  const MatmulArguments& a;
  const Groups& groups;
  int output_tiles;
  int step;
  // For each of so many who take tiles.
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
      constexpr int kAtOnce = 4;  // loads on their way
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

  // By a whole warp: the first tile of one of those who take tiles.
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
