// Tests launch plans of rotated_int8 for devices that need not be present.
#include <tuple>

#include "plans.h"

namespace qfuse::cuda {
namespace {

contract::RotatedInt8Matmul rotated_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  contract::RotatedInt8Matmul p{};
  p.m = m;
  p.n = n;
  p.k = k;
  p.dtype = QFUSE_BFLOAT16;
  p.in_q = address<std::int8_t>(0x1000);
  p.weight_q = address<std::int8_t>(0x2000);
  p.out = address<void>(0x3001);
  return p;
}

TEST(RotatedPlan, rows_have_threads_for_all_their_terms_if_that_is_possible) {
  for (const auto& [cols, threads, block] :
       {std::tuple{64, 32, 64}, {1024, 32, 128}, {1088, 64, 64}, {14336, 448, 128}, {53248, 512, 128}}) {
    contract::RotatedInt8Quantize p{};
    p.rows = 7;
    p.cols = cols;
    p.in_dtype = QFUSE_BFLOAT16;
    p.in = address<void>(0x1000);
    p.q = address<std::int8_t>(0x2000);
    const rotated_int8::QuantizePlan chosen = plan(p);
    expect_candidate(chosen, candidates(p));
    EXPECT_EQ(std::tuple(chosen.threads, chosen.block, chosen.blocks, chosen.wide),
              std::tuple(threads, block, 7, true));
    p.in_stride = cols + 1;
    EXPECT_FALSE(plan(p).wide);
  }
}

TEST(RotatedPlan, a_swiglu_block_copies_tokens_ahead_where_two_find_room) {
  contract::RotatedInt8Swiglu p{};
  p.m = 2048;
  p.h = 14336;
  p.gate = address<void>(0x1000);
  p.up = address<void>(0x2000);
  p.q = address<std::int8_t>(0x3000);
  const auto chosen = [&](const DeviceFacts& facts) {
    expect_candidate(plan(p, facts), candidates(p, facts));
    return contract::print(plan(p, facts).fields());
  };
  EXPECT_EQ(chosen(kH200), "block=128 threads=448 wide=1 ahead=1 blocks=264 shared_bytes=57344");
  EXPECT_EQ(chosen(kRtx3090), "block=128 threads=448 wide=1 ahead=0 blocks=2048 shared_bytes=0");
  EXPECT_EQ(chosen(kT4), "block=128 threads=448 wide=1 ahead=0 blocks=2048 shared_bytes=0");
  p.direction = QFUSE_BACKWARD;
  p.grad_y = address<void>(0x4000);
  EXPECT_EQ(chosen(kH200), "block=128 threads=448 wide=1 ahead=1 blocks=264 shared_bytes=86016");
  EXPECT_EQ(chosen(kUnknown), "block=128 threads=448 wide=1 ahead=0 blocks=4096 shared_bytes=0");
  p.m = 200;
  EXPECT_FALSE(plan(p, kH200).ahead);
  p.m = 2048;
  p.h = 2048;
  EXPECT_EQ(chosen(kRtx3090), "block=128 threads=64 wide=1 ahead=1 blocks=574 shared_bytes=12288");
  p.out = address<void>(0x5002);
  EXPECT_EQ(chosen(kH200), "block=128 threads=64 wide=0 ahead=0 blocks=4096 shared_bytes=0");
  p.out = nullptr;
  p.up_stride = p.h + 4;
  EXPECT_FALSE(plan(p, kH200).wide);
}

TEST(RotatedPlan, of_a_weight_backward_every_tile_has_a_block_but_a_maximum_one_for_64_columns) {
  contract::RotatedInt8Weight p{};
  p.weight = decode_of(1).weight;
  p.weight.rows = 14336;
  p.weight.cols = 4096;
  p.direction = QFUSE_BACKWARD;
  const auto chosen = [&](const DeviceFacts& facts) {
    expect_candidate(plan(p, facts), candidates(p, facts));
    return contract::print(plan(p, facts).fields());
  };
  EXPECT_EQ(chosen(kT4), "block=128 threads=128 wide=1 ahead=0 blocks=64 tiles=112");
  contract::RotatedInt8WeightScales scales{};
  scales.weight = p.weight;
  scales.direction = QFUSE_BACKWARD;
  EXPECT_EQ(contract::print(plan(scales).fields()), "block=128 threads=128 wide=1 blocks=64 tiles=1");
  p.weight.rows = 64 * 70'001;
  EXPECT_EQ(chosen(kH200), "block=64 threads=64 wide=1 ahead=0 blocks=64 tiles=65535");
  p.direction = QFUSE_FORWARD;
  EXPECT_EQ(chosen(kT4), "block=128 threads=64 wide=1 ahead=0 blocks=4480064 tiles=1");
}

TEST(RotatedPlan, blocks_of_a_weight_copy_codes_ahead_where_rotated_blocks_and_absmax_allow_it) {
  contract::RotatedInt8Weight p{};
  p.weight = decode_of(1).weight;
  p.weight.rows = 14336;
  p.weight.cols = 4096;
  const auto chosen = [&](const DeviceFacts& facts) {
    expect_candidate(plan(p, facts), candidates(p, facts));
    return contract::print(plan(p, facts).fields());
  };
  EXPECT_EQ(chosen(kH200), "block=128 threads=128 wide=1 ahead=1 blocks=528 tiles=1");
  EXPECT_EQ(chosen(kRtx3090), "block=128 threads=128 wide=1 ahead=1 blocks=328 tiles=1");  // 99 KiB: four at a time
  p.direction = QFUSE_BACKWARD;
  EXPECT_EQ(chosen(kH200), "block=128 threads=128 wide=1 ahead=1 blocks=528 tiles=1");
  p.weight.rows = 128;
  EXPECT_EQ(chosen(kH200), "block=128 threads=128 wide=1 ahead=1 blocks=64 tiles=1");
  p.weight.blocksize = 32;
  EXPECT_FALSE(plan(p, kH200).ahead);
  p.weight.blocksize = 64;
  p.q = address<std::int8_t>(0x3001);
  EXPECT_FALSE(plan(p, kH200).ahead);
  p.q = nullptr;
  p.weight.absmax = address<float>(0x4002);
  EXPECT_FALSE(plan(p, kH200).ahead);
}

TEST(RotatedPlan, products_have_tiles_for_every_gpu_with_matrix_instructions) {
  for (const DeviceFacts& facts : {kH100, kT4, kA100, kRtx3090, kRtx4090, kRtx5090, kB200})
    for (const std::int64_t m : {1, 64, 65, 2048, 8192}) {
      const rotated_int8::MatmulPlan chosen = plan_that_can_run(rotated_of(m, 4096, 4096), facts);
      const bool has_wgmma = facts.compute_capability == kHopper && m > 64;
      EXPECT_EQ(chosen.kernel, has_wgmma ? rotated_int8::Kernel::wgmma : rotated_int8::Kernel::mma);
    }
  EXPECT_TRUE(candidates(rotated_of(1, 1, 64), kUnknown).empty());
}

TEST(RotatedPlan, products_have_the_tiles_that_keep_multiprocessors_busy) {
  const auto outputs = [](std::int64_t m, std::int64_t n, const DeviceFacts& facts) {
    return plan_that_can_run(rotated_of(m, n, 4096), facts).outputs;
  };
  EXPECT_EQ(outputs(8192, 14336, kH200), 256);
  EXPECT_EQ(outputs(2048, 1024, kH200), 128);  // 64 tiles of 256 outputs
  EXPECT_EQ(outputs(2048, 4096, kRtx4090), 128);
  EXPECT_EQ(outputs(512, 1024, kRtx4090), 64);
}

TEST(RotatedPlan, at_odd_addresses_products_are_made_by_one_kernel) {
  contract::RotatedInt8Matmul p = rotated_of(2048, 4096, 4096);
  p.in_q = address<std::int8_t>(0x1008);
  EXPECT_EQ(plan_that_can_run(p).kernel, rotated_int8::Kernel::mma_unaligned);
  EXPECT_EQ(candidates(p, kH200).size(), 1U);
  p = rotated_of(2048, 4096, 0);  // there is nothing for TMA to map
  EXPECT_EQ(plan_that_can_run(p).kernel, rotated_int8::Kernel::mma);
}

}  // namespace
}  // namespace qfuse::cuda
