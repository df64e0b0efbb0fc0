// Split-K for a stack of experts, up to 8 tokens of each in a tile, by the steps of a sum (split_k.cuh). A product of
// few chains would leave warps idle: a block has as many teams of warps as fit, each with a tile of its own.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_GROUPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_GROUPS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/group_tiles.cuh"
#include "backend/cuda/matmul_4bit/split_k.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- what lies in shared memory ----

// What absmax are decoded by: an expert that is nested by itself has an offset of its own.
struct NestedView {
  const float (&map)[format::kCodes8];
  float offset;
};

constexpr int kGroupPartSums = 8 * kSplitKOutputs;  // of a warp

// After the table. A team of warps has a tile of 16 outputs, a warp of it a chain of the tile's.
struct SplitKGroupsShared {
  NestedMap nested;
  GroupTile first_tiles[kSplitKWarps];  // of each team
  GroupTile tiles[2][kSplitKWarps];     // of each team
  alignas(16) float parts[2][kSplitKWarps][kGroupPartSums];
};
static_assert(2 * kPairTableBytes + sizeof(SplitKGroupsShared) <= split_k_shared_bytes(8, 0, 1));
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

// A block's teams of warps, each of which has a tile at a time, and where the warp is. Chains are taken in rounds: one
// for each warp of a team.
struct Teams {
  int count;
  int warps;   // of a team
  int chains;  // of a tile
  int team;    // of the warp, which has none if this is the number of teams
  int member;  // of the team
  [[nodiscard]] __device__ bool has_chain(int first) const { return team < count && first + member < chains; }
  [[nodiscard]] __device__ std::int64_t term(int first) const {
    return std::int64_t{first + member} * QFUSE_SPLIT_TERMS;
  }
};

__device__ inline Teams teams_of(const MatmulArguments& a, int warp) {
  const auto all_warps = static_cast<int>(blockDim.x / kWarp);
  const auto chains = static_cast<int>(a.cols / QFUSE_SPLIT_TERMS);
  const int warps = chains < all_warps ? chains : all_warps;
  return {all_warps / warps, warps, chains, warp / warps, warp % warps};
}

// By all threads: the first tile of each team. Returns how many tiles that team has that has the most.
__device__ inline int find_first_tiles(const SplitKGroupTiles& tiles, const Teams& teams, int warp, int takers,
                                       GroupTile (&first_tiles)[kSplitKWarps]) {
  if (warp < teams.count) {
    const GroupTile found = tiles.find_first(static_cast<int>(blockIdx.x) * teams.count + warp, takers);
    if (threadIdx.x % kWarp == 0) first_tiles[warp] = found;
  }
  __syncthreads();
  int turns = 0;
  for (int i = 0; i < teams.count; ++i) turns = first_tiles[i].left > turns ? first_tiles[i].left : turns;
  return turns;
}

// The warp's chain of the round that begins with chain `first`, if the warp has one.
template <class Steps>
__device__ void load_chain(const MatmulArguments& a, const SplitKGroupTiles& tiles, const GroupTile& tile,
                           const Teams& teams, int first, typename Steps::Codes& codes) {
  if (!tiles.has(tile) || !teams.has_chain(first)) return;
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const std::uint32_t expert_row = static_cast<std::uint32_t>(tile.owner) * static_cast<std::uint32_t>(a.rows);
  Steps::load_codes(a, chain_of_lane<Steps>(a, teams.term(first)),
                    {expert_row + static_cast<std::uint32_t>(tiles.output(tile) + lane / 4),
                     expert_row + static_cast<std::uint32_t>(a.rows) - 1},
                    codes);
}

// Adds the parts of all teams' tiles to outputs. A warp adds as many sums as it has lanes; `total` is the thread's of
// the rounds before, where a tile takes several: there is one team then.
template <class Steps>
__device__ void add_tiles(const MatmulArguments& a, const SplitKGroupTiles& tiles, const Teams& teams,
                          const ChainRound& round, const GroupTile (&made_tiles)[kSplitKWarps],
                          const float (&parts)[kSplitKWarps][kGroupPartSums], float& total) {
  constexpr int kAdders = kGroupPartSums / kWarp;  // of a tile
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  for (int adder = warp; adder < teams.count * kAdders; adder += warps) {
    const GroupTile made = made_tiles[adder / kAdders];
    if (!tiles.has(made)) continue;
    const int i = adder % kAdders * kWarp + lane;
    total = add_parts<kGroupPartSums>(parts[adder / kAdders * teams.warps] + i, round.present(),
                                      round.is_first() ? nullptr : &total);
    if (!round.is_last()) continue;
    const SumPlace place = place_of_sum(i);
    store_output<typename Steps::Value>(a, made, tiles.token(made) + place.token, tiles.output(made) + place.output,
                                        total);
  }
}

// ---- kernel ----

// As many chains as a tile has are taken at once, or in rounds of as many as there are warps.
template <class Steps>
__global__ void __launch_bounds__(kSplitKWarps* kWarp)
    multiply_groups_split_k(const __grid_constant__ GroupedArguments arguments) {
  const MatmulArguments& a = arguments.matmul;
  auto* const table = reinterpret_cast<typename Steps::Table*>(pair_table(dynamic_shared()));
  auto& shared = *reinterpret_cast<SplitKGroupsShared*>(reinterpret_cast<char*>(table) + kPairTableBytes);
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const Teams teams = teams_of(a, warp);
  const int takers = static_cast<int>(a.blocks) * teams.count;
  const SplitKGroupTiles tiles(a, arguments.groups, takers);

  // While the grid before is at work.
  Steps::make_table(a, table, warp, static_cast<int>(blockDim.x / kWarp), lane);
  const typename Steps::Lookups lookups = Steps::lookups(table, lane);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
  if constexpr (Steps::kIsNested) load_nested_map(a, shared.nested);
  const int turns = find_first_tiles(tiles, teams, warp, takers, shared.first_tiles);

  GroupTile tile = shared.first_tiles[teams.team < teams.count ? teams.team : 0];
  typename Steps::Codes codes;
  load_chain<Steps>(a, tiles, tile, teams, 0, codes);
  typename Steps::Inputs inputs;
  int inputs_token = -1;  // the first one of what inputs hold
  int phase = 0;
  for (int turn = 0; turn < turns; ++turn) {
    float total = 0.0F;
    for (int first = 0; first < teams.chains; first += teams.warps, phase ^= 1) {
      const ChainRound round = {first, teams.chains, teams.warps};
      const bool is_at_work = tiles.has(tile) && teams.has_chain(first);
      float sums[1][4] = {};
      NestedView nested{shared.nested.map, 0.0F};
      if (teams.member == 0 && lane == 0 && teams.team < teams.count) shared.tiles[phase][teams.team] = tile;
      if (is_at_work) {
        if (inputs_token != tiles.token(tile) || teams.warps < teams.chains) {
          Steps::load_inputs(a, {tiles.token(tile), tile.until}, teams.term(first), inputs);
          inputs_token = tiles.token(tile);
        }
        if constexpr (Steps::kIsNested)
          nested.offset =
              arguments.groups.is_nested_each ? __ldg(a.weight.nested_offset + tile.owner) : shared.nested.offset;
      }
      const typename Steps::Codes here = codes;
      if (round.is_last()) tiles.advance(tile);
      load_chain<Steps>(a, tiles, tile, teams, round.is_last() ? 0 : first + teams.warps, codes);
      if (is_at_work) {
        Steps::multiply(lookups, nested, inputs, here, sums);
        store_part(sums, lane, shared.parts[phase][warp]);
      }
      __syncthreads();
      add_tiles<Steps>(a, tiles, teams, round, shared.tiles[phase], shared.parts[phase], total);
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
