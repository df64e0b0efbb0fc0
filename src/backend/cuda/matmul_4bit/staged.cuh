// The warp-specialized kernel (sm90a.cu): its roles, and what the host passes to it.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGED_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGED_CUH

#include <algorithm>
#include <cstdint>

#include "backend/cuda/matmul_4bit/stage_decoding.cuh"
#include "backend/cuda/matmul_4bit/stage_loading.cuh"
#include "backend/cuda/matmul_4bit/stage_multiplying.cuh"
#include "backend/cuda/matmul_4bit/stages.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {

template <class TurnsOf>
__device__ TurnsOf turns_of(const StageArguments& a) {
  return {.tiles = a.tiles,
          .token_tiles = static_cast<int>(a.matmul.token_tiles),
          .weight_stages = a.stages,
          .stages = a.stages + a.lora_stages,
          .blocks = static_cast<int>(a.matmul.blocks)};
}

// ---- kernel ----

template <class Value, bool kForward, class OfShape>
__global__ void __launch_bounds__(OfShape::kShape.threads(), 1)
    multiply_staged(const __grid_constant__ StageArguments a) {
  using Tiles = Stage<kForward, OfShape>;
  auto& shared = stage_shared<StageShared<Tiles>>();
  using TurnsOf = Turns<Tiles::kOutputs, Tiles::kTokens>;
  const auto turns = turns_of<TurnsOf>(a);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // which tells the compiler that lanes agree
  if (thread == 0) init_mbarriers(shared);
  prefetch_stages<kForward, Tiles>(a, turns, thread);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
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

// ---- the host's part ----

inline contract::Outcome make_lora_maps(StageArguments& arguments, const contract::Matmul4bit& p, int weight_rows,
                                        int tokens) {
  constexpr int kValue = 2;  // bytes
  const std::int64_t rows = is_forward(p) ? p.weight.rows : p.lora_rank;
  const std::int64_t row_bytes = kValue * (is_forward(p) ? p.lora_rank : p.weight.cols);
  if (contract::Outcome o =
          make_tensor_map(arguments.lora_weights, p.lora_weight, rows, row_bytes, row_bytes, weight_rows, kPanelBytes);
      !o.ok())
    return o;
  const std::int64_t input_bytes = kValue * p.lora_rank;
  return make_tensor_map(arguments.lora_inputs, p.lora_in, p.m, input_bytes, input_bytes, tokens, kPanelBytes);
}

inline contract::Outcome make_stage_arguments(StageArguments& arguments, const MatmulArguments& a,
                                              const contract::Matmul4bit& p, const Matmul4bitPlan& plan) {
  constexpr int kValue = 2;      // bytes
  constexpr int kTokenRows = 8;  // that an operand of the matrix instructions consists of
  const bool is_held = plan.kernel == Matmul4bitKernel::held;
  const int code_rows = is_forward(p) ? plan.outputs : kStageTerms;
  const int code_cols = is_held ? kStageRun : is_forward(p) ? kStageTerms : plan.outputs;
  const int input_terms = is_held ? kStageRun : shape_of(plan.outputs, plan.tokens).input_terms();
  const auto tokens =
      static_cast<int>(std::min<std::int64_t>(plan.tokens, format::ceil_div(p.m, kTokenRows) * kTokenRows));
  arguments = {.matmul = a,
               .codes = {},
               .inputs = {},
               .lora_weights = {},
               .lora_inputs = {},
               .input_bytes = static_cast<unsigned>(tokens * input_terms * kValue),
               .tiles = static_cast<int>(format::ceil_div(output_count(p), plan.outputs) * a.token_tiles),
               .stages = static_cast<int>(format::ceil_div(term_count(p), kStageTerms)),
               .lora_stages = static_cast<int>(format::ceil_div(p.lora_rank, kStageTerms))};
  if (contract::Outcome o = make_tensor_map(arguments.codes, p.weight.packed, p.weight.rows, p.weight.cols / 2,
                                            p.weight.cols / 2, code_rows, code_cols / 2);
      !o.ok())
    return o;
  if (contract::Outcome o = make_tensor_map(arguments.inputs, p.in, p.m, term_count(p) * kValue, in_stride(p) * kValue,
                                            tokens, kPanelBytes);
      !o.ok())
    return o;
  if (p.lora_rank > 0)
    if (contract::Outcome o = make_lora_maps(arguments, p, code_rows, tokens); !o.ok()) return o;
  return {};
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGED_CUH
