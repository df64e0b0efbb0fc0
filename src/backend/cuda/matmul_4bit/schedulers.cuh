// The wgmma kernels: which tiles a persistent thread block takes, for one weight or for a stack of experts.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SCHEDULERS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/group_tiles.cuh"
#include "backend/cuda/matmul_4bit/pipeline.cuh"

namespace qfuse::cuda::matmul_4bit {

// A scheduler names a thread block's tiles, to each thread that asks:
//   Arguments, kIsGrouped              the kernel's arguments; whether tiles belong to several experts
//   kHasOwnFormats                     whether the kernel has formats of experts that the others do not have
//   first(), advance(tile), has(tile)  the first Tile; go to the next one; whether it exists
//   output(tile), token(tile)          its first output and first token
//   end(tile), expert(tile)            the end of its tokens, and the expert that owns them
//   first_row(tile)                    the stack's row at which its weight begins
//   weight_stages, stages              stages per tile, without and with LoRA's

// A block takes every blocks-th tile. Tiles of the same outputs are adjacent.
template <bool kForward, int kOutputs, int kTokens>
struct TileScheduler {
  using Arguments = PipelineArguments;
  static constexpr bool kIsGrouped = false;
  static constexpr bool kHasOwnFormats = false;
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
  __device__ TileScheduler(const Arguments& a, const GroupTile& /*only for groups*/)
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

// Takes tiles as group_tiles.cuh says. first() is valid after find_first_tile().
template <bool kForward, int kOutputs, int kTokens>
struct GroupScheduler : GroupTiles<kForward, kOutputs, kTokens> {
  using Arguments = GroupedPipelineArguments;
  static constexpr bool kIsGrouped = true;
  static constexpr bool kHasOwnFormats = false;
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

// The same tiles, for a kernel with other formats: beside each other they have not the registers.
template <bool kForward, int kOutputs, int kTokens>
struct OwnGroupScheduler : GroupScheduler<kForward, kOutputs, kTokens> {
  using GroupScheduler<kForward, kOutputs, kTokens>::GroupScheduler;
  static constexpr bool kHasOwnFormats = true;
};

// Makes a block's first tile known to all its threads, which all call it, after the wait for the previous grid.
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

// A GroupTile takes registers that the loop over its stages needs: a warp keeps it in shared memory meanwhile.
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
