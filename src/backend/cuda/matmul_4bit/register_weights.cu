// in:     in [m, terms] fp16 or bf16, strided rows; a 4-bit weight [rows, cols]; bias [rows] or none; LoRA's lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank]; in, packed and both of LoRA's aligned to 16 bytes;
//         cols a multiple of 64, lora_rank of 8; blocks of 64 or more, MXFP4's or INT4's
// out:    [m, rows], strided rows; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum, PLAIN
// cost:   about 4 instructions per weight and tile of tokens to decode
// oracle: reference/matmul_4bit.cpp
// For many tokens, forward. wgmma reads its left operand, the weights, from the registers of the warps that decode
// them, so that decoded weights are never in shared memory. A slot of the ring has a panel, 64 elements of K. One
// thread loads its codes and inputs by TMA, and two warps make the tables by which its codes are looked up. A warpgroup
// for each 64 outputs decodes a panel while its products of the panel before still run. Compiled for Hopper only: no
// later architecture has wgmma.
#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/matmul_4bit/decode_codes.cuh"
#include "backend/cuda/matmul_4bit/epilogue.cuh"
#include "backend/cuda/matmul_4bit/schedulers.cuh"

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- policy ----

constexpr int kOutputs = kRegisterWeightsOutputs;
constexpr int kTokens = kRegisterWeightsTokens;
constexpr int kSlots = kRegisterWeightsSlots;
constexpr int kMultipliers = kRegisterWeightsMultipliers;     // warps
constexpr int kTableMakers = 2;                               // warps
constexpr int kTableTasks = kOutputs / kWarp / kTableMakers;  // per warp, of 32 rows each
// At launch all threads have the same number of registers, too few for the 128 sums of a multiplying thread. So these
// threads take some of the other threads' registers (setmaxnreg).
constexpr int kMultiplyingRegisters = 216;
constexpr int kHelpingRegisters = 72;
constexpr int kLaunchRegisters = 65536 / kRegisterWeightsThreads / 8 * 8;  // in units of 8
static_assert(kMultipliers * kMultiplyingRegisters + kWarpgroupWarps * kHelpingRegisters <=
              (kMultipliers + kWarpgroupWarps) * kLaunchRegisters);

// The template parameter Tiles of epilogue.cuh.
struct WarpgroupTile {
  static constexpr int kColumns = kTokens;  // of a warpgroup's sums
  static constexpr bool kWeightsFirst = true;
};

// ---- shared memory ----

struct Slot {
  unsigned char inputs[kTokens * kPanelBytes];
  unsigned char codes[kOutputs * kPanelCodeBytes];
  uint4 low[kOutputs];  // bytes of the 16 weights that the codes of a row can mean
  uint4 high[kOutputs];
};

struct Shared {
  Slot slots[kSlots];
  float map[format::kCodes8];
  GroupTile first_tile;
  Mbarrier map_full;
  Mbarrier full[kSlots];
  Mbarrier empty[kSlots];
};

__device__ inline Shared& shared_memory() {
  static_assert(sizeof(Shared) + kTileAlignment <= register_weights_shared_bytes() &&
                sizeof(Slot) % kTileAlignment == 0);
  return *reinterpret_cast<Shared*>(worked_out_once(aligned_shared()));
}

// One thread calls it, before the block synchronizes.
__device__ inline void init_mbarriers(Shared& shared) {
  init_mbarrier(shared.map_full, kTableMakers);
#pragma unroll
  for (int i = 0; i < kSlots; ++i) {
    init_mbarrier(shared.full[i], 1 + kTableMakers);
    init_mbarrier(shared.empty[i], kMultipliers);
  }
  fence_mbarrier_init();
}

// Prefetches codes and absmax of the first panels to L2.
template <class Scheduler>
__device__ void prefetch_panels(const PipelineArguments& a, const Scheduler& scheduler, int thread) {
  const int output = scheduler.output(scheduler.first());
  if (thread < kSlots) prefetch_tile(a.codes, thread * kPanelCodeBytes, output);
  if (thread < kOutputs) prefetch_absmax(a.matmul, output + thread, 0);
}

// ---- role: loading, by one thread. The last panels are LoRA's ----

template <class Scheduler>
__device__ void load_panels(const PipelineArguments& a, const Scheduler& scheduler, Shared& shared) {
  PipelineState<kSlots> to;
  for (auto tile = scheduler.first(); scheduler.has(tile); scheduler.advance(tile)) {
    const int row = scheduler.first_row(tile) + scheduler.output(tile);
    const int token = scheduler.token(tile);
    for (int panel = 0; panel < scheduler.stages * kStagePanels; ++panel) {
      const int lora_panel = panel - scheduler.weight_stages * kStagePanels;
      Slot& slot = shared.slots[to.slot];
      Mbarrier& full = shared.full[to.slot];
      wait_for(shared.empty[to.slot], to.phase - 1);
      if (lora_panel >= 0) {
        arrive_expect_tx(full, a.input_bytes);
        load_tile(slot.inputs, a.lora_inputs, lora_panel * kPanelBytes, token, full);
      } else {
        arrive_expect_tx(full, a.input_bytes + static_cast<unsigned>(sizeof slot.codes));
        load_tile(slot.codes, a.codes, panel * kPanelCodeBytes, row, full);
        load_tile(slot.inputs, a.inputs, panel * kPanelBytes, token, full);
      }
      to.advance(1);
    }
  }
}

// ---- role: making tables ----

// The table for a row's codes. Outside the weight, absmax and weights are 0.
template <class Value, class Format>
__device__ Weights16 make_table(const MatmulArguments& a, const AbsmaxReader& reader, const float* map,
                                const Absmax& loaded, bool exists) {
  const auto scale = [&](unsigned part) {
    return exists ? decode_part<Format>(a.weight.absmax_type, reader, map, loaded, part) : 0.0F;
  };
  if constexpr (Format::kParts == 2) return weights_of_two<Value>(a.weight.values, scale(0), scale(1));
  return weights_of<Value>(a.weight.values, scale(0));
}

template <class Value, class Format, class Scheduler>
__device__ void make_tables(const PipelineArguments& a, const Scheduler& scheduler, Shared& shared, int maker) {
  const MatmulArguments& matmul = a.matmul;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto row_of = [&](int task) { return (maker * kTableTasks + task) * kWarp + lane; };
  const auto panels_of_row = static_cast<std::uint32_t>(matmul.cols / kPanelCols);
  AbsmaxReader reader = absmax_reader(matmul);
  PipelineState<kSlots> to;
  if (reader.is_nested) {
    load_map<Format, kTableMakers>(matmul, shared.map, shared.map_full, maker, lane);
    wait_for(shared.map_full);
  }
  for (auto tile = scheduler.first(); scheduler.has(tile); scheduler.advance(tile)) {
    load_own(a, scheduler, tile, reader);
    const std::uint32_t before = first_panel_row(a, scheduler, tile);
    LaneRows rows[kTableTasks];
    Absmax next[kTableTasks];
#pragma unroll
    for (int task = 0; task < kTableTasks; ++task) {
      const int output = scheduler.output(tile) + row_of(task);
      rows[task] = {.first = before + static_cast<std::uint32_t>(output) * panels_of_row,
                    .apart = 1,
                    .stages = output < matmul.rows ? static_cast<int>(panels_of_row) : 0};
      next[task] = load_absmax<Format>(reader, rows[task], 0);
    }
#pragma unroll 1
    for (int panel = 0; panel < scheduler.stages * kStagePanels; ++panel) {
      Slot& slot = shared.slots[to.slot];
      wait_for(shared.empty[to.slot], to.phase - 1);
      if (panel < scheduler.weight_stages * kStagePanels) {
#pragma unroll
        for (int task = 0; task < kTableTasks; ++task) {
          const Weights16 weights =
              make_table<Value, Format>(matmul, reader, shared.map, next[task], panel < rows[task].stages);
          next[task] = load_absmax<Format>(reader, rows[task], panel + 1);
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

// A panel of a warpgroup's weights, as wgmma's left operand. A lane has two of the 64 outputs, 8 apart, and of each
// step four terms of both, as in multiply().
struct WeightFragments {
  std::uint32_t words[kPanelSteps][4];
};

// A step has 8 bytes of codes per row. Lane t of four decodes bytes t and 4 + t: the low two bytes of `four`, whose
// other bytes are unused.
template <class Format>
__device__ void decode_fragments(const Slot& slot, int row, WeightFragments& weights) {
  constexpr std::uint32_t kIndices = 0x7777;
  constexpr std::uint32_t kBothHalves = 0x11;
  constexpr std::uint32_t kSecondHalf = 0x40;
  constexpr PairOrder kOrder = pair_order(Format::kIsLowFirst);
  const std::uint32_t bytes = threadIdx.x % 4 * kBothHalves + kSecondHalf;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    std::uint32_t codes[8];
    load_codes<kPanelCodeBytes>(slot.codes, row + 8 * h, 0, codes);
    Weights16 table;
    unpack(slot.low[row + 8 * h], table.low);
    unpack(slot.high[row + 8 * h], table.high);
#pragma unroll
    for (int step = 0; step < kPanelSteps; ++step) {
      const std::uint32_t four = permuted(codes[2 * step], codes[2 * step + 1], bytes);
      const std::uint32_t upper = spread_signs<0>(four, four << 4);
      std::uint32_t words[2];
      if constexpr (Format::kParts == 2)
        decode_four(weights_of_one(table, step * format::kStepTerms / kSmallBlock), kOrder, four & kIndices, upper,
                    words);
      else
        decode_four(table, kOrder, four & kIndices, upper, words);
      weights.words[step][h] = words[0];
      weights.words[step][h + 2] = words[1];
    }
  }
}

// Loads such a panel of LoRA's values [outputs, lora_rank], from `term` on; zeros outside them.
__device__ inline void load_lora_fragments(const MatmulArguments& a, std::int64_t first_row, std::int64_t output,
                                           int term, WeightFragments& weights) {
  const int first = term + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const bool exists = output + 8 * h < a.rows;
    const auto* const row =
        static_cast<const std::uint16_t*>(a.lora_weight) + (exists ? first_row + output + 8 * h : 0) * a.lora_rank;
#pragma unroll
    for (int i = 0; i < 2 * kPanelSteps; ++i) {
      const bool is_there = exists && first + 8 * i < a.lora_rank;
      weights.words[i / 2][h + i % 2 * 2] =
          is_there ? load_dependent(reinterpret_cast<const std::uint32_t*>(row + first + 8 * i)) : 0U;
    }
  }
}

template <class Value, class Format, class Scheduler>
__device__ void multiply_panels(const PipelineArguments& a, const Scheduler& scheduler, Shared& shared, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int row = warp * 16 + lane / 4;
  PipelineState<kSlots> from;
  bool is_full = false;  // from.slot is known to be full
  WeightFragments weights[kStagePanels] = {};
  int before[kStagePanels] = {};  // slots of the last two panels, which are not released yet
  const auto release = [&](int slot) { arrive_as_warp(shared.empty[slot], lane); };
  for (auto tile = scheduler.first(); scheduler.has(tile); scheduler.advance(tile)) {
    float sums[kTokens / 2] = {};
#pragma unroll 1
    for (int stage = 0; stage < scheduler.stages; ++stage) {
#pragma unroll
      for (int i = 0; i < kStagePanels; ++i) {
        wgmma_wait<1>();  // for all products but those of the panel before
#pragma unroll
        for (int step = 0; step < kPanelSteps; ++step) warpgroup_fence_operand(weights[i].words[step]);
        if (stage > 0) release(before[i]);
        if (!is_full) wait_for(shared.full[from.slot], from.phase);
        const Slot& slot = shared.slots[from.slot];
        before[i] = from.slot;
        from.advance(1);
        is_full = test_wait(shared.full[from.slot], from.phase);
        if (stage >= scheduler.weight_stages)
          load_lora_fragments(a.matmul, scheduler.first_row(tile), scheduler.output(tile) + row,
                              ((stage - scheduler.weight_stages) * kStagePanels + i) * kPanelCols, weights[i]);
        else
          decode_fragments<Format>(slot, row, weights[i]);
        const TileOperand inputs = tile_operand<kPanelBytes>(slot.inputs, kVectorBytes);
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
    for (int i = 0; i < kStagePanels; ++i) release(before[i]);
    finish_tile<Value, WarpgroupTile>(a.matmul, scheduler, tile, warp, static_cast<int>(a.matmul.rows), sums);
  }
}

// ---- kernel ----

template <class Value, class Scheduler>
__global__ void __launch_bounds__(kRegisterWeightsThreads, 1)
    multiply_register_weights(const __grid_constant__ typename Scheduler::Arguments a) {
  Shared& shared = shared_memory();
  const Scheduler scheduler(a, shared.first_tile);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // tells the compiler that the value is warp-uniform
  if (thread == 0) init_mbarriers(shared);
  if constexpr (!Scheduler::kIsGrouped)  // the previous grid may write the experts' ends
    prefetch_panels(a, scheduler, thread);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
  find_first_tile(scheduler, warp, shared.first_tile);
  constexpr int kLoader = kMultipliers + kTableMakers;
  if (warp < kMultipliers) {
    warpgroup_reg_alloc<kMultiplyingRegisters>();
    with_panel_format<false, false>(
        a.matmul.weight, [&](auto format) { multiply_panels<Value, decltype(format)>(a, scheduler, shared, warp); });
  } else {
    warpgroup_reg_dealloc<kHelpingRegisters>();
    if (warp < kLoader)
      with_panel_format<false, false>(a.matmul.weight, [&](auto format) {
        make_tables<Value, decltype(format)>(a, scheduler, shared, warp - kMultipliers);
      });
    else if (thread == kLoader * kWarp)
      load_panels(a, scheduler, shared);
  }
}

template <class Scheduler>
contract::Outcome launch_with(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  const PipelineKernel<typename Scheduler::Arguments> kernel = call.product.dtype == QFUSE_FLOAT16
                                                                   ? multiply_register_weights<Half, Scheduler>
                                                                   : multiply_register_weights<Bfloat16, Scheduler>;
  return launch_pipeline(kernel, call, plan, exec);
}

}  // namespace

contract::Outcome launch_register_weights(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  return call.a.groups.experts == 0 ? launch_with<TileScheduler<true, kOutputs, kTokens>>(call, plan, exec)
                                    : launch_with<GroupScheduler<true, kOutputs, kTokens>>(call, plan, exec);
}

}  // namespace qfuse::cuda::matmul_4bit
