#include "backend/cuda/matmul_4bit/plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

constexpr std::size_t kLoadBytes = 16;    // the widest load of every architecture
constexpr std::int64_t kCodesALoad = 32;  // 4-bit codes of it: they share a block, whose least size this is
constexpr std::int64_t kValuesALoad = 8;  // 16-bit values of it
constexpr std::int64_t kMostNestedBlocksize = std::int64_t{1} << 31;  // which an unsigned int is shifted by
constexpr std::int64_t kMostElements = std::int64_t{1} << 37;         // whose blocks of 64 an unsigned int counts
constexpr std::int64_t kMostCols = std::int64_t{1} << 32;             // whose bytes of codes it counts, too
#ifdef QFUSE_WITHOUT_WGMMA                                            // a build without that kernel
constexpr bool kHasWgmma = false;
#else
constexpr bool kHasWgmma = true;
#endif
constexpr int kWarpThreads = 32;
constexpr int kTuring = 75;  // compute capabilities
constexpr int kAmpere = 80;
constexpr int kHopper = 90;

bool is_factored(const contract::Matmul4bit& p) { return p.sum == QFUSE_SUM_FACTORED; }

qfuse_sum sum_of(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return sum_with_tensor_cores(p, has_tensor_cores(p.dtype, facts));
}

bool is_wide(const contract::Matmul4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  return w.cols % kCodesALoad == 0 && is_aligned(w.packed, kLoadBytes) && is_aligned(w.absmax, 4) &&
         is_aligned(w.nested_absmax, 4) && is_aligned(w.nested_quant_map, 4) && is_aligned(w.nested_offset, 4) &&
         is_aligned(p.in, kLoadBytes) && in_stride(p) % kValuesALoad == 0 && term_count(p) % kValuesALoad == 0;
}

// Whose the rows are: one weight's, or those of a stack.
struct Owners {
  std::int64_t count = 1;
  bool are_experts = false;
};

// Tiles of so many tokens: at most, where they are those of several owners, who share no tile.
std::int64_t token_tiles(std::int64_t m, const Owners& owners, int tokens) {
  return (m + std::min(m, owners.count) * (tokens - 1)) / tokens;
}

std::int64_t count_tiles(const contract::Matmul4bit& p, const Owners& owners, int outputs, int tokens) {
  return format::ceil_div(output_count(p), outputs) * token_tiles(p.m, owners, tokens);
}

Matmul4bitPlan tiled(const contract::Matmul4bit& p, const Owners& owners, bool wide, int tokens) {
  Matmul4bitPlan plan;
  plan.wide = wide;
  plan.tokens = tokens;
  plan.outputs = kTileOutputs;
  plan.threads = kTileThreads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}
Matmul4bitPlan tiled(const contract::Matmul4bit& p, const Owners& owners) {
  const bool are_few = p.m <= kTileTokens.front() * std::min(p.m, owners.count);
  return tiled(p, owners, is_wide(p), are_few ? kTileTokens.front() : kTileTokens.back());
}

std::int64_t split_k_tiles(const contract::Matmul4bit& p) { return format::ceil_div(p.weight.rows, kSplitKOutputs); }

// As many warps as share the chains without one of them being idle in the last round; a block for each multiprocessor.
Matmul4bitPlan split_k(const contract::Matmul4bit& p, const DeviceFacts& facts, int tokens, std::int64_t tiles,
                       int products) {
  const std::int64_t chains = format::ceil_div(p.weight.cols, QFUSE_SPLIT_TERMS);
  const std::int64_t rounds = format::ceil_div(chains, kSplitKWarps);
  Matmul4bitPlan plan;
  plan.kernel = is_factored(p) ? Matmul4bitKernel::factored_split_k : Matmul4bitKernel::split_k;
  plan.wide = true;
  plan.tokens = tokens;
  plan.outputs = kSplitKOutputs;
  plan.threads = kWarpThreads * static_cast<int>(format::ceil_div(chains, rounds));
  plan.blocks = std::min<std::int64_t>(facts.multiprocessors, tiles);
  const std::int64_t tiles_with_totals = rounds > 1 ? format::ceil_div(tiles, plan.blocks) : 0;
  plan.shared_bytes = static_cast<int>(std::min<std::int64_t>(split_k_shared_bytes(tokens, tiles_with_totals, products),
                                                              std::numeric_limits<int>::max()));
  return plan;
}
Matmul4bitPlan split_k(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  Matmul4bitPlan plan = split_k(p, facts, p.m <= kSplitKTokens.front() ? kSplitKTokens.front() : kSplitKTokens.back(),
                                split_k_tiles(p), 1);
  plan.launches = format::ceil_div(p.m, plan.tokens);
  return plan;
}

// Forward, whole chains of terms, bitsandbytes' blocks; and what 32 bits count.
bool fits_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  const bool has_chains = p.sum == QFUSE_SUM_SPLIT || is_factored(p);
  if (facts.compute_capability != kHopper || !has_chains || !is_forward(p) || p.lora_rank > 0 || !is_wide(p))
    return false;
  if (w.rows == 0 || w.cols == 0 || w.cols >= kMostCols || w.cols % QFUSE_SPLIT_TERMS != 0 ||
      w.blocksize != kSplitKBlocksize)
    return false;
  // A chain's blocks are of one nested block, and are loaded as a word.
  constexpr std::int64_t kChainBlocks = QFUSE_SPLIT_TERMS / kSplitKBlocksize;
  if (contract::is_nested(w) && (w.nested_blocksize < kChainBlocks || w.nested_blocksize > kMostNestedBlocksize ||
                                 w.nested_begin % kChainBlocks != 0 || !is_aligned(w.absmax_8bit, kChainBlocks)))
    return false;
  return contract::element_count(w) < kMostElements / owners.count &&
         w.rows < kMostElements / kSplitKBlocksize / owners.count;
}

// Of FACTORED more tokens than a kernel takes are several launches.
bool can_be_split_k(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return (p.m <= kSplitKTokens.back() || is_factored(p)) && fits_split_k(p, {}, facts) &&
         split_k(p, facts, kSplitKTokens.back(), split_k_tiles(p), 1).shared_bytes <= facts.shared_bytes;
}

// Of a stack, a tile has up to 8 tokens of an expert: several teams of as many warps as it has chains, or its chains in
// several rounds.
Matmul4bitPlan groups_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  Matmul4bitPlan plan =
      split_k(p, facts, kSplitKTokens.front(), count_tiles(p, owners, kSplitKOutputs, kSplitKTokens.front()), 1);
  const int warps = plan.threads / kWarpThreads;
  const bool has_rounds = p.weight.cols > std::int64_t{kSplitKWarps} * QFUSE_SPLIT_TERMS;
  if (!has_rounds) plan.threads *= kSplitKWarps / warps;
  plan.shared_bytes = static_cast<int>(split_k_shared_bytes(plan.tokens, 0, 1));
  return plan;
}

bool can_be_groups_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  return fits_split_k(p, owners, facts) && p.m < kMost && p.weight.rows < kMost / owners.count &&
         count_tiles(p, owners, kSplitKOutputs, kSplitKTokens.front()) < kMost &&
         split_k_shared_bytes(kSplitKTokens.front(), 0, 1) <= facts.shared_bytes;
}

// Any other product of FACTORED: a warp has 16 outputs of 8 tokens.
Matmul4bitPlan factored(const contract::Matmul4bit& p, const Owners& owners) {
  Matmul4bitPlan plan;
  plan.kernel = Matmul4bitKernel::factored;
  plan.tokens = kFactoredTokens;
  plan.outputs = kFactoredThreads / kWarpThreads * kSplitKOutputs;
  plan.threads = kFactoredThreads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}

// What is loaded in tiles.
bool is_lora_aligned(const contract::Matmul4bit& p) {
  return p.lora_rank % kValuesALoad == 0 && is_aligned(p.lora_in, kLoadBytes) && is_aligned(p.lora_weight, kLoadBytes);
}

// Panel rows are counted from where nested blocks are, by 31 bits: those before the weight, too.
bool can_count_panels(const qfuse_weight_4bit& w, const Owners& owners) {
  const std::int64_t left = kMostElements - 1 - owners.count * contract::element_count(w);
  return left >= 0 && w.nested_begin <= left / w.blocksize;
}

// Both directions, PLAIN: whole panels of codes, and what the coordinates of a tensor map count.
bool can_be_warp_specialized(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const auto fits = [&](const StageShape& shape) {
    return stage_shared_bytes(shape) <= facts.shared_bytes &&
           count_tiles(p, owners, shape.outputs, shape.tokens) < kMost;
  };
  return kHasWgmma && facts.compute_capability == kHopper && sum_of(p, facts) == QFUSE_SUM_PLAIN && is_wide(p) &&
         term_count(p) > 0 && w.cols % kPanelCols == 0 && w.blocksize >= kPanelCols && w.rows < kMost / owners.count &&
         w.cols < kMost && p.m < kMost && p.lora_rank < kMost / owners.count && is_lora_aligned(p) &&
         can_count_panels(w, owners) && in_stride(p) < kMost && std::ranges::all_of(kStageShapes, fits);
}

// Forward, PLAIN.
bool can_have_register_weights(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  return is_forward(p) && can_be_warp_specialized(p, owners, facts) &&
         register_weights_shared_bytes() <= facts.shared_bytes;
}

Matmul4bitPlan persistent(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                          int tokens) {
  Matmul4bitPlan plan;
  plan.wide = true;
  plan.tokens = tokens;
  plan.outputs = outputs;
  plan.blocks = std::min<std::int64_t>(facts.multiprocessors, count_tiles(p, owners, outputs, tokens));
  return plan;
}
Matmul4bitPlan warp_specialized(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                                const StageShape& shape) {
  Matmul4bitPlan plan = persistent(p, owners, facts, shape.outputs, shape.tokens);
  plan.kernel = Matmul4bitKernel::warp_specialized;
  plan.threads = shape.threads();
  plan.shared_bytes = static_cast<int>(stage_shared_bytes(shape));
  return plan;
}
Matmul4bitPlan register_weights(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  Matmul4bitPlan plan = persistent(p, owners, facts, kRegisterWeightsOutputs, kRegisterWeightsTokens);
  plan.kernel = Matmul4bitKernel::register_weights;
  plan.threads = kRegisterWeightsThreads;
  plan.shared_bytes = static_cast<int>(register_weights_shared_bytes());
  return plan;
}

// Tiles of the multiprocessor that has the most. Of owners, whose rows a router shares out unevenly, those that are to
// be expected where their numbers are distributed exponentially: one has more than r with probability exp(-r/mean).
double busiest_tiles(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                     int tokens) {
  if (!owners.are_experts)
    return static_cast<double>(format::ceil_div(count_tiles(p, owners, outputs, tokens), facts.multiprocessors));
  const auto with_rows = static_cast<double>(std::min(p.m, owners.count));
  const double mean = static_cast<double>(p.m) / with_rows;
  const auto output_tiles = static_cast<double>(format::ceil_div(output_count(p), outputs));
  const double tiles = output_tiles * with_rows / -std::expm1(-tokens / mean);
  return std::ceil(tiles / facts.multiprocessors);
}

// The one whose slowest multiprocessor is done first.
Matmul4bitPlan fastest_pipeline(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const auto clocks = [&](int outputs, int tokens, int of_stage) {
    return busiest_tiles(p, owners, facts, outputs, tokens) * of_stage;
  };
  const auto shape_clocks = [&](const StageShape& shape) {
    // Of experts: on an H100 such a tile of a stack takes 1.5 times as long as one of half as many tokens.
    constexpr int kGroupedClocks = 2650;
    const int of_stage = owners.are_experts && shape.weights_first() ? kGroupedClocks : shape.clocks;
    return has_kernel(shape, is_forward(p)) ? clocks(shape.outputs, shape.tokens, of_stage)
                                            : std::numeric_limits<double>::infinity();
  };
  const StageShape& best = *std::ranges::min_element(kStageShapes, {}, shape_clocks);
  if (can_have_register_weights(p, owners, facts) &&
      clocks(kRegisterWeightsOutputs, kRegisterWeightsTokens, kRegisterWeightsClocks) < shape_clocks(best))
    return register_weights(p, owners, facts);
  return warp_specialized(p, owners, facts, best);
}

Matmul4bitPlan in_fp32(const contract::Matmul4bit& p, const Owners& owners) {
  Matmul4bitPlan plan;
  plan.kernel = Matmul4bitKernel::fp32;
  plan.tokens = kFp32Tokens;
  plan.outputs = is_forward(p) ? kFp32Threads / kWarpThreads : kFp32Threads;
  plan.threads = kFp32Threads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}

// Of a product, or of several experts' with so many rows together, those that each kind of call can have.
std::vector<Matmul4bitPlan> candidates_of(const contract::Matmul4bit& p, const Owners& owners,
                                          const DeviceFacts& facts) {
  if (sum_of(p, facts) == QFUSE_SUM_FP32) return {in_fp32(p, owners)};
  if (is_factored(p)) return {factored(p, owners)};
  std::vector<Matmul4bitPlan> all;
  if (can_be_warp_specialized(p, owners, facts))
    for (const StageShape& shape : kStageShapes)
      if (has_kernel(shape, is_forward(p))) all.push_back(warp_specialized(p, owners, facts, shape));
  if (can_have_register_weights(p, owners, facts)) all.push_back(register_weights(p, owners, facts));
  for (const bool wide : {false, true})
    for (const int tokens : kTileTokens)
      if (!wide || is_wide(p)) all.push_back(tiled(p, owners, wide, tokens));
  return all;
}

Matmul4bitPlan plan_of(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  if (sum_of(p, facts) == QFUSE_SUM_FP32) return in_fp32(p, owners);
  if (is_factored(p)) return factored(p, owners);
  if (can_be_warp_specialized(p, owners, facts)) return fastest_pipeline(p, owners, facts);
  return tiled(p, owners);
}

// Kernels for all GPUs, addresses and sizes, whose blocks have one tile each.
bool is_for_any(const Matmul4bitPlan& plan) {
  return plan.kernel == Matmul4bitKernel::tiled || plan.kernel == Matmul4bitKernel::fp32 ||
         plan.kernel == Matmul4bitKernel::factored;
}

// Others find the scales of all experts in one array: those of experts that are nested by themselves, too, if they have
// whole nested blocks.
bool has_scales_for(const contract::Matmul4bitGrouped& p) {
  return !contract::is_nested_each(p) || contract::blocks_each(p) % p.weight.nested_blocksize == 0;
}

// Up to how many rows `tiled` takes less time than decoding the weight to memory and multiplying by what is read back:
// an estimate. -1 too for rows of codes that it would read one by one.
std::int64_t rows_of_tiles(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  if (w.cols % kCodesALoad != 0) return -1;
  const double clocks_a_us = facts.clock_khz / 1e3;
  const double bytes_a_us = facts.memory_clock_khz / 1e3 * 2 * facts.memory_bus_bits / 8;  // two bits a clock and line
  if (facts.multiprocessors == 0 || clocks_a_us == 0 || bytes_a_us == 0) return kTileTokens.front();
  const double decoded_us =
      kDecodedUs + kDecodedBytes * static_cast<double>(w.rows) * static_cast<double>(w.cols) / bytes_a_us;
  const auto windows = static_cast<double>(format::ceil_div(w.cols, kTileTerms));
  const auto blocks =
      static_cast<double>(format::ceil_div(format::ceil_div(w.rows, kTileOutputs), facts.multiprocessors));
  for (const TileClocks& clocks : kTileClocks)
    if (kTiledUs + windows * (clocks.of_any + clocks.of_each * blocks) / clocks_a_us < decoded_us) return clocks.tokens;
  return -1;
}

}  // namespace

bool has_tensor_cores(qfuse_dtype dtype, const DeviceFacts& facts) {
  return facts.compute_capability >= (dtype == QFUSE_FLOAT16 ? kTuring : kAmpere);
}

contract::Outcome check_facts(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  if (sum_of(p, facts) == QFUSE_SUM_FP32 || has_tensor_cores(p.dtype, facts)) return {};
  return no_instructions(p, "this GPU");
}

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  constexpr std::int64_t kManyTerms = 8192;
  constexpr std::int64_t kSplitRows = 16;       // with more, one chain of terms costs Hopper no more than several
  constexpr std::int64_t kSplitRowsOfMany = 8;  // likewise, of many terms
  constexpr std::int64_t kPipelineRows = 256;   // with about twice as many and more cuBLAS is faster
  const qfuse_weight_4bit& w = p.weight;
  const bool has_pipeline = kHasWgmma && facts.compute_capability == kHopper && w.cols % kPanelCols == 0 &&
                            w.rows % kValuesALoad == 0 && w.blocksize >= kPanelCols;
  const bool has_split_k = has_pipeline && w.cols % QFUSE_SPLIT_TERMS == 0 && w.blocksize == kSplitKBlocksize;
  const bool has_split = p.dtype != QFUSE_FLOAT32 && has_tensor_cores(p.dtype, facts);
  return {.few = has_split ? QFUSE_SUM_SPLIT : QFUSE_SUM_OF_DEVICE,
          .few_rows = !has_split || !has_split_k ? 0
                      : w.cols > kManyTerms      ? kSplitRowsOfMany
                                                 : kSplitRows,
          .fused_rows = p.dtype == QFUSE_FLOAT32 ? -1
                        : has_pipeline           ? kPipelineRows
                                                 : rows_of_tiles(p, facts)};
}

std::vector<Matmul4bitPlan> candidates(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  std::vector<Matmul4bitPlan> all;
  if (can_be_split_k(p, facts)) all.push_back(split_k(p, facts));
  std::ranges::copy(candidates_of(p, {}, facts), std::back_inserter(all));
  return all;
}

Matmul4bitPlan plan(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return can_be_split_k(p, facts) ? split_k(p, facts) : plan_of(p, {}, facts);
}

std::vector<Matmul4bitGroupedPlan> candidates(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts) {
  const contract::Matmul4bit any = any_product(p);
  std::vector<Matmul4bitPlan> all;
  if (can_be_groups_split_k(any, {p.experts, true}, facts))
    all.push_back(groups_split_k(any, {p.experts, true}, facts));
  std::ranges::copy(candidates_of(any, {p.experts, true}, facts), std::back_inserter(all));
  std::vector<Matmul4bitGroupedPlan> grouped;
  for (const Matmul4bitPlan& plan : all)
    for (const bool in_turn : {false, true})
      if (is_for_any(plan) ? !in_turn : has_scales_for(p)) grouped.push_back({plan, in_turn});
  return grouped;
}

Matmul4bitGroupedPlan plan(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts) {
  // With more tokens of an expert a tile of 64 that is decoded once is faster.
  constexpr std::int64_t kMostSplitTokens = 32;
  // With more of them those that blocks read at different places push each other out of the L2: on an H100, of 50 MiB.
  // Backward codes do, too, of which a tile has 64 bytes of a row: in turn, blocks read all of it.
  constexpr std::int64_t kMostInputBytes = std::int64_t{20} << 20;
  const contract::Matmul4bit any = any_product(p);
  const bool in_turn = !is_forward(any) || p.m * term_count(any) * format::dtype_size(p.dtype) > kMostInputBytes;
  const bool are_few = is_factored(any) || p.m <= kMostSplitTokens * std::min(p.m, p.experts);
  const bool is_split_k = are_few && can_be_groups_split_k(any, {p.experts, true}, facts) && has_scales_for(p);
  const Matmul4bitPlan best =
      is_split_k ? groups_split_k(any, {p.experts, true}, facts) : plan_of(any, {p.experts, true}, facts);
  if (is_for_any(best)) return {best, false};
  return has_scales_for(p) ? Matmul4bitGroupedPlan{best, in_turn}
                           : Matmul4bitGroupedPlan{tiled(any, {p.experts, true}), false};
}

std::optional<Matmul4bitManyPlan> shared_plan(std::span<const contract::Matmul4bit> products,
                                              std::span<const Matmul4bitPlan> plans, const DeviceFacts& facts) {
  if (products.size() < 2 || products.size() > kSplitKProducts) return {};
  const contract::Matmul4bit& first = products[0];
  std::int64_t tiles = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const bool is_split_k =
        plans[i].kernel == Matmul4bitKernel::split_k || plans[i].kernel == Matmul4bitKernel::factored_split_k;
    if (!is_split_k || products[i].m > kSplitKTokens.front() ||
        contract::is_nested(products[i].weight) != contract::is_nested(first.weight) ||
        products[i].weight.nested_begin != first.weight.nested_begin ||
        products[i].weight.quant_type != first.weight.quant_type)
      return {};
    tiles += split_k_tiles(products[i]);
  }
  const Matmul4bitManyPlan plan = {split_k(first, facts, kSplitKTokens.front(), tiles, kSplitKProducts),
                                   products.size()};
  if (tiles > std::numeric_limits<int>::max() || plan.shared_bytes > facts.shared_bytes) return {};
  return plan;
}

}  // namespace qfuse::cuda
