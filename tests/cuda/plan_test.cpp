// Tests launch plans, also for devices that this machine lacks. Plans are host code, so every build has these tests.
#include "plans.h"

namespace qfuse::cuda {
namespace {

TEST(Plans, are_among_their_candidates) {
  for (const DeviceFacts& facts : kDevices) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{4096} * 14336}) {
      for (const std::uintptr_t out : {0x100000, 0x100001}) {
        contract::Dequantize4bit p = decode_of(n);
        p.out = address<void>(out);
        expect_candidate(plan(p, facts), candidates(p, facts));
      }
      for (const std::int64_t blocksize : {32, 64, 4096})
        expect_candidate(plan(encode_of(n, blocksize)), candidates(encode_of(n, blocksize)));
    }
    for (const std::int64_t m : {1, 1024, 2048, 4096})
      expect_candidate(plan(swiglu_of(m, 2560), facts), candidates(swiglu_of(m, 2560), facts));
  }
}

TEST(Plans, are_for_the_ops_of_their_names) {
  EXPECT_STREQ(dequantize_4bit::Plan::kOp, contract::Dequantize4bit::kName);
  EXPECT_STREQ(quantize_4bit::Plan::kOp, contract::Quantize4bit::kName);
  EXPECT_STREQ(swiglu::Plan::kOp, contract::Swiglu::kName);
  EXPECT_STREQ(matmul_4bit::Plan::kOp, contract::Matmul4bit::kName);
  EXPECT_STREQ(matmul_4bit::GroupedPlan::kOp, contract::Matmul4bitGrouped::kName);
}

TEST(DecodePlan, tiles_cover_every_element_once) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{4095}, std::int64_t{4096}, std::int64_t{4097},
                                 std::int64_t{4096} * 14336, (std::int64_t{1} << 31) + 1, std::int64_t{1} << 40}) {
      for (const dequantize_4bit::Plan& how : candidates(decode_of(n, dtype), kH100)) {
        const std::int64_t tile = std::int64_t{how.threads} * how.groups * how.group;
        EXPECT_GE(how.blocks * tile, n);
        EXPECT_LT((how.blocks - 1) * tile, n);
        EXPECT_EQ(how.group * format::dtype_size(dtype), 16);
      }
      EXPECT_LT(plan(decode_of(n, dtype), kH100).blocks, std::int64_t{1} << 31) << "more than a grid can have";
    }
  }
}

TEST(DecodePlan, any_odd_address_is_decoded_element_by_element) {
  EXPECT_TRUE(plan(decode_of(4096), kH100).wide);
  for (const auto spoil : {+[](contract::Dequantize4bit& p) { p.out = address<void>(0x100008); },
                           +[](contract::Dequantize4bit& p) { p.weight.packed = address<std::uint8_t>(0x1002); },
                           +[](contract::Dequantize4bit& p) { p.weight.absmax = address<float>(0x6002); },
                           +[](contract::Dequantize4bit& p) { p.weight.nested_absmax = address<float>(0x3001); },
                           +[](contract::Dequantize4bit& p) { p.weight.nested_quant_map = address<float>(0x4002); },
                           +[](contract::Dequantize4bit& p) { p.weight.nested_offset = address<float>(0x5003); }}) {
    contract::Dequantize4bit p = decode_of(4096);
    spoil(p);
    EXPECT_FALSE(plan(p, kH100).wide);
    for (const dequantize_4bit::Plan& how : candidates(p, kH100)) EXPECT_FALSE(how.wide || how.stream);
  }
  contract::Dequantize4bit p = decode_of(4096, QFUSE_FLOAT32);
  p.weight.packed = address<std::uint8_t>(0x1002);
  EXPECT_TRUE(plan(p, kH100).wide) << "a group of 4 has 2 bytes of codes";
}

TEST(DecodePlan, what_fits_the_cache_stays_there) {
  const contract::Dequantize4bit p = decode_of(std::int64_t{2048} * 8192);  // 32 MiB
  EXPECT_FALSE(plan(p, kH100).stream);
  EXPECT_TRUE(plan(p, kT4).stream);
  EXPECT_TRUE(plan(p, kUnknown).stream);
  const contract::Dequantize4bit between = decode_of(std::int64_t{55} << 19);  // 55 MiB
  EXPECT_TRUE(plan(between, kH100).stream);
  EXPECT_FALSE(plan(between, kH200).stream);
}

TEST(DecodePlan, prints_all_that_it_chose) {
  EXPECT_EQ(contract::print(plan(decode_of(std::int64_t{4096} * 14336), kH100).fields()),
            "threads=256 groups=2 group=8 wide=1 stream=1 by_rows=0 blocks=14336");
}

TEST(DecodePlan, rows_of_whole_blocks_are_one_run) {
  const contract::Dequantize4bit mxfp4 = decode_rows_of(2880, 32);
  EXPECT_EQ(contract::print(plan(mxfp4, kH100).fields()),
            "threads=256 groups=2 group=8 wide=1 stream=0 by_rows=0 blocks=1013");
  EXPECT_EQ(candidates(mxfp4, kH100).size(), 2);
  EXPECT_FALSE(plan(decode_rows_of(4096, 4096), kH100).by_rows) << "a scale a row, of 2^n elements";
  EXPECT_TRUE(plan(decode_rows_of(2880, 2880), kH100).by_rows) << "else";
  EXPECT_TRUE(plan(decode_rows_of(2880, 128), kH100).by_rows) << "a row ends within a block";
  EXPECT_TRUE(plan(decode_rows_of(2880, 48), kH100).by_rows) << "no power of two";
  EXPECT_EQ(contract::print(plan(decode_rows_of(2881, 32), kH100).fields()),
            "threads=256 groups=4 group=2 wide=0 stream=0 by_rows=1 blocks=2070");
  for (const auto spoil :
       {+[](contract::Dequantize4bit& p) { p.out = address<void>(0x100008); },
        +[](contract::Dequantize4bit& p) {
          p.weight.scale_type = QFUSE_SCALES_FLOAT16;
          p.weight.scales = address<std::uint8_t>(0x2001);
        },
        +[](contract::Dequantize4bit& p) { p.weight.zero_points = address<std::uint8_t>(0x3000); }}) {
    contract::Dequantize4bit p = mxfp4;
    spoil(p);
    EXPECT_TRUE(plan(p, kH100).by_rows);
    EXPECT_EQ(candidates(p, kH100).size(), 1);
  }
}

TEST(EncodePlan, blocks_share_lanes_and_means_have_chunks) {
  contract::Quantize4bit p = encode_of(std::int64_t{4096} * 14336, 64);
  EXPECT_EQ(contract::print(plan(p).fields()), "threads=256 lanes=4 wide=1 blocks=14336 chunks=0");
  p.weight.absmax = nullptr;
  p.weight.absmax_8bit = address<std::uint8_t>(0x4000);
  p.workspace = address<void>(0x5000);
  EXPECT_EQ(plan(p).chunks, 223) << "of 224, the last of which is summed apart";
  const float offset = 0;
  p.given_offset = &offset;
  EXPECT_EQ(plan(p).chunks, 0) << "nobody needs the mean";
  EXPECT_EQ(plan(encode_of(4096, 4096)).lanes, 256);
}

TEST(EncodePlan, any_odd_address_is_encoded_element_by_element) {
  EXPECT_TRUE(plan(encode_of(4096, 64)).wide);
  for (const auto spoil : {+[](contract::Quantize4bit& p) { p.in = address<void>(0x1008); },
                           +[](contract::Quantize4bit& p) { p.weight.packed = address<std::uint8_t>(0x2004); },
                           +[](contract::Quantize4bit& p) { p.weight.absmax = address<float>(0x3002); },
                           +[](contract::Quantize4bit& p) {
                             p.weight.absmax = nullptr;
                             p.weight.absmax_8bit = address<std::uint8_t>(0x4000);
                             p.workspace = address<void>(0x5001);  // absmax is then in the workspace
                           }}) {
    contract::Quantize4bit p = encode_of(4096, 64);
    spoil(p);
    EXPECT_FALSE(plan(p).wide);
  }
}

TEST(SwigluPlan, tiles_that_just_miss_a_wave_are_made_by_fewer_threads) {
  EXPECT_EQ(contract::print(plan(swiglu_of(1024, 2560), kH100).fields()),
            "pass=backward outputs=training format=int8 extras=none experts=0 wide=1 staged=0 wide_t=1 together=1 "
            "threads=512 blocks=160");
  EXPECT_EQ(plan(swiglu_of(2048, 2560), kH100).threads, 256);
  EXPECT_EQ(plan(swiglu_of(2048, 2560), kH200).threads, 256);
  EXPECT_EQ(plan(swiglu_of(4096, 2560), kH100).threads, 512);
  EXPECT_EQ(plan(swiglu_of(2048, 2560), kT4).threads, 512);
  EXPECT_EQ(plan(swiglu_of(2048, 2560), kUnknown).threads, 512);
  EXPECT_EQ(plan(swiglu_of(1, 128), kH100).blocks, 1);
  EXPECT_EQ(plan(swiglu_of(129, 256), kH100).blocks, 4);
}

TEST(SwigluPlan, of_many_tiles_the_inputs_pass_through_shared_memory) {
  EXPECT_FALSE(plan(swiglu_of(2048, 4096), kH200).kernel.staged) << "two waves of small blocks";
  EXPECT_EQ(contract::print(plan(swiglu_of(4096, 2560), kH200).fields()),
            "pass=backward outputs=training format=int8 extras=none experts=0 wide=1 staged=1 wide_t=1 together=1 "
            "threads=512 blocks=640");
  EXPECT_FALSE(plan(swiglu_of(4096, 2560), kT4).kernel.staged) << "no room for two blocks";
  EXPECT_FALSE(plan(swiglu_of(4096, 2560), kUnknown).kernel.staged);
  EXPECT_FALSE(plan(swiglu_of(4096, 128 * 5), kH200).kernel.staged) << "less than a wave";
}

TEST(SwigluPlan, only_what_a_kernel_is_compiled_for_is_staged) {
  for (const auto spoil :
       {+[](contract::Swiglu& p) { p.x = address<void>(0x1002); }, +[](contract::Swiglu& p) { p.limit = 7.0F; },
        +[](contract::Swiglu& p) { p.x_stride = swiglu::kMostStagedStride + swiglu::kChunk; },
        +[](contract::Swiglu& p) { p.grad_y_stride = swiglu::kMostStagedStride + swiglu::kChunk; },
        +[](contract::Swiglu& p) { p.format.group_size = 32; },
        +[](contract::Swiglu& p) {
          p.format.payload_type = QFUSE_E4M3;
          p.format.scale_rule = QFUSE_SCALES_TORCHAO;
          p.weights = address<float>(0x9000);
        },
        +[](contract::Swiglu& p) { p.y_t.q = p.y_t.s = nullptr; }}) {
    contract::Swiglu p = swiglu_of(8192, 4096);
    EXPECT_TRUE(plan(p, kH200).kernel.staged);
    spoil(p);
    for (const swiglu::Plan& candidate : candidates(p, kH200)) EXPECT_FALSE(candidate.kernel.staged);
  }
}

TEST(SwigluPlan, transposed_gradients_are_staged_from_a_wave_on) {
  contract::Swiglu p = swiglu_of(2048, 2560);
  p.grad_input_t = quantized(0x7000, 0x8000);
  EXPECT_TRUE(plan(p, kH200).kernel.staged);
  p.m = 1024;
  EXPECT_FALSE(plan(p, kH200).kernel.staged);
}

TEST(SwigluPlan, of_experts_half_of_the_last_tiles_are_counted) {
  contract::Swiglu p = swiglu_of(8192, 4096);
  p.experts.ends = address<void>(0x9000);
  p.experts.count = 32;
  EXPECT_EQ(contract::print(plan(p, kH200).fields()),
            "pass=backward outputs=training format=int8 extras=none experts=1 wide=1 staged=1 wide_t=1 together=1 "
            "threads=512 blocks=3040");
  p.m = 2048;
  p.h = 2560;
  p.experts.count = 16;
  EXPECT_EQ(plan(p, kH200).threads, 256) << "480 tiles: at most two waves";
  p.m = 1024;
  p.h = 2560;
  p.experts.count = 8;
  EXPECT_EQ(plan(p, kH200).threads, 512) << "half of the experts' last tiles at most a wave";
}

// Five small blocks per multiprocessor, or four staged ones: whichever leaves less of the last wave idle.
TEST(SwigluPlan, a_forward_of_more_than_a_wave_is_made_by_fewer_threads) {
  struct {
    std::int64_t m;
    std::int64_t h;
    int threads;
    bool staged;
  } const wanted[] = {{1024, 2560, 512, false}, {2048, 2560, 256, false}, {4096, 2560, 256, false},
                      {8192, 2560, 256, false}, {4096, 4096, 256, true},  {8192, 4096, 256, true}};
  for (const auto& [m, h, threads, staged] : wanted) {
    contract::Swiglu p = swiglu_of(m, h);
    p.grad_y = nullptr;
    p.grad_input = {};
    p.y = quantized(0x7000, 0x8000);
    EXPECT_EQ(plan(p, kH200).threads, threads) << m;
    EXPECT_EQ(plan(p, kH200).kernel.staged, staged) << m;
  }
}

// For each combination of options there is exactly one kernel.
TEST(SwigluPlan, every_kernel_that_is_chosen_exists) {
  for (unsigned spoiled = 0; spoiled < 64; ++spoiled)
    for (const qfuse_payload payload : {QFUSE_INT8, QFUSE_E4M3}) {
      contract::Swiglu p = swiglu_of(8192, 4096);
      p.format.payload_type = payload;
      if ((spoiled & 1) != 0) p.weights = address<float>(0x9000);
      if ((spoiled & 2) != 0) p.up_offset = 1.0F;
      if ((spoiled & 4) != 0) p.format.group_size = 32;
      if ((spoiled & 8) != 0) p.x = address<void>(0x1002);
      if ((spoiled & 16) != 0) p.grad_input.q = p.grad_input.s = nullptr;
      if ((spoiled & 48) == 32) p.y_t.q = p.y_t.s = nullptr;
      EXPECT_NE(std::ranges::find(swiglu::kKernels, plan(p, kH200).kernel), swiglu::kKernels.end()) << spoiled;
      for (const swiglu::Plan& candidate : candidates(p, kH200))
        EXPECT_NE(std::ranges::find(swiglu::kKernels, candidate.kernel), swiglu::kKernels.end()) << spoiled;
    }
  EXPECT_LE(swiglu::kKernels.size(), 66U) << "70 with those of the sums, each compiled for every architecture";
}

TEST(SwigluPlan, odd_addresses_and_strides_go_element_by_element) {
  EXPECT_FALSE(plan(swiglu_of(1000, 128), kH100).wide_t) << "rows of y that begin anywhere";
  for (const auto spoil : {+[](contract::Swiglu& p) { p.x = address<void>(0x1002); },
                           +[](contract::Swiglu& p) { p.x_stride = 2 * p.h + 1; },
                           +[](contract::Swiglu& p) { p.grad_y = address<void>(0x2008); },
                           +[](contract::Swiglu& p) { p.grad_y_stride = p.h + 4; },
                           +[](contract::Swiglu& p) { p.grad_input.q = address<void>(0x3004); },
                           +[](contract::Swiglu& p) { p.y.q = address<void>(0x7004); },
                           +[](contract::Swiglu& p) { p.y.s = address<float>(0x8002); },
                           +[](contract::Swiglu& p) { p.weights = address<float>(0x9001); },
                           +[](contract::Swiglu& p) { p.grad_weights = address<float>(0xa002); },
                           +[](contract::Swiglu& p) {
                             p.grad_weights = address<float>(0xa000);
                             p.workspace = address<void>(0xb001);
                           },
                           +[](contract::Swiglu& p) { p.grad_input.s = address<float>(0x4002); },
                           +[](contract::Swiglu& p) { p.y_t.s = address<float>(0x6001); }}) {
    contract::Swiglu p = swiglu_of(1024, 2560);
    spoil(p);
    EXPECT_FALSE(plan(p, kH100).kernel.wide);
    EXPECT_TRUE(plan(p, kH100).wide_t);
  }
}

TEST(SwigluPlan, transposed_gradients_beside_y_want_a_block_with_much_shared_memory) {
  contract::Swiglu p = swiglu_of(1024, 2560);
  p.grad_input_t = quantized(0x7000, 0x8000);
  EXPECT_TRUE(plan(p, kH100).together);
  EXPECT_FALSE(plan(p, kT4).together);
  EXPECT_FALSE(plan(p, kUnknown).together);
  p.grad_input_t.q = address<void>(0x7008);
  EXPECT_FALSE(plan(p, kH100).wide_t);
  p.y_t = {};
  EXPECT_TRUE(plan(p, kT4).together);
}

}  // namespace
}  // namespace qfuse::cuda
