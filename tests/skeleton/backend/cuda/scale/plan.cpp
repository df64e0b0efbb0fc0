#include "skeleton/backend/cuda/scale/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda::scale {
namespace {

// Bulk copies need addresses and sizes that are multiples of 16 bytes. Only Hopper has this kernel, because later
// architectures do not run sm_90a code.
bool can_copy_in_bulk(const contract::Scale& p, const DeviceFacts& facts) {
  return facts.compute_capability == 90 && is_aligned(p.in, 16) && is_aligned(p.out, 16) &&
         p.n * format::dtype_size(p.dtype) % 16 == 0;
}

Plan plan_with(const contract::Scale& p, bool bulk) {
  const std::int64_t tile = bulk ? kTileBytes / format::dtype_size(p.dtype) : std::int64_t{kThreads} * kValues;
  return {.bulk = bulk, .threads = kThreads, .blocks = format::ceil_div(p.n, tile)};
}

}  // namespace

std::vector<Plan> candidates(const contract::Scale& p, const DeviceFacts& facts) {
  std::vector<Plan> all = {plan_with(p, false)};
  if (can_copy_in_bulk(p, facts)) all.push_back(plan_with(p, true));
  return all;
}

Plan plan(const contract::Scale& p, const DeviceFacts& facts) { return candidates(p, facts).back(); }

}  // namespace qfuse::cuda::scale
