// in:     in [m, terms] fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; in, packed and both of LoRA's
//         aligned to 16 bytes, cols a multiple of 64, lora_rank one of 8, blocks of 64 or more
// out:    [m, outputs], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] * lora_weight
//         of (o, j) + bias[o]), both in one sum in the order PLAIN
// cost:   about 4 instructions a weight to decode it, once for each tile of tokens
// oracle: reference/matmul_4bit.cpp
// Hopper's way with more tokens, in both directions. The warps of a thread block have roles, and hand stages of 128 terms
// on to one another through shared memory (stages.cuh): one thread has codes loaded, another one inputs (stage_loading.cuh);
// some warps decode (stage_decoding.cuh); a warpgroup for each 64 tokens multiplies, or, where tokens are many, for each 64
// outputs (stage_multiplying.cuh). The last stages are LoRA's, whose values are loaded where others are decoded. A second
// kernel has tiles of more tokens, forward: the warps that multiply decode, to their registers (held.cuh). Compiled
// for Hopper alone, whose instructions for warpgroups no later one has.
#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/held.cuh"
#include "backend/cuda/matmul_4bit/staged.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {
namespace {

// ---- kernel: weights held in registers ----

template <class Value>
__global__ void __launch_bounds__(kHeldThreads, 1) multiply_held(const __grid_constant__ StageArguments a) {
  HeldShared& shared = held_shared();
  const auto turns = turns_of<Turns<kHeldOutputs, kHeldTokens>>(a);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // which tells the compiler that lanes agree
  if (thread == 0) init_mbarriers(shared);
  prefetch_runs(a, turns, thread);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
  __syncthreads();
  constexpr int kLoader = kHeldMultipliers + kTableMakers;
  if (warp < kHeldMultipliers) {
    warpgroup_reg_alloc<kMultiplyingRegisters>();
    multiply_runs<Value>(a, turns, shared, warp);
  } else {
    warpgroup_reg_dealloc<kHelpingRegisters>();
    if (warp < kLoader)
      make_tables<Value>(a, turns, shared, warp - kHeldMultipliers);
    else if (thread == kLoader * kWarp)
      load_runs(a, turns, shared);
  }
}

// ---- the kernel of a plan ----

using StagedKernel = void (*)(StageArguments);

template <class Value, bool kForward>
StagedKernel find_shape(const Matmul4bitPlan& plan) {
  const auto is = [&](int outputs, int tokens) { return plan.outputs == outputs && plan.tokens == tokens; };
  if (is(128, 64)) return multiply_staged<Value, kForward, ShapeOf<128, 64>>;
  if (is(64, 64)) return multiply_staged<Value, kForward, ShapeOf<64, 64>>;
  if (is(128, 128)) return multiply_staged<Value, kForward, ShapeOf<128, 128>>;
  if (is(64, 128)) return multiply_staged<Value, kForward, ShapeOf<64, 128>>;
  if (is(128, 256)) return multiply_staged<Value, kForward, ShapeOf<128, 256>>;
  if constexpr (kForward) return multiply_staged<Value, kForward, ShapeOf<32, 64>>;
  return nullptr;
}

template <class Value>
StagedKernel find_staged(const contract::Matmul4bit& p, const Matmul4bitPlan& plan) {
  if (plan.kernel == Matmul4bitKernel::held) return multiply_held<Value>;
  return is_forward(p) ? find_shape<Value, true>(plan) : find_shape<Value, false>(plan);
}

}  // namespace

contract::Outcome launch_staged(const MatmulArguments& a, const contract::Matmul4bit& p, const Matmul4bitPlan& plan,
                                const qfuse_exec& exec) {
  const CurrentDevice current(exec.device.index);  // for the maps too
  if (!current.outcome().ok()) return current.outcome();
  StageArguments arguments;
  if (contract::Outcome o = make_stage_arguments(arguments, a, p, plan); !o.ok()) return o;
  const StagedKernel kernel = p.dtype == QFUSE_FLOAT16 ? find_staged<Half>(p, plan) : find_staged<Bfloat16>(p, plan);
  return launch(
      kernel,
      {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .programmatic_launch = true},
      arguments, exec);
}

}  // namespace qfuse::cuda
