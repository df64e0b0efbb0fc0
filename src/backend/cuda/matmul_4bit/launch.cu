// in:     in [m, terms] fp32, fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any address, faster where
//         packed and in are aligned to 16 bytes and cols is a multiple of 32
// out:    [m, outputs], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] * lora_weight
//         of (o, j) + bias[o]), both in one sum as accumulation and order say
// cost:   rows * cols / 2 bytes of codes for each tile of tokens; up to about 100 tokens decoding binds, then multiplying
// oracle: reference/matmul_4bit.cpp
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/matmul_4bit/factored.cuh"
#include "backend/cuda/matmul_4bit/fp32.cuh"
#include "backend/cuda/matmul_4bit/plan.h"
#include "backend/cuda/matmul_4bit/tiled.cuh"

namespace qfuse::cuda {
namespace {

using MatmulKernel = void (*)(MatmulArguments);

// ---- the kernel of a plan ----

template <class Value, bool kForward>
MatmulKernel find_tiled(const Matmul4bitPlan& plan) {
  constexpr int kFew = kTileTokens.front();
  constexpr int kMany = kTileTokens.back();
  if (plan.tokens == kFew)
    return plan.wide ? multiply_tiled<Value, kForward, true, kFew> : multiply_tiled<Value, kForward, false, kFew>;
  return plan.wide ? multiply_tiled<Value, kForward, true, kMany> : multiply_tiled<Value, kForward, false, kMany>;
}

template <class Value, bool kForward>
MatmulKernel find_kernel([[maybe_unused]] const Matmul4bitPlan& plan) {
#ifndef QFUSE_HIP  // where no call has another plan
  if constexpr (sizeof(Value) == 2)
    if (plan.kernel == Matmul4bitKernel::tiled) return find_tiled<Value, kForward>(plan);
  if constexpr (sizeof(Value) == 2 && kForward)
    if (plan.kernel == Matmul4bitKernel::factored) return multiply_factored<Value>;
#endif
  return multiply_in_fp32<Value, kForward>;
}

template <class Value>
contract::Outcome launch_matmul(const contract::Matmul4bit& p, const Matmul4bitPlan& plan, const qfuse_exec& exec) {
  const MatmulArguments a = arguments_of(p, plan);
#ifndef QFUSE_HIP
  if (plan.kernel == Matmul4bitKernel::split_k) return launch_split_k(a, p.dtype, plan, exec);
  if (plan.kernel == Matmul4bitKernel::factored && plan.wide) return launch_factored(a, p.dtype, plan, exec);
#endif
#ifndef QFUSE_WITHOUT_WGMMA
  if (plan.kernel == Matmul4bitKernel::warp_specialized) return launch_warp_specialized(a, p, plan, exec);
  if (plan.kernel == Matmul4bitKernel::register_weights) return launch_register_weights(a, p, plan, exec);
#endif
  const MatmulKernel kernel = is_forward(p) ? find_kernel<Value, true>(plan) : find_kernel<Value, false>(plan);
  return launch(kernel, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

}  // namespace

contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = check_facts(p, facts); !o.ok()) return o;
  Matmul4bitPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch_matmul<float>(p, how, exec);
    case QFUSE_FLOAT16: return launch_matmul<Half>(p, how, exec);
    case QFUSE_BFLOAT16: return launch_matmul<Bfloat16>(p, how, exec);
  }
  return {};
}

contract::Outcome matmul_4bit_many(const contract::Matmul4bitMany& p, const qfuse_exec& exec) {
  return contract::launch_each<matmul_4bit>(p, exec);
}

}  // namespace qfuse::cuda
