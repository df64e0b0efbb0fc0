// PLAIN on every GPU with matrix instructions: stages of codes and inputs are copied to shared memory while others are
// multiplied, and mma's left operand, the weights, is decoded to registers, so that decoded weights never lie in shared
// memory. Warps of their own copy: the others then wait for nothing but their products.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/epilogue.cuh"
#include "backend/cuda/matmul_4bit/multistage_copies.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- steps ----

template <bool kForward>
__device__ int stage_terms(const MatmulArguments& a) {
  return static_cast<int>(kForward ? a.cols : a.rows);
}

// A warp's part of the tile, and a lane's: with g = lane / 4 of 16 outputs those of rows g and g + 8 of mma's, and with
// q = lane % 4 of a step's terms 2q, 2q + 1, 2q + 8 and 2q + 9.
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
  // Backward a lane has two bytes of a term's 16, each of two outputs: of one fragment, or of the warp beside it. Which
  // of them fragment f has:
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

// A lane has four of a fragment's and every 8 tokens.
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

// Forward, a lane's codes and absmax of a window, two steps, of both its rows of a fragment.
struct RowCodes {
  std::uint32_t words[2][4];
  float absmax[2];
};

template <class Tile>
__device__ RowCodes load_row_codes(const MultistageStage<Tile>& stage, const float* absmax, int row, int window) {
  RowCodes codes;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    unpack(stage.codes[code_place<2>(row + 8 * h, window)], codes.words[h]);
    codes.absmax[h] = absmax[absmax_place<Tile, true>(row + 8 * h, window)];
  }
  return codes;
}

// Of a step's 8 bytes of a row a lane decodes the byte q of either word.
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

// Backward, a lane's codes of a window, two steps: of every 8 terms two, in either half of a word, and of each of these
// the 4 outputs of 2 bytes.
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

// Products of a step, of the warp's outputs and tokens.
template <class Value, class Tile, bool kForward>
__device__ void multiply_step(const uint4* inputs, const WarpPlace<Tile, kForward>& warp, int step,
                              const Fragment (&weights)[Tile::kFragments], WarpSums<Tile>& sums) {
#pragma unroll
  for (int c = 0; c < Tile::kColumns; c += 2) {
    const auto row = [&](int m, int r) {
      return inputs + (warp.token + c * 8 + m / 2 * 8 + r) * kRowVectors + (r ^ m % 2 ^ 2 * step);
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

// A warp's weights of a step, decoded; the codes of every second step are those that were loaded for the one before.
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

// Each step is decoded before the one before it is multiplied.
template <class Value, class Tile, bool kForward>
__device__ void multiply_stage(const MultistageStage<Tile>& stage, const float* absmax, SharedPairs pairs,
                               const WarpPlace<Tile, kForward>& warp, WarpSums<Tile>& sums) {
  StepWeights<Value, Tile, kForward> weights;
  weights.decode(stage, absmax, pairs, warp, 0);
#pragma unroll
  for (int step = 0; step < kStageSteps; ++step) {
    const StepWeights<Value, Tile, kForward> here = weights;
    if (step + 1 < kStageSteps) weights.decode(stage, absmax, pairs, warp, step + 1);
    multiply_step<Value>(stage.inputs, warp, step, here.fragments, sums);
  }
}

// ---- LoRA ----

// Of a matrix [rows, cols], at any address; zero beyond it.
__device__ inline std::uint32_t lora_value(const void* values, std::int64_t rows, std::int64_t cols, std::int64_t row,
                                           std::int64_t col) {
  if (row >= rows || col >= cols) return 0;
  return load_bytes<std::uint16_t>(static_cast<const std::uint16_t*>(values) + row * cols + col);
}

// A stage of LoRA's terms: inputs, and weights as if they were inputs, in the place of all stages of codes.
template <class Tile, bool kForward>
__device__ void copy_lora_stage(const MatmulArguments& a, const BlockTile& block, std::int64_t term, uint4* inputs,
                                uint4* weights) {
  constexpr int kRowWords = kMultistageTerms / 2;
  const auto word_at = [](uint4* tile, int row, int word) {
    return reinterpret_cast<std::uint32_t*>(tile + value_place(row, word / 4)) + word % 4;
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
  for (int step = 0; step < kStageSteps; ++step) {
    Fragment fragments[Tile::kFragments];
#pragma unroll
    for (int f = 0; f < Tile::kFragments; ++f) {
      const auto row = [&](int m, int r) {
        return weights + value_place(warp.output_of(f, m % 2 * 8 + r), 2 * step + m / 2);
      };
      load_matrices(row, warp.lane, fragments[f].words);
    }
    multiply_step<Value>(inputs, warp, step, fragments, sums);
  }
}

// By all threads; those that multiply have multiply(inputs, weights).
template <class Tile, bool kForward, class Multiply>
__device__ void add_lora(const MatmulArguments& a, const BlockTile& block, MultistageShared<Tile>& shared,
                         const Multiply& multiply) {
  static_assert((Tile::kInputVectors + Tile::kOutputs * kRowVectors) * sizeof(uint4) <= sizeof shared.stages);
  uint4* const inputs = shared.stages[0].inputs;
  uint4* const weights = inputs + Tile::kInputVectors;
#pragma unroll 1
  for (std::int64_t term = 0; term < a.lora_rank; term += kMultistageTerms) {
    __syncthreads();
    copy_lora_stage<Tile, kForward>(a, block, term, inputs, weights);
    __syncthreads();
    multiply(inputs, weights);
  }
}

// ---- the end ----

// Forward a fragment's sums are those of a warpgroup whose weights come first.
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

// Backward a lane has neighbouring outputs, two of each fragment, of two neighbouring tokens of every 8.
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

// What a block looks up, by the threads that multiply.
template <class Tile>
__device__ void fill_tables(const MatmulArguments& a, MultistageShared<Tile>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  fill_pairs(a.weight, shared.pairs, thread / kWarp, Tile::kMultipliers / kWarp, thread % kWarp);
  if (a.is_nested)
    for (int i = thread; i < format::kCodes8; i += Tile::kMultipliers) shared.map[i] = a.weight.nested_quant_map[i];
}

// The slots that stages lie in, one after another, and where their absmax are: what the warps of either kind count.
template <class Tile>
struct StageSlots {
  int slot = 0;                  // of the stage
  int free = Tile::kStages - 1;  // of the stage before it
  int phase = 0;                 // of its absmax
  __device__ void advance() {
    free = slot;
    slot = slot + 1 == Tile::kStages ? 0 : slot + 1;
    phase ^= 1;
  }
};

// By warps that copy: while a stage is multiplied, the next ones are on their way, codes and inputs of kStages - 1,
// absmax of two. Barriers are those of multiply_stages: the first one is behind the tables, each later one before a
// stage, which then is there; nobody reads the one before it any more.
template <class Tile, bool kForward>
__device__ void copy_stages(const MatmulArguments& a, const BlockTile& block, MultistageShared<Tile>& shared) {
  typename Tile::StageCopies copies;
  StageCopier<Tile, kForward> copier(a, block);
  StageAbsmax<Tile, kForward> absmax(a, block);
  absmax.load();
#pragma unroll 1
  for (int slot = -Tile::kHeld; slot < Tile::kStages - 1; ++slot)
    copier.copy(copies, shared.stages[slot < 0 ? 0 : slot]);
  absmax.prefetch_first();
  __syncthreads();
  absmax.store(shared.map, shared.absmax[0]);
  absmax.load();
  StageSlots<Tile> slots;
#pragma unroll 1
  for (int term = 0; term < stage_terms<kForward>(a); term += kMultistageTerms) {
    copies.template wait<Tile::kStages - 2>();
    __syncthreads();
    copier.copy(copies, shared.stages[slots.free]);
    absmax.store(shared.map, shared.absmax[slots.phase ^ 1]);
    absmax.load();
    slots.advance();
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
  for (int term = 0; term < stage_terms<kForward>(a); term += kMultistageTerms) {
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
    copy_stages<Tile, kForward>(a, block, shared);
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

// A thread block makes a tile; of a stack of experts, it looks for the one whose it is.
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
