// The warp-specialized kernel: the producer warps. One thread loads codes and one loads inputs, by TMA: each waits
// until the next slot of its ring is empty, then starts the loads, whose bytes complete the slot's full mbarrier.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_PRODUCER_WARPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_PRODUCER_WARPS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/stages.cuh"

namespace qfuse::cuda::matmul_4bit {

// Prefetches codes and absmax of the first stages to L2.
template <bool kForward, class Tiles, class Scheduler>
__device__ void prefetch_stages(const PipelineArguments& a, const Scheduler& scheduler, int thread) {
  const int stages =
      scheduler.weight_stages < Tiles::kShape.code_slots ? scheduler.weight_stages : Tiles::kShape.code_slots;
  const int output = scheduler.output(scheduler.first());
  if (thread < stages) {
    const int term = thread * kStageTerms;
    prefetch_tile(a.codes, (kForward ? term : output) / 2, kForward ? output : term);
  }
  if (thread < Tiles::kRows) prefetch_absmax(a.matmul, (kForward ? output : 0) + thread, kForward ? 0 : output);
}

// Position of a loading thread: a stage of a tile, and the next slot of its ring. Divides once per tile rather than per
// stage, because a loading thread has little time.
template <int kSlots, class Scheduler>
struct Producer {
  typename Scheduler::Tile tile;
  int stage = 0;  // or part of a stage, if a slot has only a part
  int output;
  int token;
  PipelineState<kSlots> state;
  __device__ explicit Producer(const Scheduler& scheduler) : tile(scheduler.first()) { begin_tile(scheduler); }
  [[nodiscard]] __device__ bool is_done(const Scheduler& scheduler) const { return !scheduler.has(tile); }
  __device__ void begin_tile(const Scheduler& scheduler) {
    output = scheduler.output(tile);
    token = scheduler.token(tile);
  }
  __device__ void advance(const Scheduler& scheduler, int parts = 1) {
    state.advance(1);
    if (++stage < scheduler.stages * parts) return;
    stage = 0;
    scheduler.advance(tile);
    begin_tile(scheduler);
  }
};

template <bool kForward, class Tiles, class Scheduler>
struct CodeProducer : Producer<Tiles::kShape.code_slots, Scheduler> {
  using Producer<Tiles::kShape.code_slots, Scheduler>::Producer;
  __device__ void load(const PipelineArguments& a, const Scheduler& scheduler, StageShared<Tiles>& shared) {
    const int slot = this->state.slot;
    const int row = scheduler.first_row(this->tile) + (kForward ? this->output : this->stage * kStageTerms);
    const int col = kForward ? this->stage * kStageTerms : this->output;
    wait_for(shared.codes_empty[slot], this->state.phase - 1);
    if (this->stage < scheduler.weight_stages) {
      arrive_expect_tx(shared.codes_full[slot], Tiles::kCodeBytes);
      load_tile(shared.codes[slot], a.codes, col / 2, row, shared.codes_full[slot]);
    } else {
      arrive(shared.codes_full[slot]);  // LoRA's stages have no codes, but take a slot in turn
    }
    this->advance(scheduler);
  }
};

template <class Tiles, class Scheduler>
struct InputProducer : Producer<Tiles::kShape.input_slots, Scheduler> {
  using Producer<Tiles::kShape.input_slots, Scheduler>::Producer;
  __device__ void load(const PipelineArguments& a, const Scheduler& scheduler, StageShared<Tiles>& shared) {
    const int slot = this->state.slot;
    const int lora_panel = this->stage * Tiles::kSlotPanels - scheduler.weight_stages * kStagePanels;
    const TensorMap& map = lora_panel >= 0 ? a.lora_inputs : a.inputs;
    const int first_panel = lora_panel >= 0 ? lora_panel : this->stage * Tiles::kSlotPanels;
    wait_for(shared.inputs_empty[slot], this->state.phase - 1);
    arrive_expect_tx(shared.inputs_full[slot], a.input_bytes);
    for (int panel = 0; panel < Tiles::kSlotPanels; ++panel)
      load_tile(shared.inputs[slot] + panel * Tiles::kInputPanelBytes, map, (first_panel + panel) * kPanelBytes,
                this->token, shared.inputs_full[slot]);
    this->advance(scheduler, Tiles::kSlotsEach);
  }
};

template <class ProducerOf, class Tiles, class Scheduler>
__device__ void load_all(ProducerOf producer, const PipelineArguments& a, const Scheduler& scheduler,
                         StageShared<Tiles>& shared) {
  while (!producer.is_done(scheduler)) producer.load(a, scheduler, shared);
}

// Fills the ring. A thread with another role besides loading calls this before it begins that role.
template <int kSlots, class ProducerOf, class Tiles, class Scheduler>
__device__ void fill_slots(ProducerOf& producer, const PipelineArguments& a, const Scheduler& scheduler,
                           StageShared<Tiles>& shared) {
  for (int i = 0; i < kSlots && !producer.is_done(scheduler); ++i) producer.load(a, scheduler, shared);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_PRODUCER_WARPS_CUH
