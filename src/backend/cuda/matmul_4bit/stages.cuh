// The warp-specialized kernel: sizes of a stage, and shared memory. A stage is 128 elements of K: codes, decoded
// weights and inputs, each of which has a ring of slots with mbarriers for full and empty.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH

#include <algorithm>
#include <cstdint>

#include "backend/cuda/matmul_4bit/schedulers.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- tiles ----

template <int kOutputs, int kTokens>
struct ShapeOf {
  static constexpr StageShape kShape = shape_of(kOutputs, kTokens);
};

// Sizes of a stage of the pipeline. Decoded weights are laid out like the weight: a row is one output forward, one term
// (an index of K) backward. A lane decodes a panel of each of its rows, 64 codes to 128 bytes; in a backward tile of 32
// outputs half a panel, 32 codes to 64 bytes.
template <bool kForward, class OfShape>
struct Stage {
  static constexpr StageShape kShape = OfShape::kShape;
  static constexpr int kOutputs = kShape.outputs;
  static constexpr int kTokens = kShape.tokens;
  static constexpr int kRows = kForward ? kOutputs : kStageTerms;
  static constexpr int kCols = kForward ? kStageTerms : kOutputs;
  static constexpr int kLaneCols = std::min(kCols, kPanelCols);  // codes of a row that a lane decodes at once
  static constexpr int kPanels = kCols / kLaneCols;
  static constexpr int kRowBytes = 2 * kLaneCols;  // of decoded weights
  static constexpr int kDecodedBytes = kPanels * kRows * kRowBytes;
  static constexpr int kInputPanelBytes = kTokens * kPanelBytes;
  static constexpr int kSlotPanels = kShape.input_terms() / kPanelCols;  // panels of inputs
  static constexpr int kSlotsEach = kStagePanels / kSlotPanels;          // input slots per stage
  static constexpr int kInputBytes = kSlotPanels * kInputPanelBytes;
  static constexpr int kCodeRowBytes = kCols / 2;
  static constexpr int kCodeBytes = kRows * kCodeRowBytes;
  static constexpr int kRowGroups = kRows / kWarp;
  static constexpr int kTasks = kPanels * kRowGroups;  // of 32 panel rows, each for a warp
  static constexpr int kDecoders = kShape.decoders;
  static constexpr int kTeams = kShape.teams;
  static constexpr int kTeamDecoders = kDecoders / kTeams;         // warps for one stage
  static constexpr int kRowsEach = kTasks / kTeamDecoders;         // panel rows per lane
  static constexpr int kPanelsApart = kTeamDecoders / kRowGroups;  // between a lane's panel rows
  static constexpr int kRowsApart = kTeamDecoders % kRowGroups * kWarp;
  static constexpr int kMultipliers = kShape.multipliers();
  static constexpr bool kWeightsFirst = kShape.weights_first();
  static constexpr int kColumns = kWeightsFirst ? kTokens : kOutputs;  // of a warpgroup's sums
  static constexpr int kOutputGroups = kShape.output_groups();
  static_assert(kTeams * kTeamDecoders == kDecoders && kRowsEach * kTeamDecoders == kTasks &&
                (kRowsApart == 0 || kPanels == 1) &&
                (kShape.has_producers() ? kForward || !kWeightsFirst : !kForward && kTeams == 1) &&
                kTeams <= kShape.decoded_slots && kTeams <= kShape.code_slots);
  // One slot would deadlock: multiplying warps release a stage's slots only after their wait for the next stage.
  static_assert(kShape.decoded_slots > 1 && kShape.input_slots > 1);
};

// ---- shared memory ----

template <class Tiles>
struct StageShared {
  static constexpr StageShape kShape = Tiles::kShape;
  unsigned char decoded[kShape.decoded_slots][Tiles::kDecodedBytes];
  unsigned char inputs[kShape.input_slots][Tiles::kInputBytes];
  unsigned char codes[kShape.code_slots][Tiles::kCodeBytes];
  float map[format::kCodes8];
  GroupTile first_tile;
  GroupTile kept_tiles[Tiles::kDecoders + Tiles::kMultipliers];
  Mbarrier map_full;
  Mbarrier decoded_full[kShape.decoded_slots];
  Mbarrier decoded_empty[kShape.decoded_slots];
  Mbarrier inputs_full[kShape.input_slots];
  Mbarrier inputs_empty[kShape.input_slots];
  Mbarrier codes_full[kShape.code_slots];
  Mbarrier codes_empty[kShape.code_slots];
};

template <class Shared>
__device__ Shared& stage_shared() {
  static_assert(sizeof(Shared) + kTileAlignment <= stage_shared_bytes(Shared::kShape));
  return *reinterpret_cast<Shared*>(aligned_shared());
}

// One thread calls it, before the block synchronizes.
template <class Tiles>
__device__ void init_mbarriers(StageShared<Tiles>& shared) {
  constexpr StageShape kShape = Tiles::kShape;
  init_mbarrier(shared.map_full, Tiles::kDecoders);
#pragma unroll
  for (int i = 0; i < kShape.decoded_slots; ++i) {
    init_mbarrier(shared.decoded_full[i], Tiles::kTeamDecoders);
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
    init_mbarrier(shared.codes_empty[i], Tiles::kTeamDecoders);
  }
  fence_mbarrier_init();
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGES_CUH
