#include "backend/cuda/dequantize_4bit/plan.h"

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

bool is_wide(const contract::Dequantize4bit& p, int group) {
  const qfuse_weight_4bit& w = p.weight;
  return is_aligned(p.out, kStoreBytes) && is_aligned(w.packed, static_cast<std::size_t>(group / 2)) &&
         is_aligned(w.absmax, 4) && is_aligned(w.nested_absmax, 4) && is_aligned(w.nested_quant_map, 4) &&
         is_aligned(w.nested_offset, 4);
}

Dequantize4bitPlan plan_with(const contract::Dequantize4bit& p, Shape shape, bool wide, bool stream) {
  Dequantize4bitPlan plan;
  plan.wide = wide;
  plan.stream = stream;
  plan.group = wide ? kStoreBytes / static_cast<int>(format::dtype_size(p.out_dtype)) : kNarrowGroup;
  plan.groups = shape.groups;
  plan.threads = shape.threads;
  const std::int64_t tile = std::int64_t{plan.group} * plan.groups * plan.threads;
  plan.blocks = format::ceil_div(contract::element_count(p.weight), tile);
  return plan;
}

bool is_wide(const contract::Dequantize4bit& p) {
  return is_wide(p, kStoreBytes / static_cast<int>(format::dtype_size(p.out_dtype)));
}

}  // namespace

std::vector<Dequantize4bitPlan> candidates(const contract::Dequantize4bit& p, const DeviceFacts& /*facts*/) {
  std::vector<Dequantize4bitPlan> all;
  if (!is_wide(p)) return {plan_with(p, kDecodeShapes[0], false, false)};
  for (const Shape shape : kDecodeShapes)
    for (const bool stream : {false, true}) all.push_back(plan_with(p, shape, true, stream));
  return all;
}

Dequantize4bitPlan plan(const contract::Dequantize4bit& p, const DeviceFacts& facts) {
  const bool wide = is_wide(p);
  // What fits the L2 cache is left there for who reads it next (a quarter of decode + read, on an H100); what does not
  // would only drive out other data (1 % of the decoding).
  const std::int64_t bytes = contract::element_count(p.weight) * format::dtype_size(p.out_dtype);
  return plan_with(p, kDecodeShapes[0], wide, wide && bytes > facts.l2_bytes);
}

}  // namespace qfuse::cuda
