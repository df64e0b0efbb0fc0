// Kernel `multistage`: its shared memory, and how the copying warps bring codes, inputs and absmax there. Codes and
// inputs come by asynchronous copies (cp.async), or, on Turing, through registers; absmax is decoded on the way.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- policy ----

constexpr int kVectorCodes = static_cast<int>(kCodesALoad);  // of one row, in 16 bytes
constexpr int kVectorShift = 5;
static_assert(1 << kVectorShift == kVectorCodes);
constexpr int kVectorValues = static_cast<int>(kValuesALoad);  // 16-bit values in 16 bytes
constexpr int kStagesAhead = 4;                                // distance in stages of absmax's prefetch to L2

// Copies through registers, for Turing. begin() stores the vector that the previous group loaded under this number to
// `shared`, then loads the next one. So `shared` is the place of the previous group's vector.
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

// Sizes of a tile: in all, per multiplying warp, and per copying thread. Copying threads follow the multiplying ones.
template <int kOfOutputs, int kOfTokens, bool kOnTuring>
struct MultistageTile {
  static constexpr MultistageShape kShape = multistage_shape(kOfOutputs, kOfTokens);
  static constexpr int kOutputs = kOfOutputs;
  static constexpr int kTokens = kOfTokens;
  static constexpr int kMultipliers = kShape.multipliers() * kWarp;
  static constexpr int kThreads = kShape.threads();
  static constexpr int kCopiers = kShape.copiers * kWarp;
  static constexpr int kStages = kShape.stages_of(kOnTuring);
  static constexpr int kTerms = kShape.terms_of(kOnTuring);  // per stage
  static constexpr int kSteps = kTerms / format::kStepTerms;
  static constexpr int kRowVectors = kTerms / kVectorValues;             // per row of 16-bit values in a stage
  static constexpr int kHeld = kOnTuring ? 1 : 0;                        // stages in registers
  static constexpr int kFragments = kShape.warp_outputs / 16;            // per warp: mma's left operands
  static constexpr int kColumns = kShape.warp_tokens / 8;                // per warp, of 8 tokens each
  static constexpr int kCodeVectors = kOutputs * kTerms / kVectorCodes;  // per stage
  static constexpr int kInputVectors = kTokens * kRowVectors;            // per stage
  static constexpr int kCodesEach = kCodeVectors / kCopiers;             // per copying thread
  static constexpr int kInputsEach = kInputVectors / kCopiers;           // per copying thread
  using StageCopies = std::conditional_t<kOnTuring, HeldCopies<kCodesEach + kInputsEach>, Copies>;
  static_assert(kCodeVectors % kCopiers == 0 && kInputVectors % kCopiers == 0);
  static_assert(kColumns % 2 == 0 && kFragments <= 2);
};

// ---- shared memory ----

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

// Place of a vector in swizzled rows, from which a warp reads without bank conflicts. For rows of 16-bit values:
template <class Tile>
__device__ int value_place(int row, int vector) {
  return row * Tile::kRowVectors + (row % 8 ^ vector);
}

// For rows of codes, which are outputs forward and terms backward: vectors per row, and a vector's place.
template <class Tile, bool kForward>
inline constexpr int kRowCodeVectors = kForward ? Tile::kTerms / kVectorCodes : Tile::kOutputs / kVectorCodes;
template <int kInRow>
__device__ int code_place(int row, int vector) {
  return row * kInRow + (row / (8 / kInRow) % kInRow ^ vector);
}

// Fills the table: a row per byte of codes, in 16 copies. A thread writes two copies at once, for every fourth byte.
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

// The vectors that a thread copies per stage, of codes and of inputs: row and column of the first one, rows from
// one to the next, and the place of each in shared memory. A row of codes is an output forward, a term backward.
template <class Tile, bool kForward>
struct ThreadVectors {
  static constexpr int kInRow = kRowCodeVectors<Tile, kForward>;
  static constexpr int kCodeRows = Tile::kCopiers / kInRow;              // rows between vectors of codes
  static constexpr int kInputRows = Tile::kCopiers / Tile::kRowVectors;  // rows between vectors of inputs
  static __device__ int thread() { return static_cast<int>(threadIdx.x) - Tile::kMultipliers; }
  static __device__ int code_row() { return thread() / kInRow; }
  static __device__ int code_col() { return thread() % kInRow * kVectorCodes; }
  static __device__ int code_at(int v) { return code_place<kInRow>(code_row() + v * kCodeRows, thread() % kInRow); }
  static __device__ int input_row() { return thread() / Tile::kRowVectors; }
  static __device__ int input_col() { return thread() % Tile::kRowVectors * kVectorValues; }
  static __device__ int input_at(int v) {
    return value_place<Tile>(input_row() + v * kInputRows, thread() % Tile::kRowVectors);
  }
  // Number of the thread's vectors in rows that exist: `rows` rows from the tile's first one.
  static __device__ int count(std::int64_t rows, int row, int apart) {
    const std::int64_t vectors = (rows - row + apart - 1) / apart;
    constexpr int kMost = 64;
    return vectors < 0 ? 0 : vectors < kMost ? static_cast<int>(vectors) : kMost;
  }
};

// Whether a thread's vectors of codes are in the weight. `left` is the number of terms from the stage's first one on.
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

// Copies a thread's part of each stage, stage after stage.
template <class Tile, bool kForward>
struct StageCopier {
  using Vectors = ThreadVectors<Tile, kForward>;
  CodeBounds<Tile, kForward> bounds;
  const std::uint8_t* codes;  // of the next stage
  std::int64_t code_step;     // bytes from stage to stage
  std::int64_t codes_apart;   // bytes from vector to vector
  const std::uint16_t* inputs;
  std::int64_t inputs_apart;  // values from vector to vector
  int tokens;                 // the thread's vectors whose tokens exist
  int left;                   // terms from the next stage on

  __device__ StageCopier(const MatmulArguments& a, const BlockTile& block)
      : bounds(a, block),
        codes(a.weight.packed + first_code(a, block) / 2),
        code_step(kForward ? Tile::kTerms / 2 : Tile::kTerms * a.cols / 2),
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

  // Starts to copy the next stage; past the last one, zeros.
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
    inputs += Tile::kTerms;
    left -= Tile::kTerms;
  }
};

// Index of a vector's absmax in shared memory: row-major forward, column-major backward.
template <class Tile, bool kForward>
__device__ int absmax_place(int row, int vector) {
  return kForward ? row * kRowCodeVectors<Tile, true> + vector : vector * Tile::kTerms + row;
}

// Stages from the load of an absmax to its use. Backward, loads take longer than a stage of a small tile.
template <class Tile, bool kForward>
inline constexpr int kAbsmaxStages = !kForward && (Tile::kStages > 3 || Tile::kTerms > kMultistageTerms) ? 2 : 1;

// Loads the absmax of a thread's vectors of codes, stage after stage. Vectors are numbered from the start of the nested
// blocks. kHalves: absmax has 16 bits; not a branch per load, which would keep the loads from being under way at once.
template <class Tile, bool kForward, bool kHalves>
struct StageAbsmax {
  using Vectors = ThreadVectors<Tile, kForward>;
  CodeBounds<Tile, kForward> bounds;
  const std::uint8_t* codes;
  const float* scales;
  bool is_nested;
  qfuse_scale_type absmax_type;
  float offset;
  int block_shift;
  int scale_shift;
  std::uint32_t vector;  // the thread's first one in the next stage to load
  std::uint32_t step;    // from stage to stage
  std::uint32_t apart;   // from vector to vector
  int left;              // terms from that stage on
  Absmax loaded[kAbsmaxStages<Tile, kForward>][Tile::kCodesEach];

  __device__ StageAbsmax(const MatmulArguments& a, const BlockTile& block)
      : bounds(a, block),
        codes(a.weight.absmax_8bit - a.weight.nested_begin),
        scales(a.is_nested ? a.weight.nested_absmax : a.weight.absmax),
        is_nested(a.is_nested),
        absmax_type(a.weight.absmax_type),
        offset(a.is_nested ? *a.weight.nested_offset : 0.0F),
        block_shift(a.weight.block_shift - kVectorShift),
        scale_shift(a.is_nested ? nested_shift(a.weight) : block_shift),
        vector(static_cast<std::uint32_t>(((a.is_nested ? a.weight.nested_begin << a.weight.block_shift : 0) +
                                           StageCopier<Tile, kForward>::first_code(a, block)) /
                                          kVectorCodes)),
        step(static_cast<std::uint32_t>(kForward ? Tile::kTerms / kVectorCodes : Tile::kTerms * a.cols / kVectorCodes)),
        apart(static_cast<std::uint32_t>(Vectors::kCodeRows * a.cols / kVectorCodes)),
        left(static_cast<int>(kForward ? a.cols : a.rows)),
        loaded{} {}

  static __device__ int nested_shift(const Weight4bit& w) {
    constexpr int kMost = 31;  // shifts any number below 2^31 to 0
    return w.nested_shift - kVectorShift < kMost ? w.nested_shift - kVectorShift : kMost;
  }

  // Prefetches the absmax of one vector to L2.
  __device__ void prefetch_of(std::uint32_t of) const {
    if (is_nested) prefetch(codes + (of >> block_shift));
    if constexpr (kHalves)
      prefetch(halves() + (of >> block_shift));
    else
      prefetch(scales + (of >> scale_shift));
  }
  [[nodiscard]] __device__ const std::uint16_t* halves() const {
    return reinterpret_cast<const std::uint16_t*>(scales);
  }
  // Prefetches absmax to L2: forward of all stages, which are in a few sectors of memory; backward of the first stages.
  __device__ void prefetch_first() const {
    constexpr int kMostShift = 16;  // enough: with blocks of 2^16 vectors one sector covers all terms
    constexpr int kSector = 32;     // bytes
    const int in_sector = kSector / (is_nested ? 1 : static_cast<int>(sizeof(float)));
    const int apart_terms = in_sector * kVectorCodes << (block_shift < kMostShift ? block_shift : kMostShift);
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v) {
      const std::uint32_t of = vector + static_cast<std::uint32_t>(v) * apart;
#pragma unroll 1
      for (int term = 0; term < (kForward ? left : kStagesAhead * Tile::kTerms);
           term += kForward ? apart_terms : Tile::kTerms)
        if (bounds.contain(v, left - term))
          prefetch_of(of + static_cast<std::uint32_t>(kForward ? term / kVectorCodes : term / Tile::kTerms * step));
    }
  }

  // Whether the vector's absmax is the first of a sector. Blocks beside each other share sectors; one prefetches each.
  [[nodiscard]] __device__ bool starts_sector(std::uint32_t of) const {
    return (of >> block_shift) % (is_nested ? 32U : 8U) == 0;
  }

  // Loads the absmax of the next stage into registers kAt; backward, also prefetches those of a later stage to L2.
  template <int kAt>
  __device__ void load() {
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v) {
      if (!bounds.contain(v, left)) continue;
      const std::uint32_t of = vector + static_cast<std::uint32_t>(v) * apart;
      if (is_nested) loaded[kAt][v].code = __ldg(codes + (of >> block_shift));
      if constexpr (kHalves)
        loaded[kAt][v].code = __ldg(halves() + (of >> block_shift));
      else
        loaded[kAt][v].scale = __ldg(scales + (of >> scale_shift));
      if constexpr (!kForward) {
        const std::uint32_t later = of + kStagesAhead * step;
        if (starts_sector(later) && bounds.contain(v, left - kStagesAhead * Tile::kTerms)) prefetch_of(later);
      }
    }
    vector += step;
    left -= Tile::kTerms;
  }

  // Decodes the absmax in registers kAt to shared memory. Outside the weight they are 0, so that decoded weights are 0.
  template <int kAt>
  __device__ void store(const float* map, float* to) const {
    constexpr int kTerms = kAbsmaxStages<Tile, kForward> * Tile::kTerms;  // since they were loaded
#pragma unroll
    for (int v = 0; v < Tile::kCodesEach; ++v)
      to[absmax_place<Tile, kForward>(Vectors::code_row() + v * Vectors::kCodeRows,
                                      Vectors::code_col() / kVectorCodes)] =
          bounds.contain(v, left + kTerms) ? decoded(map, loaded[kAt][v]) : 0.0F;
  }
  [[nodiscard]] __device__ float decoded(const float* map, const Absmax& absmax) const {
    return kHalves ? widen_absmax(absmax_type, absmax.code) : decode_absmax(is_nested, map, absmax, offset);
  }
};

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTISTAGE_COPIES_CUH
