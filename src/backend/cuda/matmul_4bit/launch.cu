// in:     in [m, terms] fp32, fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA
//         lora_in [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any address, faster
//         where packed and in are aligned to 16 bytes and cols is a multiple of 32
// out:    [m, outputs], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum as `sum` says
// cost:   rows * cols / 2 bytes of codes for each tile of tokens; up to about 100 tokens decoding binds, then
//         multiplying
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

// ---- the kernel of a plan ----

// Of one weight, or of a stack of experts.
template <class Value, bool kForward>
struct OneWeight {
  using Kernel = void (*)(MatmulArguments);
  static Kernel in_fp32() { return multiply_in_fp32<Value, kForward>; }
#ifndef QFUSE_HIP
  static Kernel factored() { return multiply_factored<Value>; }
  template <bool kWide, int kTokens>
  static Kernel tiled() {
    return multiply_tiled<Value, kForward, kWide, kTokens>;
  }
#endif
};
template <class Value, bool kForward>
struct Stack {
  using Kernel = void (*)(GroupedArguments);
  static Kernel in_fp32() { return multiply_groups_in_fp32<Value, kForward>; }
#ifndef QFUSE_HIP
  static Kernel factored() { return multiply_groups_factored<Value>; }
  template <bool kWide, int kTokens>
  static Kernel tiled() {
    return multiply_groups_tiled<Value, kForward, kWide, kTokens>;
  }
#endif
};

#ifndef QFUSE_HIP  // where every call is in fp32
template <class Of>
typename Of::Kernel find_tiled(const Matmul4bitPlan& plan) {
  constexpr int kFew = kTileTokens.front();
  constexpr int kMany = kTileTokens.back();
  if (plan.tokens == kFew) return plan.wide ? Of::template tiled<true, kFew>() : Of::template tiled<false, kFew>();
  return plan.wide ? Of::template tiled<true, kMany>() : Of::template tiled<false, kMany>();
}
#endif

// Null: no kernel of this file has that name for the element type and the direction.
template <template <class, bool> class Of, class Value, bool kForward>
typename Of<Value, kForward>::Kernel find_kernel(const Matmul4bitPlan& plan) {
  if (plan.kernel == Matmul4bitKernel::fp32) return Of<Value, kForward>::in_fp32();
#ifndef QFUSE_HIP
  if constexpr (sizeof(Value) == 2)
    if (plan.kernel == Matmul4bitKernel::tiled) return find_tiled<Of<Value, kForward>>(plan);
  if constexpr (sizeof(Value) == 2 && kForward)
    if (plan.kernel == Matmul4bitKernel::factored) return Of<Value, kForward>::factored();
#endif
  return nullptr;
}

#ifndef QFUSE_WITHOUT_WGMMA
bool is_pipeline(const Matmul4bitPlan& plan) {
  return plan.kernel == Matmul4bitKernel::warp_specialized || plan.kernel == Matmul4bitKernel::register_weights;
}
contract::Outcome launch_pipeline_of(const MatmulCall& call, const Matmul4bitPlan& plan, const qfuse_exec& exec) {
  return plan.kernel == Matmul4bitKernel::warp_specialized ? launch_warp_specialized(call, plan, exec)
                                                           : launch_register_weights(call, plan, exec);
}
#endif

template <class Value>
contract::Outcome launch_matmul(const contract::Matmul4bit& p, const Matmul4bitPlan& plan, const qfuse_exec& exec) {
  const MatmulArguments a = arguments_of(p, plan);
#ifndef QFUSE_HIP
  const std::span product(&a, 1);
  if (plan.kernel == Matmul4bitKernel::split_k) return launch_split(product, p.dtype, plan, exec);
  if (plan.kernel == Matmul4bitKernel::factored_split_k) return launch_factored(product, p.dtype, plan, exec);
#endif
#ifndef QFUSE_WITHOUT_WGMMA
  if (is_pipeline(plan)) return launch_pipeline_of({{a, {}}, p}, plan, exec);
#endif
  const auto kernel =
      is_forward(p) ? find_kernel<OneWeight, Value, true>(plan) : find_kernel<OneWeight, Value, false>(plan);
  if (kernel == nullptr) return no_kernel(plan);
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

template <class Value>
contract::Outcome launch_groups(const contract::Matmul4bitGrouped& p, const Matmul4bitGroupedPlan& plan,
                                const qfuse_exec& exec) {
  const GroupedArguments a = arguments_of(p, plan);
#ifndef QFUSE_HIP
  const MatmulCall call = {a, any_product(p)};
  if (plan.kernel == Matmul4bitKernel::split_k) return launch_groups_split(call, plan, exec);
  if (plan.kernel == Matmul4bitKernel::factored_split_k) return launch_groups_factored(call, plan, exec);
#endif
#ifndef QFUSE_WITHOUT_WGMMA
  if (is_pipeline(plan)) return launch_pipeline_of(call, plan, exec);
#endif
  const bool forward = p.direction == QFUSE_FORWARD;
  const auto kernel = forward ? find_kernel<Stack, Value, true>(plan) : find_kernel<Stack, Value, false>(plan);
  if (kernel == nullptr) return no_kernel(plan);
  return launch(kernel, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

template <class Op, class Plan>
contract::Outcome settle_plan(const Op& p, const contract::Matmul4bit& product, const DeviceFacts& facts, Plan& how) {
  if (contract::Outcome o = check_facts(product, facts); !o.ok()) return o;
  how = plan(p, facts);
  return contract::settle("cuda", how, [&] { return candidates(p, facts); });
}

// In one launch.
#ifdef QFUSE_HIP  // which has no kernel for that
contract::Outcome launch_together(std::span<const contract::Matmul4bit> /*calls*/, const Matmul4bitManyPlan& plan,
                                  const qfuse_exec& /*exec*/) {
  return no_kernel(plan);
}
#else
contract::Outcome launch_together(std::span<const contract::Matmul4bit> calls, const Matmul4bitManyPlan& plan,
                                  const qfuse_exec& exec) {
  contract::log("cuda", plan);
  std::vector<MatmulArguments> products;
  for (const contract::Matmul4bit& call : calls) products.push_back(arguments_of(call, plan));
  return plan.kernel == Matmul4bitKernel::split_k ? launch_split(products, calls[0].dtype, plan, exec)
                                                  : launch_factored(products, calls[0].dtype, plan, exec);
}
#endif

// In one launch, if there is one for all of them; else one after another.
contract::Outcome launch_products(std::span<const contract::Matmul4bit> calls, std::span<const Matmul4bitPlan> plans,
                                  const DeviceFacts& facts, const qfuse_exec& exec) {
  if (const std::optional<Matmul4bitManyPlan> shared = shared_plan(calls, plans, facts))
    return launch_together(calls, *shared, exec);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    contract::log("cuda", plans[i]);
    if (contract::Outcome o = launch_matmul(calls[i], plans[i], exec); !o.ok()) return o;
  }
  return {};
}

}  // namespace

contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  Matmul4bitPlan how;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = settle_plan(p, p, facts, how); !o.ok()) return o;
  return launch_matmul(p, how, exec);
}

contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  Matmul4bitGroupedPlan how;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = settle_plan(p, any_product(p), facts, how); !o.ok()) return o;
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch_groups<float>(p, how, exec);
    case QFUSE_FLOAT16: return launch_groups<Half>(p, how, exec);
    case QFUSE_BFLOAT16: return launch_groups<Bfloat16>(p, how, exec);
  }
  return {};
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
    if (contract::Outcome o = check_facts(call, facts); !o.ok()) return o;
    plans.push_back(plan(call, facts));
    if (contract::Outcome o = contract::force_asked(plans.back(), [&] { return candidates(call, facts); }); !o.ok())
      return o;
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
