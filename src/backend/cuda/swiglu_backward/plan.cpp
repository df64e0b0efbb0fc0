#include "backend/cuda/swiglu_backward/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

bool rows_are_aligned(const void* array, std::int64_t stride) {
  return is_aligned(array, std::size_t{2} * kSwigluChunk) && stride % kSwigluChunk == 0;
}

SwigluBackwardPlan plan_with(const contract::SwigluBackward& p, int threads) {
  SwigluBackwardPlan plan;
  plan.wide = rows_are_aligned(p.x, contract::x_stride(p)) && rows_are_aligned(p.grad_y, contract::grad_y_stride(p)) &&
              is_aligned(p.grad_input_q, kSwigluChunk) && is_aligned(p.grad_input_s, 4) && is_aligned(p.y_s_t, 4);
  plan.wide_y = is_aligned(p.y_q_t, 16) && p.m % 16 == 0;
  plan.threads = threads;
  plan.blocks = p.h / kSwigluTile * format::ceil_div(p.m, std::int64_t{kSwigluTile});
  return plan;
}

}  // namespace

std::vector<SwigluBackwardPlan> candidates(const contract::SwigluBackward& p, const DeviceFacts& /*facts*/) {
  return {plan_with(p, kSwigluThreads), plan_with(p, kSwigluFewerThreads)};
}

SwigluBackwardPlan plan(const contract::SwigluBackward& p, const DeviceFacts& facts) {
  const SwigluBackwardPlan plan = plan_with(p, kSwigluThreads);
  const std::int64_t wave = std::int64_t{facts.multiprocessors} * (kSwigluThreadsPerMultiprocessor / kSwigluThreads);
  return plan.blocks > wave && plan.blocks <= wave + wave / 2 ? plan_with(p, kSwigluFewerThreads) : plan;
}

}  // namespace qfuse::cuda
