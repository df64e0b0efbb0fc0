// The kernel whose weights are held in registers (sm90a.cu): what lies in shared memory, and its roles. A run is 64
// terms, of all outputs and tokens of a tile. Runs go round a ring of slots: one thread has a run's codes and inputs
// loaded, two warps make the tables by which the codes of its rows are decoded, and a warpgroup for each 64 outputs
// decodes it, while its products of the run before go on, and multiplies.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_HELD_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_HELD_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/stage_decoding.cuh"
#include "backend/cuda/matmul_4bit/stage_multiplying.cuh"

namespace qfuse::cuda {

// ---- policy ----

constexpr int kTableMakers = 2;                                   // warps
constexpr int kTableTasks = kHeldOutputs / kWarp / kTableMakers;  // of each, of 32 rows
constexpr int kStageRuns = kStageTerms / kStageRun;
// A thread has too few registers at the launch if it multiplies, since its sums are 128: it gets some of the others'.
constexpr int kMultiplyingRegisters = 216;
constexpr int kHelpingRegisters = 72;
constexpr int kLaunchRegisters = 65536 / kHeldThreads / 8 * 8;  // of a multiprocessor's, in eights
static_assert(kHeldMultipliers * kMultiplyingRegisters + kStageWarps * kHelpingRegisters <=
              (kHeldMultipliers + kStageWarps) * kLaunchRegisters);

// What functions that it shares with the kernel in stages take as their Tiles.
struct HeldTiles {
  static constexpr int kColumns = kHeldTokens;  // of a warpgroup's sums
  static constexpr bool kWeightsFirst = true;
  static constexpr int kCodeRowBytes = kRunBytes;
};

// ---- what lies in shared memory ----

struct HeldSlot {
  unsigned char inputs[kHeldTokens * kPanelBytes];
  unsigned char codes[kHeldOutputs * kRunBytes];
  uint4 low[kHeldOutputs];  // bytes of the 16 weights that the run of a row can have
  uint4 high[kHeldOutputs];
};

struct HeldShared {
  HeldSlot slots[kHeldSlots];
  float map[format::kCodes8];
  Mbarrier map_full;
  Mbarrier full[kHeldSlots];
  Mbarrier empty[kHeldSlots];
};

__device__ inline HeldShared& held_shared() {
  static_assert(sizeof(HeldShared) + kStageAlignment <= held_shared_bytes() && sizeof(HeldSlot) % kStageAlignment == 0);
  return *reinterpret_cast<HeldShared*>(worked_out_once(aligned_shared()));
}

// By one thread, before the block synchronizes.
__device__ inline void init_mbarriers(HeldShared& shared) {
  init_mbarrier(shared.map_full, kTableMakers);
#pragma unroll
  for (int i = 0; i < kHeldSlots; ++i) {
    init_mbarrier(shared.full[i], 1 + kTableMakers);
    init_mbarrier(shared.empty[i], kHeldMultipliers);
  }
  fence_mbarrier_init();
}

// Of the first runs, what is only brought nearer before the kernel before is done.
template <class TurnsOf>
__device__ void prefetch_runs(const StageArguments& a, const TurnsOf& turns, int thread) {
  const int output = turns.first_output(static_cast<int>(blockIdx.x));
  if (thread < kHeldSlots) prefetch_tile(a.codes, thread * kRunBytes, output);
  if (thread < kHeldOutputs) prefetch_absmax(a.matmul, output + thread, 0);
}

// ---- role: loading, by one thread. Runs behind the weight's are LoRA's ----

template <class TurnsOf>
__device__ void load_runs(const StageArguments& a, const TurnsOf& turns, HeldShared& shared) {
  Place<kHeldSlots> to;
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks) {
    const int output = turns.first_output(tile);
    const int token = turns.first_token(tile);
    for (int run = 0; run < turns.stages * kStageRuns; ++run) {
      const int lora_run = run - turns.weight_stages * kStageRuns;
      HeldSlot& slot = shared.slots[to.slot];
      Mbarrier& full = shared.full[to.slot];
      wait_for(shared.empty[to.slot], to.phase - 1);
      if (lora_run >= 0) {
        arrive_expect_tx(full, a.input_bytes);
        load_tile(slot.inputs, a.lora_inputs, lora_run * kPanelBytes, token, full);
      } else {
        arrive_expect_tx(full, a.input_bytes + static_cast<unsigned>(sizeof slot.codes));
        load_tile(slot.codes, a.codes, run * kRunBytes, output, full);
        load_tile(slot.inputs, a.inputs, run * kPanelBytes, token, full);
      }
      to.advance(1);
    }
  }
}

// ---- role: making tables ----

template <class Value, class TurnsOf>
__device__ void make_tables(const StageArguments& a, const TurnsOf& turns, HeldShared& shared, int maker) {
  const MatmulArguments& matmul = a.matmul;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto row_of = [&](int task) { return (maker * kTableTasks + task) * kWarp + lane; };
  const auto runs_of_row = static_cast<std::uint32_t>(matmul.cols / kStageRun);
  const Scales scales = scales_of(matmul);
  Place<kHeldSlots> to;
  if (scales.is_nested) {
    load_map<kTableMakers>(matmul, shared.map, shared.map_full, maker, lane);
    wait_for(shared.map_full);
  }
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks) {
    RunsOfLane runs[kTableTasks];
    Absmax next[kTableTasks];
#pragma unroll
    for (int task = 0; task < kTableTasks; ++task) {
      const int output = turns.first_output(tile) + row_of(task);
      runs[task] = {.first = static_cast<std::uint32_t>(output) * runs_of_row,
                    .apart = 1,
                    .stages = output < matmul.rows ? static_cast<int>(runs_of_row) : 0};
      next[task] = load_absmax(scales, runs[task], 0);
    }
#pragma unroll 1
    for (int run = 0; run < turns.stages * kStageRuns; ++run) {
      HeldSlot& slot = shared.slots[to.slot];
      wait_for(shared.empty[to.slot], to.phase - 1);
      if (run < turns.weight_stages * kStageRuns) {
#pragma unroll
        for (int task = 0; task < kTableTasks; ++task) {
          // Beyond the weight absmax is 0, and so are the weights.
          const float absmax = absmax_of(next[task], scales.is_nested, shared.map, scales.offset);
          const Weights16 weights = weights_of<Value>(matmul.weight.values, run < runs[task].stages ? absmax : 0.0F);
          next[task] = load_absmax(scales, runs[task], run + 1);
          slot.low[row_of(task)] = vector_of(weights.low);
          slot.high[row_of(task)] = vector_of(weights.high);
        }
      }
      arrive_as_warp(shared.full[to.slot], lane);
      to.advance(1);
    }
  }
}

// ---- role: decoding and multiplying ----

// A run of a warpgroup's weights, as the left operand of its steps: of 64 outputs a lane has two, 8 apart, and of each step
// four terms of both, as multiply() does.
struct HeldRun {
  std::uint32_t words[kPanelSteps][4];
};

// Of the 8 bytes of codes of a step, lane t of four has bytes t and 4 + t, which `four` has lowest; the others mean nothing.
__device__ inline void decode_run(const HeldSlot& slot, int row, HeldRun& weights) {
  constexpr std::uint32_t kIndices = 0x7777;
  constexpr std::uint32_t kBothHalves = 0x11;
  constexpr std::uint32_t kSecondHalf = 0x40;
  const std::uint32_t bytes = threadIdx.x % 4 * kBothHalves + kSecondHalf;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    std::uint32_t codes[8];
    load_codes<HeldTiles>(slot.codes, row + 8 * h, 0, codes);
    Weights16 table;
    unpack(slot.low[row + 8 * h], table.low);
    unpack(slot.high[row + 8 * h], table.high);
#pragma unroll
    for (int step = 0; step < kPanelSteps; ++step) {
      const std::uint32_t four = permuted(codes[2 * step], codes[2 * step + 1], bytes);
      std::uint32_t words[2];
      decode_four(table, four & kIndices, spread_signs<0>(four, four << 4), words);
      weights.words[step][h] = words[0];
      weights.words[step][h + 2] = words[1];
    }
  }
}

// The same of LoRA's values [outputs, lora_rank] from `term` on; zeros beyond them.
__device__ inline void load_lora_run(const MatmulArguments& a, std::int64_t output, int term, HeldRun& weights) {
  const int first = term + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const bool exists = output + 8 * h < a.rows;
    const auto* const row =
        static_cast<const std::uint16_t*>(a.lora_weight) + (exists ? output + 8 * h : 0) * a.lora_rank;
#pragma unroll
    for (int i = 0; i < 2 * kPanelSteps; ++i) {
      const bool is_there = exists && first + 8 * i < a.lora_rank;
      weights.words[i / 2][h + i % 2 * 2] =
          is_there ? load_dependent(reinterpret_cast<const std::uint32_t*>(row + first + 8 * i)) : 0U;
    }
  }
}

template <class Value, class TurnsOf>
__device__ void multiply_runs(const StageArguments& a, const TurnsOf& turns, HeldShared& shared, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int row = warp * 16 + lane / 4;
  Place<kHeldSlots> from;
  bool is_full = false;  // that slot
  HeldRun weights[kStageRuns] = {};
  int before[kStageRuns] = {};  // slots of the last two runs, which are not released yet
  const auto release = [&](int slot) { arrive_as_warp(shared.empty[slot], lane); };
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks) {
    float sums[kHeldTokens / 2] = {};
#pragma unroll 1
    for (int stage = 0; stage < turns.stages; ++stage) {
#pragma unroll
      for (int i = 0; i < kStageRuns; ++i) {
        wgmma_wait<1>();  // all but those of the run before this one
#pragma unroll
        for (int step = 0; step < kPanelSteps; ++step) warpgroup_fence_operand(weights[i].words[step]);
        if (stage > 0) release(before[i]);
        if (!is_full) wait_for(shared.full[from.slot], from.phase);
        const HeldSlot& slot = shared.slots[from.slot];
        before[i] = from.slot;
        from.advance(1);
        is_full = test_wait(shared.full[from.slot], from.phase);
        if (stage < turns.weight_stages)
          decode_run(slot, row, weights[i]);
        else
          load_lora_run(a.matmul, turns.first_output(tile) + row,
                        ((stage - turns.weight_stages) * kStageRuns + i) * kStageRun, weights[i]);
        const TileOperand inputs = tile_operand(slot.inputs, kVectorBytes, kSwizzleBytes);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < kPanelSteps; ++step)
          wgmma_rs(sums, weights[i].words[step], offset(inputs, step * kStepBytes), stage > 0 || i > 0 || step > 0,
                   Value());
        wgmma_commit();
      }
    }
    wgmma_wait<0>();
    warpgroup_fence_operand(sums);
#pragma unroll
    for (int i = 0; i < kStageRuns; ++i) release(before[i]);
    finish_tile<Value, HeldTiles>(a.matmul, turns, tile, warp, static_cast<int>(a.matmul.rows), sums);
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_HELD_CUH
