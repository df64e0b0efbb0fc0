// Split-K for few tokens, forward: what SPLIT and FACTORED share. Each warp of a block takes one chain of 256 elements
// of K: it loads codes and inputs to registers, decodes by a table in shared memory, and multiplies (mma.sync). Weights
// do not pass through shared memory; the warps' partial sums do, where they are added in order. The Steps of a sum are:
//   Value, kIsNested, kColumns  type of the inputs; whether absmax is nested; columns of 8 tokens
//   kWhole                      every chain has 256 terms, and its blocks share a nested block and an absmax word
//   Table, Lookups              a table row for each byte of codes; a lane's access to its copy of the table
//   Codes, Inputs               a lane's loads in flight of a chain of the weight; its part of the inputs
// and functions that make, load and multiply these. A block fills a multiprocessor's registers.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- kernel arguments ----

// Products with one input. Their tiles of 16 outputs are numbered through: product i has those from first_tiles[i] on.
// Unused products have none: they begin at the end, as the last entry does. MatmulArguments::blocks is per grid row.
template <int kProducts>
struct SplitKArguments {
  MatmulArguments products[kProducts];
  std::uint32_t first_tiles[kProducts + 1];
  int slots;
};

template <int kProducts>
SplitKArguments<kProducts> split_k_arguments(std::span<const MatmulArguments> products, const Plan& plan) {
  SplitKArguments<kProducts> a{};
  std::uint32_t tiles = 0;
  for (std::size_t i = 0; i < kProducts; ++i) {
    a.first_tiles[i] = tiles;
    a.products[i] = products[i < products.size() ? i : 0];
    a.products[i].blocks = plan.blocks / a.products[i].token_tiles;
    if (a.products[i].is_nested) a.products[i].weight.absmax_8bit -= a.products[i].weight.nested_begin;
    if (i < products.size()) tiles += static_cast<std::uint32_t>(format::ceil_div(products[i].rows, kSplitKOutputs));
  }
  a.first_tiles[kProducts] = tiles;
  const SplitKLaunch launch = {products[0].m, products[0].cols, tiles, kProducts, plan.tokens};
  a.slots =
      split_k_slots(plan.is_turing, plan.tokens, launch.totals(a.products[0].blocks), kProducts, plan.shared_bytes);
  return a;
}

// A product, and the number of a tile in it.
struct SplitKTile {
  int product;
  std::uint32_t tile;
};

template <int kProducts>
__device__ SplitKTile tile_of(const SplitKArguments<kProducts>& a, std::uint32_t tile) {
  if constexpr (kProducts == 1) return {0, tile};
  int product = 0;
#pragma unroll
  for (int i = 1; i < kProducts; ++i)
    if (tile >= a.first_tiles[i]) product = i;
  return {product, tile - a.first_tiles[product]};
}

// ---- shared memory ----

// Map and offset that decode nested absmax.
struct NestedMap {
  float map[format::kCodes8];
  float offset;
};

// Decodes a scale of one byte of a row.
template <class Nested>
__device__ float decode_small_scale(const Nested& nested, unsigned code) {
  return nested.map[code];
}

// Partial sums of all warps for a team of tiles, which are added together.
template <int kPartSums>
using TeamParts = float[kSplitKTeam][kSplitKWarps][kPartSums];

// Follows the table in shared memory. Then come partial sums of `slots` tiles and, if chains take several rounds, the
// totals of the block's tiles, [tile][kPartSums].
template <class Steps, int kProducts>
struct alignas(16) SplitKShared {
  static constexpr int kTokens = Steps::kColumns * 8;
  static constexpr int kPartSums = kTokens * kSplitKOutputs;  // per warp
  NestedMap nested[kProducts];
};

// ---- steps ----

// Where a lane reads a chain of the weight in row 0; other rows take one multiplication. Blocks are numbered from the
// start of the nested blocks, where absmax_8bit points.
struct ChainOfLane {
  std::uint32_t byte;       // offset of the lane's first codes
  std::uint32_t block;      // the chain's first block
  std::uint32_t row_bytes;  // of codes
  std::uint32_t row_blocks;
  int blocks;  // in the chain
};

__device__ inline int count_chains(const MatmulArguments& a) {
  return static_cast<int>((a.cols + QFUSE_SPLIT_TERMS - 1) / QFUSE_SPLIT_TERMS);
}

// Number of blocks in the chain that begins at `term`: four, or fewer in the last chain.
template <class Steps>
__device__ int count_blocks(const MatmulArguments& a, std::int64_t term) {
  const std::int64_t left = (a.cols - term) / kSplitKBlocksize;
  return Steps::kWhole || left > kSplitKChainBlocks ? kSplitKChainBlocks : static_cast<int>(left);
}

template <class Steps>
__device__ ChainOfLane chain_of_lane(const MatmulArguments& a, std::int64_t term) {
  const std::int64_t of_lane = threadIdx.x % 4 * Steps::kLaneTerms;
  return {.byte = static_cast<std::uint32_t>((term + of_lane) / 2),
          .block = static_cast<std::uint32_t>(term / kSplitKBlocksize + a.weight.nested_begin),
          .row_bytes = static_cast<std::uint32_t>(a.cols / 2),
          .row_blocks = static_cast<std::uint32_t>(a.cols / kSplitKBlocksize),
          .blocks = count_blocks<Steps>(a, term)};
}

// Returns plain absmax for widen_word(). One instruction loads either width.
__device__ inline Absmax load_plain_absmax(const Weight4bit& w, std::uint32_t block) {
  const unsigned shift = w.absmax_type == QFUSE_SCALES_FLOAT32 ? 0 : 1;
  return {block & shift, __ldg(w.absmax + (block >> shift))};
}

// Returns the scale of a block's 8-bit absmax.
__device__ inline float load_nested_absmax(const MatmulArguments& a, std::uint32_t block) {
  return __ldg(a.weight.nested_absmax + (block >> (a.weight.nested_shift - a.weight.block_shift)));
}

// Lane t of each four has block t of a chain. has_block: whether a chain of `blocks` blocks has it.
// load_absmax_of_lane: returns its encoded absmax, or the first block's if the chain does not have it.
template <class Steps>
__device__ bool has_block(int blocks) {
  return Steps::kWhole || static_cast<int>(threadIdx.x % 4) < blocks;
}
template <class Steps>
__device__ Absmax load_absmax_of_lane(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t row) {
  const unsigned of_chain = has_block<Steps>(chain.blocks) ? threadIdx.x % 4 : 0;
  const std::uint32_t block = row * chain.row_blocks + chain.block + of_chain;
  if constexpr (!Steps::kIsNested) return load_plain_absmax(a.weight, block >> (a.weight.block_shift - kPanelShift));
  return {__ldg(a.weight.absmax_8bit + block), load_nested_absmax(a, block)};
}

// Address of the lane's first codes in a row.
__device__ inline const std::uint8_t* codes_of(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t row) {
  return one_address(a.weight.packed + chain.byte + std::uint64_t{row} * chain.row_bytes);
}

// A lane's two rows of a tile's 16. In place of rows past the end, the last row is read; its sums are not stored.
struct TileRows {
  std::uint32_t first;
  std::uint32_t last;
  __device__ std::uint32_t operator[](int h) const {
    const std::uint32_t row = first + static_cast<std::uint32_t>(8 * h);
    return row < last ? row : last;
  }
};
__device__ inline TileRows rows_of(const MatmulArguments& a, std::uint32_t tile) {
  return {tile * kSplitKOutputs + threadIdx.x % kWarp / 4, static_cast<std::uint32_t>(a.rows) - 1};
}

// Prefetches to L2 what a warp multiplies first. A lane prefetches one block of each of its rows.
template <class Steps>
__device__ void prefetch_first_chain(const MatmulArguments& a, std::uint32_t tile, int warp) {
  const std::int64_t of_warp = std::int64_t{warp} * QFUSE_SPLIT_TERMS;
  const std::int64_t term = of_warp < a.cols ? of_warp : 0;
  const std::int64_t of_lane = has_block<Steps>(count_blocks<Steps>(a, term)) ? threadIdx.x % 4 * kSplitKBlocksize : 0;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const std::int64_t first = rows_of(a, tile)[h] * a.cols + term + of_lane;
    prefetch(a.weight.packed + first / 2);
    const std::int64_t block = first >> a.weight.block_shift;
    if constexpr (Steps::kIsNested)
      prefetch(a.weight.absmax_8bit + a.weight.nested_begin + block);
    else
      prefetch(absmax_at(a.weight, block));
  }
}

// Entries per row of the table.
template <class Entry>
__device__ int table_row(const MatmulArguments& a) {
  return static_cast<int>(pair_table_bytes(on_turing(a.is_turing)) / (format::kCodes8 * sizeof(Entry)));
}

// Calls fill(byte, the values of its codes) for all 256 bytes, divided among the warps. All lanes of a warp call it,
// each for its own copy of the table.
template <class Fill>
__device__ void fill_table(const MatmulArguments& a, int warp, int warps, const Fill& fill) {
  for (int high = warp; high < format::kCodes4; high += warps)
#pragma unroll
    for (int low = 0; low < format::kCodes4; ++low)
      fill(high * format::kCodes4 + low, pair_of_byte(a.weight, a.weight.values[high], a.weight.values[low]));
}

// All threads call it, and must then synchronize. The map of scales of rows has the decoded ones, or, if kIsRaw, those
// to which a global scale is still to be applied.
template <bool kIsRaw = false>
__device__ void load_nested_map(const MatmulArguments& a, NestedMap& nested) {
  if (threadIdx.x == 0) nested.offset = *a.weight.nested_offset;
  const float scale = has_small_blocks(a.weight) ? *a.weight.nested_absmax : 1.0F;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < format::kCodes8; i += blockDim.x)
    nested.map[i] = kIsRaw ? a.weight.nested_quant_map[i] : mul_ftz(load_map_value<true>(a.weight, i), scale);
}

// Tokens of the inputs: a tile's begin at `first`; none at or after `end` is read.
struct Tokens {
  std::int64_t first;
  std::int64_t end;
};

// Loads eight terms of a token, which the previous grid may have written; zeros past the tokens and the terms.
__device__ inline uint4 load_late_inputs(const MatmulArguments& a, const Tokens& tokens, int number,
                                         std::int64_t term) {
  const std::int64_t token = tokens.first + number;
  if (token >= tokens.end || term >= a.cols) return {0, 0, 0, 0};
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(a.in) + token * a.in_stride + term;
  return load_dependent(reinterpret_cast<const uint4*>(from));
}

// Stores a lane's sums contiguously: per column, outputs g and g + 8 (g = lane / 4) of tokens 2 * (lane % 4) + {0, 1}.
template <int kColumns>
__device__ void store_part(const float (&sums)[kColumns][4], int lane, float* part) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    reinterpret_cast<float4*>(part)[c * kWarp + lane] = {sums[c][0], sums[c][1], sums[c][2], sums[c][3]};
}

// Adds all warps' partial sums of one output and token to the total of earlier rounds, if any. The total is passed by
// value, because a local variable whose address is taken would be in local memory.
template <int kPartSums>
__device__ float add_parts(const float* parts, int present, bool is_first, float total) {
  float sum = is_first ? parts[0] : __fadd_rn(total, parts[0]);
#pragma unroll
  for (int other = 1; other < kSplitKWarps; ++other)
    if (other < present) sum = __fadd_rn(sum, parts[other * kPartSums]);
  return sum;
}

// Token and output, within the tile, of sum i of a warp's part.
struct SumPlace {
  int token;
  int output;
};
__device__ inline SumPlace place_of_sum(int i) {
  return {i / 128 * 8 + i / 4 % 4 * 2 + i % 2, i / 16 % 8 + i / 2 % 2 * 8};
}

// A round: the chains that `warps` warps take at once, one each, from `first` on.
struct ChainRound {
  int first;
  int chains;  // of all rounds
  int warps;
  [[nodiscard]] __device__ int present() const { return chains - first < warps ? chains - first : warps; }
  [[nodiscard]] __device__ bool is_first() const { return first == 0; }
  [[nodiscard]] __device__ bool is_last() const { return first + warps >= chains; }
};

// The blocks of a grid row (blockIdx.y) have the same tile of tokens.
template <int kTokens>
__device__ int first_token_of_block() {
  return static_cast<int>(seen_anew(blockIdx.y)) * kTokens;
}

// Adds the partial sums of a team of tiles, which ends with tile `last`. Stores outputs, or totals before the last
// round. A warp adds 32 sums at a time, one per lane.
template <class Steps, int kProducts>
__device__ void add_team(const SplitKArguments<kProducts>& arguments,
                         const TeamParts<SplitKShared<Steps, kProducts>::kPartSums>& parts, const ChainRound& round,
                         std::uint32_t last, int team, float* totals) {
  constexpr int kPartSums = SplitKShared<Steps, kProducts>::kPartSums;
  constexpr int kAdders = kPartSums / kWarp;  // per tile
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const auto blocks = static_cast<std::uint32_t>(arguments.products[0].blocks);
  for (int adder = warp; adder < team * kAdders; adder += warps) {
    const int member = adder / kAdders;
    const int i = adder % kAdders * kWarp + lane;
    const std::uint32_t of = last - static_cast<std::uint32_t>(team - 1 - member) * blocks;
    float* const total = totals + static_cast<int>(of / blocks) * kPartSums + i;
    const float before = round.is_first() ? 0.0F : *total;
    const float sum = add_parts<kPartSums>(parts[member][0] + i, round.present(), round.is_first(), before);
    if (!round.is_last()) {
      *total = sum;
      continue;
    }
    const SplitKTile made = tile_of(arguments, of);
    const MatmulArguments& product = arguments.products[made.product];
    const SumPlace place = place_of_sum(i);
    store_output<typename Steps::Value>(product,
                                        first_token_of_block<SplitKShared<Steps, kProducts>::kTokens>() + place.token,
                                        std::int64_t{made.tile} * kSplitKOutputs + place.output, product.rows, sum);
  }
}

// Multiplies a tile's codes, and loads the next tile's codes to replace them.
template <class Steps, class LoadNext>
__device__ void multiply_codes(const MatmulArguments& a, const typename Steps::Lookups& lookups,
                               const NestedMap& nested, const typename Steps::Inputs& inputs,
                               typename Steps::Codes& codes, int blocks, const LoadNext& load_next,
                               float (&sums)[Steps::kColumns][4]) {
  if constexpr (Steps::kColumns == 1) {
    // The next tile's loads are in flight while this tile is multiplied. The branch in load_next keeps them here: loads
    // without a branch are moved behind the arithmetic by compilers, to save registers.
    typename Steps::Codes next_codes = codes;
    load_next(next_codes);
    Steps::multiply(a, lookups, nested, inputs, codes, blocks, sums);
    codes = next_codes;
  } else {
    Steps::multiply(a, lookups, nested, inputs, codes, blocks, sums);
    load_next(codes);
  }
}

// ---- kernel ----

// A grid row of a.blocks thread blocks has one tile of tokens. A block takes every a.blocks-th tile of 16 outputs, each
// of its warps one chain of 256 terms at a time. A round has as many chains as there are warps, so that a warp's inputs
// stay in registers for all tiles of a round.
template <class Steps, int kProducts>
__global__ void __launch_bounds__(kSplitKWarps* kWarp)
    multiply_split_k(const __grid_constant__ SplitKArguments<kProducts> arguments) {
  using Shared = SplitKShared<Steps, kProducts>;
  const MatmulArguments& a = arguments.products[0];  // what all products share
  auto* const table = static_cast<typename Steps::Table*>(dynamic_shared());
  auto& shared = *reinterpret_cast<Shared*>(reinterpret_cast<char*>(table) + pair_table_bytes(on_turing(a.is_turing)));
  auto* const parts = reinterpret_cast<TeamParts<Shared::kPartSums>*>(&shared + 1);
  auto* const totals = reinterpret_cast<float*>(parts) + arguments.slots * kSplitKWarps * Shared::kPartSums;
  const int most_together = arguments.slots < kSplitKTeam ? 1 : kSplitKTeam;
  const bool has_two_teams = most_split_k_slots(Shared::kTokens) > kSplitKTeam && arguments.slots > kSplitKTeam;
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const auto blocks = static_cast<std::uint32_t>(a.blocks);
  const std::uint32_t tiles = arguments.first_tiles[kProducts];
  const int chains = count_chains(a);

  // Overlaps with the previous grid.
  const SplitKTile first_tile = tile_of(arguments, blockIdx.x);
  prefetch_first_chain<Steps>(arguments.products[first_tile.product], first_tile.tile, warp);
  Steps::make_table(a, table, warp, warps, lane);
  const typename Steps::Lookups lookups = Steps::lookups(a, table, lane);
  launch_dependent_grids();
  wait_for_prerequisite_grids();

  for (int first = 0; first < chains; first += warps) {
    const ChainRound round = {first, chains, warps};
    const std::int64_t term = std::int64_t{first + warp} * QFUSE_SPLIT_TERMS;
    const ChainOfLane chain = chain_of_lane<Steps>(a, warp < round.present() ? term : 0);
    const auto load_codes = [&](const SplitKTile& tile, typename Steps::Codes& of_tile) {
      const MatmulArguments& product = arguments.products[tile.product];
      Steps::load_codes(product, chain, rows_of(product, tile.tile), of_tile);
    };
    SplitKTile here = {first_tile.product, seen_anew(first_tile.tile)};
    typename Steps::Codes codes{};
    load_codes(here, codes);
    typename Steps::Inputs inputs;
    Steps::load_inputs(a, {first_token_of_block<Shared::kTokens>(), a.m}, term, inputs);
    if (round.is_first()) {  // while the first loads are in flight
      if constexpr (Steps::kIsNested)
        for (int i = 0; i < kProducts; ++i) load_nested_map(arguments.products[i], shared.nested[i]);
      __syncthreads();
    }
    int phase = 0;     // buffer of the team's parts
    int together = 0;  // tiles in the team so far
    for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += blocks) {
      const bool is_last = tile + blocks >= tiles;
      const SplitKTile next = tile_of(arguments, tile + blocks);
      const auto load_next = [&](typename Steps::Codes& next_codes) {
        if (!is_last) load_codes(next, next_codes);
      };
      float sums[Steps::kColumns][4] = {};
      multiply_codes<Steps>(a, lookups, shared.nested[here.product], inputs, codes, chain.blocks, load_next, sums);
      here = next;
      store_part(sums, lane, parts[phase][together++][warp]);
      if (together < most_together && !is_last) continue;
      __syncthreads();
      add_team<Steps>(arguments, parts[phase], round, tile, together, totals);
      together = 0;
      if (has_two_teams)
        phase ^= 1;
      else if (!is_last)
        __syncthreads();  // the next parts overwrite these
    }
    __syncthreads();  // the next round overwrites parts that may still be read
  }
}

// Calls launch_steps(kNested, kWhole) with compile-time constants (std::bool_constant) that fit the products.
template <class Launch>
contract::Outcome with_chains_of(std::span<const MatmulArguments> products, const Launch& launch_steps) {
  const bool are_whole = std::ranges::all_of(products, &MatmulArguments::has_whole_chains);
  if (products[0].is_nested)
    return are_whole ? launch_steps(std::true_type(), std::true_type())
                     : launch_steps(std::true_type(), std::false_type());
  return are_whole ? launch_steps(std::false_type(), std::true_type())
                   : launch_steps(std::false_type(), std::false_type());
}

template <int kProducts>
contract::Outcome launch_split_k_kernel(void (*kernel)(SplitKArguments<kProducts>),
                                        std::span<const MatmulArguments> products, const Plan& plan,
                                        const qfuse_exec& exec) {
  const auto a = split_k_arguments<kProducts>(products, plan);
  return launch(kernel,
                {.blocks = a.products[0].blocks,
                 .threads = plan.threads,
                 .shared_bytes = plan.shared_bytes,
                 .rows = static_cast<int>(a.products[0].token_tiles),
                 .programmatic_launch = true},
                a, exec);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH
