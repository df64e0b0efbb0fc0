// The warp-specialized kernel: the tiles of a stage, and what lies in shared memory.
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

// The tiles of a stage of the pipeline. Decoded weights lie as the weight is stored: a row is one output in the forward
// product, one term (an index of K) in the backward. A lane decodes a panel of each of its rows, 64 codes to 128 bytes;
// of a backward tile of 32 outputs half a panel, 32 codes to 64 bytes.
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
  static constexpr int kSlotPanels = kShape.input_terms() / kPanelCols;  // of inputs
  static constexpr int kSlotsEach = kStagePanels / kSlotPanels;          // of a stage
  static constexpr int kInputBytes = kSlotPanels * kInputPanelBytes;
  static constexpr int kCodeRowBytes = kCols / 2;
  static constexpr int kCodeBytes = kRows * kCodeRowBytes;
  static constexpr int kRowGroups = kRows / kWarp;
  static constexpr int kTasks = kPanels * kRowGroups;  // of a warp: 32 panel rows
  static constexpr int kDecoders = kShape.decoders;
  static constexpr int kTeams = kShape.teams;
  static constexpr int kTeamDecoders = kDecoders / kTeams;         // of one stage
  static constexpr int kRowsEach = kTasks / kTeamDecoders;         // panel rows of a lane
  static constexpr int kPanelsApart = kTeamDecoders / kRowGroups;  // of a lane
  static constexpr int kRowsApart = kTeamDecoders % kRowGroups * kWarp;
  static constexpr int kMultipliers = kShape.multipliers();
  static constexpr bool kWeightsFirst = kShape.weights_first();
  static constexpr int kColumns = kWeightsFirst ? kTokens : kOutputs;  // of a warpgroup's sums
  static_assert(kTeams * kTeamDecoders == kDecoders && kRowsEach * kTeamDecoders == kTasks &&
                (kRowsApart == 0 || kPanels == 1) && (!kWeightsFirst || (!kForward && kTeams == 1)) &&
                kTeams <= kShape.decoded_slots && kTeams <= kShape.code_slots);
  // Multipliers release a stage's slots after their wait for the next one.
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

// By one thread, before the block synchronizes.
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
