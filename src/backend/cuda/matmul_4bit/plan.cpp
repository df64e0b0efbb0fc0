#include "backend/cuda/matmul_4bit/plan.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

constexpr std::size_t kLoadBytes = 16;    // the widest load of every architecture
constexpr std::int64_t kCodesALoad = 32;  // 4-bit codes of it: they share a block, whose least size this is
constexpr std::int64_t kValuesALoad = 8;  // 16-bit values of it
constexpr std::int64_t kFewNestedMost = std::int64_t{1} << 31;  // which an unsigned int is shifted by
constexpr std::int64_t kFewElements = std::int64_t{1} << 37;    // whose blocks of 64 an unsigned int counts
#ifdef QFUSE_WITHOUT_STAGES                                     // a build without that kernel
constexpr bool kHasStages = false;
#else
constexpr bool kHasStages = true;
#endif
constexpr int kWarpThreads = 32;
constexpr int kTuring = 75;  // compute capabilities
constexpr int kAmpere = 80;
constexpr int kHopper = 90;

bool is_wide(const contract::Matmul4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  return w.cols % kCodesALoad == 0 && is_aligned(w.packed, kLoadBytes) && is_aligned(w.absmax, 4) &&
         is_aligned(w.nested_absmax, 4) && is_aligned(w.nested_quant_map, 4) && is_aligned(w.nested_offset, 4) &&
         is_aligned(p.in, kLoadBytes) && in_stride(p) % kValuesALoad == 0 && term_count(p) % kValuesALoad == 0;
}

Matmul4bitPlan tiles(const contract::Matmul4bit& p, bool wide, int tokens) {
  Matmul4bitPlan plan;
  plan.wide = wide;
  plan.tokens = tokens;
  plan.outputs = kTileOutputs;
  plan.threads = kTileThreads;
  plan.blocks = format::ceil_div(output_count(p), kTileOutputs) * format::ceil_div(p.m, tokens);
  return plan;
}

// As many warps as share the chains without one of them being idle in the last round; a block for each multiprocessor.
Matmul4bitPlan few(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const std::int64_t chains = format::ceil_div(p.weight.cols, QFUSE_SPLIT_TERMS);
  const std::int64_t rounds = format::ceil_div(chains, kFewWarps);
  const std::int64_t tiles = format::ceil_div(p.weight.rows, kFewOutputs);
  Matmul4bitPlan plan;
  plan.kernel = Matmul4bitKernel::few;
  plan.wide = true;
  plan.tokens = p.m <= kFewTokens.front() ? kFewTokens.front() : kFewTokens.back();
  plan.outputs = kFewOutputs;
  plan.threads = kWarpThreads * static_cast<int>(format::ceil_div(chains, rounds));
  plan.blocks = std::min<std::int64_t>(facts.multiprocessors, tiles);
  plan.shared_bytes = static_cast<int>(few_shared_bytes(plan.tokens, format::ceil_div(tiles, plan.blocks)));
  return plan;
}

// Forward, few tokens, whole chains of terms, bitsandbytes' blocks; and what 32 bits count.
bool can_be_few(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  if (facts.compute_capability != kHopper || !is_forward(p) || p.order != QFUSE_ORDER_SPLIT || p.lora_rank > 0 ||
      p.m > kFewTokens.back() || !is_wide(p))
    return false;
  if (w.cols == 0 || w.cols % QFUSE_SPLIT_TERMS != 0 || w.blocksize != kFewBlocksize) return false;
  // A chain's blocks are of one nested block, and are loaded as a word.
  constexpr std::int64_t kChainBlocks = QFUSE_SPLIT_TERMS / kFewBlocksize;
  if (contract::is_nested(w) && (w.nested_blocksize < kChainBlocks || w.nested_blocksize > kFewNestedMost ||
                                 !is_aligned(w.absmax_8bit, kChainBlocks)))
    return false;
  const std::int64_t tiles = format::ceil_div(w.rows, std::int64_t{kFewOutputs} * facts.multiprocessors);
  return contract::element_count(w) < kFewElements && w.rows < kFewElements / kFewBlocksize &&
         few_shared_bytes(kFewTokens.back(), tiles) <= facts.shared_bytes;
}

// What is loaded in tiles.
bool is_lora_aligned(const contract::Matmul4bit& p) {
  return p.lora_rank % kValuesALoad == 0 && is_aligned(p.lora_in, kLoadBytes) && is_aligned(p.lora_weight, kLoadBytes);
}

std::int64_t stage_tiles(const contract::Matmul4bit& p, int outputs, int tokens) {
  return format::ceil_div(output_count(p), outputs) * format::ceil_div(p.m, tokens);
}

// Both directions, in the order PLAIN: whole runs of codes, and what the coordinates of a tile count.
bool can_be_staged(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const auto fits = [&](const StageShape& shape) {
    return stage_shared_bytes(shape) <= facts.shared_bytes && stage_tiles(p, shape.outputs, shape.tokens) < kMost;
  };
  return kHasStages && facts.compute_capability == kHopper && p.order == QFUSE_ORDER_PLAIN && is_wide(p) &&
         term_count(p) > 0 && w.cols % kStageRun == 0 && w.blocksize >= kStageRun && w.rows < kMost && w.cols < kMost &&
         p.m < kMost && p.lora_rank < kMost && is_lora_aligned(p) && contract::element_count(w) < kFewElements &&
         in_stride(p) < kMost && std::ranges::all_of(kStageShapes, fits);
}

// Forward, in the same order.
bool can_be_held(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return is_forward(p) && can_be_staged(p, facts) && held_shared_bytes() <= facts.shared_bytes;
}

// A tile's rows of codes are at least 32 bytes.
bool can_have(const contract::Matmul4bit& p, const StageShape& shape) {
  return is_forward(p) || shape.outputs >= kStageRun;
}

Matmul4bitPlan in_stages(const contract::Matmul4bit& p, const DeviceFacts& facts, int outputs, int tokens) {
  Matmul4bitPlan plan;
  plan.wide = true;
  plan.tokens = tokens;
  plan.outputs = outputs;
  plan.blocks = std::min<std::int64_t>(facts.multiprocessors, stage_tiles(p, outputs, tokens));
  return plan;
}
Matmul4bitPlan staged(const contract::Matmul4bit& p, const DeviceFacts& facts, const StageShape& shape) {
  Matmul4bitPlan plan = in_stages(p, facts, shape.outputs, shape.tokens);
  plan.kernel = Matmul4bitKernel::staged;
  plan.threads = shape.threads();
  plan.shared_bytes = static_cast<int>(stage_shared_bytes(shape));
  return plan;
}
Matmul4bitPlan held(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  Matmul4bitPlan plan = in_stages(p, facts, kHeldOutputs, kHeldTokens);
  plan.kernel = Matmul4bitKernel::held;
  plan.threads = kHeldThreads;
  plan.shared_bytes = static_cast<int>(held_shared_bytes());
  return plan;
}

// The one whose slowest multiprocessor is done first.
Matmul4bitPlan best_in_stages(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const auto clocks = [&](int outputs, int tokens, int of_stage) {
    return format::ceil_div(stage_tiles(p, outputs, tokens), facts.multiprocessors) * of_stage;
  };
  const auto staged_clocks = [&](const StageShape& shape) {
    return can_have(p, shape) ? clocks(shape.outputs, shape.tokens, shape.clocks)
                              : std::numeric_limits<std::int64_t>::max();
  };
  const StageShape& best = *std::ranges::min_element(kStageShapes, {}, staged_clocks);
  if (can_be_held(p, facts) && clocks(kHeldOutputs, kHeldTokens, kHeldClocks) < staged_clocks(best))
    return held(p, facts);
  return staged(p, facts, best);
}

Matmul4bitPlan in_fp32(const contract::Matmul4bit& p) {
  Matmul4bitPlan plan;
  plan.kernel = Matmul4bitKernel::fp32;
  plan.tokens = kFp32Tokens;
  plan.outputs = is_forward(p) ? kFp32Threads / kWarpThreads : kFp32Threads;
  plan.threads = kFp32Threads;
  plan.blocks = format::ceil_div(output_count(p), plan.outputs) * format::ceil_div(p.m, kFp32Tokens);
  return plan;
}

}  // namespace

bool has_matrix_steps(qfuse_dtype dtype, const DeviceFacts& facts) {
  return facts.compute_capability >= (dtype == QFUSE_FLOAT16 ? kTuring : kAmpere);
}

contract::Outcome check_facts(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  if (p.accumulation != QFUSE_ACCUMULATION_TENSOR_CORE || has_matrix_steps(p.dtype, facts)) return {};
  return contract::unsupported(
      "accumulation is QFUSE_ACCUMULATION_TENSOR_CORE, for which this GPU has no instructions");
}

std::vector<Matmul4bitPlan> candidates(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  if (!uses_matrix_steps(p, has_matrix_steps(p.dtype, facts))) return {in_fp32(p)};
  std::vector<Matmul4bitPlan> all;
  if (can_be_few(p, facts)) all.push_back(few(p, facts));
  if (can_be_staged(p, facts))
    for (const StageShape& shape : kStageShapes)
      if (can_have(p, shape)) all.push_back(staged(p, facts, shape));
  if (can_be_held(p, facts)) all.push_back(held(p, facts));
  for (const bool wide : {false, true})
    for (const int tokens : kTileTokens)
      if (!wide || is_wide(p)) all.push_back(tiles(p, wide, tokens));
  return all;
}

Matmul4bitPlan plan(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  if (!uses_matrix_steps(p, has_matrix_steps(p.dtype, facts))) return in_fp32(p);
  if (can_be_few(p, facts)) return few(p, facts);
  if (can_be_staged(p, facts)) return best_in_stages(p, facts);
  return tiles(p, is_wide(p), p.m <= kTileTokens.front() ? kTileTokens.front() : kTileTokens.back());
}

}  // namespace qfuse::cuda
