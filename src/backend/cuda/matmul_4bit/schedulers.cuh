// The kernels for wgmma: which tiles a persistent thread block has, of one weight or of a stack of experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/group_tiles.cuh"
#include "backend/cuda/matmul_4bit/pipeline.cuh"

namespace qfuse::cuda::matmul_4bit {

// A scheduler hands out tiles, to each thread that asks for itself:
//   Arguments, kIsGrouped              of the kernel; whether tiles are those of several experts
//   first(), advance(tile), has(tile)  a Tile; whether there is one
//   output(tile), token(tile)          the numbers of its first output and token
//   end(tile), expert(tile)            where its tokens end, and whose they are
//   first_row(tile)                    of its weight, in the stack
//   weight_stages, stages              of each tile, of the weight alone and with LoRA's

// Blocks take every blocks-th tile; tiles of the same outputs are neighbours.
template <bool kForward, int kOutputs, int kTokens>
struct TileScheduler {
  using Arguments = PipelineArguments;
  static constexpr bool kIsGrouped = false;
  struct Tile {
    int number;
    int first_output;
    int first_token;
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
  [[nodiscard]] __device__ int output(const Tile& tile) const { return tile.first_output; }
  [[nodiscard]] __device__ int token(const Tile& tile) const { return tile.first_token; }
  [[nodiscard]] __device__ std::int64_t end(const Tile& /*tile*/) const { return tokens; }
  [[nodiscard]] __device__ int expert(const Tile& /*tile*/) const { return 0; }
  [[nodiscard]] __device__ int first_row(const Tile& /*tile*/) const { return 0; }
};

// Those of group_tiles.cuh. The first one may still have to be found.
template <bool kForward, int kOutputs, int kTokens>
struct GroupScheduler : GroupTiles<kForward, kOutputs, kTokens> {
  using Arguments = GroupedPipelineArguments;
  static constexpr bool kIsGrouped = true;
  using Tile = GroupTile;
  const GroupTile& first_tile;
  int weight_stages;
  int stages;
  __device__ GroupScheduler(const Arguments& arguments, const GroupTile& shared_tile)
      : GroupTiles<kForward, kOutputs, kTokens>(arguments.matmul, arguments.groups,
                                                static_cast<int>(arguments.matmul.blocks)),
        first_tile(shared_tile),
        weight_stages(arguments.stages),
        stages(arguments.stages + arguments.lora_stages) {}
  [[nodiscard]] __device__ Tile first() const { return first_tile; }
  [[nodiscard]] __device__ std::int64_t end(const Tile& tile) const { return tile.until; }
  [[nodiscard]] __device__ int expert(const Tile& tile) const { return tile.owner; }
  [[nodiscard]] __device__ int first_row(const Tile& tile) const { return tile.owner * static_cast<int>(this->a.rows); }
};

// By all threads of a block, behind the wait for the grid before: then its first tile is known to all of them.
template <class Scheduler>
__device__ void find_first_tile([[maybe_unused]] const Scheduler& scheduler, [[maybe_unused]] int warp,
                                [[maybe_unused]] GroupTile& tile) {
  if constexpr (Scheduler::kIsGrouped)
    if (warp == 0) {
      const GroupTile found = scheduler.find_first(static_cast<int>(blockIdx.x), static_cast<int>(scheduler.a.blocks));
      if (threadIdx.x == 0) tile = found;
    }
  __syncthreads();
}

// A tile of several experts takes registers that its stages need: a warp keeps it in shared memory meanwhile.
template <class Scheduler>
__device__ void keep_tile(const typename Scheduler::Tile& tile, [[maybe_unused]] GroupTile& kept,
                          [[maybe_unused]] int lane) {
  if constexpr (Scheduler::kIsGrouped) {
    if (lane == 0) kept = tile;
    __syncwarp(kAllLanes);
  }
}
template <class Scheduler>
__device__ typename Scheduler::Tile kept_tile(const typename Scheduler::Tile& tile,
                                              [[maybe_unused]] const GroupTile& kept) {
  if constexpr (Scheduler::kIsGrouped) return kept;
  return tile;
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH
