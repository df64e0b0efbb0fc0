// What the wgmma kernels share (warp_specialized.cuh, register_weights.cu). Warps have roles, and pass stages of K on
// to one another through rings of slots in shared memory. Each slot has an mbarrier for full and one for empty.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_PIPELINE_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_PIPELINE_CUH

#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- policy ----

// A panel is 64 columns of a tile: as 16-bit values, rows of 128 bytes, the width that TMA and wgmma swizzle.
constexpr int kPanelBytes = 128;                    // per row
constexpr int kStepBytes = 2 * format::kStepTerms;  // per row
constexpr int kStageSteps = kStageTerms / format::kStepTerms;
constexpr int kPanelSteps = kPanelCols / format::kStepTerms;
constexpr int kStagePanels = kStageTerms / kPanelCols;
static_assert(kPanelCols * 2 == kPanelBytes);
constexpr int kPanelCodeBytes = kPanelCols / 2;  // of codes
constexpr int kVectorBytes = 16;

// ---- kernel arguments ----

struct PipelineArguments {
  MatmulArguments matmul;
  TensorMap codes;
  TensorMap inputs;
  TensorMap lora_weights;
  TensorMap lora_inputs;
  unsigned input_bytes;  // per slot, from TMA
  int tiles;
  int stages;       // per tile, of the weight
  int lora_stages;  // per tile, after those of the weight
};

// For a stack of experts. The base has the first expert's weight, and all experts' rows of in and out.
struct GroupedPipelineArguments : PipelineArguments {
  Groups groups;
};

// ---- before the wait for prerequisite grids ----

// Prefetches absmax to L2, for later loads.
__device__ inline void prefetch_absmax(const MatmulArguments& a, std::int64_t row, std::int64_t col) {
  if (row >= a.rows || col >= a.cols) return;
  const std::int64_t block = (row * a.cols + col) >> a.weight.block_shift;
  if (a.weight.absmax_8bit != nullptr)
    prefetch(a.weight.absmax_8bit + block);
  else
    prefetch(absmax_at(a.weight, block));
}

// ---- host code ----

// experts: their number, each of which has a layer of the tensor map of LoRA's weights; 0 for one weight.
inline contract::Outcome make_lora_maps(PipelineArguments& arguments, const contract::Matmul4bit& p,
                                        std::int64_t experts, int weight_rows, int weight_cols, int tokens) {
  constexpr int kValue = 2;  // bytes
  const std::int64_t rows = is_forward(p) ? p.weight.rows : p.lora_rank;
  const std::int64_t row_bytes = kValue * (is_forward(p) ? p.lora_rank : p.weight.cols);
  if (contract::Outcome o = make_tensor_map(arguments.lora_weights, p.lora_weight, rows, row_bytes, row_bytes,
                                            weight_rows, kValue * std::min(weight_cols, kPanelCols), experts);
      !o.ok())
    return o;
  const std::int64_t input_bytes = kValue * p.lora_rank;
  return make_tensor_map(arguments.lora_inputs, p.lora_in, p.m, input_bytes, input_bytes, tokens, kPanelBytes);
}

inline contract::Outcome make_pipeline_arguments(PipelineArguments& arguments, const MatmulArguments& a,
                                                 const contract::Matmul4bit& p, std::int64_t experts,
                                                 const Plan& plan) {
  constexpr int kValue = 2;      // bytes
  constexpr int kTokenRows = 8;  // an operand of wgmma has multiples of 8 rows
  const bool has_register_weights = plan.kernel == Kernel::register_weights;
  const int code_rows = is_forward(p) ? plan.outputs : kStageTerms;
  const int code_cols = has_register_weights ? kPanelCols : is_forward(p) ? kStageTerms : plan.outputs;
  const int input_terms = has_register_weights ? kPanelCols : shape_of(plan.outputs, plan.tokens).input_terms();
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
  const std::int64_t rows = p.weight.rows * std::max<std::int64_t>(experts, 1);
  if (contract::Outcome o = make_tensor_map(arguments.codes, p.weight.packed, rows, p.weight.cols / 2,
                                            p.weight.cols / 2, code_rows, code_cols / 2);
      !o.ok())
    return o;
  if (contract::Outcome o = make_tensor_map(arguments.inputs, p.in, p.m, term_count(p) * kValue, in_stride(p) * kValue,
                                            tokens, kPanelBytes);
      !o.ok())
    return o;
  if (has_small_blocks(a.weight) && a.is_nested) {  // these scales are loaded in words
    arguments.matmul.is_nested = false;
    arguments.matmul.weight.absmax = reinterpret_cast<const float*>(a.weight.absmax_8bit);
  }
  if (p.lora_rank > 0)
    if (contract::Outcome o = make_lora_maps(arguments, p, experts, code_rows, code_cols, tokens); !o.ok()) return o;
  return {};
}

template <class Arguments>
using PipelineKernel = void (*)(Arguments);

template <class Arguments>
contract::Outcome launch_pipeline(PipelineKernel<Arguments> kernel, const Call& call, const Plan& plan,
                                  const qfuse_exec& exec) {
  const CurrentDevice current(exec.device.index);  // for the tensor maps too
  if (!current.outcome().ok()) return current.outcome();
  Arguments arguments{};
  const contract::Outcome o =
      make_pipeline_arguments(arguments, call.a.matmul, call.product, call.a.groups.experts, plan);
  if (!o.ok()) return o;
  if constexpr (requires { arguments.groups; }) arguments.groups = call.a.groups;
  return launch(
      kernel,
      {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .programmatic_launch = true},
      arguments, exec);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_PIPELINE_CUH
