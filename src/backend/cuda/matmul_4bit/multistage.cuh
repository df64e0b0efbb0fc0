// PLAIN on every GPU from Ampere on: stages of codes and inputs are copied to shared memory while others are
// multiplied, and mma's left operand, the weights, is decoded to registers, so that decoded weights never lie in shared
// memory.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/epilogue.cuh"
#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- policy ----

constexpr int kVectorCodes = static_cast<int>(kCodesALoad);  // of a row, in 16 bytes
constexpr int kVectorShift = 5;
static_assert(1 << kVectorShift == kVectorCodes);
constexpr int kVectorValues = static_cast<int>(kValuesALoad);  // 16-bit ones, likewise
constexpr int kStageSteps = kMultistageTerms / format::kStepTerms;
constexpr int kStagesAhead = 4;                                // that absmax comes to the L2 before it is loaded
constexpr int kRowVectors = kMultistageTerms / kVectorValues;  // of a row of 16-bit values in a stage

// A tile, and what a thread and a warp have of it.
template <int kOfOutputs, int kOfTokens>
struct MultistageTile {
  static constexpr MultistageShape kShape = multistage_shape(kOfOutputs, kOfTokens);
  static constexpr int kOutputs = kOfOutputs;
  static constexpr int kTokens = kOfTokens;
  static constexpr int kThreads = kShape.threads();
  static constexpr int kStages = kShape.stages;
  static constexpr int kFragments = kShape.warp_outputs / 16;                      // of a warp: mma's left operands
  static constexpr int kColumns = kShape.warp_tokens / 8;                          // of a warp, of 8 tokens
  static constexpr int kCodeVectors = kOutputs * kMultistageTerms / kVectorCodes;  // of a stage
  static constexpr int kInputVectors = kTokens * kRowVectors;                      // of a stage
  static constexpr int kCodesEach = (kCodeVectors + kThreads - 1) / kThreads;      // of a thread
  static constexpr int kInputsEach = kInputVectors / kThreads;                     // of a thread
  static_assert(kInputVectors % kThreads == 0 && kColumns % 2 == 0 && kFragments <= 2);
};

// ---- what lies in shared memory ----

template <class Tile>
struct MultistageStage {
  uint4 inputs[Tile::kInputVectors];
  uint4 codes[Tile::kCodeVectors];
};

template <class Tile>
struct MultistageShared {
  Pair pairs[format::kCodes8 * kSharedPairs];
  MultistageStage<Tile> stages[Tile::kStages];
  float absmax[2][Tile::kCodeVectors];
  float map[format::kCodes8];
  MatmulArguments matmul;
  BlockTile block;
};

template <class Tile>
__device__ MultistageShared<Tile>& multistage_shared() {
  static_assert(sizeof(MultistageShared<Tile>) <= multistage_shared_bytes(Tile::kShape));
  return *static_cast<MultistageShared<Tile>*>(dynamic_shared());
}

// A row's vectors lie in an order of its own, so that what a warp reads at once lies in different banks. Of 16-bit
// values:
__device__ inline int value_place(int row, int vector) { return row * kRowVectors + (row % 8 ^ vector); }

// Codes as they are stored: forward their rows are outputs, backward terms. Vectors of a row, and a vector's place.
template <class Tile, bool kForward>
inline constexpr int kRowCodeVectors = kForward ? kMultistageTerms / kVectorCodes : Tile::kOutputs / kVectorCodes;
template <int kInRow>
__device__ int code_place(int row, int vector) {
  return row * kInRow + (row / (8 / kInRow) % kInRow ^ vector);
}

// A row of the table for each byte, in 16 copies. A thread writes two of them at once, for every fourth byte.
__device__ inline void fill_pairs(const float (&values)[format::kCodes4], Pair* pairs, int warp, int warps, int lane) {
  auto* const to = reinterpret_cast<float4*>(pairs) + lane;
  float second[format::kCodes4 / 4];
#pragma unroll
  for (int i = 0; i < format::kCodes4 / 4; ++i) second[i] = values[4 * i + lane / 8];
  for (int high = warp; high < format::kCodes4; high += warps) {
    const float first = values[high];
#pragma unroll
    for (int i = 0; i < format::kCodes4 / 4; ++i)
      to[(high * (format::kCodes4 / 4) + i) * kWarp] = {first, second[i], first, second[i]};
  }
}

// ---- steps: what is copied ahead ----

// A thread's vectors of a stage's codes, and of its inputs: where the first one lies, the others so many rows behind
// it. Forward a row of codes is an output's, backward a term's.
template <class Tile, bool kForward>
struct ThreadVectors {
  static constexpr int kInRow = kRowCodeVectors<Tile, kForward>;
  static constexpr int kCodeRows = Tile::kThreads / kInRow;        // from a vector of codes to the next one
  static constexpr int kInputRows = Tile::kThreads / kRowVectors;  // from one of inputs
  static_assert(Tile::kThreads % (8 * kRowVectors) == 0);          // each of them has the same place in its row
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ int code_row() { return thread() / kInRow; }
  static __device__ int code_col() { return thread() % kInRow * kVectorCodes; }
  static __device__ int code_at() { return code_place<kInRow>(thread() / kInRow, thread() % kInRow); }
  static __device__ int input_row() { return thread() / kRowVectors; }
  static __device__ int input_col() { return thread() % kRowVectors * kVectorValues; }
  static __device__ int input_at() { return value_place(thread() / kRowVectors, thread() % kRowVectors); }
  static __device__ bool has_codes(int v) {
    return Tile::kCodeVectors % Tile::kThreads == 0 || thread() + v * Tile::kThreads < Tile::kCodeVectors;
  }
  // Of the tile's vectors in rows that are there, how many are the thread's.
  static __device__ int count(std::int64_t rows, int row, int apart) {
    const std::int64_t vectors = (rows - row + apart - 1) / apart;
    constexpr int kMost = 64;
    return vectors < 0 ? 0 : vectors < kMost ? static_cast<int>(vectors) : kMost;
  }
};

// Whether a thread's vectors of codes are in the weight, where so many terms are left of it from the stage's first one.
template <class Tile, bool kForward>
struct CodeBounds {
  using Vectors = ThreadVectors<Tile, kForward>;
  int outputs;  // forward: the thread's vectors whose rows exist; backward: whether its columns do
  __device__ CodeBounds(const MatmulArguments& a, const BlockTile& block)
      : outputs(kForward ? Vectors::count(a.rows - block.first_output, Vectors::code_row(), Vectors::kCodeRows)
                         : (block.first_output + Vectors::code_col() < a.cols ? 1 : 0)) {}
  [[nodiscard]] __device__ bool contain(int v, int left) const {
    if (!Vectors::has_codes(v)) return false;
    if constexpr (kForward) return v < (Vectors::code_col() < left ? outputs : 0);
    return Vectors::code_row() + v * Vectors::kCodeRows < (outputs > 0 ? left : 0);
  }
};

// What a thread copies of the stages, one after another.
template <class Tile, bool kForward>
struct StageCopier {
  using Vectors = ThreadVectors<Tile, kForward>;
  CodeBounds<Tile, kForward> bounds;
  const std::uint8_t* codes;  // of the next stage
  std::int64_t code_step;     // bytes from stage to stage
  std::int64_t codes_apart;   // bytes from vector to vector
  const std::uint16_t* inputs;
  std::int64_t inputs_apart;  // values
  int tokens;                 // the thread's vectors whose tokens exist
  int left;                   // terms

  __device__ StageCopier(const MatmulArguments& a, const BlockTile& block)
      : bounds(a, block),
        codes(a.weight.packed + first_code(a, block) / 2),
        code_step(kForward ? kMultistageTerms / 2 : kMultistageTerms * a.cols / 2),
        codes_apart(Vectors::kCodeRows * a.cols / 2),
        inputs(static_cast<const std::uint16_t*>(a.in) + (block.first_token + Vectors::input_row()) * a.in_stride +
               Vectors::input_col()),
        inputs_apart(Vectors::kInputRows * a.in_stride),
        tokens(Vectors::count(a.m - block.first_token, Vectors::input_row(), Vectors::kInputRows)),
        left(static_cast<int>(kForward ? a.cols : a.rows)) {}

  static __device__ std::int64_t first_code(const MatmulArguments& a, const BlockTile& block) {
    return ((kForward ? block.first_output : 0) + Vectors::code_row()) * a.cols + (kForward ? 0 : block.first_output) +
           Vectors::code_col();
  }

  // Begins to copy the next stage; zeros, beyond the last one.
  __device__ void copy(Copies& copies, MultistageStage<Tile>& stage) {
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v)
      if (Vectors::has_codes(v))
        copies.begin(stage.codes + Vectors::code_at() + v * Tile::kThreads, codes + v * codes_apart,
                     bounds.contain(v, left));
    const int there = Vectors::input_col() < left ? tokens : 0;
#pragma unroll
    for (int v = 0; v < Tile::kInputsEach; ++v)
      copies.begin(stage.inputs + Vectors::input_at() + v * Tile::kThreads, inputs + v * inputs_apart, v < there);
    copies.close();
    codes += code_step;
    inputs += kMultistageTerms;
    left -= kMultistageTerms;
  }
};

// Where absmax lie: forward by rows, whose vectors follow one another; backward those of all rows, of each vector of a
// row.
template <class Tile, bool kForward>
__device__ int absmax_place(int row, int vector) {
  return kForward ? row * kRowCodeVectors<Tile, true> + vector : vector * kMultistageTerms + row;
}

// What a thread's vectors of codes are multiplied by, those of one stage after another. Vectors are counted from where
// nested blocks are.
template <class Tile, bool kForward>
struct StageAbsmax {
  using Vectors = ThreadVectors<Tile, kForward>;
  CodeBounds<Tile, kForward> bounds;
  const std::uint8_t* codes;
  const float* scales;
  bool is_nested;
  float offset;
  int block_shift;
  int scale_shift;
  std::uint32_t vector;  // the thread's first one of the stage that is loaded next
  std::uint32_t step;    // from stage to stage
  std::uint32_t apart;   // from vector to vector
  int left;              // terms from that stage on
  Absmax loaded[Tile::kCodesEach];

  __device__ StageAbsmax(const MatmulArguments& a, const BlockTile& block)
      : bounds(a, block),
        codes(a.weight.absmax_8bit - a.weight.nested_begin),
        scales(a.is_nested ? a.weight.nested_absmax : a.weight.absmax),
        is_nested(a.is_nested),
        offset(a.is_nested ? *a.weight.nested_offset : 0.0F),
        block_shift(a.weight.block_shift - kVectorShift),
        scale_shift(a.is_nested ? nested_shift(a.weight) : block_shift),
        vector(static_cast<std::uint32_t>(((a.is_nested ? a.weight.nested_begin << a.weight.block_shift : 0) +
                                           StageCopier<Tile, kForward>::first_code(a, block)) /
                                          kVectorCodes)),
        step(static_cast<std::uint32_t>(kForward ? kMultistageTerms / kVectorCodes
                                                 : kMultistageTerms * a.cols / kVectorCodes)),
        apart(static_cast<std::uint32_t>(Vectors::kCodeRows * a.cols / kVectorCodes)),
        left(static_cast<int>(kForward ? a.cols : a.rows)),
        loaded{} {}

  static __device__ int nested_shift(const Weight4bit& w) {
    constexpr int kMost = 31;  // of a number that is less than 2^31
    return w.nested_shift - kVectorShift < kMost ? w.nested_shift - kVectorShift : kMost;
  }

  // Into the L2: of one vector.
  __device__ void prefetch_of(std::uint32_t of) const {
    if (is_nested) prefetch(codes + (of >> block_shift));
    prefetch(scales + (of >> scale_shift));
  }
  // Forward those of all stages, which lie in a few sectors of memory, backward those of the first ones.
  __device__ void prefetch_first() const {
    constexpr int kMostShift = 16;  // of blocks that have a sector for all terms, as those of 2^16 vectors have
    constexpr int kSector = 32;     // bytes
    const int in_sector = kSector / (is_nested ? 1 : static_cast<int>(sizeof(float)));
    const int apart_terms = in_sector * kVectorCodes << (block_shift < kMostShift ? block_shift : kMostShift);
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v) {
      const std::uint32_t of = vector + static_cast<std::uint32_t>(v) * apart;
#pragma unroll 1
      for (int term = 0; term < (kForward ? left : kStagesAhead * kMultistageTerms);
           term += kForward ? apart_terms : kMultistageTerms)
        if (bounds.contain(v, left - term))
          prefetch_of(of + static_cast<std::uint32_t>(kForward ? term / kVectorCodes : term / kMultistageTerms * step));
    }
  }

  // Loads those of the next stage; backward those of a later one come to the L2 meanwhile.
  __device__ void load() {
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v) {
      if (!bounds.contain(v, left)) continue;
      const std::uint32_t of = vector + static_cast<std::uint32_t>(v) * apart;
      if (is_nested) loaded[v].code = __ldg(codes + (of >> block_shift));
      loaded[v].scale = __ldg(scales + (of >> scale_shift));
      if constexpr (!kForward)
        if (bounds.contain(v, left - kStagesAhead * kMultistageTerms)) prefetch_of(of + kStagesAhead * step);
    }
    vector += step;
    left -= kMultistageTerms;
  }

  // Decodes those that were loaded. Beyond the weight they are 0, and so are the weights.
  __device__ void store(const float* map, float* to) const {
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v)
      if (Vectors::has_codes(v))
        to[absmax_place<Tile, kForward>(Vectors::code_row() + v * Vectors::kCodeRows,
                                        Vectors::code_col() / kVectorCodes)] =
            bounds.contain(v, left + kMultistageTerms) ? decode_absmax(is_nested, map, loaded[v], offset) : 0.0F;
  }
};

// ---- steps: what is multiplied ----

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
  // The tile's output that is row `row` of fragment f. Backward a byte has two, which are rows of one lane, and a
  // lane's bytes of all fragments are neighbours.
  [[nodiscard]] __device__ int output_of(int f, int row) const {
    return kForward ? output + f * 16 + row : output + (row % 8 * Tile::kFragments + f) * 2 + row / 8;
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

// Backward, of all fragments, of each of a lane's four terms of a step: a byte of codes.
template <int kFragments>
struct TermCodes {
  std::uint32_t words[4];
  float absmax[4];
};

template <class Tile>
__device__ TermCodes<Tile::kFragments> load_term_codes(const MultistageStage<Tile>& stage, const float* absmax,
                                                       const WarpPlace<Tile, false>& warp, int step) {
  constexpr int kInRow = kRowCodeVectors<Tile, false>;
  const int vector = warp.output / kVectorCodes;
  const int byte = warp.output % kVectorCodes / 2 + warp.lane / 4 * Tile::kFragments;
  // A row's order depends on what all of a lane's terms have in common.
  const uint4* const first = stage.codes + code_place<kInRow>(warp.lane % 4 * 2, vector);
  const float* const first_absmax = absmax + absmax_place<Tile, false>(warp.lane % 4 * 2, vector);
  TermCodes<Tile::kFragments> codes;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int later = step * format::kStepTerms + i / 2 * 8 + i % 2;  // than the lane's first term
    const auto* const bytes = reinterpret_cast<const unsigned char*>(first + later * kInRow) + byte;
    if constexpr (Tile::kFragments == 1)
      codes.words[i] = *bytes;
    else
      codes.words[i] = *reinterpret_cast<const std::uint16_t*>(bytes);
    codes.absmax[i] = first_absmax[later];
  }
  return codes;
}

template <class Value, int kFragments>
__device__ Fragment decode_term_codes(SharedPairs pairs, const TermCodes<kFragments>& codes, int f) {
  Pair of[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) of[i] = load_pair_at(pairs, codes.words[i], byte_place(f));
  Fragment fragment;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    fragment.words[i] = rounded_pair<Value>(of[i].first, codes.absmax[i], of[i + 1].first, codes.absmax[i + 1]);
    fragment.words[i + 1] = rounded_pair<Value>(of[i].second, codes.absmax[i], of[i + 1].second, codes.absmax[i + 1]);
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

// A warp's weights of a step, decoded; forward the codes of every second step are those that were loaded for the one
// before.
template <class Value, class Tile, bool kForward>
struct StepWeights {
  RowCodes rows[Tile::kFragments];
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
      const TermCodes<Tile::kFragments> terms = load_term_codes(stage, absmax, warp, step);
#pragma unroll
      for (int f = 0; f < Tile::kFragments; ++f) fragments[f] = decode_term_codes<Value>(pairs, terms, f);
    }
  }
};

// Each step is decoded before the one before it is multiplied. copy_next() is called while the first look-ups are on
// their way.
template <class Value, class Tile, bool kForward, class CopyNext>
__device__ void multiply_stage(const MultistageStage<Tile>& stage, const float* absmax, SharedPairs pairs,
                               const WarpPlace<Tile, kForward>& warp, const CopyNext& copy_next, WarpSums<Tile>& sums) {
  StepWeights<Value, Tile, kForward> weights;
  weights.decode(stage, absmax, pairs, warp, 0);
  copy_next();
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

template <class Value, class Tile, bool kForward>
__device__ void add_lora(const MatmulArguments& a, const BlockTile& block, const WarpPlace<Tile, kForward>& warp,
                         MultistageShared<Tile>& shared, WarpSums<Tile>& sums) {
  static_assert((Tile::kInputVectors + Tile::kOutputs * kRowVectors) * sizeof(uint4) <= sizeof shared.stages);
  uint4* const inputs = shared.stages[0].inputs;
  uint4* const weights = inputs + Tile::kInputVectors;
#pragma unroll 1
  for (std::int64_t term = 0; term < a.lora_rank; term += kMultistageTerms) {
    __syncthreads();
    copy_lora_stage<Tile, kForward>(a, block, term, inputs, weights);
    __syncthreads();
    multiply_lora_stage<Value>(inputs, weights, warp, sums);
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
  const int output = static_cast<int>(block.first_output) + warp.output;
  if constexpr (kForward)
    store_fragments<Value>(to, token, output, static_cast<int>(a.rows), warp.lane, sums);
  else
    store_neighbours<Value>(to, token + warp.lane % 4 * 2, output + warp.lane / 4 * 2 * Tile::kFragments,
                            static_cast<int>(a.cols), sums);
}

// ---- kernel ----

// By all threads: what a block looks up.
template <class Tile>
__device__ void fill_tables(const MatmulArguments& a, MultistageShared<Tile>& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  fill_pairs(a.weight.values, shared.pairs, thread / kWarp, Tile::kThreads / kWarp, thread % kWarp);
  if (a.is_nested)
    for (int i = thread; i < format::kCodes8; i += Tile::kThreads) shared.map[i] = a.weight.nested_quant_map[i];
}

// While a stage is multiplied, the next ones are on their way: codes and inputs of kStages - 1, absmax of two. Tables
// are made while the first ones are.
template <class Value, class Tile, bool kForward>
__device__ void multiply_stages(const MatmulArguments& a, const BlockTile& block, const WarpPlace<Tile, kForward>& warp,
                                MultistageShared<Tile>& shared, WarpSums<Tile>& sums) {
  const auto terms = static_cast<int>(kForward ? a.cols : a.rows);
  Copies copies;
  StageCopier<Tile, kForward> copier(a, block);
  StageAbsmax<Tile, kForward> absmax(a, block);
  absmax.load();
#pragma unroll 1
  for (int slot = 0; slot < Tile::kStages - 1; ++slot) copier.copy(copies, shared.stages[slot]);
  absmax.prefetch_first();
  fill_tables(a, shared);
  __syncthreads();
  absmax.store(shared.map, shared.absmax[0]);
  absmax.load();
  const SharedPairs pairs = shared_pairs(shared.pairs, warp.lane);
  int slot = 0;                  // of the stage
  int free = Tile::kStages - 1;  // of the stage before it
  int phase = 0;                 // where the stage's absmax are
#pragma unroll 1
  for (int term = 0; term < terms; term += kMultistageTerms) {
    copies.template wait<Tile::kStages - 2>();
    __syncthreads();
    const auto copy_next = [&] {
      copier.copy(copies, shared.stages[free]);
      absmax.store(shared.map, shared.absmax[phase ^ 1]);
      absmax.load();
    };
    multiply_stage<Value>(shared.stages[slot], shared.absmax[phase], pairs, warp, copy_next, sums);
    free = slot;
    slot = slot + 1 == Tile::kStages ? 0 : slot + 1;
    phase ^= 1;
  }
  copies.template wait<0>();
}

// A thread block makes a tile; of a stack of experts, it looks for the one whose it is.
template <class Value, bool kForward, class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    multiply_multistage(const __grid_constant__ GroupedArguments given) {
  MultistageShared<Tile>& shared = multistage_shared<Tile>();
  if (!find_tile<Value, kForward>(given, Tile::kOutputs, Tile::kTokens, shared.matmul, shared.block)) return;
  __syncthreads();
  const MatmulArguments& a = shared.matmul;
  const BlockTile block = shared.block;
  const WarpPlace<Tile, kForward> warp;
  WarpSums<Tile> sums = {};
  multiply_stages<Value>(a, block, warp, shared, sums);
  add_lora<Value>(a, block, warp, shared, sums);
  store_sums<Value>(a, block, warp, sums);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_CUH
