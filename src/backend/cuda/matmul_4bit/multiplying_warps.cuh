// The warp-specialized kernel: the multiplying warps. Warpgroups wait for a stage's decoded weights and inputs in
// shared memory, start its products (wgmma), and release the previous slots when their products are complete.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTIPLYING_WARPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTIPLYING_WARPS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/epilogue.cuh"
#include "backend/cuda/matmul_4bit/producer_warps.cuh"

namespace qfuse::cuda::matmul_4bit {

// One step of a stage: 16 elements of K for a warpgroup's 64 rows. `inputs` is the operand at the start of a slot.
template <class Value, bool kForward, class Tiles>
__device__ void multiply_step(TileOperand weights, TileOperand inputs, int step, bool adds,
                              float (&sums)[Tiles::kColumns / 2]) {
  const int in_panel = step % kPanelSteps * kStepBytes;
  const int panel = step / kPanelSteps;
  const TileOperand of_inputs = offset(inputs, panel % Tiles::kSlotPanels * Tiles::kInputPanelBytes + in_panel);
  const TileOperand of_weights = offset(weights, kForward ? panel * Tiles::kRows * Tiles::kRowBytes + in_panel
                                                          : step * format::kStepTerms * Tiles::kRowBytes);
  if constexpr (Tiles::kWeightsFirst)
    wgmma<Tiles::kColumns, !kForward, false>(sums, of_weights, of_inputs, adds, Value());
  else
    wgmma<Tiles::kColumns, false, !kForward>(sums, of_inputs, of_weights, adds, Value());
}

template <class Value, bool kForward, class Tiles, class Scheduler>
__device__ void multiply_stages(const PipelineArguments& a, const Scheduler& scheduler, StageShared<Tiles>& shared,
                                int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int group = warp / kWarpgroupWarps;
  const auto outputs = static_cast<int>(kForward ? a.matmul.rows : a.matmul.cols);
  // Offsets of the warpgroup's 64 rows of the left operand. 64 outputs are a panel of the weight.
  const int first_weights = Tiles::kWeightsFirst ? group * Tiles::kRows * Tiles::kRowBytes : 0;
  constexpr int kGroups = Tiles::kOutputGroups;
  const int first_inputs = Tiles::kWeightsFirst ? 0 : group * kWarpgroupRows * kPanelBytes;
  // Without producer warps one of these threads loads inputs as soon as a slot is free.
  const bool loads = !Tiles::kShape.has_producers() && warp == 0 && lane == 0;
  InputProducer<Tiles, Scheduler> producer(scheduler);
  if (loads) fill_slots<Tiles::kShape.input_slots>(producer, a, scheduler, shared);
  PipelineState<Tiles::kShape.decoded_slots> decoded;
  PipelineState<Tiles::kShape.input_slots> inputs;
  GroupTile& kept = shared.kept_tiles[Tiles::kDecoders + warp];
  auto tile = scheduler.first();
  while (scheduler.has(tile)) {
    if constexpr (Tiles::kWeightsFirst) keep_tile<Scheduler>(tile, kept, lane);
    float sums[kGroups][Tiles::kColumns / 2] = {};
    int decoded_before = 0;
    int inputs_before = 0;
    const auto release = [&](bool ends_stage) {
      __syncwarp(kAllLanes);
      if (lane == 0) {
        if (ends_stage) arrive(shared.decoded_empty[decoded_before]);
        arrive(shared.inputs_empty[inputs_before]);
        if (loads && !producer.is_done(scheduler)) producer.load(a, scheduler, shared);
      }
      if constexpr (!Tiles::kShape.has_producers()) __syncwarp(kAllLanes);  // wgmma needs all lanes together
    };
    for (int stage = 0; stage < scheduler.stages; ++stage) {
#pragma unroll
      for (int part = 0; part < Tiles::kSlotsEach; ++part) {
        wait_for(shared.inputs_full[inputs.slot], inputs.phase);
        if (part == 0) wait_for(shared.decoded_full[decoded.slot], decoded.phase);
        wgmma_fence();
        const TileOperand of_inputs =
            tile_operand<kPanelBytes>(shared.inputs[inputs.slot] + first_inputs, kVectorBytes);
        const TileOperand of_weights = tile_operand<Tiles::kRowBytes>(
            shared.decoded[decoded.slot] + first_weights, kForward ? kVectorBytes : Tiles::kRows * Tiles::kRowBytes);
        constexpr int kSteps = kStageSteps / Tiles::kSlotsEach;
#pragma unroll
        for (int step = part * kSteps; step < (part + 1) * kSteps; ++step)
#pragma unroll
          for (int i = 0; i < kGroups; ++i)
            multiply_step<Value, kForward, Tiles>(offset(of_weights, i * kWarpgroupRows * Tiles::kRowBytes), of_inputs,
                                                  step, stage > 0 || step > 0, sums[i]);
        wgmma_commit();
        if (stage > 0 || part > 0) {
          wgmma_wait<1>();
          release(part == 0);  // at part 0, slots that end the stage before
        }
        if (part == 0) decoded_before = decoded.slot;
        inputs_before = inputs.slot;
        inputs.advance(1);
      }
      decoded.advance(1);
    }
    wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < kGroups; ++i) warpgroup_fence_operand(sums[i]);
    release(true);
    if constexpr (Tiles::kWeightsFirst) tile = kept_tile<Scheduler>(tile, kept);
#pragma unroll
    for (int i = 0; i < kGroups; ++i)
      finish_tile<Value, Tiles>(a.matmul, scheduler, tile, warp + i * kWarpgroupWarps, outputs, sums[i]);
    if constexpr (Tiles::kWeightsFirst && Scheduler::kIsGrouped) __syncwarp(kAllLanes);  // before `kept` is overwritten
    scheduler.advance(tile);
  }
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_MULTIPLYING_WARPS_CUH
