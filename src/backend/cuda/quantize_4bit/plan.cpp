#include "backend/cuda/quantize_4bit/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda::quantize_4bit {

Plan plan(const contract::Quantize4bit& p) {
  const qfuse_weight_4bit_out& w = p.weight;
  Plan plan;
  const qfuse_weight_4bit& kept = p.kept;
  plan.wide = is_aligned(p.in, 16) && is_aligned(w.packed, 8) && is_aligned(contract::absmax(p), 4) &&
              is_aligned(p.importance, 4) && is_aligned(kept.absmax, 4) && is_aligned(kept.nested_absmax, 4) &&
              is_aligned(kept.nested_quant_map, 4) && is_aligned(kept.nested_offset, 4);
  plan.threads = kEncodeThreads;
  plan.lanes = static_cast<int>(w.blocksize) / kEncodeGroup;
  plan.blocks = format::ceil_div(contract::element_count(w), std::int64_t{kEncodeThreads} * kEncodeGroup);
  if (contract::nests_absmax(p) && p.given_offset == nullptr) plan.chunks = contract::chunk_count(p) - 1;
  return plan;
}

std::vector<Plan> candidates(const contract::Quantize4bit& p) { return {plan(p)}; }

}  // namespace qfuse::cuda::quantize_4bit
