// matmul_4bit_grouped on Hopper: the tiles of persistent thread blocks, which are those of several experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH

#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda {

struct GroupTile {
  int owner;  // the expert; beyond the last one there is no tile
  int begin;  // the expert's tokens
  int until;
  int index;  // among the expert's tiles
};

// Blocks take every blocks-th tile. Tiles of the same tokens are neighbours: blocks that are at work at the same time share
// their inputs in the L2, where those of all blocks would find no room. What is read was perhaps written by the grid before.
template <bool kForward, int kOutputs, int kTokens>
struct GroupTiles {
  const MatmulArguments& a;
  const Groups& groups;
  int output_tiles;
  __device__ GroupTiles(const MatmulArguments& matmul, const Groups& of_matmul)
      : a(matmul),
        groups(of_matmul),
        output_tiles((static_cast<int>(kForward ? a.rows : a.cols) + kOutputs - 1) / kOutputs) {}

  [[nodiscard]] __device__ bool has(const GroupTile& tile) const { return tile.owner < groups.experts; }
  [[nodiscard]] __device__ int output(const GroupTile& tile) const { return tile.index % output_tiles * kOutputs; }
  [[nodiscard]] __device__ int token(const GroupTile& tile) const {
    return tile.begin + tile.index / output_tiles * kTokens;
  }
  [[nodiscard]] __device__ int tiles_of(int rows) const { return (rows + kTokens - 1) / kTokens * output_tiles; }

  // To the tile that comes so many behind this one.
  __device__ void advance(GroupTile& tile, int tiles) const {
    tile.index += tiles;
    for (int own = tiles_of(tile.until - tile.begin); tile.index >= own; own = tiles_of(tile.until - tile.begin)) {
      tile.index -= own;
      if (++tile.owner >= groups.experts) return;
      tile.begin = tile.until;
      const int end = load_end(groups, static_cast<int>(a.m), tile.owner, load_word);
      if (end > tile.until) tile.until = end;
    }
  }

  // By a whole warp.
  [[nodiscard]] __device__ GroupTile find(int number) const {
    const auto count = [this](int rows) { return tiles_of(rows); };
    const Group<int> group = find_group(groups, static_cast<int>(a.m), number, count, load_word);
    return {group.expert, group.begin, group.end, number - group.tiles_before};
  }
  static __device__ std::uint32_t load_word(const std::uint32_t* word) { return load_dependent(word); }
};

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
