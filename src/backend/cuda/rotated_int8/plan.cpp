#include "backend/cuda/rotated_int8/plan.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/align.h"

namespace qfuse::cuda::rotated_int8 {
namespace {

// ---- of terms ----

// A thread block has a row.
TermsPlan by_rows(std::int64_t rows, std::int64_t cols, bool wide) {
  const std::int64_t threads = format::ceil_div(cols, kLaneTerms * kWarpThreads) * kWarpThreads;
  TermsPlan plan;
  plan.block = static_cast<int>(format::rotated_block(cols));
  plan.threads = static_cast<int>(std::min<std::int64_t>(threads, kMostRowThreads));
  plan.wide = wide;
  plan.once = threads <= kMostRowThreads;
  plan.blocks = rows;
  return plan;
}

// A thread block has 64 columns, and of their tiles one, or, for the maximum of a column, all.
TermsPlan by_columns(std::int64_t rows, std::int64_t cols, bool wide, bool has_one_tile) {
  constexpr std::int64_t kMostTiles = 65535;  // which are blockIdx.y
  TermsPlan plan;
  plan.block = static_cast<int>(format::rotated_block(rows));
  plan.threads = plan.block;
  plan.wide = wide;
  plan.blocks = cols / kTileCols;
  plan.tiles = has_one_tile ? std::min(rows / plan.block, kMostTiles) : 1;
  return plan;
}

bool is_wide(const qfuse_weight_4bit& w) {
  return is_aligned(w.packed, kVectorBytes) && is_aligned(w.absmax, sizeof(float)) &&
         is_aligned(w.nested_absmax, sizeof(float)) && is_aligned(w.nested_quant_map, sizeof(float)) &&
         is_aligned(w.nested_offset, sizeof(float));
}

template <class Plan>
Plan named(const TermsPlan& plan) {
  Plan of_op;
  static_cast<TermsPlan&>(of_op) = plan;
  return of_op;
}

// ---- of the product ----

MatmulPlan with_wgmma(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts, const WgmmaShape& shape) {
  MatmulPlan plan;
  plan.kernel = Kernel::wgmma;
  plan.tokens = kWgmmaTokens;
  plan.outputs = shape.outputs;
  plan.threads = kWgmmaThreads;
  plan.blocks = std::min<std::int64_t>(count_tiles(p, kWgmmaTokens, shape.outputs), facts.multiprocessors);
  plan.shared_bytes = static_cast<int>(shape.shared_bytes());
  return plan;
}

MatmulPlan with_mma(const contract::RotatedInt8Matmul& p, Kernel kernel, const MmaShape& shape) {
  MatmulPlan plan;
  plan.kernel = kernel;
  plan.tokens = shape.tokens;
  plan.outputs = shape.outputs;
  plan.threads = shape.threads();
  plan.blocks = count_tiles(p, shape.tokens, shape.outputs);
  plan.shared_bytes = static_cast<int>(shape.shared_bytes());
  return plan;
}

std::int64_t wgmma_clocks(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts, const WgmmaShape& shape) {
  return format::ceil_div(count_tiles(p, kWgmmaTokens, shape.outputs), std::int64_t{facts.multiprocessors}) *
         shape.clocks;
}

}  // namespace

// ---- which kernels ----

std::int64_t count_tiles(const contract::RotatedInt8Matmul& p, int tokens, int outputs) {
  return format::ceil_div(p.m, std::int64_t{tokens}) * format::ceil_div(p.n, std::int64_t{outputs});
}

bool takes(Kernel kernel, const contract::RotatedInt8Matmul& p, const DeviceFacts& facts) {
  if (!kHasMatrixInstructions || facts.compute_capability < kTuring) return false;
  if (kernel == Kernel::mma_unaligned) return true;
  if (!is_aligned(p.in_q, kVectorBytes) || !is_aligned(p.weight_q, kVectorBytes)) return false;
  if (kernel == Kernel::mma) return true;
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // coordinates of tiles, and their number
  return kHasWgmma && facts.compute_capability == kHopper && p.k > 0 &&
         std::max(p.m, p.n) <= kMost - kWgmmaTokens * 2 &&
         count_tiles(p, kWgmmaTokens, kWgmmaShapes.back().outputs) <= kMost;
}

// ---- plans ----

QuantizePlan plan(const contract::RotatedInt8Quantize& p) {
  const std::int64_t size = format::dtype_size(p.in_dtype);
  const bool is_wide =
      is_aligned(p.in, kVectorBytes) && in_stride(p) * size % kVectorBytes == 0 && is_aligned(p.q, kVectorBytes);
  return named<QuantizePlan>(by_rows(p.rows, p.cols, is_wide));
}

// Of rows that can be read once, too, the kernel that reads them twice: so that a test can have it.
std::vector<QuantizePlan> candidates(const contract::RotatedInt8Quantize& p) {
  std::vector<QuantizePlan> all = {plan(p)};
  if (!all[0].once) return all;
  all.push_back(all[0]);
  all[1].once = false;
  all[1].threads = kWarpThreads;
  return all;
}

WeightScalesPlan plan(const contract::RotatedInt8WeightScales& p) {
  const auto& [rows, cols] = std::pair(p.weight.rows, p.weight.cols);
  return named<WeightScalesPlan>(p.direction == QFUSE_FORWARD ? by_rows(rows, cols, is_wide(p.weight))
                                                              : by_columns(rows, cols, is_wide(p.weight), false));
}
std::vector<WeightScalesPlan> candidates(const contract::RotatedInt8WeightScales& p) { return {plan(p)}; }

WeightPlan plan(const contract::RotatedInt8Weight& p) {
  const auto& [rows, cols] = std::pair(p.weight.rows, p.weight.cols);
  const bool is_all_wide = is_wide(p.weight) && is_aligned(p.q, kVectorBytes) && is_aligned(p.scale, sizeof(float));
  return named<WeightPlan>(p.direction == QFUSE_FORWARD ? by_rows(rows, cols, is_all_wide)
                                                        : by_columns(rows, cols, is_all_wide, true));
}
std::vector<WeightPlan> candidates(const contract::RotatedInt8Weight& p) { return {plan(p)}; }

std::vector<MatmulPlan> candidates(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts) {
  std::vector<MatmulPlan> all;
  if (takes(Kernel::wgmma, p, facts))
    for (const WgmmaShape& shape : kWgmmaShapes) all.push_back(with_wgmma(p, facts, shape));
  if (takes(Kernel::mma, p, facts))
    for (const MmaShape& shape : kMmaShapes) all.push_back(with_mma(p, Kernel::mma, shape));
  if (takes(Kernel::mma_unaligned, p, facts)) all.push_back(with_mma(p, Kernel::mma_unaligned, kMmaShapes.back()));
  return all;
}

MatmulPlan plan(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts) {
  if (!takes(Kernel::mma, p, facts)) return with_mma(p, Kernel::mma_unaligned, kMmaShapes.back());
  if (takes(Kernel::wgmma, p, facts) && p.m > kMmaShapes.back().tokens)
    return with_wgmma(p, facts, *std::ranges::min_element(kWgmmaShapes, {}, [&](const WgmmaShape& shape) {
                        return wgmma_clocks(p, facts, shape);
                      }));
  const MmaShape& large = kMmaShapes.front();
  const bool fills_the_gpu = count_tiles(p, large.tokens, large.outputs) >= facts.multiprocessors;
  return with_mma(p, Kernel::mma, fills_the_gpu ? large : kMmaShapes.back());
}

}  // namespace qfuse::cuda::rotated_int8
