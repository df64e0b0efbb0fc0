#include "backend/cuda/dequantize_4bit/plan.h"

#include <algorithm>
#include <bit>

#include "backend/cuda/align.h"
#include "backend/cuda/row_tiles.h"

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

// For weights with row scales: whether every group is one vector of codes and of outputs, and has a single scale.
bool has_wide_rows(const contract::Dequantize4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  const int group = wide_group(p);
  return w.cols % group == 0 && (w.blocksize % group == 0 || w.blocksize >= w.cols);
}

// Whether a weight with row scales can be decoded as one run of blocks: each row is whole blocks of 2^n elements, the
// scales are aligned, and there is a kernel for the run (there is none for zero points with 8-bit scales).
bool is_one_run(const contract::Dequantize4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  const std::int64_t block = std::min(w.blocksize, w.cols);
  const std::int64_t scale = format::scale_size(w.scale_type);
  return block > 0 && std::has_single_bit(static_cast<std::uint64_t>(block)) && w.cols % block == 0 &&
         is_aligned(w.scales, static_cast<std::size_t>(scale)) && is_aligned(contract::global_of(w).value, 4) &&
         (w.zero_points == nullptr || scale > 1);
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

Plan plan_by_rows(const contract::Dequantize4bit& p, bool wide) {
  Plan plan;
  plan.by_rows = true;
  plan.wide = wide;
  plan.group = wide ? wide_group(p) : kNarrowGroup;
  plan.groups = kRowsEach;
  plan.threads = kTileThreads;
  plan.blocks = row_tiles(p.weight.rows, format::ceil_div(p.weight.cols, plan.group)).blocks;
  return plan;
}

Plan plan_of(const contract::Dequantize4bit& p, bool stream) {
  const bool has_scales_of_rows = contract::has_scales_of_rows(p.weight);
  const bool wide = is_wide(p) && (!has_scales_of_rows || has_wide_rows(p));
  if (has_scales_of_rows && !(wide && is_one_run(p))) return plan_by_rows(p, wide);
  return plan_with(p, wide, wide && stream);
}

}  // namespace

std::vector<Plan> candidates(const contract::Dequantize4bit& p, const DeviceFacts& /*facts*/) {
  const Plan streams = plan_of(p, true);
  if (!streams.stream) return {streams};
  return {plan_of(p, false), streams};
}

Plan plan(const contract::Dequantize4bit& p, const DeviceFacts& facts) {
  // Outputs that fit the L2 cache stay there for the next reader: an H200 then decodes and reads 1024 x 4096 in 7.6 us
  // instead of 8.6, and 2048 x 8192 in 19.1 instead of 23.1. Larger outputs are streamed, because they would evict
  // other data and decoding would be up to 1 % slower.
  const std::int64_t bytes = contract::element_count(p.weight) * format::dtype_size(p.out_dtype);
  return plan_of(p, bytes > facts.l2_bytes);
}

}  // namespace qfuse::cuda::dequantize_4bit
