// Split-K for a stack of experts, with the Steps of split_k.cuh. A tile has 16 outputs of up to 8 tokens of one expert.
// A block has as many teams of warps as fit, each with a tile of its own, because one tile with few chains would leave
// warps idle. Each warp of a team multiplies one chain; then all warps of the block add the partial sums.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_GROUPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_GROUPS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/group_tiles.cuh"
#include "backend/cuda/matmul_4bit/split_k.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- shared memory ----

// Map and offset that decode nested absmax. An expert that is nested by itself has an offset of its own.
struct NestedView {
  const float (&map)[format::kCodes8];
  float offset;
};
// Map of E4M3's values, and the expert's global scale, for Steps that have kHasGlobal.
template <class Steps>
concept HasGlobal = Steps::kHasGlobal;
struct GlobalView {
  const float (&map)[format::kCodes8];
  const format::GlobalScale& global;
};
__device__ inline float decode_small_scale(const GlobalView& view, unsigned code) {
  return apply_global(view.map[code], view.global);
}

// Follows the table in shared memory.
struct SplitKGroupsShared {
  NestedMap nested;
  GroupTile first_tiles[kSplitKWarps];  // per team
  GroupTile tiles[2][kSplitKWarps];     // per team
  alignas(16) float parts[2][kSplitKWarps][8 * kSplitKOutputs];
  format::GlobalScale globals[kSplitKWarps];  // per warp: in registers there is no room
};
static_assert(pair_table_bytes(true) + sizeof(SplitKGroupsShared) <= split_k_groups_bytes(true));
using SplitKGroupTiles = GroupTiles<true, kSplitKOutputs, 8>;

// ---- steps ----

template <class Value>
__device__ void store_output(const MatmulArguments& a, const GroupTile& tile, std::int64_t token, std::int64_t output,
                             float sum) {
  if (token >= tile.until || output >= a.rows) return;
  if (a.bias != nullptr) {
    const auto* const bias = static_cast<const Value*>(a.bias) + tile.owner * a.rows + output;
    sum = __fadd_rn(sum, widen(load_bytes<Value>(bias)));
  }
  store<false>(static_cast<Value*>(a.out) + token * a.out_stride + output, Rounding<Value>::one(sum));
}

// ---- kernel ----

// A team takes all chains of its tile at once, or, if the block has fewer warps than that, in rounds.
template <class Steps>
__global__ void __launch_bounds__(kSplitKWarps* kWarp)
    multiply_groups_split_k(const __grid_constant__ GroupedArguments arguments) {
  constexpr int kPartSums = 8 * kSplitKOutputs;
  const MatmulArguments& a = arguments.matmul;
  auto* const table = static_cast<typename Steps::Table*>(dynamic_shared());
  auto& shared =
      *reinterpret_cast<SplitKGroupsShared*>(reinterpret_cast<char*>(table) + pair_table_bytes(on_turing(a.is_turing)));
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int chains = count_chains(a);
  const int team_warps = chains < warps ? chains : warps;
  const int teams = warps / team_warps;
  const int team = warp / team_warps;
  const int member = warp % team_warps;
  const int takers = static_cast<int>(a.blocks) * teams;
  const SplitKGroupTiles tiles(a, arguments.groups, takers);

  // Overlaps with the previous grid.
  Steps::make_table(a, table, warp, warps, lane);
  const typename Steps::Lookups lookups = Steps::lookups(a, table, lane);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
  if constexpr (Steps::kIsNested) load_nested_map<HasGlobal<Steps>>(a, shared.nested);
  if (warp < teams) {
    const GroupTile found = tiles.find_first(static_cast<int>(blockIdx.x) * teams + warp, takers);
    if (lane == 0) shared.first_tiles[warp] = found;
  }
  __syncthreads();

  GroupTile tile = shared.first_tiles[team < teams ? team : 0];
  int turns = 0;  // of the team that has the most tiles
  for (int i = 0; i < teams; ++i) turns = shared.first_tiles[i].left > turns ? shared.first_tiles[i].left : turns;
  typename Steps::Codes codes{};
  const auto load_codes = [&](int first, typename Steps::Codes& to) {
    const bool is_there = tiles.has(tile) && team < teams && first + member < chains;
    if (!is_there) return;
    const std::uint32_t expert_row = static_cast<std::uint32_t>(tile.owner) * static_cast<std::uint32_t>(a.rows);
    Steps::load_codes(a, chain_of_lane<Steps>(a, std::int64_t{first + member} * QFUSE_SPLIT_TERMS),
                      {expert_row + static_cast<std::uint32_t>(tiles.output(tile) + lane / 4),
                       expert_row + static_cast<std::uint32_t>(a.rows) - 1},
                      to);
  };
  load_codes(0, codes);
  typename Steps::Inputs inputs;
  int inputs_token = -1;  // first token of the loaded inputs
  int phase = 0;
  for (int turn = 0; turn < turns; ++turn) {
    float total = 0.0F;  // a thread's sum over all rounds; with several rounds there is only one team
    for (int first = 0; first < chains; first += team_warps, phase ^= 1) {
      const bool is_at_work = tiles.has(tile) && team < teams && first + member < chains;
      const bool is_last = first + team_warps >= chains;
      float sums[1][4] = {};
      NestedView nested{shared.nested.map, Steps::kIsNested ? shared.nested.offset : 0.0F};
      if (member == 0 && lane == 0 && team < teams) shared.tiles[phase][team] = tile;
      if (is_at_work) {
        if (inputs_token != tiles.token(tile) || team_warps < chains) {
          const std::int64_t term = std::int64_t{first + member} * QFUSE_SPLIT_TERMS;
          Steps::load_inputs(a, {tiles.token(tile), tile.until}, term, inputs);
          inputs_token = tiles.token(tile);
          if constexpr (HasGlobal<Steps>) {  // another expert has other tokens
            if (lane == 0) shared.globals[warp] = load_global(a.weight, arguments.groups, tile.owner);
            __syncwarp(kAllLanes);
          }
        }
        if (Steps::kIsNested && !HasGlobal<Steps> && arguments.groups.is_nested_each)
          nested.offset = __ldg(a.weight.nested_offset + tile.owner);
      }
      const typename Steps::Codes here = codes;
      if (is_last) tiles.advance(tile);
      load_codes(is_last ? 0 : first + team_warps, codes);
      if (is_at_work) {
        const int blocks = count_blocks<Steps>(a, std::int64_t{first + member} * QFUSE_SPLIT_TERMS);
        if constexpr (HasGlobal<Steps>)
          Steps::multiply(a, lookups, GlobalView{shared.nested.map, shared.globals[warp]}, inputs, here, blocks, sums);
        else
          Steps::multiply(a, lookups, nested, inputs, here, blocks, sums);
        store_part(sums, lane, shared.parts[phase][warp]);
      }
      __syncthreads();
      constexpr int kAdders = kPartSums / kWarp;
      const int present = chains - first < team_warps ? chains - first : team_warps;
      for (int adder = warp; adder < teams * kAdders; adder += warps) {
        const GroupTile made = shared.tiles[phase][adder / kAdders];
        if (!tiles.has(made)) continue;
        const int i = adder % kAdders * kWarp + lane;
        total = add_parts<kPartSums>(shared.parts[phase][adder / kAdders * team_warps] + i, present, first == 0, total);
        if (!is_last) continue;
        const std::int64_t output = tiles.output(made) + i / 16 % 8 + i / 2 % 2 * 8;
        store_output<typename Steps::Value>(a, made, tiles.token(made) + i / 4 % 4 * 2 + i % 2, output, total);
      }
    }
  }
}

inline contract::Outcome launch_split_k_kernel(void (*kernel)(GroupedArguments), const GroupedArguments& a,
                                               const Plan& plan, const qfuse_exec& exec) {
  return launch(
      kernel,
      {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .programmatic_launch = true},
      a, exec);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_GROUPS_CUH
