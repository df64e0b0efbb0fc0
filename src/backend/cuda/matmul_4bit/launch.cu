// in:     in [m, terms] fp32, fp16 or bf16, strided rows; a 4-bit weight [rows, cols]; bias [rows] or none; LoRA's
//         lora_in [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any address, faster
//         if packed and in are aligned to 16 bytes and cols is a multiple of 32
// out:    [m, outputs], strided rows; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum as `sum` says
// cost:   rows * cols / 2 bytes of codes per tile of tokens; bound by decoding up to about 100 tokens, then by
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

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- scales of rows ----

// Every device has a copy in its memory.
__device__ const format::RowAbsmax kRowAbsmax = format::make_row_absmax();

// Gives a weight with scales of rows the device's absmax arrays. Leaves other weights as they are.
contract::Outcome give_absmax(qfuse_weight_4bit& w, const qfuse_exec& exec) {
  if (!contract::has_scales_of_rows(w)) return {};
  const CurrentDevice current(exec.device.index);
  if (!current.outcome().ok()) return current.outcome();
  void* arrays = nullptr;
  if (contract::Outcome o = outcome_of(cudaGetSymbolAddress(&arrays, kRowAbsmax)); !o.ok()) return o;
  w = contract::with_absmax(w, *static_cast<const format::RowAbsmax*>(arrays));
  return {};
}

// ---- the kernel of a plan ----

// Returns null if this file has no such kernel for the element type and the direction.
template <class Value, bool kForward>
void (*find_kernel(const Plan& plan))(MatmulArguments) {
  if constexpr (kHasMatrixInstructions && sizeof(Value) == 2) {
    if (plan.kernel == Kernel::tiled)
      return plan.tokens == kTileTokens.front() ? multiply_tiled<Value, kForward, kTileTokens.front()>
                                                : multiply_tiled<Value, kForward, kTileTokens.back()>;
    if constexpr (kForward)
      if (plan.kernel == Kernel::factored) return multiply_factored<Value>;
  }
  return plan.kernel == Kernel::fp32 ? multiply_in_fp32<Value, kForward> : nullptr;
}

// For a stack of experts. tiled_unaligned takes one weight, too.
template <class Value, bool kForward>
void (*find_groups_kernel(const Plan& plan))(GroupedArguments) {
  if constexpr (kHasMatrixInstructions && sizeof(Value) == 2) {
    if (plan.kernel == Kernel::tiled_unaligned) return multiply_tiled_unaligned<Value, kForward>;
    if (plan.kernel == Kernel::tiled)
      return plan.tokens == kTileTokens.front() ? multiply_groups_tiled<Value, kForward, kTileTokens.front()>
                                                : multiply_groups_tiled<Value, kForward, kTileTokens.back()>;
    if constexpr (kForward)
      if (plan.kernel == Kernel::factored) return multiply_groups_factored<Value>;
  }
  return plan.kernel == Kernel::fp32 ? multiply_groups_in_fp32<Value, kForward> : nullptr;
}

template <class Value, bool kForward>
contract::Outcome launch_for_any(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  const LaunchShape how = {.blocks = plan.blocks, .threads = plan.threads};
  if (call.a.groups.experts == 0)
    if (const auto kernel = find_kernel<Value, kForward>(plan)) return launch(kernel, how, call.a.matmul, exec);
  const auto kernel = find_groups_kernel<Value, kForward>(plan);
  return kernel == nullptr ? no_kernel(plan) : launch(kernel, how, call.a, exec);
}

template <class Value>
contract::Outcome launch_for_any(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  return is_forward(call.product) ? launch_for_any<Value, true>(call, plan, exec)
                                  : launch_for_any<Value, false>(call, plan, exec);
}

contract::Outcome launch_plan(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  if constexpr (kHasMatrixInstructions) {
    if (plan.kernel == Kernel::split_k) return launch_split_k(call, plan, exec);
    if (plan.kernel == Kernel::factored_split_k) return launch_factored_split_k(call, plan, exec);
    if (plan.kernel == Kernel::multistage) return launch_multistage(call, plan, exec);
  }
  if constexpr (kHasMatrixInstructions && kHasWgmma) {
    if (plan.kernel == Kernel::warp_specialized) return launch_warp_specialized(call, plan, exec);
    if (plan.kernel == Kernel::register_weights) return launch_register_weights(call, plan, exec);
  }
  switch (call.product.dtype) {
    case QFUSE_FLOAT32: return launch_for_any<float>(call, plan, exec);
    case QFUSE_FLOAT16: return launch_for_any<Half>(call, plan, exec);
    case QFUSE_BFLOAT16: return launch_for_any<Bfloat16>(call, plan, exec);
  }
  return {};
}

contract::Outcome launch_matmul(const contract::Matmul4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const MatmulArguments a = arguments_of(p, plan);
  return launch_plan({{a, {}}, p, {&a, 1}}, plan, exec);
}

template <class Op, class PlanOf>
contract::Outcome settle_plan(const Op& p, const contract::Matmul4bit& product, const DeviceFacts& facts, PlanOf& how) {
  if (contract::Outcome o = check_facts(product, facts); !o.ok()) return o;
  how = plan(p, facts);
  return contract::settle("cuda", how, [&] { return candidates(p, facts); });
}

contract::Outcome launch_together(std::span<const contract::Matmul4bit> calls, const ManyPlan& plan,
                                  const qfuse_exec& exec) {
  contract::log("cuda", plan);
  std::vector<MatmulArguments> products;
  for (const contract::Matmul4bit& call : calls) products.push_back(arguments_of(call, plan));
  return launch_plan({{products[0], {}}, calls[0], products}, plan, exec);
}

// Launches the products together if they have a shared plan, otherwise one after another.
contract::Outcome launch_products(std::span<const contract::Matmul4bit> calls, std::span<const Plan> plans,
                                  const DeviceFacts& facts, const qfuse_exec& exec) {
  if (const std::optional<ManyPlan> shared = shared_plan(calls, plans, facts))
    return launch_together(calls, *shared, exec);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    contract::log("cuda", plans[i]);
    if (contract::Outcome o = launch_matmul(calls[i], plans[i], exec); !o.ok()) return o;
  }
  return {};
}

}  // namespace

}  // namespace qfuse::cuda::matmul_4bit

namespace qfuse::cuda {

#ifndef QFUSE_PORTABLE  // portable builds never ask for it, and should not compile it for GPUs without tensor cores
const void* matrix_kernel() {
  using namespace cuda::matmul_4bit;
  return reinterpret_cast<const void*>(multiply_tiled<Half, true, kTileTokens.front()>);
}
#endif

contract::Outcome ops::matmul_4bit(const contract::Matmul4bit& given, const qfuse_exec& exec) {
  using namespace cuda::matmul_4bit;
  contract::Matmul4bit p = given;
  if (contract::Outcome o = give_absmax(p.weight, exec); !o.ok()) return o;
  DeviceFacts facts;
  Plan how;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = settle_plan(p, p, facts, how); !o.ok()) return o;
  return launch_matmul(p, how, exec);
}

contract::Outcome ops::matmul_4bit_grouped(const contract::Matmul4bitGrouped& given, const qfuse_exec& exec) {
  using namespace cuda::matmul_4bit;
  contract::Matmul4bitGrouped p = given;
  if (contract::Outcome o = give_absmax(p.weight, exec); !o.ok()) return o;
  DeviceFacts facts;
  GroupedPlan how;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (contract::Outcome o = settle_plan(p, any_product(p), facts, how); !o.ok()) return o;
  return launch_plan({arguments_of(p, how), any_product(p), {}}, how, exec);
}

// Launches nothing before every product has a plan.
contract::Outcome ops::matmul_4bit_many(const contract::Matmul4bitMany& p, const qfuse_exec& exec) {
  using namespace cuda::matmul_4bit;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  std::vector<contract::Matmul4bit> calls;
  std::vector<Plan> plans;
  for (const contract::Matmul4bitProduct& product : p.products) {
    contract::Matmul4bit call = contract::single(p, product);
    if (is_empty(call)) continue;
    if (contract::Outcome o = give_absmax(call.weight, exec); !o.ok()) return o;
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
