// Kernels `tiled` and `tiled_unaligned`, for any GPU with matrix instructions. All warps of a block do the same: they
// load 128 elements of K, decode the weights to shared memory, and multiply from there (mma.sync), while the next loads
// are in flight.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_TILED_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_TILED_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- policy ----

constexpr int kVectorCodes = 32;  // codes of one row that a thread decodes at once: 16 bytes
constexpr int kTileVectors = kTileOutputs * kTileTerms / kVectorCodes / kTileThreads;  // per thread
// Padding of each row of a tile in shared memory, in elements, so that a warp reads different banks.
constexpr int kPadding = 8;
constexpr int kInputStride = kTileTerms + kPadding;
constexpr int kTokenVectors = kTileTerms / 8;  // vectors of 8 terms per token
template <int kTokens>
inline constexpr int kTileInputs = kTokens* kTokenVectors / kTileThreads;  // per thread

// The tile of weights is laid out like the weight: rows are outputs forward, terms backward.
template <bool kForward>
struct WeightTile {
  static constexpr int kRows = kForward ? kTileOutputs : kTileTerms;
  static constexpr int kCols = kForward ? kTileTerms : kTileOutputs;
  static constexpr int kStride = kCols + kPadding;
  static __device__ int row(int vector) { return vector / (kCols / kVectorCodes); }
  static __device__ int col(int vector) { return vector % (kCols / kVectorCodes) * kVectorCodes; }
};

// ---- steps ----

// 32 codes of one row, in flight from global memory, and the absmax of each half.
struct CodeVector {
  uint4 codes;
  float absmax[2];
};

// Loads 32 codes, all of them inside the weight or all outside, and in one block, or two of 16.
__device__ inline CodeVector load_codes(const MatmulArguments& a, std::int64_t row, std::int64_t col) {
  if (row >= a.rows || col >= a.cols) return {};
  const std::int64_t first = row * a.cols + col;
  const std::int64_t block = first >> a.weight.block_shift;
  const float absmax = load_absmax_of_any<true>(a.weight, a.is_nested, block);
  return {load_once(reinterpret_cast<const uint4*>(a.weight.packed + first / 2)),
          {absmax, 1 << a.weight.block_shift < kVectorCodes ? load_absmax_of_any<true>(a.weight, a.is_nested, block + 1)
                                                            : absmax}};
}

template <class Value>
__device__ void decode_codes(const CodeVector& vector, const float* values, bool is_low_first, uint4* to) {
  std::uint32_t codes[4] = {vector.codes.x, vector.codes.y, vector.codes.z, vector.codes.w};
  if (is_low_first) {
#pragma unroll
    for (std::uint32_t& word : codes) word = with_high_first(word);
  }
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    std::uint32_t words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const float pair[2] = {mul_ftz(values[nibble(codes[v], 2 * w)], vector.absmax[v / 2]),
                             mul_ftz(values[nibble(codes[v], 2 * w + 1)], vector.absmax[v / 2])};
      words[w] = Rounding<Value>::word(pair);
    }
    to[v] = vector_of(words);
  }
}

// Like above, element by element, for rows at any address; zeros outside the weight.
template <class Value>
__device__ void decode_codes(const MatmulArguments& a, const float* values, std::int64_t row, std::int64_t col,
                             std::uint32_t* to) {
  for (int w = 0; w < kVectorCodes / 2; ++w) {
    float pair[2] = {};
    for (int e = 0; e < 2; ++e)
      if (row < a.rows && col + 2 * w + e < a.cols) {
        const std::int64_t i = row * a.cols + col + 2 * w + e;
        pair[e] = decode_element(a.weight, values, i,
                                 load_absmax_of_any<false>(a.weight, a.is_nested, i >> a.weight.block_shift));
      }
    to[w] = Rounding<Value>::word(pair);
  }
}

// Copies 32 values of LoRA's 16-bit matrix [rows, cols] to where decoded codes go; zeros outside the matrix.
__device__ inline void copy_values(const void* values, std::int64_t rows, std::int64_t cols, std::int64_t row,
                                   std::int64_t col, std::uint32_t* to) {
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(values) + row * cols + col;
#pragma unroll 1
  for (int w = 0; w < kVectorCodes / 2; ++w) {
    std::uint32_t word = 0;
    for (int e = 0; e < 2; ++e)
      if (row < rows && col + 2 * w + e < cols)
        word |= static_cast<std::uint32_t>(load_bytes<std::uint16_t>(from + 2 * w + e)) << (16 * e);
    to[w] = word;
  }
}

// Loads eight terms of a token from `term` on; zeros past the tokens and the terms.
template <bool kAligned>
__device__ uint4 load_inputs(const InputRows& in, std::int64_t tokens, std::int64_t token, std::int64_t term) {
  const std::int64_t terms = in.terms;
  if (token >= tokens || term >= terms) return {0, 0, 0, 0};
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(in.values) + token * in.stride + term;
  if constexpr (kAligned) return __ldg(reinterpret_cast<const uint4*>(from));
  std::uint32_t words[4] = {};
#pragma unroll
  for (int e = 0; e < 8; ++e)
    if (term + e < terms)
      words[e / 2] |= static_cast<std::uint32_t>(load_bytes<std::uint16_t>(from + e)) << (16 * (e % 2));
  return vector_of(words);
}

__device__ inline std::uint32_t word_at(const std::uint16_t* values) {
  return *reinterpret_cast<const std::uint32_t*>(values);
}

// Where a tile has a lane's four terms of a step: two adjacent ones at `low`, two at `high`.
struct StepTerms {
  int low;
  int high;
};
__device__ inline StepTerms terms_of(bool is_split, int step, int t) {
  if (is_split) return {32 * t + 4 * step, 32 * t + 4 * step + 2};
  return {format::kStepTerms * step + 2 * t, format::kStepTerms * step + 2 * t + 8};
}

// Loads mma's left operand: one step of 16 outputs of the tile of weights.
template <bool kForward>
__device__ void load_weights(const std::uint16_t* tile, int output, bool is_split, int step,
                             std::uint32_t (&words)[4]) {
  constexpr int kStride = WeightTile<kForward>::kStride;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if constexpr (kForward) {
    const StepTerms terms = terms_of(is_split, step, lane % 4);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      words[i] = word_at(tile + (output + lane / 4 + i % 2 * 8) * kStride + (i / 2 == 0 ? terms.low : terms.high));
  } else {
    const auto row = [&](int m, int r) {
      const StepTerms terms = terms_of(is_split, step, r / 2);
      return tile + ((m / 2 == 0 ? terms.low : terms.high) + r % 2) * kStride + output + m % 2 * 8;
    };
    load_transposed(row, lane, words);
  }
}

// Multiplies a warp's 16 outputs by kColumns columns of 8 tokens. a.is_split is read where it is used, because passed
// as a value it takes up to 82 more registers on sm_90.
template <class Value, bool kForward, int kColumns>
__device__ void multiply_terms(const MatmulArguments& a, const std::uint16_t* weights, const std::uint16_t* inputs,
                               float (&sums)[kColumns][4]) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int step = 0; step < kTileTerms / format::kStepTerms; ++step) {
    std::uint32_t of_weights[4];
    load_weights<kForward>(weights, warp * 16, a.is_split, step, of_weights);
    const StepTerms of_lane = terms_of(a.is_split, step, lane % 4);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const std::uint16_t* const token = inputs + (c * 8 + lane / 4) * kInputStride;
      const std::uint32_t of_inputs[2] = {word_at(token + of_lane.low), word_at(token + of_lane.high)};
      multiply(of_weights, of_inputs, sums[c], Value());
    }
  }
}

// ---- a thread block's tiles ----

template <bool kForward, int kTokens>
struct TileShared {
  alignas(kLoadBytes) std::uint16_t weights[WeightTile<kForward>::kRows * WeightTile<kForward>::kStride];
  alignas(kLoadBytes) std::uint16_t inputs[kTokens * kInputStride];
  float values[format::kCodes4];
};

// Row and column of the tile's vector `at` in the weight, or in LoRA's; the tile's terms begin at `term`.
template <bool kForward>
__device__ std::int64_t row_of(const BlockTile& block, std::int64_t term, int at) {
  return (kForward ? block.first_output : term) + WeightTile<kForward>::row(at);
}
template <bool kForward>
__device__ std::int64_t col_of(const BlockTile& block, std::int64_t term, int at) {
  return (kForward ? term : block.first_output) + WeightTile<kForward>::col(at);
}

template <bool kForward>
__device__ std::uint16_t* weight_place(std::uint16_t* weights, int at) {
  return weights + WeightTile<kForward>::row(at) * WeightTile<kForward>::kStride + WeightTile<kForward>::col(at);
}

// Loads the tile's vector `at`, 8 terms of a token.
template <bool kAligned>
__device__ uint4 load_inputs(const InputRows& in, std::int64_t m, const BlockTile& block, std::int64_t term, int at) {
  return load_inputs<kAligned>(in, m, block.first_token + at / kTokenVectors, term + at % kTokenVectors * 8);
}
__device__ inline void store_inputs(std::uint16_t* inputs, int at, uint4 vector) {
  *reinterpret_cast<uint4*>(inputs + at / kTokenVectors * kInputStride + at % kTokenVectors * 8) = vector;
}

// Starts to load a thread's part of both tiles.
template <bool kForward, bool kAligned, int kInputsEach>
__device__ void load_tiles(const MatmulArguments& a, const BlockTile& block, std::int64_t term,
                           CodeVector (&codes)[kTileVectors], uint4 (&inputs)[kInputsEach]) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (kAligned) {  // without the braces, nvcc drops the next loop, too
#pragma unroll
    for (int v = 0; v < kTileVectors; ++v) {
      const int at = thread + v * kTileThreads;
      codes[v] = load_codes(a, row_of<kForward>(block, term, at), col_of<kForward>(block, term, at));
    }
  }
#pragma unroll
  for (int i = 0; i < kInputsEach; ++i)
    inputs[i] = load_inputs<kAligned>({a.in, a.in_stride, kForward ? a.cols : a.rows}, a.m, block, term,
                                      thread + i * kTileThreads);
}

// Decodes loaded codes to shared memory, and stores loaded inputs there.
template <class Value, bool kForward, bool kAligned, int kTokens, int kInputsEach>
__device__ void store_tiles(const MatmulArguments& a, const BlockTile& block, std::int64_t term,
                            const CodeVector (&codes)[kTileVectors], const uint4 (&inputs)[kInputsEach],
                            TileShared<kForward, kTokens>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int v = 0; v < kTileVectors; ++v) {
    const int at = thread + v * kTileThreads;
    std::uint16_t* const to = weight_place<kForward>(shared.weights, at);
    if constexpr (kAligned)
      decode_codes<Value>(codes[v], shared.values, a.weight.is_low_first, reinterpret_cast<uint4*>(to));
    else
      decode_codes<Value>(a, shared.values, row_of<kForward>(block, term, at), col_of<kForward>(block, term, at),
                          reinterpret_cast<std::uint32_t*>(to));
  }
#pragma unroll
  for (int i = 0; i < kInputsEach; ++i) store_inputs(shared.inputs, thread + i * kTileThreads, inputs[i]);
}

// Copies LoRA's weights and inputs. LoRA has few terms, so that these loads need not overlap with products.
template <bool kForward, int kTokens>
__device__ void copy_lora_tiles(const MatmulArguments& a, const BlockTile& block, std::int64_t term,
                                TileShared<kForward, kTokens>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int v = 0; v < kTileVectors; ++v) {
    const int at = thread + v * kTileThreads;
    copy_values(a.lora_weight, kForward ? a.rows : a.lora_rank, kForward ? a.lora_rank : a.cols,
                row_of<kForward>(block, term, at), col_of<kForward>(block, term, at),
                reinterpret_cast<std::uint32_t*>(weight_place<kForward>(shared.weights, at)));
  }
#pragma unroll 1
  for (int i = 0; i < kTileInputs<kTokens>; ++i) {
    const int at = thread + i * kTileThreads;
    store_inputs(shared.inputs, at, load_inputs<false>({a.lora_in, a.lora_rank, a.lora_rank}, a.m, block, term, at));
  }
}

// Ends a chain of SPLIT: adds its sums to the totals of the chains before, if any.
template <int kColumns>
__device__ void end_chain(float (&sums)[kColumns][4], float (&totals)[kColumns][4], bool has_totals) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      totals[c][i] = has_totals ? __fadd_rn(totals[c][i], sums[c][i]) : sums[c][i];
      sums[c][i] = 0.0F;
    }
}

// A lane has two of its warp's 16 outputs, 8 apart, and two adjacent tokens of every 8.
template <class Value, bool kForward, int kColumns>
__device__ void store_sums(const MatmulArguments& a, const BlockTile& block, const float (&totals)[kColumns][4],
                           const float (&sums)[kColumns][4]) {
  const std::int64_t outputs = kForward ? a.rows : a.cols;  // a copy: otherwise reloaded after each store
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      store_output<Value>(a, block.first_token + c * 8 + lane % 4 * 2 + i % 2,
                          block.first_output + warp * 16 + lane / 4 + i / 2 * 8, outputs,
                          a.is_split ? totals[c][i] : sums[c][i]);
}

// ---- kernels ----

// A thread block makes 64 outputs of kTokens tokens, 128 terms at a time. Weights and inputs of the next 128 are in
// flight while these are multiplied. A warp has 16 of the outputs.
template <class Value, bool kForward, bool kAligned, int kTokens>
__device__ void multiply_tile(const MatmulArguments& a, const BlockTile& block) {
  constexpr int kColumns = kTokens / 8;  // of 8 tokens
  static_assert(kTokens * kTokenVectors % kTileThreads == 0);
  __shared__ TileShared<kForward, kTokens> shared;
  CodeVector codes[kTileVectors];
  uint4 inputs[kTileInputs<kTokens>];
  if (threadIdx.x < format::kCodes4) shared.values[threadIdx.x] = a.weight.values[threadIdx.x];
  float sums[kColumns][4] = {};
  float totals[kColumns][4] = {};  // of the chains before
  const std::int64_t terms = kForward ? a.cols : a.rows;
  const std::int64_t tiles = (terms + kTileTerms - 1) / kTileTerms;
  const std::int64_t all_tiles = tiles + (a.lora_rank + kTileTerms - 1) / kTileTerms;
  bool has_totals = false;
  load_tiles<kForward, kAligned>(a, block, 0, codes, inputs);
  for (std::int64_t tile = 0; tile < all_tiles; ++tile) {
    const bool is_lora = tile >= tiles;
    __syncthreads();
    if (is_lora)
      copy_lora_tiles(a, block, (tile - tiles) * kTileTerms, shared);
    else
      store_tiles<Value, kForward, kAligned>(a, block, tile * kTileTerms, codes, inputs, shared);
    __syncthreads();
    if (tile + 1 < tiles) load_tiles<kForward, kAligned>(a, block, (tile + 1) * kTileTerms, codes, inputs);
    multiply_terms<Value, kForward>(a, shared.weights, shared.inputs, sums);
    constexpr int kChainTiles = QFUSE_SPLIT_TERMS / kTileTerms;
    const std::int64_t behind = tile + 1 - (is_lora ? tiles : 0);  // finished tiles of the weight, or of LoRA
    if (a.is_split && (behind % kChainTiles == 0 || tile + 1 == tiles || tile + 1 == all_tiles)) {
      end_chain(sums, totals, has_totals);
      has_totals = true;
    }
  }
  store_sums<Value, kForward>(a, block, totals, sums);
}

template <class Value, bool kForward, int kTokens>
__global__ void __launch_bounds__(kTileThreads) multiply_tiled(const __grid_constant__ MatmulArguments a) {
  multiply_tile<Value, kForward, true, kTokens>(a, tile_of_block(a, kTileOutputs, kTokens));
}

// Without the second launch bound, ptxas uses so few registers for few tokens that it spills some (sm_80, sm_100).
template <class Value, bool kForward, int kTokens>
__global__ void __launch_bounds__(kTileThreads, kTokens == kTileTokens.front() ? 4 : 1)
    multiply_groups_tiled(const __grid_constant__ GroupedArguments a) {
  with_tile<Value, kForward>(a, kTileOutputs, kTokens, [&](const MatmulArguments& own, const BlockTile& tile) {
    multiply_tile<Value, kForward, true, kTokens>(own, tile);
  });
}

// For any address and size; for one weight, too, which has no experts.
template <class Value, bool kForward>
__global__ void __launch_bounds__(kTileThreads) multiply_tiled_unaligned(const __grid_constant__ GroupedArguments a) {
  const auto multiply = [](const MatmulArguments& own, const BlockTile& tile) {
    multiply_tile<Value, kForward, false, kUnalignedTileTokens>(own, tile);
  };
  if (a.groups.experts == 0)
    multiply(a.matmul, tile_of_block(a.matmul, kTileOutputs, kUnalignedTileTokens));
  else
    with_tile<Value, kForward>(a, kTileOutputs, kUnalignedTileTokens, multiply);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_TILED_CUH
