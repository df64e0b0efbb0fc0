// Kernel `multistage`: PLAIN on every GPU with matrix instructions. A stage is 64 or 128 elements of K in shared
// memory: codes, inputs and absmax. Copying warps fill later stages, so that multiplying warps wait for nothing but
// their products. Multiplying warps decode codes to registers, as the left operand of mma.sync, so that decoded weights
// are never in shared memory.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/matmul_4bit/epilogue.cuh"
#include "backend/cuda/matmul_4bit/multistage_copies.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- steps ----

template <bool kForward>
__device__ int stage_terms(const MatmulArguments& a) {
  return static_cast<int>(kForward ? a.cols : a.rows);
}

// A warp's part of the tile. In each fragment of 16 outputs, a lane has rows g and g + 8 of mma's left operand, with
// g = lane / 4, and of each step the terms 2q, 2q + 1, 2q + 8 and 2q + 9, with q = lane % 4.
template <class Tile, bool kForward>
struct WarpPlace {
  int output;
  int token;
  int lane;
  __device__ WarpPlace() {
    constexpr int kWarpsOfTokens = Tile::kOutputs / Tile::kShape.warp_outputs;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    output = warp % kWarpsOfTokens * Tile::kShape.warp_outputs;
    token = warp / kWarpsOfTokens * Tile::kShape.warp_tokens;
    lane = static_cast<int>(threadIdx.x) % kWarp;
  }
  // Backward, a lane loads two adjacent bytes of a term's 16 bytes of codes, each with two outputs. Returns which of
  // them fragment f uses. A warp with one fragment leaves the other byte to the adjacent warp.
  [[nodiscard]] __device__ int byte_of(int f) const { return output / 16 % 2 + f; }
  // The tile's output that is row `row` of fragment f.
  [[nodiscard]] __device__ int output_of(int f, int row) const {
    return kForward ? output + f * 16 + row
                    : output / kVectorCodes * kVectorCodes + row % 8 * 4 + byte_of(f) * 2 + row / 8;
  }
};

struct Fragment {
  std::uint32_t words[4];
};

// A lane has four sums per fragment and column of 8 tokens.
template <class Tile>
struct WarpSums {
  float of[Tile::kFragments][Tile::kColumns * 4];
  __device__ float (&column(int f, int c))[4] { return *reinterpret_cast<float(*)[4]>(of[f] + 4 * c); }
};

template <class Value>
__device__ std::uint32_t rounded_pair(float first, float first_absmax, float second, float second_absmax) {
  const float weights[2] = {mul_ftz(first, first_absmax), mul_ftz(second, second_absmax)};
  return Rounding<Value>::word(weights);
}

// Forward: a lane's codes and absmax for a window (32 elements of K, two steps), in both its rows of a fragment.
struct RowCodes {
  std::uint32_t words[2][4];
  float absmax[2];
};

template <class Tile>
__device__ RowCodes load_row_codes(const MultistageStage<Tile>& stage, const float* absmax, int row, int window) {
  RowCodes codes;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    unpack(stage.codes[code_place<kRowCodeVectors<Tile, true>>(row + 8 * h, window)], codes.words[h]);
    codes.absmax[h] = absmax[absmax_place<Tile, true>(row + 8 * h, window)];
  }
  return codes;
}

// A step has two words of codes per row. The lane decodes its byte, `byte`, of each.
template <class Value>
__device__ Fragment decode_row_codes(SharedPairs pairs, const RowCodes& codes, int step, std::uint32_t byte) {
  Fragment fragment;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Pair pair = load_pair_at(pairs, codes.words[i % 2][step % 2 * 2 + i / 2], byte);
    fragment.words[i] = rounded_pair<Value>(pair.first, codes.absmax[i % 2], pair.second, codes.absmax[i % 2]);
  }
  return fragment;
}

// Backward: a lane's codes for a window (32 elements of K, two steps). It has two of every 8 terms, one in each half of
// a word. A half has 2 bytes of codes, those of 4 outputs.
struct TermCodes {
  std::uint32_t words[4];
};

template <class Tile>
__device__ TermCodes load_term_codes(const MultistageStage<Tile>& stage, const WarpPlace<Tile, false>& warp,
                                     int window) {
  const auto row = [&](int m, int r) {
    return stage.codes +
           code_place<kRowCodeVectors<Tile, false>>(window * kVectorCodes + m * 8 + r, warp.output / kVectorCodes);
  };
  TermCodes codes;
  load_transposed(row, warp.lane, codes.words);
  return codes;
}

template <class Value, class Tile>
__device__ Fragment decode_term_codes(SharedPairs pairs, const TermCodes& codes, const float* absmax,
                                      const WarpPlace<Tile, false>& warp, int step, int byte) {
  Fragment fragment;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const std::uint32_t word = codes.words[step % 2 * 2 + h];
    const Pair first = load_pair_at(pairs, word, byte_place(byte));
    const Pair second = load_pair_at(pairs, word, byte_place(byte + 2));
    const Pair of = *reinterpret_cast<const Pair*>(
        absmax +
        absmax_place<Tile, false>(step * format::kStepTerms + h * 8 + warp.lane % 4 * 2, warp.output / kVectorCodes));
    fragment.words[2 * h] = rounded_pair<Value>(first.first, of.first, second.first, of.second);
    fragment.words[2 * h + 1] = rounded_pair<Value>(first.second, of.first, second.second, of.second);
  }
  return fragment;
}

// Multiplies one step for all of the warp's outputs and tokens.
template <class Value, class Tile, bool kForward>
__device__ void multiply_step(const uint4* inputs, const WarpPlace<Tile, kForward>& warp, int step,
                              const Fragment (&weights)[Tile::kFragments], WarpSums<Tile>& sums) {
#pragma unroll
  for (int c = 0; c < Tile::kColumns; c += 2) {
    const auto row = [&](int m, int r) {
      return inputs + (warp.token + c * 8 + m / 2 * 8 + r) * Tile::kRowVectors + (r ^ m % 2 ^ 2 * step);
    };
    std::uint32_t words[4];
    load_matrices(row, warp.lane, words);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t of_inputs[2] = {words[2 * h], words[2 * h + 1]};
#pragma unroll
      for (int f = 0; f < Tile::kFragments; ++f) multiply(weights[f].words, of_inputs, sums.column(f, c + h), Value());
    }
  }
}

// A warp's decoded weights of a step. Codes are loaded at even steps, for two steps.
template <class Value, class Tile, bool kForward>
struct StepWeights {
  RowCodes rows[Tile::kFragments];
  TermCodes terms;
  Fragment fragments[Tile::kFragments];

  __device__ void decode(const MultistageStage<Tile>& stage, const float* absmax, SharedPairs pairs,
                         const WarpPlace<Tile, kForward>& warp, int step) {
    if constexpr (kForward) {
#pragma unroll
      for (int f = 0; f < Tile::kFragments; ++f) {
        if (step % 2 == 0) rows[f] = load_row_codes(stage, absmax, warp.output_of(f, warp.lane / 4), step / 2);
        fragments[f] = decode_row_codes<Value>(pairs, rows[f], step, byte_place(warp.lane % 4));
      }
    } else {
      if (step % 2 == 0) terms = load_term_codes(stage, warp, step / 2);
#pragma unroll
      for (int f = 0; f < Tile::kFragments; ++f)
        fragments[f] = decode_term_codes<Value>(pairs, terms, absmax, warp, step, warp.byte_of(f));
    }
  }
};

// Decodes each step before it multiplies the previous one.
template <class Value, class Tile, bool kForward>
__device__ void multiply_stage(const MultistageStage<Tile>& stage, const float* absmax, SharedPairs pairs,
                               const WarpPlace<Tile, kForward>& warp, WarpSums<Tile>& sums) {
  StepWeights<Value, Tile, kForward> weights;
  weights.decode(stage, absmax, pairs, warp, 0);
#pragma unroll
  for (int step = 0; step < Tile::kSteps; ++step) {
    const StepWeights<Value, Tile, kForward> here = weights;
    if (step + 1 < Tile::kSteps) weights.decode(stage, absmax, pairs, warp, step + 1);
    multiply_step<Value>(stage.inputs, warp, step, here.fragments, sums);
  }
}

// ---- LoRA ----

// Returns an element of a matrix [rows, cols] at any address; zero outside the matrix.
__device__ inline std::uint32_t lora_value(const void* values, std::int64_t rows, std::int64_t cols, std::int64_t row,
                                           std::int64_t col) {
  if (row >= rows || col >= cols) return 0;
  return load_bytes<std::uint16_t>(static_cast<const std::uint16_t*>(values) + row * cols + col);
}

// Copies a stage of LoRA's terms: inputs, and weights in the layout of inputs. They overwrite the weight's stages.
template <class Tile, bool kForward>
__device__ void copy_lora_stage(const MatmulArguments& a, const BlockTile& block, std::int64_t term, uint4* inputs,
                                uint4* weights) {
  constexpr int kRowWords = Tile::kTerms / 2;
  const auto word_at = [](uint4* tile, int row, int word) {
    return reinterpret_cast<std::uint32_t*>(tile + value_place<Tile>(row, word / 4)) + word % 4;
  };
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kTokens * kRowWords; i += Tile::kThreads) {
    const std::int64_t token = block.first_token + i / kRowWords;
    const std::int64_t first = term + i % kRowWords * 2;
    *word_at(inputs, i / kRowWords, i % kRowWords) = lora_value(a.lora_in, a.m, a.lora_rank, token, first) |
                                                     lora_value(a.lora_in, a.m, a.lora_rank, token, first + 1) << 16;
  }
  const auto weight = [&](std::int64_t output, std::int64_t of_term) {
    return kForward ? lora_value(a.lora_weight, a.rows, a.lora_rank, output, of_term)
                    : lora_value(a.lora_weight, a.lora_rank, a.cols, of_term, output);
  };
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kOutputs * kRowWords; i += Tile::kThreads) {
    const int output = kForward ? i / kRowWords : i % Tile::kOutputs;
    const int word = kForward ? i % kRowWords : i / Tile::kOutputs;
    const std::int64_t first = term + 2 * word;
    *word_at(weights, output, word) =
        weight(block.first_output + output, first) | weight(block.first_output + output, first + 1) << 16;
  }
}

template <class Value, class Tile, bool kForward>
__device__ void multiply_lora_stage(const uint4* inputs, const uint4* weights, const WarpPlace<Tile, kForward>& warp,
                                    WarpSums<Tile>& sums) {
#pragma unroll
  for (int step = 0; step < Tile::kSteps; ++step) {
    Fragment fragments[Tile::kFragments];
#pragma unroll
    for (int f = 0; f < Tile::kFragments; ++f) {
      const auto row = [&](int m, int r) {
        return weights + value_place<Tile>(warp.output_of(f, m % 2 * 8 + r), 2 * step + m / 2);
      };
      load_matrices(row, warp.lane, fragments[f].words);
    }
    multiply_step<Value>(inputs, warp, step, fragments, sums);
  }
}

// All threads call it: all copy, then call multiply(inputs, weights), which does nothing in copying warps.
template <class Tile, bool kForward, class Multiply>
__device__ void add_lora(const MatmulArguments& a, const BlockTile& block, MultistageShared<Tile>& shared,
                         const Multiply& multiply) {
  static_assert((Tile::kInputVectors + Tile::kOutputs * Tile::kRowVectors) * sizeof(uint4) <= sizeof shared.stages);
  uint4* const inputs = shared.stages[0].inputs;
  uint4* const weights = inputs + Tile::kInputVectors;
#pragma unroll 1
  for (std::int64_t term = 0; term < a.lora_rank; term += Tile::kTerms) {
    __syncthreads();
    copy_lora_stage<Tile, kForward>(a, block, term, inputs, weights);
    __syncthreads();
    multiply(inputs, weights);
  }
}

// ---- epilogue ----

// Forward, a fragment's sums have the layout of a warpgroup with weights as the left operand (epilogue.cuh).
template <class Tile>
struct FragmentTile {
  static constexpr int kColumns = Tile::kShape.warp_tokens;
};

template <class Value, class Tile>
__device__ void store_fragments(const TileOutputs& to, std::int64_t token, int output, int outputs, int lane,
                                WarpSums<Tile>& sums) {
#pragma unroll
  for (int f = 0; f < Tile::kFragments; ++f) {
    if (to.bias != nullptr)
      add_bias_of_rows<Value, FragmentTile<Tile>>(to, output + f * 16 + lane / 4, outputs, sums.of[f]);
    store_outputs<Value, FragmentTile<Tile>>(to, token, output + f * 16, outputs, sums.of[f]);
  }
}

// Backward, a lane has adjacent outputs, two of each fragment, for two adjacent tokens of every 8.
template <class Value, class Tile>
__device__ void store_neighbours(const TileOutputs& to, std::int64_t token, int output, int outputs,
                                 const WarpSums<Tile>& sums) {
  constexpr int kEach = 2 * Tile::kFragments;
  float bias[kEach] = {};
#pragma unroll
  for (int e = 0; e < kEach; ++e)
    if (to.bias != nullptr && output + e < outputs)
      bias[e] = widen(load_bytes<Value>(static_cast<const Value*>(to.bias) + output + e));
  Value* const first = static_cast<Value*>(to.out) + token * to.stride + output;
  const bool is_vector = output + kEach <= outputs && is_aligned(to.out, kEach * sizeof(Value)) &&
                         to.stride % kEach == 0 && output % kEach == 0;
#pragma unroll
  for (int i = 0; i < Tile::kColumns * 2; ++i) {
    const int of_token = i / 2 * 8 + i % 2;
    std::uint32_t words[2] = {};
#pragma unroll
    for (int f = 0; f < Tile::kFragments; ++f) {
      const float* const pair = sums.of[f] + i / 2 * 4 + i % 2;
      const float with_bias[2] = {to.bias == nullptr ? pair[0] : __fadd_rn(pair[0], bias[2 * f]),
                                  to.bias == nullptr ? pair[2] : __fadd_rn(pair[2], bias[2 * f + 1])};
      words[f] = Rounding<Value>::word(with_bias);
    }
    if (token + of_token < to.end)
      store_words<Tile::kFragments>(first + of_token * to.stride, is_vector, outputs - output, words);
  }
}

template <class Value, class Tile, bool kForward>
__device__ void store_sums(const MatmulArguments& a, const BlockTile& block, const WarpPlace<Tile, kForward>& warp,
                           WarpSums<Tile>& sums) {
  const TileOutputs to = {a.out, a.out_stride, a.m, a.bias};
  const std::int64_t token = block.first_token + warp.token;
  const auto first_output = static_cast<int>(block.first_output);
  if constexpr (kForward)
    store_fragments<Value>(to, token, first_output + warp.output, static_cast<int>(a.rows), warp.lane, sums);
  else
    store_neighbours<Value>(to, token + warp.lane % 4 * 2, first_output + warp.output_of(0, warp.lane / 4),
                            static_cast<int>(a.cols), sums);
}

// ---- kernel ----

// Fills the block's look-up tables. Only multiplying threads call it.
template <class Tile>
__device__ void fill_tables(const MatmulArguments& a, MultistageShared<Tile>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  fill_pairs(a.weight, shared.pairs, thread / kWarp, Tile::kMultipliers / kWarp, thread % kWarp);
  if (a.is_nested)
    for (unsigned i = static_cast<unsigned>(thread); i < format::kCodes8; i += Tile::kMultipliers)
      shared.map[i] = load_map_value<true>(a.weight, i);
}

// Position in the ring of stages. Copying and multiplying warps each count it for themselves, in step.
template <class Tile>
struct StageSlots {
  int slot = 0;                  // of the current stage
  int free = Tile::kStages - 1;  // slot of the stage before, which may be overwritten
  int phase = 0;                 // absmax buffer of the current stage
  __device__ void advance() {
    free = slot;
    slot = slot + 1 == Tile::kStages ? 0 : slot + 1;
    phase ^= 1;
  }
};

// Copying warps. While a stage is multiplied, codes and inputs of the next kStages - 1 stages and absmax of the next
// two are in flight. Each barrier pairs with one of multiply_stages. The first one is after the filling of the tables.
// Each later one is before a stage: that stage is then complete, and the stage before is no longer read.
template <class Tile, bool kForward, bool kHalves>
__device__ void copy_stages(const MatmulArguments& a, const BlockTile& block, MultistageShared<Tile>& shared) {
  typename Tile::StageCopies copies;
  StageCopier<Tile, kForward> copier(a, block);
  StageAbsmax<Tile, kForward, kHalves> absmax(a, block);
  constexpr int kLast = kAbsmaxStages<Tile, kForward> - 1;
  absmax.template load<0>();
  if constexpr (kLast > 0) absmax.template load<kLast>();
#pragma unroll 1
  for (int slot = -Tile::kHeld; slot < Tile::kStages - 1; ++slot)
    copier.copy(copies, shared.stages[slot < 0 ? 0 : slot]);
  absmax.prefetch_first();
  __syncthreads();
  absmax.template store<0>(shared.map, shared.absmax[0]);
  absmax.template load<0>();
  StageSlots<Tile> slots;
  const auto next = [&](auto at) {
    copies.template wait<Tile::kStages - 2>();
    __syncthreads();
    copier.copy(copies, shared.stages[slots.free]);
    absmax.template store<at>(shared.map, shared.absmax[slots.phase ^ 1]);
    absmax.template load<at>();
    slots.advance();
  };
  const int stages = (stage_terms<kForward>(a) + Tile::kTerms - 1) / Tile::kTerms;
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) {
    if constexpr (kLast > 0) {
      next(std::integral_constant<int, kLast>());
      if (++stage == stages) break;
    }
    next(std::integral_constant<int, 0>());
  }
  copies.template wait<0>();
}

template <class Value, class Tile, bool kForward>
__device__ void multiply_stages(const MatmulArguments& a, const WarpPlace<Tile, kForward>& warp,
                                MultistageShared<Tile>& shared, WarpSums<Tile>& sums) {
  fill_tables(a, shared);
  __syncthreads();
  const SharedPairs pairs = shared_pairs(shared.pairs, warp.lane);
  StageSlots<Tile> slots;
#pragma unroll 1
  for (int term = 0; term < stage_terms<kForward>(a); term += Tile::kTerms) {
    __syncthreads();
    multiply_stage<Value>(shared.stages[slots.slot], shared.absmax[slots.phase], pairs, warp, sums);
    slots.advance();
  }
}

template <class Value, bool kForward, class Tile>
__device__ void multiply_in_stages(const GroupedArguments& given) {
  MultistageShared<Tile>& shared = multistage_shared<Tile>();
  if (!find_tile<Value, kForward>(given, Tile::kOutputs, Tile::kTokens, shared.matmul, shared.block)) return;
  __syncthreads();
  const MatmulArguments& a = shared.matmul;
  const BlockTile block = shared.block;
  if (threadIdx.x >= Tile::kMultipliers) {
    if (!a.is_nested && a.weight.absmax_type != QFUSE_SCALES_FLOAT32)
      copy_stages<Tile, kForward, true>(a, block, shared);
    else
      copy_stages<Tile, kForward, false>(a, block, shared);
    add_lora<Tile, kForward>(a, block, shared, [](const uint4*, const uint4*) {});
    return;
  }
  const WarpPlace<Tile, kForward> warp;
  WarpSums<Tile> sums = {};
  multiply_stages<Value>(a, warp, shared, sums);
  add_lora<Tile, kForward>(a, block, shared, [&](const uint4* inputs, const uint4* weights) {
    multiply_lora_stage<Value>(inputs, weights, warp, sums);
  });
  store_sums<Value>(a, block, warp, sums);
}

// A thread block makes one tile. For a stack of experts, it first finds the tile's expert.
template <class Value, bool kForward, int kOutputs, int kTokens>
__global__ void __launch_bounds__(multistage_shape(kOutputs, kTokens).threads(),
                                  multistage_shape(kOutputs, kTokens).blocks())
    multiply_multistage(const __grid_constant__ GroupedArguments given) {
  if (!on_turing(given.matmul.is_turing))
    multiply_in_stages<Value, kForward, MultistageTile<kOutputs, kTokens, false>>(given);
  else if constexpr (multistage_shape(kOutputs, kTokens).turing_stages > 0)
    multiply_in_stages<Value, kForward, MultistageTile<kOutputs, kTokens, true>>(given);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH
