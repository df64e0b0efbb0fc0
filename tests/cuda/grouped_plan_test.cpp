// Tests the launch plans of products with the weights of several experts.
#include "plans.h"

namespace qfuse::cuda {
namespace {

using matmul_4bit::Kernel;

contract::Matmul4bitGrouped grouped_of(std::int64_t m, std::int64_t experts, std::int64_t rows, std::int64_t cols,
                                       qfuse_sum sum = QFUSE_SUM_PLAIN) {
  const contract::Matmul4bit product = product_of(m, experts * rows, cols);
  contract::Matmul4bitGrouped p{};
  p.weight = product.weight;
  p.dtype = product.dtype;
  p.m = m;
  p.in = product.in;
  p.out = product.out;
  p.experts = experts;
  p.expert_ends = address<void>(0x7000);
  p.sum = sum;
  return p;
}

TEST(GroupedPlan, few_tokens_of_each_expert_have_split_k) {
  const auto chosen = [](std::int64_t m, qfuse_sum sum) {
    return plan_that_can_run(grouped_of(m, 128, 768, 2048, sum));
  };
  EXPECT_EQ(chosen(8, QFUSE_SUM_SPLIT).kernel, Kernel::split_k);
  EXPECT_EQ(chosen(8, QFUSE_SUM_SPLIT).threads, 2 * 8 * 32);  // two teams, each with a warp per chain
  EXPECT_EQ(chosen(8, QFUSE_SUM_SPLIT).blocks, kH200.multiprocessors);
  EXPECT_EQ(chosen(32 * 128, QFUSE_SUM_SPLIT).kernel, Kernel::split_k);
  EXPECT_EQ(chosen(32 * 128 + 1, QFUSE_SUM_SPLIT).kernel, Kernel::tiled);
  EXPECT_EQ(chosen(32 * 128 + 1, QFUSE_SUM_FACTORED).kernel, Kernel::factored_split_k);
  EXPECT_EQ(plan_that_can_run(grouped_of(1, 2, 8, 256, QFUSE_SUM_SPLIT)).blocks, 1);
  EXPECT_EQ(plan_that_can_run(grouped_of(4, 8, 768, 256 * 17, QFUSE_SUM_SPLIT)).threads, 9 * 32);  // in two rounds
  for (const DeviceFacts& facts : kWithSplitK)
    EXPECT_EQ(plan_that_can_run(in_half(grouped_of(8, 128, 768, 2048, QFUSE_SUM_SPLIT)), facts).kernel,
              Kernel::split_k);
}

// gpt-oss' experts, forward. Each of these tiles was the fastest one on an H200.
TEST(GroupedPlan, experts_of_few_tokens_have_tiles_of_few_tokens) {
  const auto tokens_of = [](std::int64_t each, std::int64_t rows) {
    const matmul_4bit::GroupedPlan chosen = plan_that_can_run(grouped_of(32 * each, 32, rows, 2880));
    EXPECT_EQ(chosen.kernel, Kernel::warp_specialized);
    EXPECT_EQ(chosen.outputs, 128);
    return chosen.tokens;
  };
  EXPECT_EQ(tokens_of(8, 5760), 32);
  EXPECT_EQ(tokens_of(8, 2880), 32);
  EXPECT_EQ(tokens_of(32, 5760), 64);
  EXPECT_EQ(tokens_of(32, 2880), 64);
  contract::Matmul4bitGrouped gradient = grouped_of(32 * 8, 32, 5760, 2880);
  gradient.direction = QFUSE_BACKWARD;
  for (const matmul_4bit::GroupedPlan& candidate : candidates(gradient, kH200)) {
    if (candidate.kernel == Kernel::warp_specialized) {
      EXPECT_GE(candidate.tokens, 64);
    }
  }
  for (const matmul_4bit::Plan& candidate : candidates(any_product(grouped_of(8, 1, 5760, 2880)), kH200)) {
    if (candidate.kernel == Kernel::warp_specialized) {
      EXPECT_GE(candidate.tokens, 64);
    }
  }
}

TEST(GroupedPlan, each_expert_may_have_tiles_of_its_own) {
  const auto chosen = [&](std::int64_t m) {
    return plan_that_can_run(grouped_of(m, 16, 128, 160, QFUSE_SUM_SPLIT), kA100);
  };
  EXPECT_EQ(chosen(3).tokens, 8);
  EXPECT_EQ(chosen(3).blocks, 3 * 2);
  EXPECT_EQ(chosen(16 * 8).tokens, 8);
  EXPECT_EQ(chosen(16 * 8).blocks, (16 * 8 + 16 * 7) / 8 * 2);
  EXPECT_EQ(chosen(16 * 8 + 1).tokens, 64);
  EXPECT_EQ(chosen(16 * 8 + 1).blocks, (16 * 8 + 1 + 16 * 63) / 64 * 2);
  const matmul_4bit::GroupedPlan plain = plan_that_can_run(grouped_of(16 * 8, 16, 128, 192), kA100);
  EXPECT_EQ(plain.kernel, Kernel::multistage);
  EXPECT_EQ(plain.tokens, 16);
  EXPECT_EQ(plain.blocks, (16 * 8 + 16 * 15) / 16 * 4);
  contract::Matmul4bitGrouped p = grouped_of(5, 16, 128, 192);
  p.sum = QFUSE_SUM_FP32;
  EXPECT_EQ(plan_that_can_run(p).kernel, Kernel::fp32);
  EXPECT_EQ(plan_that_can_run(p).blocks, 5 * 128 / 8);
}

TEST(GroupedPlan, scales_of_experts_nested_by_themselves_are_one_array_if_nested_blocks_are_whole) {
  for (const qfuse_sum sum : {QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT, QFUSE_SUM_FACTORED}) {
    contract::Matmul4bitGrouped p = grouped_of(3, 16, 32, 512, sum);  // 256 blocks of weights per expert
    p.nested_each = 1;
    const Kernel whole = plan_that_can_run(p).kernel;
    EXPECT_EQ(whole, sum == QFUSE_SUM_PLAIN   ? Kernel::warp_specialized
                     : sum == QFUSE_SUM_SPLIT ? Kernel::split_k
                                              : Kernel::factored_split_k);
    p.weight.nested_blocksize = 512;
    const matmul_4bit::GroupedPlan chosen = plan_that_can_run(p);
    EXPECT_EQ(chosen.kernel, sum == QFUSE_SUM_PLAIN   ? Kernel::multistage
                             : sum == QFUSE_SUM_SPLIT ? Kernel::tiled
                                                      : Kernel::factored);
    EXPECT_EQ(chosen.tokens, sum == QFUSE_SUM_PLAIN ? 16 : 8);
    p.m = 16 * 64;
    EXPECT_EQ(plan_that_can_run(p).tokens, sum == QFUSE_SUM_PLAIN ? 16 : sum == QFUSE_SUM_SPLIT ? 64 : 8);
    p.nested_each = 0;
    EXPECT_EQ(plan_that_can_run(p).kernel == Kernel::tiled, sum == QFUSE_SUM_SPLIT);
  }
}

TEST(GroupedPlan, experts_in_small_blocks_have_the_kernels_of_one_weight) {
  static constexpr format::RowAbsmax kAbsmax = format::make_row_absmax();
  const auto expect_fast = [](qfuse_quant_type quant_type, qfuse_scale_type scale_type,
                              const float* qfuse_weight_4bit::*global) {
    contract::Matmul4bitGrouped p = grouped_of(64, 32, 5760, 2880);
    p.weight.absmax = nullptr;
    p.weight.quant_type = quant_type;
    p.weight.scale_type = scale_type;
    p.weight.blocksize = scale_type == QFUSE_SCALES_E4M3 ? 16 : 32;
    p.weight.scales = address<void>(0x7000);
    if (global != nullptr) p.weight.*global = address<float>(0x8000);
    p.nested_each = 1;
    p.weight = contract::with_absmax(p.weight, kAbsmax);
    EXPECT_EQ(plan_that_can_run(p).kernel, Kernel::warp_specialized);
    p.direction = QFUSE_BACKWARD;
    EXPECT_EQ(plan_that_can_run(p).kernel, Kernel::warp_specialized);
    p.direction = QFUSE_FORWARD;
    p.sum = QFUSE_SUM_SPLIT;
    for (const DeviceFacts& facts : {kH200, kA100, kRtx4090})
      EXPECT_EQ(plan_that_can_run(p, facts).kernel, Kernel::split_k);
    EXPECT_EQ(plan(in_half(p), kT4).kernel == Kernel::split_k, quant_type != QFUSE_INT4);
  };
  expect_fast(QFUSE_E2M1, QFUSE_SCALES_E4M3, &qfuse_weight_4bit::global_scale);
  expect_fast(QFUSE_E2M1, QFUSE_SCALES_E4M3, &qfuse_weight_4bit::global_divisor);
  expect_fast(QFUSE_E2M1, QFUSE_SCALES_E4M3, nullptr);
  expect_fast(QFUSE_E2M1, QFUSE_SCALES_UE8M0, nullptr);
  expect_fast(QFUSE_INT4, QFUSE_SCALES_BFLOAT16, nullptr);
}

TEST(GroupedPlan, one_experts_scales_are_the_stacks) {
  contract::Matmul4bitGrouped p = grouped_of(3, 1, 32, 512);
  p.nested_each = 1;
  p.weight.nested_blocksize = 512;
  EXPECT_EQ(plan_that_can_run(p).kernel, Kernel::warp_specialized);
}

// Sizes on both sides of each 32-bit limit of the Hopper kernels.
TEST(GroupedPlan, what_32_bits_do_not_count_goes_to_tiles) {
  using P = contract::Matmul4bitGrouped;
  const auto is_tiled = [](const P& p) { return is_for_any(plan_that_can_run(p).kernel); };
  constexpr std::int64_t kExperts = std::int64_t{1} << 20;
  constexpr std::int64_t kTokens = std::int64_t{1} << 30;
  EXPECT_FALSE(is_tiled(grouped_of(8, kExperts, 1016, 64))) << "rows";
  EXPECT_TRUE(is_tiled(grouped_of(8, kExperts, 1024, 64)));
  for (const qfuse_sum sum : {QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT}) {
    EXPECT_FALSE(is_tiled(grouped_of(8, 1024, 4088, 1 << 15, sum))) << "elements";
    EXPECT_TRUE(is_tiled(grouped_of(8, 1024, 4096, 1 << 15, sum)));
  }
  EXPECT_FALSE(is_tiled(grouped_of(kTokens - 1, 2, 8, 64))) << "tokens";
  EXPECT_TRUE(is_tiled(grouped_of(kTokens, 2, 8, 64)));
  P p = grouped_of(3 * (1 << 26) + kExperts - 1, kExperts, 8, 1 << 13);
  p.direction = QFUSE_BACKWARD;
  EXPECT_FALSE(is_tiled(p)) << "tiles";
  ++p.m;
  EXPECT_TRUE(is_tiled(p));
  p = grouped_of(8, 1 << 10, 64, 64);
  p.lora_in = p.lora_weight = address<void>(0x8000);
  p.lora_rank = (1 << 20) - 8;
  EXPECT_FALSE(is_tiled(p)) << "rank";
  p.lora_rank += 8;
  EXPECT_TRUE(is_tiled(p));
}

}  // namespace
}  // namespace qfuse::cuda
