// in:     in [m, terms] fp16 or bf16, strided rows; a 4-bit weight [rows, cols]; bias [rows] or none; LoRA's lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; in and packed aligned to 16
//         bytes, cols a multiple of 32, terms and in's row stride multiples of 8
// out:    [m, outputs], strided rows; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum, PLAIN
// cost:   one look-up in shared memory per byte of codes and tile of tokens: 32 weights per clock and multiprocessor;
//         from 64 tokens on, matrix instructions
// oracle: reference/matmul_4bit.cpp
#include <cstddef>

#include "backend/cuda/matmul_4bit/multistage.cuh"

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- the kernel of a plan ----

using MultistageKernel = void (*)(GroupedArguments);

template <class Value, bool kForward, std::size_t kAt = 0>
MultistageKernel find_kernel(const Plan& plan) {
  if constexpr (kAt < kMultistageShapes.size()) {
    constexpr MultistageShape kShape = kMultistageShapes[kAt];
    if (plan.outputs == kShape.outputs && plan.tokens == kShape.tokens)
      return multiply_multistage<Value, kForward, kShape.outputs, kShape.tokens>;
    return find_kernel<Value, kForward, kAt + 1>(plan);
  } else {
    return nullptr;
  }
}

template <class Value>
MultistageKernel find_kernel_of(const contract::Matmul4bit& p, const Plan& plan) {
  return is_forward(p) ? find_kernel<Value, true>(plan) : find_kernel<Value, false>(plan);
}

}  // namespace

contract::Outcome launch_multistage(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  const MultistageKernel kernel = call.product.dtype == QFUSE_FLOAT16 ? find_kernel_of<Half>(call.product, plan)
                                                                      : find_kernel_of<Bfloat16>(call.product, plan);
  if (kernel == nullptr) return no_kernel(plan);
  return launch(kernel, {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes}, call.a,
                exec);
}

}  // namespace qfuse::cuda::matmul_4bit
