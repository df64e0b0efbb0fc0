#include "backend/cuda/rotated_int8/plan.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/align.h"

namespace qfuse::cuda::rotated_int8 {
namespace {

// ---- quantizing terms ----

// One thread block per row.
TermsPlan by_rows(std::int64_t rows, std::int64_t cols, int most_threads, bool wide) {
  const std::int64_t threads = format::ceil_div(cols, std::int64_t{kLaneTerms} * kWarpThreads) * kWarpThreads;
  TermsPlan plan;
  plan.block = static_cast<int>(format::rotated_block(cols));
  plan.threads = static_cast<int>(std::min<std::int64_t>(threads, most_threads));
  plan.wide = wide;
  plan.blocks = rows;
  return plan;
}

// Each thread block has 64 columns: one tile of them or, to find the maximum of a column, all tiles.
TermsPlan by_columns(std::int64_t rows, std::int64_t cols, bool wide, bool has_one_tile) {
  constexpr std::int64_t kMostTiles = 65535;  // limit of blockIdx.y
  TermsPlan plan;
  plan.block = static_cast<int>(format::rotated_block(rows));
  plan.threads = plan.block;
  plan.wide = wide;
  plan.blocks = cols / kTileCols;
  plan.tiles = has_one_tile ? std::min(rows / plan.block, kMostTiles) : 1;
  return plan;
}

template <class Plan>
Plan named(const TermsPlan& plan) {
  Plan of_op;
  static_cast<TermsPlan&>(of_op) = plan;
  return of_op;
}

// Adds plans with other numbers of threads, and so other row windows, for tests and measurements.
template <class Plan>
std::vector<Plan> with_other_threads(const Plan& chosen, bool has_rows) {
  std::vector<Plan> all = {chosen};
  for (int threads = kWarpThreads; has_rows && threads <= kMostRowThreads; threads *= 2) {
    if (threads == chosen.threads) continue;
    all.push_back(chosen);
    all.back().threads = threads;
  }
  return all;
}

// ---- quantizing a weight ----

WeightPlan by_lines(const contract::RotatedInt8Weight& p) {
  const bool is_wide = is_aligned(p.weight.packed, kVectorBytes) && is_aligned(p.q, kVectorBytes);
  return named<WeightPlan>(p.direction == QFUSE_FORWARD
                               ? by_rows(p.weight.rows, p.weight.cols, kWeightRowThreads, is_wide)
                               : by_columns(p.weight.rows, p.weight.cols, is_wide, true));
}

// Returns the plan by rows or columns if it is impossible to be ahead.
WeightPlan weight_ahead(const contract::RotatedInt8Weight& p, const DeviceFacts& facts) {
  constexpr std::int64_t kSharedBytes = 20 << 10;  // of a block, rounded up
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const auto has_floats = [](const void* values) { return is_aligned(values, sizeof(float)); };
  WeightPlan plan = by_lines(p);
  const std::int64_t together =
      std::min<std::int64_t>(kAheadBlocks, facts.shared_bytes / (kSharedBytes + kReservedBytes));
  if (!plan.wide || plan.block != format::kRotatedBlock || p.weight.blocksize < format::kRotatedBlock / 2 ||
      !has_floats(p.weight.absmax) || !has_floats(p.weight.nested_absmax) || !has_floats(p.weight.nested_quant_map) ||
      !has_floats(p.weight.nested_offset) || contract::element_count(p.weight) / format::kRotatedBlock > kMost ||
      facts.compute_capability < kAmpere || together == 0)
    return plan;
  const std::int64_t a_block = p.direction == QFUSE_FORWARD ? kAheadThreads / kWarpThreads : 1;
  plan.ahead = true;
  plan.threads = kAheadThreads;
  plan.tiles = 1;
  plan.blocks = std::min(format::ceil_div(count_ahead_groups(p), a_block), together * facts.multiprocessors);
  return plan;
}

// ---- quantizing what a SwiGLU block makes ----

SwigluPlan swiglu_by_rows(const contract::RotatedInt8Swiglu& p) {
  const auto has_wide_rows = [](const void* values, std::int64_t stride) {
    return is_aligned(values, kVectorBytes) && stride * format::dtype_size(QFUSE_BFLOAT16) % kVectorBytes == 0;
  };
  const bool is_wide = has_wide_rows(p.gate, gate_stride(p)) && has_wide_rows(p.up, up_stride(p)) &&
                       (!is_backward(p) || has_wide_rows(p.grad_y, grad_y_stride(p))) &&
                       is_aligned(p.out, kVectorBytes) && is_aligned(p.q, kVectorBytes);
  return named<SwigluPlan>(by_rows(row_count(p), p.h, kMostRowThreads, is_wide));
}

// Plans as many blocks as fit on the multiprocessors at once, each with shared memory for the arrays of one token.
// Returns the plan by rows if that is impossible.
SwigluPlan swiglu_ahead(const contract::RotatedInt8Swiglu& p, const DeviceFacts& facts) {
  SwigluPlan plan = swiglu_by_rows(p);
  const std::int64_t terms = std::int64_t{plan.threads} * kLaneTerms;
  const std::int64_t shared_bytes = (is_backward(p) ? 3 : 2) * terms * format::dtype_size(QFUSE_BFLOAT16);
  const std::int64_t in_shared = facts.shared_bytes / (shared_bytes + kReservedBytes);
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // so that 32-bit token numbers suffice
  if (!plan.wide || p.h > terms || p.m > kMost || plan.threads > kMostAheadThreads ||
      facts.compute_capability < kAmpere || in_shared == 0)
    return plan;
  const std::int64_t together = std::min<std::int64_t>(in_shared, 2 * kMostAheadThreads / plan.threads);
  plan.ahead = true;
  plan.shared_bytes = static_cast<int>(shared_bytes);
  plan.blocks = std::min(p.m, together * facts.multiprocessors);
  return plan;
}

// ---- the product ----

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
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // for coordinates and the number of tiles
  return kHasWgmma && facts.compute_capability == kHopper && p.k > 0 &&
         std::max(p.m, p.n) <= kMost - std::int64_t{kWgmmaTokens} * 2 &&
         count_tiles(p, kWgmmaTokens, kWgmmaShapes.back().outputs) <= kMost;
}

// ---- plans ----

QuantizePlan plan(const contract::RotatedInt8Quantize& p) {
  const bool is_wide = is_aligned(p.in, kVectorBytes) && is_aligned(p.q, kVectorBytes) &&
                       in_stride(p) * format::dtype_size(p.in_dtype) % kVectorBytes == 0;
  return named<QuantizePlan>(by_rows(p.rows, p.cols, kMostRowThreads, is_wide));
}

std::vector<QuantizePlan> candidates(const contract::RotatedInt8Quantize& p) {
  return with_other_threads(plan(p), true);
}

SwigluPlan plan(const contract::RotatedInt8Swiglu& p, const DeviceFacts& facts) {
  const SwigluPlan ahead = swiglu_ahead(p, facts);
  const bool is_worth_it = ahead.ahead && ahead.blocks < p.m && ahead.blocks >= 2 * std::int64_t{facts.multiprocessors};
  return is_worth_it ? ahead : swiglu_by_rows(p);
}

std::vector<SwigluPlan> candidates(const contract::RotatedInt8Swiglu& p, const DeviceFacts& facts) {
  std::vector<SwigluPlan> all = with_other_threads(swiglu_by_rows(p), true);
  if (const SwigluPlan ahead = swiglu_ahead(p, facts); ahead.ahead) all.push_back(ahead);
  return all;
}

WeightScalesPlan plan(const contract::RotatedInt8WeightScales& p) {
  const bool is_wide = is_aligned(p.weight.packed, kVectorBytes);
  return named<WeightScalesPlan>(p.direction == QFUSE_FORWARD
                                     ? by_rows(p.weight.rows, p.weight.cols, kWeightRowThreads, is_wide)
                                     : by_columns(p.weight.rows, p.weight.cols, is_wide, false));
}
std::vector<WeightScalesPlan> candidates(const contract::RotatedInt8WeightScales& p) {
  return with_other_threads(plan(p), p.direction == QFUSE_FORWARD);
}

std::int64_t count_ahead_groups(const contract::RotatedInt8Weight& p) {
  if (p.direction == QFUSE_BACKWARD) return p.weight.rows / format::kRotatedBlock * (p.weight.cols / kTileCols);
  return format::ceil_div(contract::element_count(p.weight), format::kRotatedBlock * kWarpThreads / 2);
}

WeightPlan plan(const contract::RotatedInt8Weight& p, const DeviceFacts& facts) { return weight_ahead(p, facts); }
std::vector<WeightPlan> candidates(const contract::RotatedInt8Weight& p, const DeviceFacts& facts) {
  std::vector<WeightPlan> all = with_other_threads(by_lines(p), p.direction == QFUSE_FORWARD);
  if (const WeightPlan ahead = weight_ahead(p, facts); ahead.ahead) all.push_back(ahead);
  return all;
}

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
