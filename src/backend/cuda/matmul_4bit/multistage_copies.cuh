// What multistage.cuh has in shared memory, and how codes, inputs and absmax of its stages come there.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH

#include <cstdint>
#include <type_traits>

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

// On Turing, by way of a thread's registers: a vector that was begun comes to shared memory when that of its number in
// the next group is begun, to the place that is named then.
template <int kVectors>
class HeldCopies {
 public:
  __device__ void begin(int number, uint4* shared, const void* from, bool exists) {
    *shared = held_[number];
    held_[number] = exists ? load_with_line(static_cast<const uint4*>(from)) : uint4{0, 0, 0, 0};
  }
  __device__ void close() {}
  template <int kLater>
  __device__ void wait() {}

 private:
  uint4 held_[kVectors] = {};
};

// A tile, the threads that multiply and behind them those that copy, and what each of these and a warp have of it.
template <int kOfOutputs, int kOfTokens, bool kOnTuring>
struct MultistageTile {
  static constexpr MultistageShape kShape = multistage_shape(kOfOutputs, kOfTokens);
  static constexpr int kOutputs = kOfOutputs;
  static constexpr int kTokens = kOfTokens;
  static constexpr int kMultipliers = kShape.multipliers() * kWarp;
  static constexpr int kThreads = kShape.threads();
  static constexpr int kCopiers = kShape.copiers * kWarp;
  static constexpr int kStages = kShape.stages_of(kOnTuring);
  static constexpr int kHeld = kOnTuring ? 1 : 0;                                  // stages in registers
  static constexpr int kFragments = kShape.warp_outputs / 16;                      // of a warp: mma's left operands
  static constexpr int kColumns = kShape.warp_tokens / 8;                          // of a warp, of 8 tokens
  static constexpr int kCodeVectors = kOutputs * kMultistageTerms / kVectorCodes;  // of a stage
  static constexpr int kInputVectors = kTokens * kRowVectors;                      // of a stage
  static constexpr int kCodesEach = kCodeVectors / kCopiers;                       // of a thread
  static constexpr int kInputsEach = kInputVectors / kCopiers;                     // of a thread
  using StageCopies = std::conditional_t<kOnTuring, HeldCopies<kCodesEach + kInputsEach>, Copies>;
  static_assert(kCodeVectors % kCopiers == 0 && kInputVectors % kCopiers == 0);
  static_assert(kColumns % 2 == 0 && kFragments <= 2);
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
  static_assert(sizeof(MultistageShared<Tile>) <= multistage_shared_bytes(Tile::kShape, Tile::kHeld > 0));
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
__device__ inline void fill_pairs(const Weight4bit& w, Pair* pairs, int warp, int warps, int lane) {
  auto* const to = reinterpret_cast<float4*>(pairs) + lane;
  float second[format::kCodes4 / 4];
#pragma unroll
  for (int i = 0; i < format::kCodes4 / 4; ++i) second[i] = w.values[4 * i + lane / 8];
  for (int high = warp; high < format::kCodes4; high += warps) {
    const float first = w.values[high];
#pragma unroll
    for (int i = 0; i < format::kCodes4 / 4; ++i) {
      const Pair pair = pair_of_byte(w, first, second[i]);
      to[(high * (format::kCodes4 / 4) + i) * kWarp] = {pair.first, pair.second, pair.first, pair.second};
    }
  }
}

// ---- steps ----

// The vectors that a thread copies of a stage's codes, and of its inputs: where the first one comes from, the others so
// many rows behind it, and where each of them goes. Forward a row of codes is an output's, backward a term's.
template <class Tile, bool kForward>
struct ThreadVectors {
  static constexpr int kInRow = kRowCodeVectors<Tile, kForward>;
  static constexpr int kCodeRows = Tile::kCopiers / kInRow;        // from a vector of codes to the next one
  static constexpr int kInputRows = Tile::kCopiers / kRowVectors;  // from one of inputs
  static __device__ int thread() { return static_cast<int>(threadIdx.x) - Tile::kMultipliers; }
  static __device__ int code_row() { return thread() / kInRow; }
  static __device__ int code_col() { return thread() % kInRow * kVectorCodes; }
  static __device__ int code_at(int v) { return code_place<kInRow>(code_row() + v * kCodeRows, thread() % kInRow); }
  static __device__ int input_row() { return thread() / kRowVectors; }
  static __device__ int input_col() { return thread() % kRowVectors * kVectorValues; }
  static __device__ int input_at(int v) { return value_place(input_row() + v * kInputRows, thread() % kRowVectors); }
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
  __device__ void copy(typename Tile::StageCopies& copies, MultistageStage<Tile>& stage) {
    const std::uint8_t* of_codes = codes;
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v, of_codes += codes_apart)
      copies.begin(v, stage.codes + Vectors::code_at(v), of_codes, bounds.contain(v, left));
    const int there = Vectors::input_col() < left ? tokens : 0;
    const std::uint16_t* of_inputs = inputs;
#pragma unroll
    for (int v = 0; v < Tile::kInputsEach; ++v, of_inputs += inputs_apart)
      copies.begin(Tile::kCodesEach + v, stage.inputs + Vectors::input_at(v), of_inputs, v < there);
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
      to[absmax_place<Tile, kForward>(Vectors::code_row() + v * Vectors::kCodeRows,
                                      Vectors::code_col() / kVectorCodes)] =
          bounds.contain(v, left + kMultistageTerms) ? decode_absmax(is_nested, map, loaded[v], offset) : 0.0F;
  }
};

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH
