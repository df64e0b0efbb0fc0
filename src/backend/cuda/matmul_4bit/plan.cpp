#include "backend/cuda/matmul_4bit/plan.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/matmul_4bit/estimates.h"

namespace qfuse::cuda::matmul_4bit {
namespace {

constexpr int kWarpThreads = 32;

bool is_factored(const contract::Matmul4bit& p) { return p.sum == QFUSE_SUM_FACTORED; }

Plan tiled(const contract::Matmul4bit& p, const Owners& owners, Kernel kernel, int tokens) {
  Plan plan;
  plan.kernel = kernel;
  plan.tokens = tokens;
  plan.outputs = kTileOutputs;
  plan.threads = kTileThreads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}
Plan tiled_unaligned(const contract::Matmul4bit& p, const Owners& owners) {
  return tiled(p, owners, Kernel::tiled_unaligned, kUnalignedTileTokens);
}

Kernel split_k_of(const contract::Matmul4bit& p) { return is_factored(p) ? Kernel::factored_split_k : Kernel::split_k; }

// The fewest warps that take the chains in split_k_rounds() rounds, so that few idle; usually one block per
// multiprocessor.
Plan split_k(const contract::Matmul4bit& p, const DeviceFacts& facts, const SplitKLaunch& launch) {
  const std::int64_t chains = format::ceil_div(p.weight.cols, QFUSE_SPLIT_TERMS);
  const std::int64_t blocks = launch.blocks(facts);
  Plan plan;
  plan.kernel = split_k_of(p);
  plan.tokens = launch.tokens;
  plan.outputs = kSplitKOutputs;
  plan.threads = kWarpThreads * static_cast<int>(format::ceil_div(chains, split_k_rounds(p.weight.cols)));
  plan.blocks = launch.token_tiles() * blocks;
  plan.is_turing = is_turing(facts);
  plan.shared_bytes = static_cast<int>(
      std::min<std::int64_t>(split_k_shared_bytes(plan.is_turing, launch.tokens, std::max(1, launch.slots(facts)),
                                                  launch.totals(blocks), launch.products),
                             std::numeric_limits<int>::max()));
  return plan;
}
// Blocks of 16 tokens, if there are as many, and the device has the shared memory; of FACTORED where chains are not
// whole, and with scales of rows, there are not the registers.
Plan split_k(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const SplitKLaunch few = {p.m, p.weight.cols, split_k_tiles(p), 1, kSplitKTokens.front()};
  const SplitKLaunch many = {p.m, p.weight.cols, split_k_tiles(p), 1, kSplitKTokens.back()};
  const bool has_registers = is_factored(p) ? has_whole_chains(p) : !contract::has_scales_of_rows(p.weight);
  const bool are_many = p.m > kSplitKTokens.front() && has_registers && many.slots(facts) > 0;
  return split_k(p, facts, are_many ? many : few);
}

// For a stack: as many teams as fit, with one warp per chain of a tile; or one team that takes the chains in rounds.
Plan groups_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  constexpr int kTokens = kSplitKTokens.front();  // m of the launch: its `tiles` count all tiles of tokens
  Plan plan = split_k(p, facts, {kTokens, p.weight.cols, count_tiles(p, owners, kSplitKOutputs, kTokens), 1, kTokens});
  if (split_k_rounds(p.weight.cols) == 1) plan.threads *= kSplitKWarps * kWarpThreads / plan.threads;
  plan.shared_bytes = static_cast<int>(split_k_groups_bytes(plan.is_turing));
  return plan;
}

// For any other product of FACTORED: a warp has 16 outputs of 8 tokens.
Plan factored(const contract::Matmul4bit& p, const Owners& owners) {
  Plan plan;
  plan.kernel = Kernel::factored;
  plan.tokens = kFactoredTokens;
  plan.outputs = kFactoredThreads / kWarpThreads * kSplitKOutputs;
  plan.threads = kFactoredThreads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}

Plan persistent(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                int tokens) {
  Plan plan;
  plan.tokens = tokens;
  plan.outputs = outputs;
  plan.blocks = std::min<std::int64_t>(facts.multiprocessors, count_tiles(p, owners, outputs, tokens));
  return plan;
}
Plan warp_specialized(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                      const StageShape& shape) {
  Plan plan = persistent(p, owners, facts, shape.outputs, shape.tokens);
  plan.kernel = Kernel::warp_specialized;
  plan.threads = shape.threads();
  plan.shared_bytes = static_cast<int>(stage_shared_bytes(shape));
  return plan;
}
Plan register_weights(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  Plan plan = persistent(p, owners, facts, kRegisterWeightsOutputs, kRegisterWeightsTokens);
  plan.kernel = Kernel::register_weights;
  plan.threads = kRegisterWeightsThreads;
  plan.shared_bytes = static_cast<int>(register_weights_shared_bytes());
  return plan;
}

bool are_bf16_experts(const contract::Matmul4bit& p, const Owners& owners) {
  return owners.are_experts && p.dtype == QFUSE_BFLOAT16;
}

// The pipeline whose busiest multiprocessor finishes first.
Plan fastest_pipeline(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const auto clocks = [&](int outputs, int tokens, int of_stage) {
    return busiest_tiles(p, owners, facts, outputs, tokens) * of_stage;
  };
  const auto shape_clocks = [&](const StageShape& shape) {
    // Measured for experts: on an H100 the tile of 256 tokens takes 1.5 times as long as that of 128 tokens, and
    // forward, on an H200, that of 64 outputs and 64 tokens 0.59 times as long as that of 128 outputs.
    constexpr int kManyTokens = 3075;
    constexpr int kFewOutputs = 880;
    const bool is_small = is_forward(p) && shape.outputs == 64 && shape.tokens == 64;
    const int of_experts = !shape.has_producers() ? kManyTokens : is_small ? kFewOutputs : shape.clocks;
    return has_kernel(shape, is_forward(p), are_bf16_experts(p, owners))
               ? clocks(shape.outputs, shape.tokens, owners.are_experts ? of_experts : shape.clocks)
               : std::numeric_limits<double>::infinity();
  };
  const StageShape& best = *std::ranges::min_element(kStageShapes, {}, shape_clocks);
  if (takes(Kernel::register_weights, p, owners, facts) &&
      clocks(kRegisterWeightsOutputs, kRegisterWeightsTokens, kRegisterWeightsClocks) < shape_clocks(best))
    return register_weights(p, owners, facts);
  return warp_specialized(p, owners, facts, best);
}

Plan multistage(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                const MultistageShape& shape) {
  Plan plan;
  plan.kernel = Kernel::multistage;
  plan.tokens = shape.tokens;
  plan.outputs = shape.outputs;
  plan.threads = shape.threads();
  plan.blocks = count_tiles(p, owners, shape.outputs, shape.tokens);
  plan.is_turing = is_turing(facts);
  plan.shared_bytes = static_cast<int>(multistage_shared_bytes(shape, plan.is_turing));
  return plan;
}

const MultistageShape& fastest_multistage(const contract::Matmul4bit& p, const Owners& owners,
                                          const DeviceFacts& facts) {
  return *std::ranges::min_element(
      kMultistageShapes, {}, [&](const MultistageShape& shape) { return multistage_clocks(p, owners, facts, shape); });
}

Plan in_fp32(const contract::Matmul4bit& p, const Owners& owners) {
  Plan plan;
  plan.kernel = Kernel::fp32;
  plan.tokens = kFp32Tokens;
  plan.outputs = is_forward(p) ? kFp32Threads / kWarpThreads : kFp32Threads;
  plan.threads = kFp32Threads;
  plan.blocks = count_tiles(p, owners, plan.outputs, plan.tokens);
  return plan;
}

// Every plan of a product, or of a stack of experts whose rows are p.m in all.
std::vector<Plan> candidates_of(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const auto is_taken = [&](Kernel kernel) { return takes(kernel, p, owners, facts); };
  std::vector<Plan> all;
  if (is_taken(split_k_of(p))) all.push_back(owners.are_experts ? groups_split_k(p, owners, facts) : split_k(p, facts));
  if (is_taken(Kernel::factored)) all.push_back(factored(p, owners));
  if (is_taken(Kernel::warp_specialized))
    for (const StageShape& shape : kStageShapes)
      if (has_kernel(shape, is_forward(p), are_bf16_experts(p, owners)))
        all.push_back(warp_specialized(p, owners, facts, shape));
  if (is_taken(Kernel::register_weights)) all.push_back(register_weights(p, owners, facts));
  if (is_taken(Kernel::multistage))
    for (const MultistageShape& shape : kMultistageShapes)
      if (has_kernel(shape, facts)) all.push_back(multistage(p, owners, facts, shape));
  if (is_taken(Kernel::tiled))
    for (const int tokens : kTileTokens) all.push_back(tiled(p, owners, Kernel::tiled, tokens));
  if (is_taken(Kernel::tiled_unaligned)) all.push_back(tiled_unaligned(p, owners));
  if (is_taken(Kernel::fp32)) all.push_back(in_fp32(p, owners));
  return all;
}

// The plan among kernels for any GPU.
Plan plan_for_any(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  if (takes(Kernel::fp32, p, owners, facts)) return in_fp32(p, owners);
  if (takes(Kernel::factored, p, owners, facts)) return factored(p, owners);
  if (takes(Kernel::multistage, p, owners, facts))
    return multistage(p, owners, facts, fastest_multistage(p, owners, facts));
  if (!takes(Kernel::tiled, p, owners, facts)) return tiled_unaligned(p, owners);
  const bool are_few = p.m <= kTileTokens.front() * std::min(p.m, owners.count);
  return tiled(p, owners, Kernel::tiled, are_few ? kTileTokens.front() : kTileTokens.back());
}

Plan plan_of(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  return takes(Kernel::warp_specialized, p, owners, facts) ? fastest_pipeline(p, owners, facts)
                                                           : plan_for_any(p, owners, facts);
}

// Whether split-K and the pipelines can take the scales: they index one array for all experts. Experts that are nested
// by themselves must then be whole numbers of nested blocks. Experts' global scales are in an array of their own.
bool has_scales_for(const contract::Matmul4bitGrouped& p) {
  return !contract::is_nested_each(p) || contract::has_scales_of_rows(p.weight) ||
         contract::blocks_each(p) % p.weight.nested_blocksize == 0;
}

}  // namespace

contract::Outcome check_facts(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  if (sum_of(p, facts) == QFUSE_SUM_FP32 || has_tensor_cores(p.dtype, facts)) return {};
  return no_instructions(p, "this GPU");
}

std::vector<Plan> candidates(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return candidates_of(p, {}, facts);
}

Plan plan(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return takes(split_k_of(p), p, {}, facts) ? split_k(p, facts) : plan_of(p, {}, facts);
}

std::vector<GroupedPlan> candidates(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts) {
  std::vector<GroupedPlan> all;
  for (const Plan& plan : candidates_of(any_product(p), {p.experts, true}, facts))
    for (const bool in_turn : {false, true})
      if (is_for_any(plan.kernel) ? !in_turn : has_scales_for(p)) all.push_back({plan, in_turn});
  return all;
}

GroupedPlan plan(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts) {
  // With more tokens per expert, tiles of 64 tokens, which are decoded once, are faster.
  constexpr std::int64_t kMostSplitTokens = 32;
  const contract::Matmul4bit any = any_product(p);
  const Owners owners = {p.experts, true};
  // Backward, a tile has 64 bytes of a row of codes: if taken in turn, concurrent blocks read whole rows.
  const bool in_turn = !is_forward(any) || p.m * term_count(any) * format::dtype_size(p.dtype) > kBytesReadAtManyPlaces;
  const bool are_few = is_factored(any) || p.m <= kMostSplitTokens * std::min(p.m, p.experts);
  if (!has_scales_for(p)) return {plan_for_any(any, owners, facts), false};
  if (are_few && takes(split_k_of(any), any, owners, facts)) return {groups_split_k(any, owners, facts), in_turn};
  const Plan best = plan_of(any, owners, facts);
  return {best, in_turn && !is_for_any(best.kernel)};
}

std::optional<ManyPlan> shared_plan(std::span<const contract::Matmul4bit> products, std::span<const Plan> plans,
                                    const DeviceFacts& facts) {
  if (products.size() < 2 || products.size() > kSplitKProducts) return {};
  const contract::Matmul4bit& first = products[0];
  std::int64_t tiles = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (!is_split_k(plans[i].kernel) || products[i].m > kSplitKTokens.front() ||
        contract::is_nested(products[i].weight) != contract::is_nested(first.weight) ||
        products[i].weight.nested_begin != first.weight.nested_begin ||
        products[i].weight.quant_type != first.weight.quant_type ||
        products[i].weight.scale_type != first.weight.scale_type ||
        products[i].weight.blocksize != first.weight.blocksize)
      return {};
    tiles += split_k_tiles(products[i]);
  }
  const SplitKLaunch launch = {first.m, first.weight.cols, tiles, kSplitKProducts, kSplitKTokens.front()};
  const ManyPlan plan = {split_k(first, facts, launch), products.size()};
  if (tiles > std::numeric_limits<int>::max() || plan.shared_bytes > facts.shared_bytes) return {};
  return plan;
}

}  // namespace qfuse::cuda::matmul_4bit
