// How launches are planned, for devices that need not be there. Plans are host code, so this is part of every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/matmul_4bit/plan.h"
#include "backend/cuda/quantize_4bit/plan.h"
#include "backend/cuda/swiglu/plan.h"

namespace qfuse::cuda {
namespace {

using dequantize_4bit::candidates;
using dequantize_4bit::plan;
using matmul_4bit::advise;
using matmul_4bit::candidates;
using matmul_4bit::check_facts;
using matmul_4bit::Kernel;
using matmul_4bit::plan;
using quantize_4bit::candidates;
using quantize_4bit::plan;
using swiglu::candidates;
using swiglu::plan;

constexpr DeviceFacts kB200 = {148, 126 << 20, 100, 227 << 10};
constexpr std::array kWithSplitK = {kT4, kA100, kRtx3090, kL4, kRtx4090, kRtx5090, kB200, kH100, kH200};
// Of a driver that says nothing.
constexpr DeviceFacts kUnknown{};
constexpr std::array kDevices = {kH100, kH200, kT4, kUnknown};

// One that runs the kernels of compute capability 8.0.
DeviceFacts without_pipeline(DeviceFacts facts) {
  facts.compute_capability = 80;
  return facts;
}

// Never read: plans look at the alignment alone.
template <class T>
T* address(std::uintptr_t at) {
  return reinterpret_cast<T*>(at);  // NOLINT(performance-no-int-to-ptr)
}
qfuse_quantized quantized(std::uintptr_t q, std::uintptr_t s) { return {address<void>(q), address<float>(s)}; }

contract::Dequantize4bit decode_of(std::int64_t n, qfuse_dtype dtype = QFUSE_BFLOAT16) {
  contract::Dequantize4bit p{};
  p.weight.rows = 1;
  p.weight.cols = n;
  p.weight.blocksize = 64;
  p.weight.quant_type = QFUSE_NF4;
  p.weight.packed = address<std::uint8_t>(0x1000);
  p.weight.absmax_8bit = address<std::uint8_t>(0x2001);  // bytes may lie anywhere
  p.weight.nested_absmax = address<float>(0x3000);
  p.weight.nested_quant_map = address<float>(0x4000);
  p.weight.nested_offset = address<float>(0x5000);
  p.weight.nested_blocksize = 256;
  p.out_dtype = dtype;
  p.out = address<void>(0x100000);
  return p;
}

contract::Quantize4bit encode_of(std::int64_t n, std::int64_t blocksize) {
  contract::Quantize4bit p{};
  p.in_dtype = QFUSE_BFLOAT16;
  p.in = address<void>(0x1000);
  p.weight.rows = 1;
  p.weight.cols = n;
  p.weight.blocksize = blocksize;
  p.weight.packed = address<std::uint8_t>(0x2000);
  p.weight.absmax = address<float>(0x3000);
  return p;
}

contract::Swiglu swiglu_of(std::int64_t m, std::int64_t h) {
  contract::Swiglu p{};
  p.m = m;
  p.h = h;
  p.format.group_size = 128;
  p.x = address<void>(0x1000);
  p.grad_y = address<void>(0x2000);
  p.grad_input = quantized(0x3000, 0x4000);
  p.y_t = quantized(0x5000, 0x6000);
  return p;
}

contract::Matmul4bit product_of(std::int64_t m, std::int64_t rows, std::int64_t cols) {
  contract::Matmul4bit p{};
  p.weight = decode_of(1).weight;
  p.weight.rows = rows;
  p.weight.cols = cols;
  p.weight.absmax_8bit = address<std::uint8_t>(0x2000);
  p.dtype = QFUSE_BFLOAT16;
  p.m = m;
  p.in = address<void>(0x6000);
  p.out = address<void>(0x100001);
  p.sum = QFUSE_SUM_SPLIT;
  return p;
}

// The plan is one that the call can have, and text that names all its fields asks for it.
template <class Plan>
void expect_candidate(const Plan& plan, const std::vector<Plan>& candidates) {
  const auto is_plan = [&](const Plan& other) { return other.fields() == plan.fields(); };
  EXPECT_EQ(std::ranges::count_if(candidates, is_plan), 1) << contract::print(plan.fields());
  for (const Plan& candidate : candidates) {
    std::string text = contract::print(candidate.fields());
    std::ranges::replace(text, ' ', ',');
    Plan forced = plan;
    const contract::Outcome outcome = contract::force(std::string(Plan::kOp) + ":" + text, candidates, forced);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_EQ(forced.fields(), candidate.fields());
  }
}

// The plan of a product, which the device has room for.
template <class P>
auto plan_that_can_run(const P& p, const DeviceFacts& facts = kH200) {
  const auto chosen = plan(p, facts);
  EXPECT_LE(chosen.shared_bytes, facts.shared_bytes);
  expect_candidate(chosen, candidates(p, facts));
  return chosen;
}

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
            "threads=256 groups=2 group=8 wide=1 stream=1 blocks=14336");
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
                             p.workspace = address<void>(0x5001);  // where absmax then lies
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

// Five small blocks a multiprocessor, or four that are staged: whichever leave less idle in the last wave.
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

// Whatever a call asks for, there is one kernel for all of it.
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

// ---- matmul_4bit ----

// For which every GPU here has matrix instructions.
template <class P>
P in_half(P p) {
  p.dtype = QFUSE_FLOAT16;
  return p;
}

TEST(MatmulPlan, few_tokens_have_a_kernel_of_their_own) {
  for (const DeviceFacts& facts : kWithSplitK) {
    for (const std::int64_t m : {1, 8, 9, 16}) {
      const matmul_4bit::Plan chosen = plan_that_can_run(in_half(product_of(m, 14336, 4096)), facts);
      EXPECT_EQ(chosen.kernel, Kernel::split_k);
      EXPECT_EQ(chosen.is_turing, facts.compute_capability == 75);
      EXPECT_EQ(chosen.tokens, m <= 8 ? 8 : 16);
      EXPECT_EQ(chosen.threads, 16 * 32);  // a warp a chain
      EXPECT_EQ(chosen.blocks, facts.multiprocessors);
    }
    EXPECT_EQ(plan(in_half(product_of(1, 4096, 14336)), facts).threads, 14 * 32);  // 56 chains in 4 rounds
    EXPECT_EQ(plan(in_half(product_of(1, 5, 256)), facts).blocks, 1);
  }
}

// The sums of as many tiles lie in shared memory as there is room for, with the totals of chains that take several
// rounds: of two teams of two, of one, of one tile; or blocks have 8 tokens in the place of 16.
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
  for (const std::int64_t cols : {64, 576, 896, 2880}) {  // the last chain has fewer terms
    EXPECT_EQ(kernel_of([&](P& p) { p.weight.cols = cols; }), Kernel::split_k);
    EXPECT_EQ(kernel_of([&](P& p) { p.weight.cols = cols; }, kRtx3090), Kernel::split_k);
  }
  EXPECT_EQ(kernel_of([](P& p) { p.weight.rows = 1 << 20; }), Kernel::split_k);
  EXPECT_EQ(kernel_of([](P& p) {
              p.weight.rows = 1 << 20;
              p.weight.cols = 8192;  // two rounds, for whose totals there are more blocks than multiprocessors
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
  p.m = 500;  // a row of blocks for every 16
  expect_kernel(true);
  EXPECT_EQ(plan(p, kH200).blocks, 32 * 4);
  p.weight.cols = 4096 + 64;  // for every 8
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
  EXPECT_FALSE(shared([](Calls& calls) { calls[2].weight.absmax_8bit = nullptr; }));  // plain
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
    Tile backward;  // where what a stage begins with takes longer
  };
  for (const Case& c : {Case{kT4, 17, 1024, {32, 32}, {32, 32}}, Case{kT4, 64, 4096, {128, 64}, {128, 64}},
                        Case{kT4, 128, 14336, {128, 64}, {128, 64}}, Case{kA100, 17, 4096, {32, 32}, {64, 64}},
                        Case{kA100, 64, 4096, {64, 64}, {64, 64}}, Case{kA100, 256, 14336, {128, 64}, {128, 64}},
                        Case{kRtx3090, 32, 1024, {32, 16}, {32, 32}}, Case{kRtx3090, 64, 4096, {64, 64}, {64, 64}},
                        Case{kRtx3090, 64, 14336, {64, 64}, {64, 64}}, Case{kRtx4090, 17, 4096, {32, 32}, {32, 32}},
                        Case{kRtx4090, 64, 4096, {32, 64}, {32, 64}}, Case{kRtx4090, 128, 14336, {32, 64}, {128, 128}},
                        Case{kRtx5090, 128, 4096, {64, 64}, {64, 64}}, Case{kRtx5090, 256, 4096, {128, 64}, {128, 64}},
                        Case{kB200, 64, 4096, {32, 64}, {32, 64}}}) {
    SCOPED_TRACE(std::to_string(c.m) + " x " + std::to_string(c.rows));
    contract::Matmul4bit p = in_half(plain_product_of(c.m, c.rows, c.rows));  // the same shapes backward
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

// ---- matmul_4bit_grouped ----

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
  EXPECT_EQ(chosen(8, QFUSE_SUM_SPLIT).threads, 2 * 8 * 32);  // two teams of a warp for each chain
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
    contract::Matmul4bitGrouped p = grouped_of(3, 16, 32, 512, sum);  // 256 blocks each
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

TEST(GroupedPlan, one_experts_scales_are_the_stacks) {
  contract::Matmul4bitGrouped p = grouped_of(3, 1, 32, 512);
  p.nested_each = 1;
  p.weight.nested_blocksize = 512;
  EXPECT_EQ(plan_that_can_run(p).kernel, Kernel::warp_specialized);
}

// Both sides of what the kernels for Hopper count in 32 bits.
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

// Both sides of each threshold.
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
  EXPECT_EQ(of([](P&) {}), as(16, 256));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT16; }), as(16, 256));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT32; }), as(0, -1));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192; }), as(16, 256));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192 + 256; }), as(8, 256));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 8192 + 64; }), as(8, 256)) << "no whole chains";
  EXPECT_EQ(of([](P& p) { p.weight.rows = 14336 + 8; }), as(16, 256));
  EXPECT_EQ(of([](P& p) { p.weight.blocksize = 128; }), as(0, 256));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 4096 + 32; }), as(0, 128)) << "no pipeline has it";
  EXPECT_EQ(of([](P& p) { p.weight.rows = 14336 + 4; }), as(16, 128));
  EXPECT_EQ(of([](P& p) { p.weight.blocksize = 32; }), as(0, 128));
  EXPECT_EQ(of([](P& p) { p.dtype = QFUSE_FLOAT16; }, kT4), as(16, 128));
  EXPECT_EQ(of([](P& p) { p.weight.cols = 4100; }), as(0, -1)) << "codes one by one";
}

// Backward no kernel splits K: few outputs of many terms leave multiprocessors without a tile.
TEST(MatmulPlan, advice_is_one_for_each_direction) {
  const auto fused_rows = [](std::int64_t rows, std::int64_t cols, const DeviceFacts& facts) {
    contract::Matmul4bit p = product_of(0, rows, cols);
    p.direction = QFUSE_BACKWARD;
    const contract::Matmul4bitAdvice advice = advise(p, facts);
    EXPECT_EQ(advice.few, QFUSE_SUM_SPLIT);
    EXPECT_EQ(advice.few_rows, 0);
    return advice.fused_rows;
  };
  EXPECT_EQ(fused_rows(14336, 4096, kH200), 256);
  EXPECT_EQ(fused_rows(14336, 4096, without_pipeline(kH200)), -1);
  EXPECT_EQ(fused_rows(4096, 14336, without_pipeline(kH200)), 128);
  EXPECT_EQ(fused_rows(14336, 4096, kRtx3090), 128);
}

// What bench/results/h200.json says of them is the fastest, on Hopper and as if the H200 were one of 8.0; and by their
// clocks and memory on other cards, where decoded weights take longer to read than codes.
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
  for (const Case& c : {Case{4096, 14336, {16, 256}, {16, 128}, {64, 128}, {16, 128}},
                        Case{14336, 4096, {8, 256}, {16, 64}, {16, 128}, {16, 128}},
                        Case{4096, 4096, {16, 256}, {32, 32}, {64, 128}, {32, 128}},
                        Case{4096, 1024, {64, 256}, {32, 32}, {64, 128}, {64, 128}},
                        Case{2880, 5760, {16, 256}, {16, 32}, {64, 128}, {16, 128}},
                        Case{896, 4864, {0, 256}, {8, 32}, {8, 128}, {8, 128}}}) {
    SCOPED_TRACE(std::to_string(c.cols) + " -> " + std::to_string(c.rows));
    EXPECT_EQ(of(c.cols, c.rows, kH200), c.on_h200);
    EXPECT_EQ(of(c.cols, c.rows, without_pipeline(kH200)), c.as_ampere);
    EXPECT_EQ(of(c.cols, c.rows, kRtx3090), c.on_3090);
    EXPECT_EQ(of(c.cols, c.rows, kRtx4090), c.on_4090);
    EXPECT_EQ(of(c.cols, c.rows, kUnknown), Rows(0, 8));
  }
}

TEST(MatmulPlan, sums_are_made_as_the_device_can) {
  contract::Matmul4bit p = product_of(4, 64, 256);
  p.sum = QFUSE_SUM_OF_DEVICE;
  EXPECT_EQ(plan(p, kT4).kernel, Kernel::fp32);  // which has no matrix instructions for bf16
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
