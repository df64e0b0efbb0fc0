// The kernel in stages: the role that has codes and inputs loaded, and what is brought nearer before.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_LOADING_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_LOADING_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/stages.cuh"

namespace qfuse::cuda {

// ---- before the kernel before is done ----

// For loads that come later, which find it in the L2 then.
__device__ inline void prefetch_absmax(const MatmulArguments& a, std::int64_t row, std::int64_t col) {
  if (row >= a.rows || col >= a.cols) return;
  const std::int64_t block = (row * a.cols + col) >> a.weight.block_shift;
  if (a.is_nested)
    prefetch(a.weight.absmax_8bit + block);
  else
    prefetch(a.weight.absmax + block);
}

// The first stages' codes and absmax, which are only brought nearer.
template <bool kForward, class Tiles, class TurnsOf>
__device__ void prefetch_stages(const StageArguments& a, const TurnsOf& turns, int thread) {
  const int stages = turns.weight_stages < Tiles::kShape.code_slots ? turns.weight_stages : Tiles::kShape.code_slots;
  const int output = turns.first_output(static_cast<int>(blockIdx.x));
  if (thread < stages) {
    const int term = thread * kStageTerms;
    prefetch_tile(a.codes, (kForward ? term : output) / 2, kForward ? output : term);
  }
  if (thread < Tiles::kRows) prefetch_absmax(a.matmul, (kForward ? output : 0) + thread, kForward ? 0 : output);
}

// ---- role: loading, by one thread for codes and one for inputs ----

// Stage after stage of all tiles, each into the next slot of a ring; or, where several threads take turns, every so many
// stages.
template <int kSlots, class TurnsOf>
struct Requests {
  int tile = static_cast<int>(blockIdx.x);
  int stage = 0;  // or part of one
  Place<kSlots> place;
  [[nodiscard]] __device__ bool are_done(const TurnsOf& turns) const { return tile >= turns.tiles; }
  __device__ void advance(const TurnsOf& turns, int by = 1, int parts = 1) {
    place.advance(by);
    for (stage += by; stage >= turns.stages * parts; stage -= turns.stages * parts) tile += turns.blocks;
  }
};

template <bool kForward, class Tiles, class TurnsOf>
struct CodeRequests : Requests<Tiles::kShape.code_slots, TurnsOf> {
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int output = turns.first_output(this->tile);
    const int slot = this->place.slot;
    const int row = kForward ? output : this->stage * kStageTerms;
    const int col = kForward ? this->stage * kStageTerms : output;
    wait_for(shared.codes_empty[slot], this->place.parity ^ 1U);
    if (this->stage < turns.weight_stages) {
      expect(shared.codes_full[slot], Tiles::kCodeBytes);
      load_tile(shared.codes[slot], a.codes, col / 2, row, shared.codes_full[slot]);
    } else {
      arrive(shared.codes_full[slot]);  // with nothing, so that slots go on in turn
    }
    this->advance(turns, Tiles::kWeightsFirst ? Tiles::kStagesApart : 1);
  }
};

template <class Tiles, class TurnsOf>
struct InputRequests : Requests<Tiles::kShape.input_slots, TurnsOf> {
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int token = turns.first_token(this->tile);
    const int slot = this->place.slot;
    const int lora_panel = this->stage * Tiles::kSlotPanels - turns.weight_stages * kInputPanels;
    const TileMap& map = lora_panel >= 0 ? a.lora_inputs : a.inputs;
    const int first_panel = lora_panel >= 0 ? lora_panel : this->stage * Tiles::kSlotPanels;
    wait_for(shared.inputs_empty[slot], this->place.parity ^ 1U);
    expect(shared.inputs_full[slot], a.input_bytes);
    for (int panel = 0; panel < Tiles::kSlotPanels; ++panel)
      load_tile(shared.inputs[slot] + panel * Tiles::kInputPanelBytes, map, (first_panel + panel) * kPanelBytes, token,
                shared.inputs_full[slot]);
    this->advance(turns, 1, Tiles::kSlotsEach);
  }
};

template <class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_all(RequestsOf requests, const StageArguments& a, const TurnsOf& turns,
                            StageShared<Tiles>& shared) {
  while (!requests.are_done(turns)) requests.request(a, turns, shared);
}

// As many as the thread has slots for, before it does the other work that it has.
template <int kSlots, class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_first(RequestsOf& requests, const StageArguments& a, const TurnsOf& turns,
                              StageShared<Tiles>& shared) {
  for (int i = 0; i < kSlots && !requests.are_done(turns); ++i) requests.request(a, turns, shared);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_LOADING_CUH
