// Which tile of swiglu a block has: of all tokens, or of one expert's, which it finds by itself.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH

#include <cstdint>

#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/swiglu/arguments.cuh"

namespace qfuse::cuda {

// Where an expert's tokens end: the nearest of 0 to m, as nobody has looked at it before.
__device__ inline std::int64_t expert_end(const SwigluArguments& a, int expert) {
  const std::int64_t end = a.ends_are_64 ? __ldg(static_cast<const long long*>(a.expert_ends) + expert)
                                         : __ldg(static_cast<const int*>(a.expert_ends) + expert);
  return end < 0 ? 0 : end > a.m ? a.m : end;
}

// Neighbouring tiles lie side by side in a row: the rows of x are then read as a whole. The number of the block's row of
// tiles is a quotient, on which every load waits: by a product, at most one less, as blocks are fewer than 2^31.
__device__ inline unsigned token_tile_number(const SwigluArguments& a) {
  const auto channel_tiles = static_cast<unsigned>(a.channel_tiles);
  const auto number = static_cast<unsigned>(std::uint64_t{blockIdx.x} * a.per_channel_tiles >> 32);
  return blockIdx.x - number * channel_tiles >= channel_tiles ? number + 1 : number;
}

// The token tile of that number to shared memory, which the block's first warp writes, each lane having counted the tiles
// of one expert; count 0 where there is none, or its expert's columns go beyond those that there is room for. Tiles are
// counted in int: as many tokens as would not fit take terabytes. A lane loads once, as all of the block wait for it: the
// expert before ends where the lane before says, and lanes that have no expert repeat the last one's end.
__device__ inline void find_token_tile(const SwigluArguments& a, int number, contract::TokenTile& tile) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (threadIdx.x == 0) tile = {};
  sync_warp();
  int before = 0;             // tiles
  std::int64_t last_end = 0;  // of the experts before
  for (int first = 0; first < a.experts && before <= number; first += kWarp) {
    const int expert = first + lane;
    const std::int64_t end = expert_end(a, expert < a.experts ? expert : a.experts - 1);
    const std::int64_t end_before = value_of(end, lane > 0 ? lane - 1 : lane);
    const std::int64_t begin = lane > 0 ? end_before : last_end;
    const std::int64_t rows = end > begin ? end - begin : 0;
    const auto tiles = static_cast<int>((rows + kSwigluTile - 1) / kSwigluTile);
    int until = tiles;  // and those of the lanes before
#pragma unroll
    for (int step = 1; step < kWarp; step *= 2) {
      const int others = value_of(until, lane >= step ? lane - step : lane);
      if (lane >= step) until += others;
    }
    const int index = number - (before + until - tiles);
    const std::int64_t columns_before = static_cast<std::int64_t>(number - index) * kSwigluTile;
    const std::int64_t columns = static_cast<std::int64_t>(tiles) * kSwigluTile;
    const bool is_found = index >= 0 && index < tiles && columns_before + columns <= a.columns.all_columns;
    if (is_found && threadIdx.x < kWarp) tile = contract::tile_of(begin, rows, index, columns_before, columns);
    before += value_of(until, kWarp - 1);
    last_end = value_of(end, kWarp - 1);
  }
}

// The least of a warp's values, to all its lanes.
__device__ inline int least_of_warp(int value) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const int other = exchange(value, step);
    value = other < value ? other : value;
  }
  return value;
}

// How many of `most` things, from 0 on, are as `is_ours` says: a warp asks for 32 at a time.
template <class IsOurs>
__device__ int count_leading(int most, const IsOurs& is_ours) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll 1
  for (int first = 0; first < most; first += kWarp) {
    const int i = first + lane;
    const int stranger = least_of_warp(i < most && is_ours(i) ? kWarp : lane);
    if (stranger < kWarp) return first + stranger;
  }
  return most;
}

// As find_token_tile, of what row_experts say: the tile of contract::tile_of_rows, whose loops a warp shares.
__device__ inline void find_tile_of_rows(const SwigluArguments& a, int number, contract::TokenTile& tile) {
  const std::int64_t first = static_cast<std::int64_t>(number) * kSwigluTile;
  const int tiles = static_cast<int>((a.m + kSwigluTile - 1) / kSwigluTile);
  const int expert = __ldg(a.row_experts + first);
  const std::int64_t left = a.m - first;
  const auto is_ours = [&](std::int64_t row) { return __ldg(a.row_experts + row) == expert; };
  const int count = count_leading(static_cast<int>(left < kSwigluTile ? left : kSwigluTile),
                                  [&](int i) { return is_ours(first + i); });
  const int before =
      count_leading(number, [&](int i) { return is_ours(first - (static_cast<std::int64_t>(i) + 1) * kSwigluTile); });
  const int behind =
      count_leading(tiles - number, [&](int i) { return is_ours(first + static_cast<std::int64_t>(i) * kSwigluTile); });
  if (threadIdx.x != 0) return;
  tile = {};
  if (expert >= 0)
    tile = {first, count, static_cast<std::int64_t>(before) * kSwigluTile,
            static_cast<std::int64_t>(number - before) * kSwigluTile,
            static_cast<std::int64_t>(before + behind) * kSwigluTile};
}

__device__ inline Tile tile_at(const SwigluArguments& a, const contract::TokenTile& tokens) {
  const unsigned channel_tile = blockIdx.x - token_tile_number(a) * static_cast<unsigned>(a.channel_tiles);
  return {tokens.token, static_cast<std::int64_t>(channel_tile) * kSwigluTile, static_cast<int>(tokens.count)};
}

// The block's tokens where there are no experts.
__device__ inline contract::TokenTile locate_tokens(const SwigluArguments& a) {
  return contract::tile_of(0, a.m, token_tile_number(a), 0, a.m);
}

// The block's tile; an expert's is found for all by the first warp of the hardware's, be it of 32 threads or 64.
template <bool kExperts>
__device__ Tile locate(const SwigluArguments& a, contract::TokenTile& tokens) {
  if constexpr (!kExperts) return tile_at(a, locate_tokens(a));
  const auto number = static_cast<int>(token_tile_number(a));
  if (threadIdx.x < kHardwareWarp) {
    if (a.row_experts != nullptr)
      find_tile_of_rows(a, number, tokens);
    else
      find_token_tile(a, number, tokens);
  }
  __syncthreads();
  return tile_at(a, tokens);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_TILES_CUH
