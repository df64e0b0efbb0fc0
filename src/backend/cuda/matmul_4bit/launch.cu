// in:     in [m, terms] fp32, fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any address, faster where
//         packed and in are aligned to 16 bytes and cols is a multiple of 32
// out:    [m, outputs], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] * lora_weight
//         of (o, j) + bias[o]), both in one sum as accumulation and order say
// cost:   rows * cols / 2 bytes of codes for each tile of tokens; up to about 100 tokens decoding binds, then multiplying
// oracle: reference/matmul_4bit.cpp
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

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
  const std::span product(&a, 1);
  if (plan.kernel == Matmul4bitKernel::split_k) return launch_split(product, p.dtype, plan, exec);
  if (plan.kernel == Matmul4bitKernel::factored && plan.wide) return launch_factored(product, p.dtype, plan, exec);
#endif
#ifndef QFUSE_WITHOUT_WGMMA
  if (plan.kernel == Matmul4bitKernel::warp_specialized) return launch_warp_specialized(a, p, plan, exec);
  if (plan.kernel == Matmul4bitKernel::register_weights) return launch_register_weights(a, p, plan, exec);
#endif
  const MatmulKernel kernel = is_forward(p) ? find_kernel<Value, true>(plan) : find_kernel<Value, false>(plan);
  return launch(kernel, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

contract::Outcome launch_matmul(const contract::Matmul4bit& p, const Matmul4bitPlan& plan, const qfuse_exec& exec) {
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch_matmul<float>(p, plan, exec);
    case QFUSE_FLOAT16: return launch_matmul<Half>(p, plan, exec);
    case QFUSE_BFLOAT16: return launch_matmul<Bfloat16>(p, plan, exec);
  }
  return {};
}

contract::Outcome settle_plan(const contract::Matmul4bit& p, const DeviceFacts& facts, Matmul4bitPlan& how) {
  if (contract::Outcome o = check_facts(p, facts); !o.ok()) return o;
  how = plan(p, facts);
  return contract::settle("cuda", how, [&] { return candidates(p, facts); });
}

// In one launch, if there is one for all of them; else one after another.
contract::Outcome launch_products(std::span<const contract::Matmul4bit> calls, std::span<const Matmul4bitPlan> plans,
                                  [[maybe_unused]] const DeviceFacts& facts, const qfuse_exec& exec) {
#ifndef QFUSE_HIP
  if (const std::optional<Matmul4bitPlan> shared = shared_plan(calls, plans, facts)) {
    std::vector<MatmulArguments> products;
    for (const contract::Matmul4bit& call : calls) products.push_back(arguments_of(call, *shared));
    return shared->kernel == Matmul4bitKernel::split_k ? launch_split(products, calls[0].dtype, *shared, exec)
                                                       : launch_factored(products, calls[0].dtype, *shared, exec);
  }
#endif
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (contract::Outcome o = launch_matmul(calls[i], plans[i], exec); !o.ok()) return o;
  return {};
}

}  // namespace

contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  Matmul4bitPlan how;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = settle_plan(p, facts, how); !o.ok()) return o;
  return launch_matmul(p, how, exec);
}

// Nothing is launched before every product has a plan.
contract::Outcome matmul_4bit_many(const contract::Matmul4bitMany& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  std::vector<contract::Matmul4bit> calls;
  std::vector<Matmul4bitPlan> plans;
  for (const contract::Matmul4bitProduct& product : p.products) {
    const contract::Matmul4bit call = contract::single(p, product);
    if (is_empty(call)) continue;
    calls.push_back(call);
    if (contract::Outcome o = settle_plan(call, facts, plans.emplace_back()); !o.ok()) return o;
  }
  for (std::size_t begin = 0; begin < calls.size(); begin += kSplitKProducts) {
    const std::size_t count = std::min<std::size_t>(kSplitKProducts, calls.size() - begin);
    const contract::Outcome o =
        launch_products(std::span(calls).subspan(begin, count), std::span(plans).subspan(begin, count), facts, exec);
    if (!o.ok()) return o;
  }
  return {};
}

}  // namespace qfuse::cuda
