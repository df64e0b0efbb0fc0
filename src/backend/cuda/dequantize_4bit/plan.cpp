#include "backend/cuda/dequantize_4bit/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda::dequantize_4bit {
namespace {

int wide_group(const contract::Dequantize4bit& p) {
  return kStoreBytes / static_cast<int>(format::dtype_size(p.out_dtype));
}

bool is_wide(const contract::Dequantize4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  return is_aligned(p.out, kStoreBytes) && is_aligned(w.packed, static_cast<std::size_t>(wide_group(p) / 2)) &&
         is_aligned(w.absmax, 4) && is_aligned(w.nested_absmax, 4) && is_aligned(w.nested_quant_map, 4) &&
         is_aligned(w.nested_offset, 4);
}

Plan plan_with(const contract::Dequantize4bit& p, bool wide, bool stream) {
  Plan plan;
  plan.wide = wide;
  plan.stream = stream;
  plan.group = wide ? wide_group(p) : kNarrowGroup;
  plan.groups = kDecodeGroups;
  plan.threads = kDecodeThreads;
  const std::int64_t tile = std::int64_t{plan.group} * plan.groups * plan.threads;
  plan.blocks = format::ceil_div(contract::element_count(p.weight), tile);
  return plan;
}

}  // namespace

std::vector<Plan> candidates(const contract::Dequantize4bit& p, const DeviceFacts& /*facts*/) {
  if (!is_wide(p)) return {plan_with(p, false, false)};
  return {plan_with(p, true, false), plan_with(p, true, true)};
}

Plan plan(const contract::Dequantize4bit& p, const DeviceFacts& facts) {
  const bool wide = is_wide(p);
  // What fits the L2 cache is left there for who reads it next: an H200 then decodes and reads 1024 x 4096 in 7.6 us,
  // else in 8.6, 2048 x 8192 in 19.1, else in 23.1. What does not fit would drive out other data, and be up to 1 %
  // slower.
  const std::int64_t bytes = contract::element_count(p.weight) * format::dtype_size(p.out_dtype);
  return plan_with(p, wide, wide && bytes > facts.l2_bytes);
}

}  // namespace qfuse::cuda::dequantize_4bit
