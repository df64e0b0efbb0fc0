// The kernels for wgmma: which tiles a persistent thread block has, of one weight or of a stack of experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/pipeline.cuh"

namespace qfuse::cuda {

// A scheduler hands out tiles, to each thread that asks for itself:
//   Arguments, kIsGrouped              of the kernel; whether tiles are those of several experts
//   first(), advance(tile), has(tile)  a Tile with the numbers of its first output and token; whether there is one
//   end(tile), expert(tile)            where its tokens end, and whose they are
//   first_row(tile)                    of its weight, in the stack
//   weight_stages, stages              of each tile, of the weight alone and with LoRA's

// The first tile of a block whose tiles are those of several experts, in shared memory.
struct GroupTile {
  int left;   // tiles of the block, with this one
  int owner;  // the expert
  int until;  // where the expert's tokens end
  int output;
  int token;
};

// Blocks take every blocks-th tile; tiles of the same outputs are neighbours.
template <bool kForward, int kOutputs, int kTokens>
struct TileScheduler {
  using Arguments = PipelineArguments;
  static constexpr bool kIsGrouped = false;
  struct Tile {
    int number;
    int output;
    int token;
  };
  int tiles;
  int token_tiles;
  int weight_stages;
  int stages;
  int blocks;
  std::int64_t tokens;
  __device__ TileScheduler(const Arguments& a, const GroupTile& /*of groups alone*/)
      : tiles(a.tiles),
        token_tiles(static_cast<int>(a.matmul.token_tiles)),
        weight_stages(a.stages),
        stages(a.stages + a.lora_stages),
        blocks(static_cast<int>(a.matmul.blocks)),
        tokens(a.matmul.m) {}
  [[nodiscard]] __device__ Tile at(int number) const {
    return {number, number / token_tiles * kOutputs, number % token_tiles * kTokens};
  }
  [[nodiscard]] __device__ Tile first() const { return at(static_cast<int>(blockIdx.x)); }
  [[nodiscard]] __device__ bool has(const Tile& tile) const { return tile.number < tiles; }
  __device__ void advance(Tile& tile) const { tile = at(tile.number + blocks); }
  [[nodiscard]] __device__ std::int64_t end(const Tile& /*tile*/) const { return tokens; }
  [[nodiscard]] __device__ int expert(const Tile& /*tile*/) const { return 0; }
  [[nodiscard]] __device__ int first_row(const Tile& /*tile*/) const { return 0; }
};

// Blocks take as many tiles as the others, or one more, one after another: the expert of the next one is never far. Tiles
// of the same tokens are neighbours, so that a tile needs no memory of where its expert's tokens begin.
template <bool kForward, int kOutputs, int kTokens>
struct GroupScheduler {
  using Arguments = GroupedPipelineArguments;
  static constexpr bool kIsGrouped = true;
  using Tile = GroupTile;
  const Arguments& a;
  const GroupTile& first_tile;
  int outputs;
  int weight_stages;
  int stages;
  // The first tile may still have to be found.
  __device__ GroupScheduler(const Arguments& arguments, const GroupTile& shared_tile)
      : a(arguments),
        first_tile(shared_tile),
        outputs(static_cast<int>(kForward ? a.matmul.rows : a.matmul.cols)),
        weight_stages(a.stages),
        stages(a.stages + a.lora_stages) {}
  [[nodiscard]] __device__ Tile first() const { return first_tile; }
  [[nodiscard]] __device__ bool has(const Tile& tile) const { return tile.left > 0; }
  __device__ void advance(Tile& tile) const {
    if (--tile.left <= 0) return;
    tile.output += kOutputs;
    if (tile.output < outputs) return;
    tile.output = 0;
    tile.token += kTokens;
    if (tile.token < tile.until) return;
    tile.token = tile.until;
    while (tile.until == tile.token && ++tile.owner < a.groups.experts) {
      const int end = load_end(a.groups, static_cast<int>(a.matmul.m), tile.owner, load_word);
      if (end > tile.until) tile.until = end;
    }
  }
  [[nodiscard]] __device__ std::int64_t end(const Tile& tile) const { return tile.until; }
  [[nodiscard]] __device__ int expert(const Tile& tile) const { return tile.owner; }
  [[nodiscard]] __device__ int first_row(const Tile& tile) const {
    return tile.owner * static_cast<int>(a.matmul.rows);
  }

  // By a whole warp, when the grid before is done, which may have written the ends.
  [[nodiscard]] __device__ GroupTile find_first() const {
    constexpr int kBeyond = 0x7fffffff;
    const int output_tiles = (outputs + kOutputs - 1) / kOutputs;
    const auto find = [&](int number) {
      const auto tiles_of = [&](int rows) { return (rows + kTokens - 1) / kTokens * output_tiles; };
      return find_group(a.groups, static_cast<int>(a.matmul.m), number, tiles_of, load_word);
    };
    const std::int64_t tiles = find(kBeyond).tiles_before;
    const auto share = [&](std::int64_t block) { return static_cast<int>(tiles * block / a.matmul.blocks); };
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

// By all threads of a block, behind the wait for the grid before: then its first tile is known to all of them.
template <class Scheduler>
__device__ void find_first_tile([[maybe_unused]] const Scheduler& scheduler, [[maybe_unused]] int warp,
                                [[maybe_unused]] GroupTile& tile) {
  if constexpr (Scheduler::kIsGrouped)
    if (warp == 0) {
      const GroupTile found = scheduler.find_first();
      if (threadIdx.x == 0) tile = found;
    }
  __syncthreads();
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH
