// Split-K for few tokens, on Hopper, forward: what the orders SPLIT and FACTORED share. Each warp sums a chain of 256
// terms, from its own registers; weights go from global memory to mma.sync without shared memory. An order's Steps are
//   Value, kIsNested, kColumns  of the inputs, the weight, and every 8 tokens
//   Table, Lookups              a row for each value of a byte of codes, and a lane's way to its copy
//   Codes, Inputs               what a lane has in flight of a chain of the weight, and holds of the inputs
// and functions that make, load and multiply these.
// Compiled for Hopper alone, whose registers it fills.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH

#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {

// ---- what lies in shared memory ----

// Nested: what absmax are decoded by.
struct NestedMap {
  float map[format::kCodes8];
  float offset;
};

// After the table; then come, where chains take several rounds, the totals of the block's tiles, [tile][token][output].
template <class Steps>
struct SplitKShared {
  static constexpr int kTokens = Steps::kColumns * 8;
  static constexpr int kPartSums = kTokens * kSplitKOutputs;  // of a warp
  static constexpr int kPhases = split_k_phases(kTokens);
  NestedMap nested;
  alignas(16) float parts[kPhases][kSplitKTeam][kSplitKWarps][kPartSums];
};

// ---- steps ----

// Where a lane reads a chain of the weight in row 0. Rows are reached by one multiplication.
struct ChainOfLane {
  const std::uint8_t* codes;  // the lane's first ones
  std::uint32_t block;        // the chain's first one
  std::uint32_t row_bytes;    // of codes
  std::uint32_t row_blocks;
};

template <class Steps>
__device__ ChainOfLane chain_of_lane(const MatmulArguments& a, std::int64_t term) {
  const std::int64_t of_lane = threadIdx.x % 4 * Steps::kLaneTerms;
  return {.codes = a.weight.packed + (term + of_lane) / 2,
          .block = static_cast<std::uint32_t>(term / kSplitKBlocksize),
          .row_bytes = static_cast<std::uint32_t>(a.cols / 2),
          .row_blocks = static_cast<std::uint32_t>(a.cols / kSplitKBlocksize)};
}

// What a block's nested absmax is multiplied by.
__device__ inline float load_nested_absmax(const MatmulArguments& a, std::uint32_t block) {
  return __ldg(a.weight.nested_absmax + (block >> (a.weight.nested_shift - a.weight.block_shift)));
}

// The lane's first codes of a row.
__device__ inline const std::uint8_t* codes_of(const ChainOfLane& chain, std::uint32_t row) {
  return one_address(chain.codes + std::uint64_t{row} * chain.row_bytes);
}

// Of rows beyond the last one the last one is read, and not stored.
__device__ inline std::uint32_t row_of(std::uint32_t rows, std::uint32_t tile, int h) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const std::uint32_t row = tile * kSplitKOutputs + static_cast<std::uint32_t>(lane / 4 + 8 * h);
  return row < rows ? row : rows - 1;
}

// What a warp multiplies first, into the L2: of each row a lane asks for a block.
template <bool kNested>
__device__ void prefetch_first_chain(const MatmulArguments& a, std::uint32_t rows, int warp) {
  const std::int64_t term = std::int64_t{warp} * QFUSE_SPLIT_TERMS;
  const std::int64_t of_lane = threadIdx.x % 4 * kSplitKBlocksize;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const std::int64_t first = row_of(rows, blockIdx.x, h) * a.cols + (term < a.cols ? term : 0) + of_lane;
    prefetch(a.weight.packed + first / 2);
    if constexpr (kNested)
      prefetch(a.weight.absmax_8bit + first / kSplitKBlocksize);
    else
      prefetch(a.weight.absmax + first / kSplitKBlocksize);
  }
}

// By all threads, which then must synchronize.
__device__ inline void load_nested_map(const MatmulArguments& a, NestedMap& nested) {
  if (threadIdx.x == 0) nested.offset = *a.weight.nested_offset;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < format::kCodes8; i += blockDim.x) nested.map[i] = a.weight.nested_quant_map[i];
}

// Eight terms of a token, which the grid before may have written; zeros beyond the tokens and the terms.
__device__ inline uint4 load_late_inputs(const MatmulArguments& a, std::int64_t token, std::int64_t term) {
  if (token >= a.m || term >= a.cols) return {0, 0, 0, 0};
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(a.in) + token * a.in_stride + term;
  return load_dependent(reinterpret_cast<const uint4*>(from));
}

// A lane's sums lie together: those of outputs lane / 4 and 8 more, of tokens 2 * (lane % 4) and 1 more.
template <int kColumns>
__device__ void store_part(const float (&sums)[kColumns][4], int lane, float* part) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
    reinterpret_cast<float4*>(part)[c * kWarp + lane] = {sums[c][0], sums[c][1], sums[c][2], sums[c][3]};
}

// Adds the parts that all warps made of one output of one token to the total of the rounds before, if there were any.
template <int kPartSums>
__device__ float add_parts(const float* parts, int present, const float* total) {
  float sum = total == nullptr ? parts[0] : __fadd_rn(*total, parts[0]);
#pragma unroll
  for (int other = 1; other < kSplitKWarps; ++other)
    if (other < present) sum = __fadd_rn(sum, parts[other * kPartSums]);
  return sum;
}

// ---- kernel ----

// Each thread block has every a.blocks-th tile of 16 outputs, each warp one chain of 256 terms at a time. Chains are
// taken in rounds of as many as there are warps, so that a warp's inputs stay in registers for all tiles of a round.
template <class Steps>
__global__ void __launch_bounds__(kSplitKWarps* kWarp) multiply_split_k(const __grid_constant__ MatmulArguments a) {
  using Shared = SplitKShared<Steps>;
  auto* const table = reinterpret_cast<typename Steps::Table*>(pair_table(dynamic_shared()));
  auto& shared = *reinterpret_cast<Shared*>(reinterpret_cast<char*>(table) + kPairTableBytes);
  auto* const totals = reinterpret_cast<float*>(&shared + 1);
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const auto rows = static_cast<std::uint32_t>(a.rows);
  const auto blocks = static_cast<std::uint32_t>(a.blocks);
  const std::uint32_t tiles = (rows + kSplitKOutputs - 1) / kSplitKOutputs;
  const auto chains = static_cast<int>(a.cols / QFUSE_SPLIT_TERMS);

  // While the grid before is at work.
  prefetch_first_chain<Steps::kIsNested>(a, rows, warp);
  Steps::make_table(a, table, warp, warps, lane);
  const typename Steps::Lookups lookups = Steps::lookups(table, lane);
  launch_dependent_grids();
  wait_for_prerequisite_grids();

  for (int first = 0; first < chains; first += warps) {
    const int present = chains - first < warps ? chains - first : warps;
    const std::int64_t term = std::int64_t{first + warp} * QFUSE_SPLIT_TERMS;
    const ChainOfLane chain = chain_of_lane<Steps>(a, warp < present ? term : 0);
    typename Steps::Codes codes;
    Steps::load_codes(a, chain, rows, blockIdx.x, codes);
    typename Steps::Inputs inputs;
    Steps::load_inputs(a, term, inputs);
    if (first == 0) {  // while the first loads are on their way
      if constexpr (Steps::kIsNested) load_nested_map(a, shared.nested);
      __syncthreads();
    }
    int phase = 0;     // where the team's parts are
    int together = 0;  // tiles of the team
    for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += blocks) {
      const bool is_last = tile + blocks >= tiles;
      float sums[Steps::kColumns][4] = {};
      if constexpr (Steps::kColumns == 1) {
        // The next tile's codes come while this one is multiplied. The branch keeps their loads here: compilers move others
        // behind the arithmetic, to save registers.
        typename Steps::Codes next_codes = codes;
        if (!is_last) Steps::load_codes(a, chain, rows, tile + blocks, next_codes);
        Steps::multiply(lookups, shared.nested, inputs, codes, sums);
        codes = next_codes;
      } else {
        Steps::multiply(lookups, shared.nested, inputs, codes, sums);
        if (!is_last) Steps::load_codes(a, chain, rows, tile + blocks, codes);
      }
      store_part(sums, lane, shared.parts[phase][together++][warp]);
      if (together < kSplitKTeam && !is_last) continue;
      __syncthreads();
      constexpr int kAdders = Shared::kPartSums / kWarp;  // a warp adds as many sums as it has lanes
      for (int adder = warp; adder < together * kAdders; adder += warps) {
        const int member = adder / kAdders;
        const int i = adder % kAdders * kWarp + lane;
        const std::uint32_t of = tile - static_cast<std::uint32_t>(together - 1 - member) * blocks;
        float* const total = totals + static_cast<int>(of / blocks) * Shared::kPartSums + i;
        const float sum =
            add_parts<Shared::kPartSums>(shared.parts[phase][member][0] + i, present, first == 0 ? nullptr : total);
        if (first + warps < chains) {
          *total = sum;
          continue;
        }
        const std::int64_t output = std::int64_t{of} * kSplitKOutputs + i / 16 % 8 + i / 2 % 2 * 8;
        store_output<typename Steps::Value>(a, i / 128 * 8 + i / 4 % 4 * 2 + i % 2, output, a.rows, sum);
      }
      together = 0;
      if constexpr (Shared::kPhases > 1)
        phase ^= 1;
      else if (!is_last)
        __syncthreads();  // the next parts take the place of these
    }
    __syncthreads();  // the next round's parts are made where the last ones may still be added
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_SPLIT_K_CUH
