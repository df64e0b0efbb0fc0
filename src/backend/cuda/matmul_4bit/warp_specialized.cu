// in:     in [m, terms] fp16 or bf16, strided rows; a 4-bit weight [rows, cols]; bias [rows] or none; LoRA's lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; in, packed and both of
//         LoRA's aligned to 16 bytes; cols a multiple of 64, lora_rank of 8; blocks of 64 or more, or scales of rows
// out:    [m, outputs], strided rows; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum, PLAIN
// cost:   about 4 instructions per weight and tile of tokens to decode
// oracle: reference/matmul_4bit.cpp
// A warp-specialized pipeline for any number of tokens, in both directions. A stage is 128 elements of K. Producer
// warps load its codes and inputs by TMA, decoding warps decode the codes, and warpgroups multiply by wgmma: one for
// each 64 tokens, in tiles of 256 tokens for each 64 outputs, in tiles of 32 tokens one for all outputs. Each passes
// stages on to the next through rings of slots in shared memory. The last stages are LoRA's, whose weights are loaded
// to slots of decoded weights. Compiled for Hopper only: no later architecture has wgmma.
#include <cstddef>
#include <type_traits>

#include "backend/cuda/matmul_4bit/warp_specialized.cuh"

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- the kernel of a plan ----

template <template <bool, int, int> class Scheduler>
using KernelOf = PipelineKernel<typename Scheduler<true, 1, 1>::Arguments>;

template <template <bool, int, int> class Scheduler, class Value, bool kForward, std::size_t kAt = 0>
KernelOf<Scheduler> find_kernel(const Plan& plan) {
  if constexpr (kAt < kStageShapes.size()) {
    constexpr StageShape kShape = kStageShapes[kAt];
    constexpr bool kIsBf16 = std::is_same_v<Value, Bfloat16>;
    if constexpr (has_kernel(kShape, kForward, kIsBf16 && Scheduler<kForward, 1, 1>::kIsGrouped))
      if (plan.outputs == kShape.outputs && plan.tokens == kShape.tokens)
        return multiply_warp_specialized<Value, kForward, ShapeOf<kShape.outputs, kShape.tokens>, Scheduler>;
    return find_kernel<Scheduler, Value, kForward, kAt + 1>(plan);
  } else {
    return nullptr;
  }
}

template <template <bool, int, int> class Scheduler, class Value>
KernelOf<Scheduler> find_kernel_of(const contract::Matmul4bit& p, const Plan& plan) {
  return is_forward(p) ? find_kernel<Scheduler, Value, true>(plan) : find_kernel<Scheduler, Value, false>(plan);
}

template <template <bool, int, int> class Scheduler>
contract::Outcome launch_with(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  const contract::Matmul4bit& p = call.product;
  const auto kernel = p.dtype == QFUSE_FLOAT16 ? find_kernel_of<Scheduler, Half>(p, plan)
                                               : find_kernel_of<Scheduler, Bfloat16>(p, plan);
  if (kernel == nullptr) return no_kernel(plan);
  return launch_pipeline(kernel, call, plan, exec);
}

// Whether experts have a format with a kernel of its own: NVFP4 with a global scale each, or INT4 in groups of 32.
bool has_own_kernel(const GroupedArguments& a) {
  return has_small_blocks(a.matmul.weight) && (!a.matmul.is_nested || a.groups.is_nested_each);
}

}  // namespace

contract::Outcome launch_warp_specialized(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  if (call.a.groups.experts == 0) return launch_with<TileScheduler>(call, plan, exec);
  return has_own_kernel(call.a) ? launch_with<OwnGroupScheduler>(call, plan, exec)
                                : launch_with<GroupScheduler>(call, plan, exec);
}

}  // namespace qfuse::cuda::matmul_4bit
