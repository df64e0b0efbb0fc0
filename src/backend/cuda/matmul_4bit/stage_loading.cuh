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

// Stage after stage of all tiles, each into the next slot of a ring. What a tile's number is divided for is worked out once
// a tile: a thread that loads has little time for a stage.
template <int kSlots, class TurnsOf>
struct Requests {
  int tile = static_cast<int>(blockIdx.x);
  int stage = 0;  // or part of one
  int output;
  int token;
  Place<kSlots> place;
  __device__ explicit Requests(const TurnsOf& turns) { begin_tile(turns); }
  [[nodiscard]] __device__ bool are_done(const TurnsOf& turns) const { return tile >= turns.tiles; }
  __device__ void begin_tile(const TurnsOf& turns) {
    output = turns.first_output(tile);
    token = turns.first_token(tile);
  }
  __device__ void advance(const TurnsOf& turns, int parts = 1) {
    place.advance(1);
    if (++stage < turns.stages * parts) return;
    stage = 0;
    tile += turns.blocks;
    begin_tile(turns);
  }
};

template <bool kForward, class Tiles, class TurnsOf>
struct CodeRequests : Requests<Tiles::kShape.code_slots, TurnsOf> {
  using Requests<Tiles::kShape.code_slots, TurnsOf>::Requests;
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int slot = this->place.slot;
    const int row = kForward ? this->output : this->stage * kStageTerms;
    const int col = kForward ? this->stage * kStageTerms : this->output;
    wait_for(shared.codes_empty[slot], this->place.phase - 1);
    if (this->stage < turns.weight_stages) {
      arrive_expect_tx(shared.codes_full[slot], Tiles::kCodeBytes);
      load_tile(shared.codes[slot], a.codes, col / 2, row, shared.codes_full[slot]);
    } else {
      arrive(shared.codes_full[slot]);  // with nothing, so that slots go on in turn
    }
    this->advance(turns);
  }
};

template <class Tiles, class TurnsOf>
struct InputRequests : Requests<Tiles::kShape.input_slots, TurnsOf> {
  using Requests<Tiles::kShape.input_slots, TurnsOf>::Requests;
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int slot = this->place.slot;
    const int lora_panel = this->stage * Tiles::kSlotPanels - turns.weight_stages * kInputPanels;
    const TensorMap& map = lora_panel >= 0 ? a.lora_inputs : a.inputs;
    const int first_panel = lora_panel >= 0 ? lora_panel : this->stage * Tiles::kSlotPanels;
    wait_for(shared.inputs_empty[slot], this->place.phase - 1);
    arrive_expect_tx(shared.inputs_full[slot], a.input_bytes);
    for (int panel = 0; panel < Tiles::kSlotPanels; ++panel)
      load_tile(shared.inputs[slot] + panel * Tiles::kInputPanelBytes, map, (first_panel + panel) * kPanelBytes,
                this->token, shared.inputs_full[slot]);
    this->advance(turns, Tiles::kSlotsEach);
  }
};

template <class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_all(RequestsOf requests, const StageArguments& a, const TurnsOf& turns,
                            StageShared<Tiles>& shared) {
  while (!requests.are_done(turns)) requests.request(a, turns, shared);
}

// As many as there are slots for, by a thread that does other work, too, before it does.
template <int kSlots, class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_first(RequestsOf& requests, const StageArguments& a, const TurnsOf& turns,
                              StageShared<Tiles>& shared) {
  for (int i = 0; i < kSlots && !requests.are_done(turns); ++i) requests.request(a, turns, shared);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_LOADING_CUH
