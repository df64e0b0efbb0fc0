// The kernel in stages (sm90a.cu): its tiles, what lies in shared memory, and what its roles see.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH

#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {

// ---- policy ----

constexpr int kPanelBytes = 128;                    // of a row in a panel of a tile: 64 values
constexpr int kSwizzleBytes = 8 * kPanelBytes;      // rows after which a panel's swizzle repeats
constexpr int kStepBytes = 2 * format::kStepTerms;  // of a row
constexpr int kStageSteps = kStageTerms / format::kStepTerms;
constexpr int kPanelSteps = kStageRun / format::kStepTerms;
constexpr int kInputPanels = kStageTerms / kStageRun;
static_assert(kStageRun * 2 == kPanelBytes);
constexpr int kRunBytes = kStageRun / 2;  // of codes
constexpr int kVectorBytes = 16;

constexpr StageShape shape_of(int outputs, int tokens) {
  for (const StageShape& shape : kStageShapes)
    if (shape.outputs == outputs && shape.tokens == tokens) return shape;
  return {};
}
template <int kOutputs, int kTokens>
struct ShapeOf {
  static constexpr StageShape kShape = shape_of(kOutputs, kTokens);
};

// The tiles of a stage. Decoded weights lie as they are stored: forward a row of them is an output, backward a term. A
// panel is 64 columns of a tile.
template <bool kForward, class OfShape>
struct Stage {
  static constexpr StageShape kShape = OfShape::kShape;
  static constexpr int kOutputs = kShape.outputs;
  static constexpr int kTokens = kShape.tokens;
  static constexpr int kRows = kForward ? kOutputs : kStageTerms;
  static constexpr int kPanels = (kForward ? kStageTerms : kOutputs) / kStageRun;
  static constexpr int kDecodedBytes = kPanels * kRows * kPanelBytes;
  static constexpr int kInputPanelBytes = kTokens * kPanelBytes;
  static constexpr int kSlotPanels = kShape.input_terms() / kStageRun;  // of inputs
  static constexpr int kSlotsEach = kInputPanels / kSlotPanels;         // of a stage
  static constexpr int kInputBytes = kSlotPanels * kInputPanelBytes;
  static constexpr int kCodeRowBytes = kPanels * kRunBytes;
  static constexpr int kCodeBytes = kRows * kCodeRowBytes;
  static constexpr int kRowGroups = kRows / kWarp;
  static constexpr int kTasks = kPanels * kRowGroups;  // of a warp: a run of each of 32 rows
  static constexpr int kDecoders = kShape.decoders;
  static constexpr int kStagesApart = kShape.teams;
  static constexpr int kTogether = kDecoders / kStagesApart;   // decoders of one stage
  static constexpr int kRunsEach = kTasks / kTogether;         // of a lane: of one row
  static constexpr int kPanelsApart = kTogether / kRowGroups;  // these runs
  static constexpr int kMultipliers = kShape.multipliers();
  static constexpr bool kWeightsFirst = kShape.weights_first();
  static constexpr int kColumns = kWeightsFirst ? kTokens : kOutputs;  // of a warpgroup's sums
  static_assert(kStagesApart * kTogether == kDecoders && kRunsEach * kTogether == kTasks &&
                kTogether % kRowGroups == 0 && (!kWeightsFirst || kStagesApart == 1) &&
                kStagesApart <= kShape.decoded_slots && kStagesApart <= kShape.code_slots);
  // Multipliers release a stage's slots behind their wait for the next one.
  static_assert(kShape.decoded_slots > 1 && kShape.input_slots > 1);
};

// ---- what lies in shared memory ----

template <class Tiles>
struct StageShared {
  static constexpr StageShape kShape = Tiles::kShape;
  unsigned char decoded[kShape.decoded_slots][Tiles::kDecodedBytes];
  unsigned char inputs[kShape.input_slots][Tiles::kInputBytes];
  unsigned char codes[kShape.code_slots][Tiles::kCodeBytes];
  float map[format::kCodes8];
  Mbarrier map_full;
  Mbarrier decoded_full[kShape.decoded_slots];
  Mbarrier decoded_empty[kShape.decoded_slots];
  Mbarrier inputs_full[kShape.input_slots];
  Mbarrier inputs_empty[kShape.input_slots];
  Mbarrier codes_full[kShape.code_slots];
  Mbarrier codes_empty[kShape.code_slots];
};

// Where tiles are aligned to what their swizzle repeats after.
__device__ inline char* aligned_shared() {
  char* const begin = static_cast<char*>(dynamic_shared());
  const auto beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % kStageAlignment);
  return begin + (beyond == 0 ? 0 : kStageAlignment - beyond);
}
template <class Shared>
__device__ Shared& stage_shared() {
  static_assert(sizeof(Shared) + kStageAlignment <= stage_shared_bytes(Shared::kShape));
  return *reinterpret_cast<Shared*>(aligned_shared());
}

// By one thread, before the block synchronizes.
template <class Tiles>
__device__ void init_mbarriers(StageShared<Tiles>& shared) {
  constexpr StageShape kShape = Tiles::kShape;
  init_mbarrier(shared.map_full, Tiles::kDecoders);
#pragma unroll
  for (int i = 0; i < kShape.decoded_slots; ++i) {
    init_mbarrier(shared.decoded_full[i], Tiles::kTogether);
    init_mbarrier(shared.decoded_empty[i], Tiles::kMultipliers);
  }
#pragma unroll
  for (int i = 0; i < kShape.input_slots; ++i) {
    init_mbarrier(shared.inputs_full[i], 1);
    init_mbarrier(shared.inputs_empty[i], Tiles::kMultipliers);
  }
#pragma unroll
  for (int i = 0; i < kShape.code_slots; ++i) {
    init_mbarrier(shared.codes_full[i], 1);
    init_mbarrier(shared.codes_empty[i], Tiles::kTogether);
  }
  fence_mbarrier_init();
}

// Where a role is in a ring of slots, and how often the ring was passed: the phase of the slot's barriers.
template <int kSlots>
struct Place {
  int slot = 0;
  unsigned phase = 0;
  __device__ void advance(int by) {
    slot += by;
    if (slot < kSlots) return;
    slot -= kSlots;
    ++phase;
  }
};

// ---- what a kernel sees ----

struct StageArguments {
  MatmulArguments matmul;
  TensorMap codes;
  TensorMap inputs;
  TensorMap lora_weights;
  TensorMap lora_inputs;
  unsigned input_bytes;  // that a slot's loads bring
  int tiles;
  int stages;       // of the weight, for a tile
  int lora_stages;  // behind them
};

// Tiles of outputs and tokens, which thread blocks take by turns; those of the same outputs are neighbours.
template <int kOutputs, int kTokens>
struct Turns {
  int tiles;
  int token_tiles;
  int weight_stages;
  int stages;  // with LoRA's
  int blocks;
  [[nodiscard]] __device__ int first_output(int tile) const { return tile / token_tiles * kOutputs; }
  [[nodiscard]] __device__ int first_token(int tile) const { return tile % token_tiles * kTokens; }
};

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH
