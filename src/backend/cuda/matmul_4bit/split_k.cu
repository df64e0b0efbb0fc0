// in:     in [m, cols] fp16 or bf16, m up to 16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; in and packed
//         aligned to 16 bytes, cols a multiple of 256, blocks of 64
// out:    [m, rows], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + bias[o]), the sum as accumulation and
//         order say
// cost:   a look-up in shared memory for each byte of codes: 32 weights a clock and multiprocessor
// oracle: reference/matmul_4bit.cpp
// Split-K for few tokens, on Hopper, forward, in the order SPLIT: each warp sums a chain of 256 terms, from its own
// registers. Weights go from global memory to mma.sync without shared memory; a lane decodes 32 codes of a row.
// Compiled for Hopper alone, whose registers it fills.
#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {
namespace {

// ---- policy ----

constexpr int kVectorTerms = 32;                            // of a row that a lane loads at once: 16 bytes of codes
constexpr int kWindowTerms = QFUSE_SPLIT_WINDOW;            // that a warp loads of a row: 4 lanes, a vector each
constexpr int kWindows = QFUSE_SPLIT_TERMS / kWindowTerms;  // of a chain
constexpr int kWindowSteps = kWindowTerms / format::kStepTerms;  // of a window
constexpr int kWindowBlocks = kWindowTerms / kSplitKBlocksize;   // of absmax
constexpr int kPairs = 256;                                      // values of a byte of codes

// ---- what lies in shared memory ----

// After the table of pairs; then come the totals of the block's tiles, [tile][token][output].
template <int kColumns>
struct SplitKShared {
  static constexpr int kTokens = kColumns * 8;
  static constexpr int kPartSums = kTokens * kSumStride;  // of a warp
  static constexpr std::uint32_t kParts = split_k_parts(kTokens);
  float map[format::kCodes8];
  float parts[kParts][kSplitKWarps][kPartSums];  // of tiles: some are added while others are made
};

// ---- steps ----

// Where a lane reads a chain of the weight in row 0. Rows are reached by one multiplication.
struct ChainOfLane {
  const std::uint8_t* codes;
  const std::uint8_t* absmax_8bit;
  const float* absmax;      // plain
  std::uint32_t row_bytes;  // of codes
  std::uint32_t row_blocks;
  std::uint32_t first_block;
  int blocks_shift;  // log2 of blocks a nested block
};

template <bool kNested>
__device__ ChainOfLane chain_of_lane(const MatmulArguments& a, std::int64_t term) {
  const std::int64_t of_lane = static_cast<int>(threadIdx.x) % 4 * kVectorTerms;
  const std::int64_t block = term / kSplitKBlocksize;
  return {.codes = a.weight.packed + (term + of_lane) / 2,
          .absmax_8bit = kNested ? a.weight.absmax_8bit + block : nullptr,
          .absmax = kNested ? nullptr : a.weight.absmax + (term + of_lane) / kSplitKBlocksize,
          .row_bytes = static_cast<std::uint32_t>(a.cols / 2),
          .row_blocks = static_cast<std::uint32_t>(a.cols / kSplitKBlocksize),
          .first_block = static_cast<std::uint32_t>(block),
          .blocks_shift = a.weight.nested_shift - a.weight.block_shift};
}

// What a lane has in flight of a chain, in two rows: its codes of each window, and of all blocks what absmax is made of.
template <bool kNested>
struct ChainCodes {
  uint4 codes[2][kWindows];
  std::uint32_t absmax_codes[2];  // nested: a byte a block
  float absmax[2][kWindows];      // nested: only the first one, of the nested block
};

template <bool kNested>
__device__ void load_absmax(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t row, int h,
                            ChainCodes<kNested>& codes) {
  const std::uint32_t block = row * chain.row_blocks;
  if constexpr (kNested) {
    codes.absmax_codes[h] = __ldg(reinterpret_cast<const std::uint32_t*>(chain.absmax_8bit + block));
    codes.absmax[h][0] = __ldg(a.weight.nested_absmax + ((chain.first_block + block) >> chain.blocks_shift));
  } else {
#pragma unroll
    for (int w = 0; w < kWindows; ++w) codes.absmax[h][w] = __ldg(chain.absmax + block + w * kWindowBlocks);
  }
}

__device__ inline uint4 load_codes(const ChainOfLane& chain, std::uint32_t row, int w) {
  const std::uint8_t* const from = chain.codes + std::uint64_t{row} * chain.row_bytes + w * (kWindowTerms / 2);
  return load_once(reinterpret_cast<const uint4*>(from));
}

// What the chain has of the row, into the L2.
template <bool kNested>
__device__ void prefetch_row(const ChainOfLane& chain, std::uint32_t row) {
#pragma unroll
  for (int w = 0; w < kWindows; ++w)
    prefetch(chain.codes + std::uint64_t{row} * chain.row_bytes + w * (kWindowTerms / 2));
  const std::uint32_t block = row * chain.row_blocks;
  if constexpr (kNested)
    prefetch(chain.absmax_8bit + block);
  else
    prefetch(chain.absmax + block);
}

// Of rows beyond the last one the last one is read, and not stored.
__device__ inline std::uint32_t row_of(std::uint32_t rows, std::uint32_t tile, int h) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::uint32_t row = tile * kSplitKOutputs + static_cast<std::uint32_t>(lane / 4 + 8 * h);
  return row < rows ? row : rows - 1;
}

// What a warp multiplies first, into the L2.
template <bool kNested>
__device__ void prefetch_first_chain(const MatmulArguments& a, std::uint32_t rows, int warp) {
  const std::int64_t term = std::int64_t{warp} * QFUSE_SPLIT_TERMS;
  const ChainOfLane chain = chain_of_lane<kNested>(a, term < a.cols ? term : 0);
#pragma unroll
  for (int h = 0; h < 2; ++h) prefetch_row<kNested>(chain, row_of(rows, blockIdx.x, h));
}

__device__ inline void make_pair_table(const MatmulArguments& a, Pair* table, int warp, int warps, int lane) {
  for (int high = warp; high < format::kCodes4; high += warps)
#pragma unroll
    for (int low = 0; low < format::kCodes4; ++low)
      table[(high * format::kCodes4 + low) * kWarp + lane] = {a.weight.values[high], a.weight.values[low]};
}

template <bool kNested>
__device__ void load_chain_codes(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t rows,
                                 std::uint32_t tile, ChainCodes<kNested>& codes) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const std::uint32_t row = row_of(rows, tile, h);
    load_absmax(a, chain, row, h, codes);
#pragma unroll
    for (int w = 0; w < kWindows; ++w) codes.codes[h][w] = load_codes(chain, row, w);
  }
}

// Of the lane's codes in window w.
template <bool kNested>
__device__ float decode_absmax(const ChainCodes<kNested>& codes, int h, int w, int lane, const float* map,
                               float offset) {
  if constexpr (!kNested) return codes.absmax[h][w];
  const int byte = w * kWindowBlocks + lane % 4 * kVectorTerms / kSplitKBlocksize;
  const unsigned code = codes.absmax_codes[h] >> (8 * byte) & 0xffU;
  return decode_absmax(kNested, map, Absmax{code, codes.absmax[h][0]}, offset);
}

// Byte kByte of a word of codes, decoded: two weights, the first one lower.
template <class Value, int kByte>
__device__ std::uint32_t decode_pair(PairsOfLane pairs, std::uint32_t codes, float absmax) {
  const Pair pair = load_pair<kByte>(pairs, codes);
  const float weights[2] = {mul_ftz(pair.first, absmax), mul_ftz(pair.second, absmax)};
  return Rounding<Value>::word(weights);
}

// Eight terms of a token, which the grid before may have written; zeros beyond the tokens and the terms.
__device__ inline uint4 load_late_inputs(const MatmulArguments& a, std::int64_t token, std::int64_t term) {
  if (token >= a.m || term >= a.cols) return {0, 0, 0, 0};
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(a.in) + token * a.in_stride + term;
  return load_dependent(reinterpret_cast<const uint4*>(from));
}

// The inputs of a chain, for all of its steps: of each 8 tokens column g, the terms of the lane.
template <int kColumns>
struct ChainInputs {
  std::uint32_t words[kColumns][kWindows][kWindowSteps][2];
};
template <int kColumns>
__device__ void load_chain_inputs(const MatmulArguments& a, std::int64_t term, ChainInputs<kColumns>& inputs) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int w = 0; w < kWindows; ++w)
#pragma unroll
      for (int v = 0; v < kVectorTerms / 8; ++v) {
        const std::int64_t first = term + w * kWindowTerms + lane % 4 * kVectorTerms + 8 * v;
        std::uint32_t words[4];
        unpack(load_late_inputs(a, c * 8 + lane / 4, first), words);
#pragma unroll
        for (int i = 0; i < 4; ++i) inputs.words[c][w][2 * v + i / 2][i % 2] = words[i];
      }
}

// 16 outputs by one window of terms.
template <class Value, int kColumns>
__device__ void multiply_window(const uint4 (&vectors)[2], const float (&absmax)[2], PairsOfLane pairs,
                                const ChainInputs<kColumns>& inputs, int w, float (&sums)[kColumns][4]) {
  std::uint32_t codes[2][4];
  unpack(vectors[0], codes[0]);
  unpack(vectors[1], codes[1]);
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    const std::uint32_t first[4] = {
        decode_pair<Value, 0>(pairs, codes[0][v], absmax[0]), decode_pair<Value, 0>(pairs, codes[1][v], absmax[1]),
        decode_pair<Value, 1>(pairs, codes[0][v], absmax[0]), decode_pair<Value, 1>(pairs, codes[1][v], absmax[1])};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) multiply(first, inputs.words[c][w][2 * v], sums[c], Value());
    const std::uint32_t second[4] = {
        decode_pair<Value, 2>(pairs, codes[0][v], absmax[0]), decode_pair<Value, 2>(pairs, codes[1][v], absmax[1]),
        decode_pair<Value, 3>(pairs, codes[0][v], absmax[0]), decode_pair<Value, 3>(pairs, codes[1][v], absmax[1])};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) multiply(second, inputs.words[c][w][2 * v + 1], sums[c], Value());
  }
}

// 16 outputs by one chain; each window's codes give way to those of tile `next`.
template <class Value, bool kNested, int kColumns>
__device__ void multiply_chain(const MatmulArguments& a, const ChainOfLane& chain, PairsOfLane pairs, const float* map,
                               float offset, const ChainInputs<kColumns>& inputs, std::uint32_t rows,
                               std::uint32_t next, ChainCodes<kNested>& codes, float (&sums)[kColumns][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  float absmax[kWindows][2];
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int w = 0; w < kWindows; ++w) absmax[w][h] = decode_absmax(codes, h, w, lane, map, offset);
#pragma unroll
  for (int w = 0; w < kWindows; ++w) {
    const uint4 vectors[2] = {codes.codes[0][w], codes.codes[1][w]};
    multiply_window<Value>(vectors, absmax[w], pairs, inputs, w, sums);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t row = row_of(rows, next, h);
      codes.codes[h][w] = load_codes(chain, row, w);
      if (w == 0) load_absmax(a, chain, row, h, codes);
    }
  }
}

template <int kColumns>
__device__ void store_part(const float (&sums)[kColumns][4], int lane, float* part) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i) part[(c * 8 + lane % 4 * 2 + i % 2) * kSumStride + lane / 4 + i / 2 * 8] = sums[c][i];
}

// Adds the parts that all warps made of one output of one token.
template <int kPartSums>
__device__ float add_parts(const float* parts, int present, bool is_first_round, float total) {
  float sum = is_first_round ? parts[0] : __fadd_rn(total, parts[0]);
#pragma unroll
  for (int other = 1; other < kSplitKWarps; ++other)
    if (other < present) sum = __fadd_rn(sum, parts[other * kPartSums]);
  return sum;
}

// ---- kernel ----

// Each thread block has every a.blocks-th tile of 16 outputs, each warp one chain of 256 terms at a time. Chains are
// taken in rounds of as many as there are warps, so that a warp's inputs stay in registers for all tiles of a round.
template <class Value, bool kNested, int kColumns>
__global__ void __launch_bounds__(kSplitKWarps* kWarp) multiply_split_k(const __grid_constant__ MatmulArguments a) {
  Pair* const table = pair_table(dynamic_shared());
  using Shared = SplitKShared<kColumns>;
  constexpr std::uint32_t kTeamDecoders = Shared::kParts / 2;  // tiles whose parts are added at once
  auto& shared = *reinterpret_cast<Shared*>(table + kPairs * kWarp);
  auto* const totals = reinterpret_cast<float*>(&shared + 1);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int warp = thread / kWarp;
  const int warps = threads / kWarp;
  const int lane = thread % kWarp;
  const auto rows = static_cast<std::uint32_t>(a.rows);
  const auto blocks = static_cast<std::uint32_t>(a.blocks);
  const std::uint32_t tiles = (rows + kSplitKOutputs - 1) / kSplitKOutputs;
  const std::int64_t round_terms = std::int64_t{warps} * QFUSE_SPLIT_TERMS;

  // While the grid before is at work.
  prefetch_first_chain<kNested>(a, rows, warp);
  make_pair_table(a, table, warp, warps, lane);
  const PairsOfLane pairs = pairs_of_lane(table, lane);
  launch_dependent_grids();
  wait_for_prerequisite_grids();

  bool is_ready = false;
  float offset = 0.0F;
  for (std::int64_t round = 0; round < a.cols; round += round_terms) {
    const std::int64_t term = round + std::int64_t{warp} * QFUSE_SPLIT_TERMS;
    const auto present =
        static_cast<int>((a.cols - round < round_terms ? a.cols - round : round_terms) / QFUSE_SPLIT_TERMS);
    const ChainOfLane chain = chain_of_lane<kNested>(a, warp < present ? term : 0);
    ChainCodes<kNested> codes;
    load_chain_codes(a, chain, rows, blockIdx.x, codes);
    ChainInputs<kColumns> inputs;
    load_chain_inputs(a, term, inputs);
    if (!is_ready) {  // while the first loads are on their way
      if constexpr (kNested) {
        for (int i = thread; i < format::kCodes8; i += threads) shared.map[i] = a.weight.nested_quant_map[i];
        offset = *a.weight.nested_offset;
      }
      __syncthreads();
      is_ready = true;
    }
    std::uint32_t own = 0;  // number of the tile among the block's
    for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += blocks, ++own) {
      const bool is_last = tile + blocks >= tiles;
      float sums[kColumns][4] = {};
      multiply_chain<Value>(a, chain, pairs, shared.map, offset, inputs, rows, is_last ? tile : tile + blocks, codes,
                            sums);
      store_part(sums, lane, shared.parts[own % Shared::kParts][warp]);
      const std::uint32_t together = own % kTeamDecoders;
      if (together != kTeamDecoders - 1 && !is_last) continue;
      __syncthreads();
      const std::uint32_t buffer = own % Shared::kParts;
      // A warp adds the sums of 4 outputs and 8 tokens.
      constexpr int kAdders = kSplitKOutputs / 4 * kColumns;
      for (int adder = warp; adder < (static_cast<int>(together) + 1) * kAdders; adder += warps) {
        const std::uint32_t back = together - static_cast<std::uint32_t>(adder / kAdders);
        const int output = adder % 4 * 4 + lane % 4;
        const int token = adder % kAdders / 4 * 8 + lane / 4;
        float& total = totals[((own - back) * Shared::kTokens + static_cast<std::uint32_t>(token)) * kSplitKOutputs +
                              static_cast<std::uint32_t>(output)];
        const float* const parts = shared.parts[buffer - back][0] + token * kSumStride + output;
        const float sum = add_parts<Shared::kPartSums>(parts, present, round == 0, total);
        total = sum;
        if (round + round_terms >= a.cols)
          store_output<Value>(a, token, std::int64_t{tile - back * blocks} * kSplitKOutputs + output, a.rows, sum);
      }
    }
    __syncthreads();  // the next round's parts are made where the last ones may still be added
  }
}

// ---- the kernel of a plan ----

template <class Value>
auto find_kernel(const Matmul4bitPlan& plan, bool is_nested) {
  if (plan.tokens == kSplitKTokens.front())
    return is_nested ? multiply_split_k<Value, true, 1> : multiply_split_k<Value, false, 1>;
  return is_nested ? multiply_split_k<Value, true, 2> : multiply_split_k<Value, false, 2>;
}

}  // namespace

contract::Outcome launch_split_k(const MatmulArguments& a, qfuse_dtype dtype, const Matmul4bitPlan& plan,
                                 const qfuse_exec& exec) {
  const auto kernel =
      dtype == QFUSE_FLOAT16 ? find_kernel<Half>(plan, a.is_nested) : find_kernel<Bfloat16>(plan, a.is_nested);
  return launch(
      kernel,
      {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .programmatic_launch = true},
      a, exec);
}

}  // namespace qfuse::cuda
