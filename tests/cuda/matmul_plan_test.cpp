// Tests the launch plans of products with a 4-bit weight, and the advice about them.
#include "plans.h"

namespace qfuse::cuda {
namespace {

using matmul_4bit::advise;
using matmul_4bit::check_facts;
using matmul_4bit::Kernel;

TEST(MatmulPlan, few_tokens_have_a_kernel_of_their_own) {
  for (const DeviceFacts& facts : kWithSplitK) {
    for (const std::int64_t m : {1, 8, 9, 16}) {
      const matmul_4bit::Plan chosen = plan_that_can_run(in_half(product_of(m, 14336, 4096)), facts);
      EXPECT_EQ(chosen.kernel, Kernel::split_k);
      EXPECT_EQ(chosen.is_turing, facts.compute_capability == 75);
      EXPECT_EQ(chosen.tokens, m <= 8 ? 8 : 16);
      EXPECT_EQ(chosen.threads, 16 * 32);  // one warp per chain of 256 elements of K
      EXPECT_EQ(chosen.blocks, facts.multiprocessors);
    }
    EXPECT_EQ(plan(in_half(product_of(1, 4096, 14336)), facts).threads, 14 * 32);  // 56 chains in 4 rounds
    EXPECT_EQ(plan(in_half(product_of(1, 5, 256)), facts).blocks, 1);
  }
}

// Shared memory holds as many slots for tiles' sums as fit beside the totals of chains that take several rounds: two
// teams of two tiles, one team, or one tile. Or blocks have 8 tokens instead of 16.
TEST(MatmulPlan, few_tokens_have_the_shared_memory_that_is_there) {
  const auto slots = [](std::int64_t m, std::int64_t rows, std::int64_t cols, const DeviceFacts& facts) {
    const contract::Matmul4bit p = in_half(product_of(m, rows, cols));
    const matmul_4bit::Plan chosen = plan_that_can_run(p, facts);
    EXPECT_EQ(chosen.kernel, Kernel::split_k);
    const matmul_4bit::SplitKLaunch launch = {m, cols, matmul_4bit::split_k_tiles(p), 1, chosen.tokens};
    EXPECT_EQ(chosen.blocks, launch.token_tiles() * launch.blocks(facts));
    const std::int64_t totals = launch.totals(launch.blocks(facts));
    const bool on_turing = chosen.is_turing;
    const int found = matmul_4bit::split_k_slots(on_turing, chosen.tokens, totals, 1, chosen.shared_bytes);
    EXPECT_EQ(chosen.shared_bytes, matmul_4bit::split_k_shared_bytes(on_turing, chosen.tokens, found, totals, 1));
    return std::pair(chosen.tokens, found);
  };
  const auto as = [](int tokens, int found) { return std::pair(tokens, found); };
  for (const DeviceFacts& facts : {kA100, kB200, kH200}) {
    EXPECT_EQ(slots(1, 4096, 14336, facts), as(8, 4));
    EXPECT_EQ(slots(16, 4096, 8192, facts), as(16, 2));
    EXPECT_EQ(slots(16, 28672, 8192, facts), as(16, 2));
  }
  for (const DeviceFacts& facts : {kRtx3090, kL4, kRtx4090, kRtx5090}) {
    EXPECT_EQ(slots(1, 14336, 4096, facts), as(8, 4));
    EXPECT_EQ(slots(16, 14336, 4096, facts), as(16, 2));
    EXPECT_EQ(slots(16, 5120, 8192, facts), as(16, 1));
    EXPECT_EQ(slots(8, 28672, 8192, facts), as(8, 2));
  }
  EXPECT_EQ(slots(1, 4096, 14336, kRtx3090), as(8, 2)) << "four tiles a block";
  EXPECT_EQ(slots(1, 4096, 14336, kRtx4090), as(8, 4)) << "two tiles a block";
  EXPECT_EQ(slots(16, 28672, 8192, kRtx3090), as(8, 1)) << "the totals of 44 tiles";
  EXPECT_EQ(slots(64, 28672, 8192, kRtx3090), as(8, 1)) << "of 50 tiles";
  EXPECT_EQ(slots(16, 28672, 8192, kRtx5090), as(16, 1));
  EXPECT_EQ(slots(8, 65536, 8192, kRtx3090), as(8, 1));
  EXPECT_EQ(slots(8, 14336, 4096, kT4), as(8, 2));
  EXPECT_EQ(slots(16, 4096, 14336, kT4), as(16, 1));
  EXPECT_EQ(slots(16, 28672, 8192, kT4), as(8, 1)) << "the totals of 45 tiles";
}

TEST(MatmulPlan, what_that_kernel_does_not_have_goes_to_tiles) {
  using P = contract::Matmul4bit;
  const auto kernel_of = [](auto&& spoil, const DeviceFacts& facts = kH200) {
    P p = product_of(16, 14336, 4096);
    spoil(p);
    return plan_that_can_run(p, facts).kernel;
  };
  const auto nothing = [](P&) {};
  EXPECT_EQ(kernel_of(nothing), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.m = 64; }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.m = 65; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.sum = QFUSE_SUM_PLAIN; }), Kernel::warp_specialized);
  EXPECT_EQ(kernel_of([](P& p) { p.direction = QFUSE_BACKWARD; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.blocksize = 128; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.cols = 4096 + 32; }), Kernel::tiled);
  for (const std::int64_t cols : {64, 576, 896, 2880}) {  // the last chain is shorter
    EXPECT_EQ(kernel_of([&](P& p) { p.weight.cols = cols; }), Kernel::split_k);
    EXPECT_EQ(kernel_of([&](P& p) { p.weight.cols = cols; }, kRtx3090), Kernel::split_k);
  }
  EXPECT_EQ(kernel_of([](P& p) { p.weight.rows = 1 << 20; }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) {
              p.weight.rows = 1 << 20;
              p.weight.cols = 8192;  // two rounds: the totals need more blocks than multiprocessors
            }),
            Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.nested_blocksize = 2; }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.nested_blocksize = std::int64_t{1} << 32; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.absmax_8bit = address<std::uint8_t>(0x2001); }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.in = address<void>(0x6002); }), Kernel::tiled_unaligned);
}

TEST(MatmulPlan, the_factored_order_has_split_k_and_a_kernel_for_all_others) {
  contract::Matmul4bit p = product_of(16, 14336, 4096);
  p.sum = QFUSE_SUM_FACTORED;
  const auto expect_kernel = [&](bool is_wide, const DeviceFacts& facts = kH200) {
    EXPECT_EQ(plan_that_can_run(p, facts).kernel, is_wide ? Kernel::factored_split_k : Kernel::factored);
  };
  for (const DeviceFacts& facts : kWithSplitK)
    EXPECT_EQ(plan_that_can_run(in_half(p), facts).kernel, Kernel::factored_split_k);
  p.m = 500;  // a row of blocks for every 16 tokens
  expect_kernel(true);
  EXPECT_EQ(plan(p, kH200).blocks, 32 * 4);
  p.weight.cols = 4096 + 64;  // for every 8 tokens
  expect_kernel(true);
  EXPECT_EQ(plan(p, kH200).blocks, 63 * 18) << "of no more than 50 tiles";
  p.m = 65535 * 8;
  expect_kernel(true);
  EXPECT_EQ(plan(p, kH200).blocks, 65535 * 18);
  p.m += 1;
  expect_kernel(false);
  p.m = 1;
  p.weight.blocksize = 128;
  expect_kernel(false);
  EXPECT_FALSE(check_facts(p, kT4).ok());
  p.dtype = QFUSE_FLOAT16;
  EXPECT_TRUE(check_facts(p, kT4).ok());
}

TEST(MatmulPlan, few_tokens_times_several_weights_are_one_launch) {
  const std::array products = {product_of(8, 4096, 4096), product_of(8, 1024, 4096), product_of(8, 1024, 4096)};
  const auto shared = [&](auto&& spoil, const DeviceFacts& facts = kH200) {
    std::array calls = products;
    spoil(calls);
    std::array<matmul_4bit::Plan, 3> plans;
    std::ranges::transform(calls, plans.begin(),
                           [&](const contract::Matmul4bit& p) { return plan(in_half(p), facts); });
    return shared_plan(calls, plans, facts);
  };
  using Calls = std::array<contract::Matmul4bit, 3>;
  const auto nothing = [](Calls&) {};
  for (const DeviceFacts& facts : kWithSplitK) {
    ASSERT_TRUE(shared(nothing, facts));
    EXPECT_EQ(shared(nothing, facts)->kernel, Kernel::split_k);
    EXPECT_EQ(shared(nothing, facts)->blocks, facts.multiprocessors);
    EXPECT_LE(shared(nothing, facts)->shared_bytes, facts.shared_bytes);
  }
  const auto every = [](auto&& spoil) {
    return [spoil](Calls& calls) {
      for (contract::Matmul4bit& p : calls) spoil(p);
    };
  };
  EXPECT_EQ(shared(every([](auto& p) { p.sum = QFUSE_SUM_FACTORED; }))->kernel, Kernel::factored_split_k);
  EXPECT_FALSE(shared(every([](auto& p) { p.sum = QFUSE_SUM_PLAIN; })));
  EXPECT_FALSE(shared(every([](auto& p) { p.m = 9; })));
  EXPECT_TRUE(shared(every([](auto& p) { p.weight.cols = 4096 + 64; })));
  EXPECT_FALSE(shared(every([](auto& p) { p.weight.cols = 4096 + 32; })));
  EXPECT_FALSE(shared([](Calls& calls) { calls[1].weight.quant_type = QFUSE_FP4; }));
  EXPECT_FALSE(shared([](Calls& calls) { calls[2].weight.absmax_8bit = nullptr; }));  // plain scales, not nested
  EXPECT_FALSE(shared([](Calls& calls) { calls[2].in = address<void>(0x6002); }));
}

contract::Matmul4bit plain_product_of(std::int64_t m, std::int64_t rows, std::int64_t cols) {
  contract::Matmul4bit p = product_of(m, rows, cols);
  p.sum = QFUSE_SUM_PLAIN;
  return p;
}

TEST(MatmulPlan, stages_have_the_shape_that_keeps_multiprocessors_busy) {
  struct Case {
    std::int64_t m, rows, cols;
    int outputs, tokens, backward_outputs, backward_tokens;
  };
  for (const Case& c : {Case{1, 14336, 4096, 128, 64, 32, 64}, Case{64, 14336, 4096, 128, 64, 32, 64},
                        Case{65, 14336, 4096, 128, 128, 64, 64}, Case{64, 4096, 4096, 32, 64, 32, 64},
                        Case{64, 4096, 14336, 32, 64, 128, 64}, Case{128, 4096, 4096, 64, 64, 64, 64},
                        Case{256, 4096, 4096, 64, 128, 64, 128}}) {
    SCOPED_TRACE(std::to_string(c.m) + " x " + std::to_string(c.rows) + " x " + std::to_string(c.cols));
    contract::Matmul4bit p = plain_product_of(c.m, c.rows, c.cols);
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      p.direction = direction;
      const matmul_4bit::Plan chosen = plan_that_can_run(p);
      EXPECT_EQ(chosen.kernel, Kernel::warp_specialized);
      EXPECT_EQ(chosen.outputs, direction == QFUSE_FORWARD ? c.outputs : c.backward_outputs);
      EXPECT_EQ(chosen.tokens, direction == QFUSE_FORWARD ? c.tokens : c.backward_tokens);
      EXPECT_LE(chosen.blocks, kH200.multiprocessors);
    }
  }
}

TEST(MatmulPlan, many_tokens_forward_are_multiplied_by_weights_in_registers) {
  for (const std::int64_t m : {192, 256, 512, 8192}) {
    contract::Matmul4bit p = plain_product_of(m, 14336, 4096);
    const matmul_4bit::Plan chosen = plan_that_can_run(p);
    EXPECT_EQ(chosen.kernel, Kernel::register_weights);
    EXPECT_EQ(chosen.outputs, 128);
    EXPECT_EQ(chosen.tokens, 256);
    EXPECT_LE(chosen.blocks, kH200.multiprocessors);
    p.direction = QFUSE_BACKWARD;
    EXPECT_EQ(plan(p, kH200).kernel, Kernel::warp_specialized);
    for (const matmul_4bit::Plan& candidate : candidates(p, kH200))
      EXPECT_NE(candidate.kernel, Kernel::register_weights);
  }
}

TEST(MatmulPlan, what_stages_do_not_have_goes_to_tiles) {
  using P = contract::Matmul4bit;
  const auto kernel_of = [](auto&& spoil, const DeviceFacts& facts = kH200) {
    P p = plain_product_of(64, 14336, 4096);
    spoil(p);
    return plan(p, facts).kernel;
  };
  EXPECT_EQ(kernel_of([](P&) {}), Kernel::warp_specialized);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.blocksize = 4096; }), Kernel::warp_specialized);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.cols = 64; }), Kernel::warp_specialized);
  EXPECT_EQ(kernel_of([](P&) {}, kB200), Kernel::multistage);
  EXPECT_EQ(kernel_of([](P& p) { p.sum = QFUSE_SUM_SPLIT; }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.blocksize = 32; }), Kernel::multistage);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.cols = 4096 + 32; }), Kernel::multistage);
  EXPECT_EQ(kernel_of([](P& p) { p.in = address<void>(0x6002); }), Kernel::tiled_unaligned);
  EXPECT_EQ(kernel_of([](P& p) { p.in_stride = 4097; }), Kernel::tiled_unaligned);
}

TEST(MatmulPlan, mxfp4_has_the_kernels_of_blocks_of_64) {
  static constexpr format::RowAbsmax kAbsmax = format::make_row_absmax();
  const auto product = [](std::int64_t m, qfuse_sum sum, std::int64_t cols = 2880, std::uintptr_t scales = 0x7004,
                          std::int64_t rows = 5760) {
    contract::Matmul4bit p = plain_product_of(m, rows, cols);
    p.weight.blocksize = 32;
    p.weight.quant_type = QFUSE_E2M1;
    p.weight.absmax = nullptr;
    p.weight.scale_type = QFUSE_SCALES_UE8M0;
    p.weight.scales = address<void>(scales);
    p.weight = contract::with_absmax(p.weight, kAbsmax);
    p.sum = sum;
    return p;
  };
  for (const std::int64_t m : {1, 8, 16, 64}) {
    const matmul_4bit::Plan chosen = plan_that_can_run(product(m, QFUSE_SUM_SPLIT));
    EXPECT_EQ(chosen.kernel, Kernel::split_k);
    EXPECT_EQ(chosen.tokens, 8);
  }
  contract::Matmul4bit plain = product(64, QFUSE_SUM_PLAIN);
  EXPECT_EQ(plan_that_can_run(plain).kernel, Kernel::warp_specialized);
  plain.direction = QFUSE_BACKWARD;
  EXPECT_EQ(plan_that_can_run(plain).kernel, Kernel::warp_specialized);
  EXPECT_EQ(plan_that_can_run(product(512, QFUSE_SUM_PLAIN)).kernel, Kernel::register_weights);
  EXPECT_EQ(plan(product(64, QFUSE_SUM_PLAIN, 2880 + 32), kH200).kernel, Kernel::multistage);
  EXPECT_EQ(plan(product(64, QFUSE_SUM_SPLIT, 2880 + 32), kH200).kernel, Kernel::tiled);
  EXPECT_EQ(plan(product(64, QFUSE_SUM_PLAIN, 2880, 0x7001), kH200).kernel, Kernel::multistage) << "no word of scales";
  EXPECT_EQ(plan(product(1, QFUSE_SUM_SPLIT, 2880, 0x7001), kH200).kernel, Kernel::split_k);
  EXPECT_EQ(plan(product(64, QFUSE_SUM_PLAIN, 64, 0x7004, 1), kH200).kernel, Kernel::multistage) << "half a word";
}

TEST(MatmulPlan, nvfp4_and_int4_have_the_kernels_that_can_load_their_scales) {
  static constexpr format::RowAbsmax kAbsmax = format::make_row_absmax();
  struct Format {
    qfuse_quant_type quant_type;
    qfuse_scale_type scale_type;
    std::int64_t blocksize;
  };
  constexpr Format kNvfp4 = {QFUSE_E2M1, QFUSE_SCALES_E4M3, 16};
  constexpr Format kInt4 = {QFUSE_INT4, QFUSE_SCALES_BFLOAT16, 128};
  using Spoil = void (*)(contract::Matmul4bit&);
  const auto kernel_of = [](const Format& w, std::int64_t m, qfuse_sum sum, Spoil spoil) {
    contract::Matmul4bit p = plain_product_of(m, 5760, 2816);
    p.weight.absmax = nullptr;
    p.weight.blocksize = w.blocksize;
    p.weight.quant_type = w.quant_type;
    p.weight.scale_type = w.scale_type;
    p.weight.scales = address<void>(0x7004);
    p.sum = sum;
    spoil(p);
    p.weight = contract::with_absmax(p.weight, kAbsmax);
    return plan(p, kH200).kernel;
  };
  constexpr Spoil kAsIs = [](contract::Matmul4bit&) {};
  const auto expect = [&](const Format& w, Kernel plain, Kernel many, Kernel split, Spoil spoil) {
    EXPECT_EQ(kernel_of(w, 64, QFUSE_SUM_PLAIN, spoil), plain);
    EXPECT_EQ(kernel_of(w, 512, QFUSE_SUM_PLAIN, spoil), many);
    EXPECT_EQ(kernel_of(w, 8, QFUSE_SUM_SPLIT, spoil), split);
  };
  constexpr Kernel kStages = Kernel::warp_specialized;
  expect(kNvfp4, kStages, kStages, Kernel::split_k, kAsIs);
  expect(kNvfp4, Kernel::tiled, Kernel::tiled, Kernel::tiled, [](auto& p) { p.weight.cols = 2848; });
  expect(kNvfp4, Kernel::tiled_unaligned, Kernel::tiled_unaligned, Kernel::tiled_unaligned,
         [](auto& p) { p.weight.cols = 2832; });
  expect(kNvfp4, Kernel::tiled, Kernel::tiled, Kernel::split_k,
         [](auto& p) { p.weight.scales = address<void>(0x7002); });
  expect(kInt4, kStages, Kernel::register_weights, Kernel::split_k, kAsIs);
  expect(kInt4, Kernel::multistage, Kernel::multistage, Kernel::tiled,
         [](auto& p) { p.weight.scales = address<void>(0x7002); });
  expect(kInt4, Kernel::multistage, Kernel::multistage, Kernel::tiled,
         [](auto& p) { p.weight.rows = 7, p.weight.cols = 128 * 9; });
  expect({QFUSE_INT4, QFUSE_SCALES_BFLOAT16, 32}, kStages, kStages, Kernel::split_k, kAsIs);
  expect({QFUSE_INT4, QFUSE_SCALES_FLOAT32, 32}, Kernel::multistage, Kernel::multistage, Kernel::tiled, kAsIs);
}

TEST(MatmulPlan, without_hopper_tiles_of_stages_are_as_many_as_multiprocessors) {
  struct Tile {
    int outputs;
    int tokens;
  };
  struct Case {
    DeviceFacts facts;
    std::int64_t m;
    std::int64_t rows;
    Tile forward;
    Tile backward;  // backward stages take longer to start
  };
  for (const Case& c : {Case{kT4, 17, 1024, {32, 32}, {32, 32}}, Case{kT4, 64, 4096, {128, 64}, {128, 64}},
                        Case{kT4, 128, 14336, {128, 64}, {128, 64}}, Case{kA100, 17, 4096, {64, 32}, {64, 32}},
                        Case{kA100, 64, 4096, {64, 64}, {64, 64}}, Case{kA100, 256, 14336, {128, 64}, {128, 64}},
                        Case{kRtx3090, 32, 1024, {32, 16}, {32, 32}}, Case{kRtx3090, 64, 4096, {64, 64}, {64, 64}},
                        Case{kRtx3090, 64, 14336, {64, 64}, {64, 64}}, Case{kRtx4090, 17, 4096, {32, 32}, {32, 32}},
                        Case{kRtx4090, 64, 4096, {32, 64}, {32, 64}}, Case{kRtx4090, 128, 14336, {32, 64}, {32, 64}},
                        Case{kRtx5090, 128, 4096, {64, 64}, {64, 64}}, Case{kRtx5090, 256, 4096, {128, 64}, {128, 64}},
                        Case{kB200, 64, 4096, {32, 64}, {32, 64}}}) {
    SCOPED_TRACE(std::to_string(c.m) + " x " + std::to_string(c.rows));
    contract::Matmul4bit p = in_half(plain_product_of(c.m, c.rows, c.rows));  // backward has the same shape
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      p.direction = direction;
      const Tile& expected = direction == QFUSE_FORWARD ? c.forward : c.backward;
      const matmul_4bit::Plan chosen = plan_that_can_run(p, c.facts);
      EXPECT_EQ(chosen.kernel, Kernel::multistage);
      EXPECT_EQ(chosen.is_turing, c.facts.compute_capability == 75);
      EXPECT_EQ(chosen.outputs, expected.outputs);
      EXPECT_EQ(chosen.tokens, expected.tokens);
    }
  }
}

TEST(MatmulPlan, multistage_has_what_int_counts) {
  using P = contract::Matmul4bit;
  const auto kernel_of = [](auto&& spoil, const DeviceFacts& facts = kA100) {
    P p = plain_product_of(64, 4096, 4096);
    spoil(p);
    return plan_that_can_run(p, facts).kernel;
  };
  EXPECT_EQ(kernel_of([](P& p) { p.weight.cols = 4096 + 32; }), Kernel::multistage);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.blocksize = 32; }), Kernel::multistage);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.rows = std::int64_t{1} << 30; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.weight.nested_begin = std::int64_t{1} << 30; }), Kernel::tiled);
  EXPECT_EQ(kernel_of([](P& p) { p.in_stride = 4097; }), Kernel::tiled_unaligned);
  DeviceFacts small = kA100;
  small.shared_bytes = 64 << 10;
  EXPECT_EQ(kernel_of([](P&) {}, small), Kernel::multistage) << "of 32 outputs";
  small.shared_bytes = 48 << 10;
  EXPECT_EQ(kernel_of([](P&) {}, small), Kernel::tiled);
}

TEST(MatmulPlan, panels_are_counted_from_where_nested_blocks_are) {
  contract::Matmul4bit p = plain_product_of(64, 4096, 4096);
  p.weight.nested_blocksize = std::int64_t{1} << 60;
  constexpr std::int64_t kMost = (std::int64_t{1} << 37) / 64 - 4096 * 4096 / 64;
  p.weight.nested_begin = kMost - 1;
  EXPECT_EQ(plan(p, kH200).kernel, Kernel::warp_specialized);
  p.weight.nested_begin = kMost;
  EXPECT_EQ(plan(p, kH200).kernel, Kernel::tiled);
  p.weight.nested_begin = (std::int64_t{1} << 60) - 1;
  EXPECT_EQ(plan(p, kH200).kernel, Kernel::tiled);
}

// The C interface asks for advice without arrays.
TEST(MatmulPlan, advice_needs_no_arrays) {
  for (const DeviceFacts& facts : kWithSplitK)
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      contract::Matmul4bit p = product_of(0, 14336, 4096);
      p.direction = direction;
      const contract::Matmul4bitAdvice with_arrays = advise(p, facts);
      const contract::Matmul4bitAdvice without =
          advise(contract::matmul_for_advice(p.dtype, direction, 14336, 4096, 64), facts);
      EXPECT_EQ(without.few, with_arrays.few);
      EXPECT_EQ(without.few_rows, with_arrays.few_rows);
      EXPECT_EQ(without.fused_rows, with_arrays.fused_rows);
    }
}

// Sizes on both sides of each threshold.
TEST(MatmulPlan, advice_says_up_to_how_many_rows_a_way_is_the_fastest) {
  using P = contract::Matmul4bit;
  const auto of = [](auto&& change, const DeviceFacts& facts = kH200) {
    P p = product_of(0, 14336, 4096);
    change(p);
    const contract::Matmul4bitAdvice advice = advise(p, facts);
    EXPECT_EQ(advice.few, p.dtype == QFUSE_FLOAT32 ? QFUSE_SUM_OF_DEVICE : QFUSE_SUM_SPLIT);
    return std::pair(advice.few_rows, advice.fused_rows);
  };
  const auto as = [](std::int64_t few_rows, std::int64_t fused_rows) { return std::pair(few_rows, fused_rows); };
  EXPECT_EQ(of([](P&) {}), as(16, 512));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT16; }), as(16, 512));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT32; }), as(0, -1));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192; }), as(16, 512));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192 + 256; }), as(16, 512));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192 + 64; }), as(16, 512)) << "no whole chains";
  EXPECT_EQ(of([](P& p) { p.weight.rows = 14336 + 8; }), as(16, 512));
  EXPECT_EQ(of([](P& p) { p.weight.blocksize = 128; }), as(0, 512));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 4096 + 32; }), as(0, 128)) << "no pipeline has it";
  EXPECT_EQ(of([](P& p) { p.weight.rows = 14336 + 4; }), as(16, 128));
  EXPECT_EQ(of([](P& p) { p.weight.blocksize = 32; }), as(0, 128));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT16; }, kT4), as(16, 128));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 4100; }), as(0, -1)) << "codes one by one";
}

// No backward kernel splits K, so few outputs with many terms (elements of K) leave multiprocessors without a tile: the
// gradient decodes with fewer rows than the product.
TEST(MatmulPlan, advice_is_for_one_direction) {
  const auto fused_rows = [](std::int64_t rows, std::int64_t cols, const DeviceFacts& facts) {
    contract::Matmul4bit p = product_of(0, rows, cols);
    p.direction = QFUSE_BACKWARD;
    const contract::Matmul4bitAdvice advice = advise(p, facts);
    EXPECT_EQ(advice.few, QFUSE_SUM_SPLIT);
    EXPECT_EQ(advice.few_rows, 0);
    return advice.fused_rows;
  };
  EXPECT_EQ(fused_rows(14336, 4096, kH200), 256);
  EXPECT_EQ(fused_rows(4096, 4096, kH200), 256);
  EXPECT_EQ(fused_rows(5760, 2880, kH200), 128);
  EXPECT_EQ(fused_rows(14336, 4096, without_pipeline(kH200)), 64);
  EXPECT_EQ(fused_rows(4096, 4096, without_pipeline(kH200)), 32);
  EXPECT_EQ(fused_rows(5760, 2880, without_pipeline(kH200)), -1);
  EXPECT_EQ(fused_rows(1024, 4096, without_pipeline(kH200)), -1);
  EXPECT_EQ(fused_rows(4096, 14336, without_pipeline(kH200)), 128);
  EXPECT_EQ(fused_rows(14336, 4096, kRtx3090), 128);
}

// Expects the fastest ways of bench/results/h200.json, on Hopper and on the H200 as if it were compute capability 8.0.
// Other cards are scaled by clocks and memory: reading decoded weights costs them more than reading codes.
TEST(MatmulPlan, advice_is_what_was_measured) {
  const auto of = [](std::int64_t cols, std::int64_t rows, const DeviceFacts& facts) {
    const contract::Matmul4bitAdvice advice = advise(product_of(0, rows, cols), facts);
    return std::pair(advice.few_rows, advice.fused_rows);
  };
  using Rows = std::pair<std::int64_t, std::int64_t>;
  struct Case {
    std::int64_t cols;
    std::int64_t rows;
    Rows on_h200;
    Rows as_ampere;
    Rows on_3090;
    Rows on_4090;
  };
  for (const Case& c : {Case{4096, 14336, {16, 512}, {16, 128}, {64, 128}, {16, 128}},
                        Case{14336, 4096, {8, 256}, {8, 64}, {16, 128}, {16, 128}},
                        Case{4096, 4096, {16, 256}, {16, 64}, {64, 128}, {16, 128}},
                        Case{4096, 1024, {64, 256}, {32, -1}, {64, 128}, {64, 128}},
                        Case{2880, 5760, {16, 128}, {16, 32}, {64, 128}, {16, 128}},
                        Case{3584, 18944, {16, 256}, {16, 128}, {16, 128}, {64, 128}},
                        Case{8192, 28672, {16, 512}, {16, 128}, {16, 128}, {16, 128}},
                        Case{896, 4864, {0, 128}, {8, -1}, {8, 128}, {8, 128}}}) {
    SCOPED_TRACE(std::to_string(c.cols) + " -> " + std::to_string(c.rows));
    EXPECT_EQ(of(c.cols, c.rows, kH200), c.on_h200);
    EXPECT_EQ(of(c.cols, c.rows, without_pipeline(kH200)), c.as_ampere);
    EXPECT_EQ(of(c.cols, c.rows, kRtx3090), c.on_3090);
    EXPECT_EQ(of(c.cols, c.rows, kRtx4090), c.on_4090);
    EXPECT_EQ(of(c.cols, c.rows, kUnknown), Rows(0, 8));
  }
}

// Expects the fastest of split, plain and decoding with 16 to 256 rows, nested NF4 and bf16, on an H200 on 2026-11-30.
// 5120 -> 1024 with 32 rows takes 10.1 us split, 12.7 plain, 11.0 decoded; with 64, 13.4 in either sum, 11.1 decoded.
TEST(MatmulPlan, advice_on_hopper_is_what_was_measured) {
  struct Case {
    std::int64_t cols;
    std::int64_t rows;
    std::int64_t few_rows;
    std::int64_t fused_rows;
  };
  for (const Case& c :
       {Case{896, 4864, 0, 128}, Case{4864, 896, 32, -1}, Case{5120, 1024, 32, -1}, Case{2880, 2880, 16, 128},
        Case{2048, 6144, 16, 128}, Case{2560, 9728, 16, 256}, Case{4096, 6144, 16, 256}, Case{13824, 5120, 16, 128}}) {
    SCOPED_TRACE(std::to_string(c.cols) + " -> " + std::to_string(c.rows));
    contract::Matmul4bit p = product_of(0, c.rows, c.cols);
    EXPECT_EQ(advise(p, kH200).few_rows, c.few_rows);
    EXPECT_EQ(advise(p, kH200).fused_rows, c.fused_rows);
  }
}

// Microseconds of x * W^T and dy * W, in PLAIN and decoded, nested NF4 and bf16, on an H200 on 2026-11-29 and 30, on
// Hopper and as if it were compute capability 8.0.
TEST(MatmulPlan, advice_is_the_faster_way_in_each_direction) {
  struct Case {
    bool on_hopper;
    std::int64_t cols;
    std::int64_t rows;
    std::int64_t m;
    double fused[2];
    double decoded[2];
  };
  constexpr double kMargin = 1.05;
  for (const Case& c : {Case{true, 13824, 5120, 128, {61.16, 44.74}, {93.80, 89.53}},
                        Case{true, 13824, 5120, 256, {108.59, 70.62}, {103.48, 101.92}},
                        Case{true, 2560, 6144, 128, {15.56, 23.59}, {19.06, 23.75}},
                        Case{true, 8192, 1024, 16, {18.79, 8.84}, {13.29, 11.41}},
                        Case{true, 8192, 1024, 128, {20.06, 11.07}, {15.30, 12.23}},
                        Case{true, 896, 4864, 128, {8.41, 13.95}, {9.31, 11.65}},
                        Case{true, 5120, 1024, 32, {12.69, 7.44}, {10.97, 8.93}},
                        Case{true, 8192, 8192, 256, {68.33, 69.91}, {91.61, 94.16}},
                        Case{false, 4096, 14336, 32, {29.8, 56.5}, {71.1, 73.6}},
                        Case{false, 4096, 14336, 64, {43.3, 68.5}, {73.3, 75.1}},
                        Case{false, 4096, 14336, 128, {62.5, 93.9}, {74.0, 77.8}},
                        Case{false, 4096, 4096, 32, {15.4, 20.2}, {21.0, 20.8}},
                        Case{false, 4096, 4096, 64, {18.8, 23.1}, {20.4, 20.5}},
                        Case{false, 4096, 1024, 128, {15.5, 11.7}, {10.8, 8.9}},
                        Case{false, 2880, 5760, 32, {14.8, 26.1}, {19.3, 21.8}},
                        Case{false, 2880, 5760, 128, {30.7, 39.6}, {20.4, 23.9}},
                        Case{false, 14336, 4096, 64, {55.4, 49.6}, {76.0, 74.6}},
                        Case{false, 14336, 4096, 128, {84.9, 61.9}, {77.2, 75.5}},
                        Case{false, 14336, 4096, 256, {134.1, 120.1}, {86.3, 85.0}}})
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      SCOPED_TRACE(std::to_string(c.cols) + " -> " + std::to_string(c.rows) + ", " + std::to_string(c.m) + " rows");
      contract::Matmul4bit p = product_of(0, c.rows, c.cols);
      p.direction = direction;
      const double fused = c.fused[direction];
      const double decoded = c.decoded[direction];
      const bool is_fused = c.m <= advise(p, c.on_hopper ? kH200 : without_pipeline(kH200)).fused_rows;
      EXPECT_LE(is_fused ? fused : decoded, kMargin * std::min(fused, decoded)) << direction;
    }
}

TEST(MatmulPlan, sums_are_made_as_the_device_can) {
  contract::Matmul4bit p = product_of(4, 64, 256);
  p.sum = QFUSE_SUM_OF_DEVICE;
  EXPECT_EQ(plan(p, kT4).kernel, Kernel::fp32);  // a T4 has no bf16 matrix instructions
  EXPECT_EQ(advise(p, kT4).few, QFUSE_SUM_OF_DEVICE);
  EXPECT_EQ(plan(p, kUnknown).kernel, Kernel::fp32);
  p.sum = QFUSE_SUM_PLAIN;
  EXPECT_EQ(check_facts(p, kT4).status, QFUSE_UNSUPPORTED);
  EXPECT_TRUE(check_facts(p, kH100).ok());
  p.dtype = QFUSE_FLOAT16;
  EXPECT_TRUE(check_facts(p, kT4).ok());
  EXPECT_EQ(plan(p, kT4).kernel, Kernel::multistage);
  p.sum = QFUSE_SUM_FP32;
  EXPECT_EQ(plan(p, kH200).kernel, Kernel::fp32);
}

}  // namespace
}  // namespace qfuse::cuda
