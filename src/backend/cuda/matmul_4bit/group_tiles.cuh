// matmul_4bit_grouped on Hopper: the tiles of a persistent thread block, which are those of several experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH

#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda {

struct GroupTile {
  int left;   // tiles of the block, with this one
  int owner;  // the expert
  int until;  // where the expert's tokens end
  int output;
  int token;
};

// Blocks take as many tiles as the others, or one more, one after another: the expert of the next one is never far. Tiles
// of the same tokens are neighbours, so that a tile needs no memory of where its expert's tokens begin. What is read was
// perhaps written by the grid before.
template <bool kForward, int kOutputs, int kTokens>
struct GroupTiles {
  const MatmulArguments& a;
  const Groups& groups;
  int outputs;
  __device__ GroupTiles(const MatmulArguments& matmul, const Groups& of_matmul)
      : a(matmul), groups(of_matmul), outputs(static_cast<int>(kForward ? a.rows : a.cols)) {}

  [[nodiscard]] static __device__ bool has(const GroupTile& tile) { return tile.left > 0; }

  __device__ void advance(GroupTile& tile) const {
    if (--tile.left <= 0) return;
    tile.output += kOutputs;
    if (tile.output < outputs) return;
    tile.output = 0;
    tile.token += kTokens;
    if (tile.token < tile.until) return;
    tile.token = tile.until;
    while (tile.until == tile.token && ++tile.owner < groups.experts) {
      const int end = load_end(groups, static_cast<int>(a.m), tile.owner, load_word);
      if (end > tile.until) tile.until = end;
    }
  }

  // By a whole warp.
  [[nodiscard]] __device__ GroupTile find_first() const {
    constexpr int kBeyond = 0x7fffffff;
    const int output_tiles = (outputs + kOutputs - 1) / kOutputs;
    const auto find = [&](int number) {
      const auto tiles_of = [&](int rows) { return (rows + kTokens - 1) / kTokens * output_tiles; };
      return find_group(groups, static_cast<int>(a.m), number, tiles_of, load_word);
    };
    const std::int64_t tiles = find(kBeyond).tiles_before;
    const auto share = [&](std::int64_t block) { return static_cast<int>(tiles * block / a.blocks); };
    const int number = share(blockIdx.x);
    const Group<int> group = find(number);
    const int of_expert = number - group.tiles_before;
    return {.left = share(blockIdx.x + 1) - number,
            .owner = group.expert,
            .until = group.end,
            .output = of_expert % output_tiles * kOutputs,
            .token = group.begin + of_expert / output_tiles * kTokens};
  }
  static __device__ std::uint32_t load_word(const std::uint32_t* word) { return load_dependent(word); }
};

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUP_TILES_CUH
