// The steps and kernels of matmul_4bit; those on the weight stand in device/weight_4bit.cuh.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/matmul_4bit/plan.h"
#include "format/matrix_step.h"

namespace qfuse::cuda {

// ---- what a kernel sees ----

struct MatmulArguments {
  std::int64_t m;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t in_stride;
  std::int64_t out_stride;
  std::int64_t blocks;       // of the launch
  std::int64_t token_tiles;  // of thread blocks; those of the same outputs are neighbours
  bool is_nested;
  bool is_split;
  Weight4bit weight;
  const void* in;
  const void* bias;
  void* out;
  std::int64_t lora_rank;
  const void* lora_in;
  const void* lora_weight;
};

inline MatmulArguments arguments_of(const contract::Matmul4bit& p, const Matmul4bitPlan& plan) {
  return {.m = p.m,
          .rows = p.weight.rows,
          .cols = p.weight.cols,
          .in_stride = in_stride(p),
          .out_stride = out_stride(p),
          .blocks = plan.blocks,
          .token_tiles = format::ceil_div(p.m, plan.tokens),
          .is_nested = contract::is_nested(p.weight),
          .is_split = p.order == QFUSE_ORDER_SPLIT,
          .weight = device_view(p.weight),
          .in = p.in,
          .bias = p.bias,
          .out = p.out,
          .lora_rank = p.lora_rank,
          .lora_in = p.lora_in,
          .lora_weight = p.lora_weight};
}

// The kernel for few tokens, in sm90.cu.
contract::Outcome launch_few(const MatmulArguments& a, qfuse_dtype dtype, const Matmul4bitPlan& plan,
                             const qfuse_exec& exec);

// The one in stages, in sm90a.cu.
contract::Outcome launch_staged(const MatmulArguments& a, const contract::Matmul4bit& p, const Matmul4bitPlan& plan,
                                const qfuse_exec& exec);

// Elements that a thread decodes at once, in one row; and how many such runs it has of a tile.
constexpr int kRunElements = 32;
constexpr int kTileRuns = kTileOutputs * kTileTerms / kRunElements / kTileThreads;
// Elements behind a row of a tile in shared memory, so that what a warp reads lies in different banks.
constexpr int kPadding = 8;
constexpr int kInputStride = kTileTerms + kPadding;

// The tile of weights is as it is stored: forward its rows are outputs, backward terms.
template <bool kForward>
struct WeightTile {
  static constexpr int kRows = kForward ? kTileOutputs : kTileTerms;
  static constexpr int kCols = kForward ? kTileTerms : kTileOutputs;
  static constexpr int kStride = kCols + kPadding;
  // Of a thread's run.
  static __device__ int row(int run) { return run / (kCols / kRunElements); }
  static __device__ int col(int run) { return run % (kCols / kRunElements) * kRunElements; }
};

// ---- steps ----

__device__ inline void multiply(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4], Half) {
  multiply_half(a, b, sums);
}
__device__ inline void multiply(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4], Bfloat16) {
  multiply_bfloat16(a, b, sums);
}

// The absmax of a block, whatever is nested.
template <bool kWide>
__device__ float absmax_of(const Weight4bit& w, bool is_nested, std::int64_t block) {
  if (!is_nested) return load<kWide>(w.absmax + block);
  const float value = load<kWide>(w.nested_quant_map + w.absmax_8bit[block]);
  const float scale = load<kWide>(w.nested_absmax + (block >> (w.nested_shift - w.block_shift)));
  return __fadd_rn(mul_ftz(value, scale), load<kWide>(w.nested_offset));
}

// One weight, before it is rounded.
__device__ inline float decode_element(const Weight4bit& w, bool is_nested, const float* values, std::int64_t i) {
  const unsigned byte = w.packed[i / 2];
  return mul_ftz(values[i % 2 == 0 ? byte >> 4 : byte & 0xfU], absmax_of<false>(w, is_nested, i >> w.block_shift));
}

// What a thread has in flight of a tile of the weight: a run of 32 elements of one row.
struct Run {
  uint4 codes;
  float absmax;
};

// The run at (row, col) is either in the weight or beyond it, and in one block.
__device__ inline Run load_run(const MatmulArguments& a, std::int64_t row, std::int64_t col) {
  if (row >= a.rows || col >= a.cols) return {{0, 0, 0, 0}, 0.0F};
  const std::int64_t first = row * a.cols + col;
  return {load_once(reinterpret_cast<const uint4*>(a.weight.packed + first / 2)),
          absmax_of<true>(a.weight, a.is_nested, first >> a.weight.block_shift)};
}

template <class Value>
__device__ void decode_run(const Run& run, const float* values, uint4* to) {
  const std::uint32_t codes[4] = {run.codes.x, run.codes.y, run.codes.z, run.codes.w};
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    std::uint32_t words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const float pair[2] = {mul_ftz(values[nibble(codes[v], 2 * w)], run.absmax),
                             mul_ftz(values[nibble(codes[v], 2 * w + 1)], run.absmax)};
      words[w] = Rounding<Value>::word(pair);
    }
    to[v] = vector_of(words);
  }
}

// The same where rows begin anywhere; zeros beyond the weight.
template <class Value>
__device__ void decode_run(const MatmulArguments& a, const float* values, std::int64_t row, std::int64_t col,
                           std::uint32_t* to) {
  for (int w = 0; w < kRunElements / 2; ++w) {
    float pair[2] = {};
    for (int e = 0; e < 2; ++e)
      if (row < a.rows && col + 2 * w + e < a.cols)
        pair[e] = decode_element(a.weight, a.is_nested, values, row * a.cols + col + 2 * w + e);
    to[w] = Rounding<Value>::word(pair);
  }
}

// 16-bit values of LoRA where a run of the weight would be, of a matrix [rows, cols]; zeros beyond it.
__device__ inline void copy_run(const void* values, std::int64_t rows, std::int64_t cols, std::int64_t row,
                                std::int64_t col, std::uint32_t* to) {
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(values) + row * cols + col;
#pragma unroll 1
  for (int w = 0; w < kRunElements / 2; ++w) {
    std::uint32_t word = 0;
    for (int e = 0; e < 2; ++e)
      if (row < rows && col + 2 * w + e < cols)
        word |= static_cast<std::uint32_t>(load_bytes<std::uint16_t>(from + 2 * w + e)) << (16 * e);
    to[w] = word;
  }
}

// Rows of inputs: of `in`, or of lora_in.
struct InputRows {
  const void* values;
  std::int64_t stride;
  std::int64_t terms;
};

// Eight terms of a token from `term` on; zeros beyond the tokens and the terms.
template <bool kWide>
__device__ uint4 load_inputs(const InputRows& in, std::int64_t tokens, std::int64_t token, std::int64_t term) {
  const std::int64_t terms = in.terms;
  if (token >= tokens || term >= terms) return {0, 0, 0, 0};
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(in.values) + token * in.stride + term;
  if constexpr (kWide) return __ldg(reinterpret_cast<const uint4*>(from));
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

// Where a lane's four terms of a step lie in a tile: two, and two more.
struct StepTerms {
  int low;
  int high;
};
__device__ inline StepTerms terms_of(bool is_split, int step, int t) {
  if (is_split) return {32 * t + 4 * step, 32 * t + 4 * step + 2};
  return {format::kStepTerms * step + 2 * t, format::kStepTerms * step + 2 * t + 8};
}

// 16 outputs of one step of the tile of weights, for the matrix instruction.
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

template <class Value>
__device__ void store_output(const MatmulArguments& a, std::int64_t token, std::int64_t output, std::int64_t outputs,
                             float sum) {
  if (token >= a.m || output >= outputs) return;
  if (a.bias != nullptr) sum = __fadd_rn(sum, widen(load_bytes<Value>(static_cast<const Value*>(a.bias) + output)));
  store<false>(static_cast<Value*>(a.out) + token * a.out_stride + output, Rounding<Value>::one(sum));
}

// ---- kernel: matrix instructions on tiles of decoded weights ----

// A thread block makes 64 outputs of kTokens tokens, 128 terms at a time: weights and inputs of the next ones are on their
// way while these are multiplied. A warp has 16 of the outputs.
template <class Value, bool kForward, bool kWide, int kTokens>
__global__ void __launch_bounds__(kTileThreads) multiply_tiled(const __grid_constant__ MatmulArguments a) {
  using Tile = WeightTile<kForward>;
  constexpr int kInputs = kTokens * kTileTerms / 8;  // vectors of 8 terms
  constexpr int kInputsEach = kInputs / kTileThreads;
  constexpr int kVectors = kTileTerms / 8;  // of a token
  constexpr int kColumns = kTokens / 8;     // of 8 tokens
  static_assert(kInputs % kTileThreads == 0);
  __shared__ uint4 weight_tile[Tile::kRows * Tile::kStride / 8];
  __shared__ uint4 input_tile[kTokens * kInputStride / 8];
  __shared__ float values[format::kCodes4];
  auto* const weights = reinterpret_cast<std::uint16_t*>(weight_tile);
  auto* const inputs = reinterpret_cast<std::uint16_t*>(input_tile);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  const std::int64_t terms = kForward ? a.cols : a.rows;
  const std::int64_t outputs = kForward ? a.rows : a.cols;
  const std::int64_t first_output = blockIdx.x / a.token_tiles * kTileOutputs;
  const std::int64_t first_token = blockIdx.x % a.token_tiles * kTokens;

  Run runs[kTileRuns];
  uint4 next[kInputsEach];
  const auto row_of = [&](int run, std::int64_t term) {
    return (kForward ? first_output : term) + Tile::row(thread + run * kTileThreads);
  };
  const auto col_of = [&](int run, std::int64_t term) {
    return (kForward ? term : first_output) + Tile::col(thread + run * kTileThreads);
  };
  const auto load_step = [&](std::int64_t term) {
    if constexpr (kWide)
#pragma unroll
      for (int run = 0; run < kTileRuns; ++run) runs[run] = load_run(a, row_of(run, term), col_of(run, term));
#pragma unroll
    for (int i = 0; i < kInputsEach; ++i) {
      const int at = thread + i * kTileThreads;
      next[i] =
          load_inputs<kWide>({a.in, a.in_stride, terms}, a.m, first_token + at / kVectors, term + at % kVectors * 8);
    }
  };
  const auto store_inputs = [&](int at, uint4 vector) {
    *reinterpret_cast<uint4*>(inputs + at / kVectors * kInputStride + at % kVectors * 8) = vector;
  };
  const auto store_step = [&](std::int64_t term) {
#pragma unroll
    for (int run = 0; run < kTileRuns; ++run) {
      const int at = thread + run * kTileThreads;
      std::uint16_t* const to = weights + Tile::row(at) * Tile::kStride + Tile::col(at);
      if constexpr (kWide)
        decode_run<Value>(runs[run], values, reinterpret_cast<uint4*>(to));
      else
        decode_run<Value>(a, values, row_of(run, term), col_of(run, term), reinterpret_cast<std::uint32_t*>(to));
    }
#pragma unroll
    for (int i = 0; i < kInputsEach; ++i) store_inputs(thread + i * kTileThreads, next[i]);
  };
  // Terms of LoRA, which are few, are not on their way while others are multiplied.
  const auto store_lora_step = [&](std::int64_t term) {
#pragma unroll 1
    for (int run = 0; run < kTileRuns; ++run) {
      const int at = thread + run * kTileThreads;
      copy_run(a.lora_weight, kForward ? outputs : a.lora_rank, kForward ? a.lora_rank : outputs, row_of(run, term),
               col_of(run, term),
               reinterpret_cast<std::uint32_t*>(weights + Tile::row(at) * Tile::kStride + Tile::col(at)));
    }
#pragma unroll 1
    for (int i = 0; i < kInputsEach; ++i) {
      const int at = thread + i * kTileThreads;
      store_inputs(at, load_inputs<false>({a.lora_in, a.lora_rank, a.lora_rank}, a.m, first_token + at / kVectors,
                                          term + at % kVectors * 8));
    }
  };

  if (thread < format::kCodes4) values[thread] = a.weight.values[thread];
  float sums[kColumns][4] = {};
  float totals[kColumns][4] = {};  // of the chains before
  const std::int64_t tiles = (terms + kTileTerms - 1) / kTileTerms;
  const std::int64_t all_tiles = tiles + (a.lora_rank + kTileTerms - 1) / kTileTerms;
  bool has_totals = false;
  load_step(0);
  for (std::int64_t tile = 0; tile < all_tiles; ++tile) {
    const bool is_lora = tile >= tiles;
    __syncthreads();
    if (is_lora)
      store_lora_step((tile - tiles) * kTileTerms);
    else
      store_step(tile * kTileTerms);
    __syncthreads();
    if (tile + 1 < tiles) load_step((tile + 1) * kTileTerms);
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
    constexpr int kChainTiles = QFUSE_SPLIT_TERMS / kTileTerms;
    const std::int64_t behind = tile + 1 - (is_lora ? tiles : 0);  // tiles of the weight, or of LoRA, that are done
    if (a.is_split && (behind % kChainTiles == 0 || tile + 1 == tiles || tile + 1 == all_tiles)) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          totals[c][i] = has_totals ? __fadd_rn(totals[c][i], sums[c][i]) : sums[c][i];
          sums[c][i] = 0.0F;
        }
      has_totals = true;
    }
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      store_output<Value>(a, first_token + c * 8 + lane % 4 * 2 + i % 2,
                          first_output + warp * 16 + lane / 4 + i / 2 * 8, outputs,
                          a.is_split ? totals[c][i] : sums[c][i]);
}

// ---- kernels: sums in fp32 ----

template <class Value>
__device__ float load_input(const InputRows& in, std::int64_t tokens, std::int64_t token, std::int64_t term) {
  if (token >= tokens) return 0.0F;
  return widen(load<false>(static_cast<const Value*>(in.values) + token * in.stride + term));
}

template <class Value>
__device__ float rounded_weight(const MatmulArguments& a, const float* values, std::int64_t i) {
  return widen(Rounding<Value>::one(decode_element(a.weight, a.is_nested, values, i)));
}

// Forward: a warp makes one output, each lane one of its 32 sums. Backward: a thread makes one output.
template <class Value, bool kForward>
__global__ void __launch_bounds__(kFp32Threads) multiply_in_fp32(const __grid_constant__ MatmulArguments a) {
  __shared__ float values[format::kCodes4];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  if (thread < format::kCodes4) values[thread] = a.weight.values[thread];
  __syncthreads();
  constexpr int kOutputs = kForward ? kFp32Threads / kWarp : kFp32Threads;
  const std::int64_t terms = kForward ? a.cols : a.rows;
  const std::int64_t outputs = kForward ? a.rows : a.cols;
  const std::int64_t output = blockIdx.x / a.token_tiles * kOutputs + (kForward ? thread / kWarp : thread);
  const std::int64_t first_token = blockIdx.x % a.token_tiles * kFp32Tokens;
  if (output >= outputs) return;
  float sums[kFp32Tokens] = {};
  const auto add_terms = [&](const InputRows& in, auto weight_of) {
    for (std::int64_t term = kForward ? lane : 0; term < in.terms; term += kForward ? kWarp : 1) {
      const float weight = weight_of(kForward ? output * in.terms + term : term * outputs + output);
#pragma unroll
      for (int i = 0; i < kFp32Tokens; ++i)
        sums[i] = __fadd_rn(sums[i], __fmul_rn(load_input<Value>(in, a.m, first_token + i, term), weight));
    }
  };
  add_terms({a.in, a.in_stride, terms}, [&](std::int64_t i) { return rounded_weight<Value>(a, values, i); });
  add_terms({a.lora_in, a.lora_rank, a.lora_rank},
            [&](std::int64_t i) { return widen(load<false>(static_cast<const Value*>(a.lora_weight) + i)); });
#pragma unroll
  for (int i = 0; i < kFp32Tokens; ++i) {
    if constexpr (kForward)
      for (int half = kWarp / 2; half > 0; half /= 2) sums[i] = __fadd_rn(sums[i], exchange(sums[i], half));
    if (!kForward || lane == 0) store_output<Value>(a, first_token + i, output, outputs, sums[i]);
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH
