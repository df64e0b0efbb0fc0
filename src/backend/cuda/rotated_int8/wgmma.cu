// in:     in_q [m, k] and weight_q [n, k] i8, aligned to 16 bytes; in_scale [m] and weight_scale [n] fp32, bias [n] or
//         none, lora_in [m, lora_rank], lora_weight [n, lora_rank] or, backward, [lora_rank, n], addend [m, n] or none
// out:    [m, n] fp32, fp16 or bf16, with a row stride; any address
// math:   v = values, rotated in blocks by sums and differences at distances 1, 2, 4 and so on;
//         scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//         out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias, + addend)
// cost:   m*n*k integer products in matrix instructions, and for LoRA m*n*lora_rank FMAs outside them
// oracle: reference/rotated_int8.cpp
// For Hopper: persistent thread blocks take tiles in turn. One thread loads stages of 128 terms of both operands by
// TMA, two warpgroups with 64 tokens each multiply by wgmma, three warps load the epilogues' inputs ahead. Compiled
// only for Hopper, because no later architecture has wgmma.
#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/rotated_int8/tile_end.cuh"

namespace qfuse::cuda::rotated_int8 {
namespace {

// ---- policy ----

constexpr int kWarpgroupWarps = 4;
constexpr int kWarpgroupTokens = 64;  // rows of wgmma's left operand
constexpr int kStageSteps = kWgmmaTerms / format::kInt8StepTerms;
static_assert(kWgmmaTokens == kWgmmaMultipliers / kWarpgroupWarps * kWarpgroupTokens);
// At launch all threads have equally many registers: too few for a multiplying thread's 128 sums, which therefore gets
// some of the other threads' registers.
constexpr int kMultiplyingRegisters = 216;
constexpr int kHelpingRegisters = 72;
constexpr int kLaunchRegisters = 65536 / kWgmmaThreads / 8 * 8;  // per thread, a multiple of eight
static_assert(kWgmmaMultipliers * kMultiplyingRegisters + kWarpgroupWarps * kHelpingRegisters <=
              (kWgmmaMultipliers + kWarpgroupWarps) * kLaunchRegisters);

// ---- arguments, and the layout of shared memory ----

struct WgmmaArguments {
  MatmulArguments matmul;
  TensorMap in;
  TensorMap weight;
  std::int64_t tiles;
  int stages;
  int blocks;
};

template <int kAt>
struct Tile {
  static constexpr int kOutputs = kWgmmaShapes[kAt].outputs;
  static constexpr int kSlots = kWgmmaShapes[kAt].slots;
  static constexpr int kColumns = kOutputs / 8;
  using End = TileEnd<kWgmmaTokens, kOutputs>;
  static_assert(sizeof(End) == end_shared_bytes(kWgmmaTokens, kOutputs));
};

template <class Of>
struct Slot {
  unsigned char in[kWgmmaTokens * kWgmmaTerms];
  unsigned char weight[Of::kOutputs * kWgmmaTerms];
};

template <class Of>
struct Shared {
  Slot<Of> slots[Of::kSlots];
  typename Of::End ends[kWgmmaEnds];
  Mbarrier full[Of::kSlots];
  Mbarrier empty[Of::kSlots];
  Mbarrier end_full[kWgmmaEnds];
  Mbarrier end_empty[kWgmmaEnds];
};

template <int kAt>
__device__ Shared<Tile<kAt>>& shared_memory() {
  static_assert(sizeof(Shared<Tile<kAt>>) + kTileAlignment <= kWgmmaShapes[kAt].shared_bytes());
  return *reinterpret_cast<Shared<Tile<kAt>>*>(aligned_shared());
}

// Called by one thread, before the block synchronizes.
template <class Of>
__device__ void init_mbarriers(Shared<Of>& shared) {
#pragma unroll
  for (int i = 0; i < Of::kSlots; ++i) {
    init_mbarrier(shared.full[i]);
    init_mbarrier(shared.empty[i], kWgmmaMultipliers);
  }
#pragma unroll
  for (int i = 0; i < kWgmmaEnds; ++i) {
    init_mbarrier(shared.end_full[i], kWgmmaFillers);
    init_mbarrier(shared.end_empty[i], kWgmmaMultipliers);
  }
  fence_mbarrier_init();
}

// Calls use(place) for each tile of the block.
template <class Of, class Use>
__device__ void for_each_tile(const WgmmaArguments& a, const Use& use) {
#pragma unroll 1
  for (std::int64_t tile = blockIdx.x; tile < a.tiles; tile += a.blocks)
    use(place_of_tile<kWgmmaTokens, Of::kOutputs>(a.matmul, tile));
}

// Calls use(term) for each window of LoRA's terms, and once if there is none.
template <class Use>
__device__ void for_each_window(const MatmulArguments& a, const Use& use) {
#pragma unroll 1
  for (std::int64_t term = 0; term == 0 || term < a.lora_rank; term += kLoraTerms) use(term);
}

// ---- role: loading, by one thread ----

template <class Of>
__device__ void load_stages(const WgmmaArguments& a, Shared<Of>& shared) {
  PipelineState<Of::kSlots> to;
  for_each_tile<Of>(a, [&](const TilePlace& tile) {
#pragma unroll 1
    for (int stage = 0; stage < a.stages; ++stage) {
      Slot<Of>& slot = shared.slots[to.slot];
      Mbarrier& full = shared.full[to.slot];
      wait_for(shared.empty[to.slot], to.phase - 1);
      arrive_expect_tx(full, sizeof slot);
      load_tile(slot.in, a.in, stage * kWgmmaTerms, static_cast<int>(tile.token), full);
      load_tile(slot.weight, a.weight, stage * kWgmmaTerms, static_cast<int>(tile.output), full);
      to.advance(1);
    }
  });
}

// ---- role: loading the epilogues' inputs ----

// To L2.
template <class Value, class Of>
__device__ void prefetch_addend(const MatmulArguments& a, const TilePlace& tile, int thread) {
  constexpr int kLine = 128 / static_cast<int>(sizeof(Value));
  constexpr int kLines = Of::kOutputs / kLine;  // per token
  if (a.addend == nullptr) return;
  for (int i = thread; i < kWgmmaTokens * kLines; i += kWgmmaFillers * kWarp) {
    const std::int64_t token = tile.token + i / kLines;
    const std::int64_t output = tile.output + i % kLines * kLine;
    if (token < a.m && output < a.n) prefetch(static_cast<const Value*>(a.addend) + token * a.n + output);
  }
}

template <class Value, class Of>
__device__ void fill_ends(const WgmmaArguments& a, Shared<Of>& shared, int thread) {
  PipelineState<kWgmmaEnds> to;
  for_each_tile<Of>(a, [&](const TilePlace& tile) {
    prefetch_addend<Value, Of>(a.matmul, tile, thread);
    for_each_window(a.matmul, [&](std::int64_t term) {
      wait_for(shared.end_empty[to.slot], to.phase - 1);
      fill_end<Value>(a.matmul, tile, term, thread, kWgmmaFillers * kWarp, shared.ends[to.slot]);
      arrive_as_warp(shared.end_full[to.slot], thread % kWarp);
      to.advance(1);
    });
  });
}

// ---- role: multiplying ----

// A slot is released once the products of the next stage have begun.
template <class Of>
__device__ void multiply_stages(const WgmmaArguments& a, Shared<Of>& shared, int warp, PipelineState<Of::kSlots>& from,
                                LaneSums<int, 1, Of::kColumns>& sums) {
  constexpr int kLeading = 16;  // bytes; wgmma ignores them here
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  auto& all = reinterpret_cast<int(&)[Of::kOutputs / 2]>(sums);
  int before = 0;
#pragma unroll 1
  for (int stage = 0; stage < a.stages; ++stage) {
    wait_for(shared.full[from.slot], from.phase);
    const Slot<Of>& slot = shared.slots[from.slot];
    const TileOperand in =
        tile_operand<kWgmmaTerms>(slot.in + warp / kWarpgroupWarps * kWarpgroupTokens * kWgmmaTerms, kLeading);
    const TileOperand weight = tile_operand<kWgmmaTerms>(slot.weight, kLeading);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < kStageSteps; ++step)
      wgmma_int8<Of::kOutputs>(all, offset(in, step * format::kInt8StepTerms),
                               offset(weight, step * format::kInt8StepTerms), stage > 0 || step > 0);
    wgmma_commit();
    if (stage > 0) {
      wgmma_wait<1>();
      arrive_as_warp(shared.empty[before], lane);
    }
    before = from.slot;
    from.advance(1);
  }
  wgmma_wait<0>();
  warpgroup_fence_operand(all);
  arrive_as_warp(shared.empty[before], lane);
}

template <class Value, class Of>
__device__ void multiply_tiles(const WgmmaArguments& a, Shared<Of>& shared, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const LanePlace at(warp * 16, 0);
  PipelineState<Of::kSlots> from;
  PipelineState<kWgmmaEnds> from_end;
  for_each_tile<Of>(a, [&](const TilePlace& tile) {
    LaneSums<int, 1, Of::kColumns> sums = {};
    multiply_stages(a, shared, warp, from, sums);
    auto y = rounded(sums);
    for_each_window(a.matmul, [&](std::int64_t term) {
      const typename Of::End& end = shared.ends[from_end.slot];
      wait_for(shared.end_full[from_end.slot], from_end.phase);
      if (term == 0) scale_sums(end, at, y);
      add_lora(end, at, a.matmul.lora_rank - term, y);
      if (a.matmul.bias != nullptr && term + kLoraTerms >= a.matmul.lora_rank) add_bias(end, at, y);
      arrive_as_warp(shared.end_empty[from_end.slot], lane);
      from_end.advance(1);
    });
    if (a.matmul.addend != nullptr) add_addend<Value>(a.matmul, tile.token + at.token, tile.output, y);
    store_sums<Value>(a.matmul, tile.token + at.token, tile.output, y);
  });
}

// ---- kernel ----

template <class Value, int kAt>
__global__ void __launch_bounds__(kWgmmaThreads, 1) multiply_by_wgmma(const __grid_constant__ WgmmaArguments a) {
  auto& shared = shared_memory<kAt>();
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // tells the compiler that all lanes agree
  if (thread == 0) init_mbarriers(shared);
  __syncthreads();
  constexpr int kLoader = kWgmmaMultipliers + kWgmmaFillers;
  if (warp < kWgmmaMultipliers) {
    warpgroup_reg_alloc<kMultiplyingRegisters>();
    multiply_tiles<Value>(a, shared, warp);
  } else {
    warpgroup_reg_dealloc<kHelpingRegisters>();
    if (warp < kLoader)
      fill_ends<Value>(a, shared, thread - kWgmmaMultipliers * kWarp);
    else if (thread == kLoader * kWarp)
      load_stages(a, shared);
  }
}

using WgmmaKernel = void (*)(WgmmaArguments);

template <class Value>
WgmmaKernel find_kernel(const MatmulPlan& plan) {
  return plan.outputs == kWgmmaShapes[0].outputs ? multiply_by_wgmma<Value, 0> : multiply_by_wgmma<Value, 1>;
}
WgmmaKernel find_kernel(qfuse_dtype dtype, const MatmulPlan& plan) {
  switch (dtype) {
    case QFUSE_FLOAT32: return find_kernel<float>(plan);
    case QFUSE_FLOAT16: return find_kernel<Half>(plan);
    case QFUSE_BFLOAT16: return find_kernel<Bfloat16>(plan);
  }
  return nullptr;
}

}  // namespace

contract::Outcome launch_wgmma(const contract::RotatedInt8Matmul& p, const MatmulPlan& plan, const qfuse_exec& exec) {
  const CurrentDevice current(exec.device.index);  // make_tensor_map() needs it
  if (!current.outcome().ok()) return current.outcome();
  WgmmaArguments a = {.matmul = arguments_of(p, plan),
                      .in = {},
                      .weight = {},
                      .tiles = count_tiles(p, plan.tokens, plan.outputs),
                      .stages = static_cast<int>(format::ceil_div(p.k, std::int64_t{kWgmmaTerms})),
                      .blocks = static_cast<int>(plan.blocks)};
  if (contract::Outcome o = make_tensor_map(a.in, p.in_q, p.m, p.k, p.k, plan.tokens, kWgmmaTerms); !o.ok()) return o;
  if (contract::Outcome o = make_tensor_map(a.weight, p.weight_q, p.n, p.k, p.k, plan.outputs, kWgmmaTerms); !o.ok())
    return o;
  return launch(find_kernel(p.dtype, plan),
                {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes}, a, exec);
}

}  // namespace qfuse::cuda::rotated_int8
