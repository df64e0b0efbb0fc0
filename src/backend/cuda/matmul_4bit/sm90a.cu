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
#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/held.cuh"
#include "backend/cuda/matmul_4bit/stage_decoding.cuh"
#include "backend/cuda/matmul_4bit/stage_loading.cuh"
#include "backend/cuda/matmul_4bit/stage_multiplying.cuh"
#include "backend/cuda/matmul_4bit/stages.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {
namespace {

template <class TurnsOf>
__device__ TurnsOf turns_of(const StageArguments& a) {
  return {.tiles = a.tiles,
          .token_tiles = static_cast<int>(a.matmul.token_tiles),
          .weight_stages = a.stages,
          .stages = a.stages + a.lora_stages,
          .blocks = static_cast<int>(a.matmul.blocks)};
}

// ---- kernel ----

template <class Value, bool kForward, int kOutputs, int kTokens>
__global__ void __launch_bounds__(shape_of(kOutputs, kTokens).threads(), 1)
    multiply_staged(const __grid_constant__ StageArguments a) {
  using Tiles = Stage<kForward, kOutputs, kTokens>;
  auto& shared = stage_shared<StageShared<Tiles>>();
  using TurnsOf = Turns<kOutputs, kTokens>;
  const auto turns = turns_of<TurnsOf>(a);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // which tells the compiler that lanes agree
  if (thread == 0) prepare_arrivals(shared);
  prefetch_stages<kForward, Tiles>(a, turns, thread);
  let_next_kernel_begin();
  wait_for_kernel_before();
  __syncthreads();
  constexpr int kLoaders = Tiles::kMultipliers + Tiles::kDecoders;
  if (warp < Tiles::kMultipliers)
    multiply_stages<Value, kForward>(a, turns, shared, warp);
  else if (warp < kLoaders)
    decode_stages<Value, kForward>(a, turns, shared, warp - Tiles::kMultipliers);
  else if (thread == kLoaders * kWarp)
    request_all(CodeRequests<kForward, Tiles, TurnsOf>(turns), a, turns, shared);
  else if (thread == (kLoaders + 1) * kWarp)
    request_all(InputRequests<Tiles, TurnsOf>(turns), a, turns, shared);
}

// ---- kernel: weights held in registers ----

template <class Value>
__global__ void __launch_bounds__(kHeldThreads, 1) multiply_held(const __grid_constant__ StageArguments a) {
  HeldShared& shared = held_shared();
  const auto turns = turns_of<Turns<kHeldOutputs, kHeldTokens>>(a);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // which tells the compiler that lanes agree
  if (thread == 0) prepare_arrivals(shared);
  prefetch_runs(a, turns, thread);
  let_next_kernel_begin();
  wait_for_kernel_before();
  __syncthreads();
  constexpr int kLoader = kHeldMultipliers + kTableMakers;
  if (warp < kHeldMultipliers) {
    take_registers<kMultiplyingRegisters>();
    multiply_runs<Value>(a, turns, shared, warp);
  } else {
    give_registers<kHelpingRegisters>();
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
  if (is(128, 64)) return multiply_staged<Value, kForward, 128, 64>;
  if (is(64, 64)) return multiply_staged<Value, kForward, 64, 64>;
  if (is(128, 128)) return multiply_staged<Value, kForward, 128, 128>;
  if (is(64, 128)) return multiply_staged<Value, kForward, 64, 128>;
  if (is(128, 256)) return multiply_staged<Value, kForward, 128, 256>;
  if constexpr (kForward) return multiply_staged<Value, kForward, 32, 64>;
  return nullptr;
}

template <class Value>
StagedKernel find_staged(const contract::Matmul4bit& p, const Matmul4bitPlan& plan) {
  if (plan.kernel == Matmul4bitKernel::held) return multiply_held<Value>;
  return is_forward(p) ? find_shape<Value, true>(plan) : find_shape<Value, false>(plan);
}

contract::Outcome make_lora_maps(StageArguments& arguments, const contract::Matmul4bit& p, int weight_rows,
                                 int tokens) {
  constexpr int kValue = 2;  // bytes
  const std::int64_t rows = is_forward(p) ? p.weight.rows : p.lora_rank;
  const std::int64_t row_bytes = kValue * (is_forward(p) ? p.lora_rank : p.weight.cols);
  if (contract::Outcome o =
          make_tile_map(arguments.lora_weights, p.lora_weight, rows, row_bytes, row_bytes, weight_rows, kPanelBytes);
      !o.ok())
    return o;
  const std::int64_t input_bytes = kValue * p.lora_rank;
  return make_tile_map(arguments.lora_inputs, p.lora_in, p.m, input_bytes, input_bytes, tokens, kPanelBytes);
}

}  // namespace

contract::Outcome launch_staged(const MatmulArguments& a, const contract::Matmul4bit& p, const Matmul4bitPlan& plan,
                                const qfuse_exec& exec) {
  constexpr int kValue = 2;      // bytes
  constexpr int kTokenRows = 8;  // that an operand of the matrix instructions consists of
  const bool is_held = plan.kernel == Matmul4bitKernel::held;
  const int code_rows = is_forward(p) ? plan.outputs : kStageTerms;
  const int code_cols = is_held ? kStageRun : is_forward(p) ? kStageTerms : plan.outputs;
  const int input_terms = is_held ? kStageRun : shape_of(plan.outputs, plan.tokens).input_terms();
  const auto tokens =
      static_cast<int>(std::min<std::int64_t>(plan.tokens, format::ceil_div(p.m, kTokenRows) * kTokenRows));
  StageArguments arguments{.matmul = a,
                           .codes = {},
                           .inputs = {},
                           .lora_weights = {},
                           .lora_inputs = {},
                           .input_bytes = static_cast<unsigned>(tokens * input_terms * kValue),
                           .tiles = static_cast<int>(format::ceil_div(output_count(p), plan.outputs) * a.token_tiles),
                           .stages = static_cast<int>(format::ceil_div(term_count(p), kStageTerms)),
                           .lora_stages = static_cast<int>(format::ceil_div(p.lora_rank, kStageTerms))};
  if (contract::Outcome o = make_tile_map(arguments.codes, p.weight.packed, p.weight.rows, p.weight.cols / 2,
                                          p.weight.cols / 2, code_rows, code_cols / 2);
      !o.ok())
    return o;
  if (contract::Outcome o = make_tile_map(arguments.inputs, p.in, p.m, term_count(p) * kValue, in_stride(p) * kValue,
                                          tokens, kPanelBytes);
      !o.ok())
    return o;
  if (p.lora_rank > 0)
    if (contract::Outcome o = make_lora_maps(arguments, p, code_rows, tokens); !o.ok()) return o;
  const StagedKernel kernel = p.dtype == QFUSE_FLOAT16 ? find_staged<Half>(p, plan) : find_staged<Bfloat16>(p, plan);
  return launch(kernel,
                {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .overlaps = true},
                arguments, exec);
}

}  // namespace qfuse::cuda
