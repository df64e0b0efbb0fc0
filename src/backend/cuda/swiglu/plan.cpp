#include "backend/cuda/swiglu/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

bool rows_are_aligned(const void* array, std::int64_t stride) {
  return is_aligned(array, std::size_t{2} * kSwigluChunk) && stride % kSwigluChunk == 0;
}

bool are_aligned_to_floats(const contract::Swiglu& p) {
  for (const void* array :
       {static_cast<const void*>(p.grad_input_s), static_cast<const void*>(p.y_s), static_cast<const void*>(p.y_s_t),
        static_cast<const void*>(p.grad_input_s_t), static_cast<const void*>(p.weights),
        static_cast<const void*>(p.grad_weights), static_cast<const void*>(p.workspace)})
    if (!is_aligned(array, sizeof(float))) return false;
  return true;
}

bool columns_are_aligned(const contract::Swiglu& p) {
  return is_aligned(p.y_q_t, 16) && is_aligned(p.grad_input_q_t, 16) && contract::all_columns(p) % 16 == 0;
}

// Kernels that keep fp32 values have registers for no more.
int most_threads(const contract::Swiglu& p) {
  return contract::keeps_float32(p) ? kSwigluFewerThreads : kSwigluThreads;
}

SwigluPlan plan_with(const contract::Swiglu& p, const DeviceFacts& facts, int threads) {
  SwigluPlan plan;
  plan.wide = rows_are_aligned(p.x, contract::x_stride(p)) && rows_are_aligned(p.grad_y, contract::grad_y_stride(p)) &&
              is_aligned(p.grad_input_q, kSwigluChunk) && is_aligned(p.y_q, kSwigluChunk) && are_aligned_to_floats(p);
  plan.wide_t = columns_are_aligned(p);
  plan.together =
      !contract::wants_transposed(p) || !contract::wants_y_transposed(p) || facts.shared_bytes >= 3 * kSwigluPlaneBytes;
  plan.threads = threads;
  plan.blocks = p.h / kSwigluTile * contract::most_token_tiles(p);
  return plan;
}

}  // namespace

std::vector<SwigluPlan> candidates(const contract::Swiglu& p, const DeviceFacts& facts) {
  std::vector<SwigluPlan> all;
  for (const int threads : {kSwigluThreads, kSwigluFewerThreads}) {
    if (threads > most_threads(p)) continue;
    all.push_back(plan_with(p, facts, threads));
    if (!all.back().together) continue;
    all.push_back(all.back());
    all.back().together = false;
  }
  return all;
}

SwigluPlan plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  if (most_threads(p) < kSwigluThreads) return plan_with(p, facts, most_threads(p));
  const SwigluPlan plan = plan_with(p, facts, kSwigluThreads);
  const std::int64_t wave = std::int64_t{facts.multiprocessors} * (kSwigluThreadsPerMultiprocessor / kSwigluThreads);
  const bool fills_a_second = plan.blocks > wave + wave / 2;
  const bool are_fewer_better = plan.blocks > wave && (!fills_a_second || !contract::wants_gradients(p));
  return are_fewer_better ? plan_with(p, facts, kSwigluFewerThreads) : plan;
}

}  // namespace qfuse::cuda
