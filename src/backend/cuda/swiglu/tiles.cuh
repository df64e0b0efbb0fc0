// Finds the tile of a swiglu thread block: a tile of all tokens, or of one expert's.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH

#include <cstdint>

#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/swiglu/arguments.cuh"

namespace qfuse::cuda::swiglu {

// A tile of tokens, as a block with experts finds it. The whole block waits for the search, whose time is that of
// fetching its instructions. It counts in int to have fewer of them; no GPU's memory holds more tokens than that.
struct FoundTile {
  int token;    // the first one
  int count;    // of tokens; 0: no tile has this number, or there is no room for its columns
  int index;    // among its expert's tiles
  int before;   // tiles of all experts before
  int tiles;    // tiles of its expert
  int columns;  // written for it: with experts whole groups
  int channel_tile;
};

__device__ inline format::TokenTile tokens_of(const FoundTile& tile) {
  return {tile.token, tile.count, std::int64_t{tile.index} * kTile, std::int64_t{tile.before} * kTile,
          std::int64_t{tile.tiles} * kTile};
}

// Returns where an expert's tokens end, clamped to 0 to m, because nobody has checked it before.
__device__ inline int expert_end(const Arguments& a, int expert) {
  const auto m = static_cast<int>(a.m);
  const auto nearest = [&](auto end) { return end < 0 ? 0 : end > m ? m : static_cast<int>(end); };
  return a.ends_are_64 ? nearest(__ldg(static_cast<const long long*>(a.expert_ends) + expert))
                       : nearest(__ldg(static_cast<const int*>(a.expert_ends) + expert));
}

// Neighboring tiles are side by side in a row, so that rows of x are read as a whole. All loads wait for the number of
// the block's row of tiles, a quotient: a product gives it or one less, because there are fewer than 2^31 blocks.
__device__ inline unsigned token_tile_number(const Arguments& a) {
  const auto channel_tiles = static_cast<unsigned>(a.channel_tiles);
  const auto number = static_cast<unsigned>(std::uint64_t{blockIdx.x} * a.per_channel_tiles >> 32);
  return blockIdx.x - number * channel_tiles >= channel_tiles ? number + 1 : number;
}

// Writes tile `number` to shared memory, from the block's first warp. Each lane counts the tiles of one expert, which
// begins where the previous lane's ends; lanes without an expert repeat the end of the last one.
__device__ inline void find_token_tile(const Arguments& a, int number, FoundTile& tile) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int tiles_before = 0;  // tiles, and last_end, of the experts before
  int last_end = 0;
#pragma unroll 1
  for (int first = 0; first < a.experts && tiles_before <= number; first += kWarp) {
    const int expert = first + lane;
    const int end = expert_end(a, expert < a.experts ? expert : a.experts - 1);
    const int end_before = value_before(end, 1);
    const int begin = lane > 0 ? end_before : last_end;
    const int rows = end > begin ? end - begin : 0;
    const int tiles = static_cast<int>((static_cast<unsigned>(rows) + kTile - 1) / kTile);
    const int until = tiles_before + sum_until(tiles);
    const int index = number - (until - tiles);
    if (index >= 0 && index < tiles && until <= a.most_column_tiles && threadIdx.x < kWarp) {
      const int left = rows - index * kTile;
      tile.token = begin + index * kTile;
      tile.count = left < kTile ? left : kTile;
      tile.index = index;
      tile.before = until - tiles;
      tile.tiles = tiles;
      tile.columns = kTile;
    }
    tiles_before = value_of(until, kWarp - 1);
    last_end = value_of(end, kWarp - 1);
  }
}

// The tile among all tokens, if there are no experts.
__device__ inline void find_tile_of_all(const Arguments& a, int number, FoundTile& tile) {
  if (threadIdx.x != 0) return;
  const std::int64_t left = a.m - static_cast<std::int64_t>(number) * kTile;
  tile.token = number * kTile;
  tile.count = left < kTile ? static_cast<int>(left) : kTile;
  tile.index = number;
  tile.before = tile.tiles = 0;  // columns are not split by expert
  tile.columns = tile.count;
}

// Returns the number of the block's tile in its row of tiles.
__device__ inline int channel_tile(const Arguments& a) {
  return static_cast<int>(blockIdx.x - token_tile_number(a) * static_cast<unsigned>(a.channel_tiles));
}

// Returns the block's tile if there are no experts.
__device__ inline Tile locate_tokens(const Arguments& a) {
  const format::TokenTile tokens = format::tile_of(0, a.m, token_tile_number(a), 0, a.m);
  return {tokens.token, std::int64_t{channel_tile(a)} * kTile, static_cast<int>(tokens.count)};
}

// Returns the block's tile. With experts the first hardware warp, of 32 or 64 threads, finds it for the whole block.
template <bool kExperts>
__device__ Tile locate(const Arguments& a, FoundTile& found) {
  if constexpr (!kExperts) return locate_tokens(a);
  const auto number = static_cast<int>(token_tile_number(a));
  if (threadIdx.x < kHardwareWarp) {
    if (threadIdx.x == 0) {
      found.count = 0;
      found.channel_tile = channel_tile(a);
    }
    sync_warp();
    if (a.experts == 0)
      find_tile_of_all(a, number, found);
    else
      find_token_tile(a, number, found);
  }
  __syncthreads();
  return {found.token, std::int64_t{found.channel_tile} * kTile, found.count};
}

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH
