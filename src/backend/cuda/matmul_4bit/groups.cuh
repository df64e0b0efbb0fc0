// matmul_4bit_grouped: kernels find which expert owns which rows (M) from the experts' ends, and an expert's part of
// the stack of weights.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUPS_CUH

#include <cstdint>
#include <span>

#include "backend/cuda/matmul_4bit/steps.cuh"
#include "contract/matmul_4bit_grouped.h"

namespace qfuse::cuda::matmul_4bit {

// ---- kernel arguments ----

struct Groups {
  const void* ends;
  bool ends_are_64;
  bool is_nested_each;
  bool in_turn;  // order of tiles: see group_tiles.cuh
  int experts;
  std::int64_t blocks_each;         // per expert
  std::int64_t nested_blocks_each;  // per expert, if each is nested by itself, or has a global scale
  int offsets_each;                 // likewise, entries of nested_offset
  int divisors_each;                // per expert, if each has one
};

// `matmul` is the product of all experts' rows with the first expert's weight.
struct GroupedArguments {
  MatmulArguments matmul;
  Groups groups;
};

inline GroupedArguments arguments_of(const contract::Matmul4bitGrouped& p, const GroupedPlan& plan) {
  const bool divides = contract::global_of(p.weight).divides;
  return {
      .matmul = arguments_of(any_product(p), plan),
      .groups = {.ends = p.expert_ends,
                 .ends_are_64 = p.ends_type == QFUSE_INDEX_INT64,
                 .is_nested_each = contract::is_nested_each(p),
                 .in_turn = plan.in_turn,
                 .experts = static_cast<int>(p.experts),
                 .blocks_each = contract::blocks_each(p),
                 .nested_blocks_each = contract::is_nested_each(p) && !divides ? contract::nested_blocks_each(p) : 0,
                 .offsets_each = contract::is_nested_each(p) && !contract::has_scales_of_rows(p.weight) ? 1 : 0,
                 .divisors_each = contract::is_nested_each(p) && divides ? 1 : 0}};
}

// A call of one of three kinds. One weight: there are no experts. A stack: `product` is that of all experts' rows with
// the first expert's weight. Several products with one input, in one launch: `a` and `product` are the first of them.
struct Call {
  GroupedArguments a;
  contract::Matmul4bit product;
  std::span<const MatmulArguments> products;
};

// Returns UNSUPPORTED: the plan names a kernel that was not compiled.
inline contract::Outcome no_kernel(const Plan& plan) {
  return contract::unsupported("this build has no kernel for the plan " + contract::print(plan.fields()));
}

// Launch the kernels of other files, each of which is compiled with its own flags.
contract::Outcome launch_split_k(const Call& call, const Plan& plan, const qfuse_exec& exec);
contract::Outcome launch_factored_split_k(const Call& call, const Plan& plan, const qfuse_exec& exec);
contract::Outcome launch_warp_specialized(const Call& call, const Plan& plan, const qfuse_exec& exec);
contract::Outcome launch_register_weights(const Call& call, const Plan& plan, const qfuse_exec& exec);
contract::Outcome launch_multistage(const Call& call, const Plan& plan, const qfuse_exec& exec);

// ---- ends ----

// Returns an expert's end, clamped to [0, m]; past the last expert, the last one's end. load_word reads a word of
// global memory.
template <class Index, class LoadWord>
__device__ Index load_end(const Groups& groups, Index m, int expert, const LoadWord& load_word) {
  const int there = expert < groups.experts ? expert : groups.experts - 1;
  const auto* const words = static_cast<const std::uint32_t*>(groups.ends) + (groups.ends_are_64 ? 2 : 1) * there;
  const auto low = static_cast<std::int32_t>(load_word(words));
  const auto end = groups.ends_are_64
                       ? static_cast<std::int64_t>(load_word(words + 1)) << 32 | static_cast<std::uint32_t>(low)
                       : std::int64_t{low};
  return end < 0 ? 0 : end < m ? static_cast<Index>(end) : m;
}

// An expert's rows, and the number of tiles of all experts before it.
template <class Index>
struct Group {
  int expert;
  Index begin;
  Index end;
  Index tiles_before;
};

// Returns the expert that has tile `number`; an expert has tiles_of(its rows) tiles. Past the last tile, returns the
// number of experts, and tiles_before counts all tiles. An expert begins at the greatest end before it. All lanes of a
// warp call it together.
template <class Index, class TilesOf, class LoadWord>
__device__ Group<Index> find_group(const Groups& groups, Index m, Index number, const TilesOf& tiles_of,
                                   const LoadWord& load_word) {
  constexpr int kEach = 4;  // experts per lane; their ends are loaded at once
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Index rows_before = 0;
  Index tiles_before = 0;
#pragma unroll 1
  for (int first = 0; first < groups.experts; first += kEach * kWarp) {
    Index ends[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) ends[i] = load_end(groups, m, first + lane * kEach + i, load_word);
    Index greatest = rows_before;  // end so far, then including the lanes before
#pragma unroll
    for (int i = 0; i < kEach; ++i) greatest = ends[i] > greatest ? ends[i] : greatest;
    greatest = greatest_until(greatest);
    const Index before = value_before(greatest, 1);
    const Index begin = lane == 0 ? rows_before : before;
    Index rows_end = begin;
    Index tiles = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      ends[i] = ends[i] > rows_end ? ends[i] : rows_end;
      tiles += tiles_of(ends[i] - rows_end);
      rows_end = ends[i];
    }
    const Index tiles_end = tiles_before + sum_until(tiles);
    if (value_of(tiles_end, kWarp - 1) > number) {
      int owner = 0;  // the first lane whose tiles end after `number`
#pragma unroll
      for (int step = kWarp / 2; step > 0; step /= 2)
        if (value_of(tiles_end, owner + step - 1) <= number) owner += step;
      Group<Index> group{first + lane * kEach, begin, ends[0], tiles_end - tiles};
#pragma unroll
      for (int i = 1; i < kEach; ++i) {
        const Index tiles_until = group.tiles_before + tiles_of(group.end - group.begin);
        if (tiles_until <= number) group = {first + lane * kEach + i, group.end, ends[i], tiles_until};
      }
      return {value_of(group.expert, owner), value_of(group.begin, owner), value_of(group.end, owner),
              value_of(group.tiles_before, owner)};
    }
    rows_before = value_of(rows_end, kWarp - 1);
    tiles_before = value_of(tiles_end, kWarp - 1);
  }
  return {groups.experts, rows_before, rows_before, tiles_before};
}

// ---- experts ----

// One expert's arguments for a kernel for one weight. Rows of in and out keep their numbers; m is the expert's end.
template <class Value, bool kForward>
__device__ MatmulArguments of_expert(const GroupedArguments& a, int expert, std::int64_t end) {
  MatmulArguments own = a.matmul;
  const std::int64_t first_output = expert * (kForward ? own.rows : own.cols);
  const std::int64_t first_block = expert * a.groups.blocks_each;
  own.m = end;
  own.weight.packed += expert * (own.rows * own.cols) / 2;
  if (!own.is_nested) {
    own.weight.absmax = absmax_at(own.weight, first_block);
  } else {
    own.weight.absmax_8bit += first_block;
    if (a.groups.is_nested_each) {
      own.weight.nested_absmax += expert * a.groups.nested_blocks_each;
      own.weight.nested_offset += expert * a.groups.offsets_each;
      own.weight.divisor += expert * a.groups.divisors_each;
    } else {
      own.weight.nested_begin = first_block;
    }
  }
  if (own.bias != nullptr) own.bias = static_cast<const Value*>(own.bias) + first_output;
  own.lora_weight = static_cast<const Value*>(own.lora_weight) + first_output * own.lora_rank;
  return own;
}

// The global scale of an expert's scales, in NVFP4.
__device__ inline format::GlobalScale load_global(const Weight4bit& w, const Groups& groups, int expert) {
  if (w.divisor == nullptr) return {1.0F, 1.0F, __ldg(w.nested_absmax + expert * groups.nested_blocks_each)};
  return format::divided_by(__ldg(w.divisor + expert * groups.divisors_each),
                            [](float a, float b) { return divide(a, b); });
}

// ---- a thread block's tile, in kernels with one tile per block ----

struct BlockTile {
  std::int64_t first_output;
  std::int64_t first_token;
};

__device__ inline BlockTile tile_of_block(const MatmulArguments& a, int outputs, int tokens) {
  return {blockIdx.x / a.token_tiles * outputs, blockIdx.x % a.token_tiles * tokens};
}

// Writes the block's tile, and the arguments of its product or of the tile's expert, to shared memory. All threads call
// it, and must then synchronize; each warp searches for the expert. Returns false if the block has no tile: the number
// of blocks is an upper bound on tiles.
template <class Value, bool kForward>
__device__ bool find_tile(const GroupedArguments& a, int outputs, int tokens, MatmulArguments& own, BlockTile& tile) {
  const bool is_first = threadIdx.x == 0;
  if (a.groups.experts == 0) {
    if (is_first) own = a.matmul;
    if (is_first) tile = tile_of_block(a.matmul, outputs, tokens);
    return true;
  }
  const std::int64_t all_outputs = kForward ? a.matmul.rows : a.matmul.cols;
  const std::int64_t output_tiles = (all_outputs + outputs - 1) / outputs;
  const auto token_tiles = [&](std::int64_t rows) { return (rows + tokens - 1) / tokens; };
  const auto group = find_group<std::int64_t>(
      a.groups, a.matmul.m, blockIdx.x, [&](std::int64_t rows) { return token_tiles(rows) * output_tiles; },
      [](const std::uint32_t* word) { return *word; });
  if (group.expert == a.groups.experts) return false;
  const std::int64_t of_expert_tiles = token_tiles(group.end - group.begin);
  const std::int64_t number = blockIdx.x - group.tiles_before;
  if (is_first) own = of_expert<Value, kForward>(a, group.expert, group.end);
  if (is_first) tile = {number / of_expert_tiles * outputs, group.begin + number % of_expert_tiles * tokens};
  return true;
}

// All threads call body(arguments, tile) if the block has a tile. The expert's arguments are in shared memory, because
// in registers they take up to 70 more on sm_90.
template <class Value, bool kForward, class Body>
__device__ void with_tile(const GroupedArguments& a, int outputs, int tokens, const Body& body) {
  __shared__ MatmulArguments own;
  __shared__ BlockTile tile;
  if (!find_tile<Value, kForward>(a, outputs, tokens, own, tile)) return;
  __syncthreads();
  body(own, BlockTile{tile});
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_GROUPS_CUH
