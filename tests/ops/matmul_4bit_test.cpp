#include "cases/matmul_4bit.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>
#include <qfuse/qfuse.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "format/codebook4.h"
#include "format/rounding.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/displaced.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

bool has_factored_order(const contract::Matmul4bit& p) {
  return p.direction == QFUSE_FORWARD && p.dtype != QFUSE_FLOAT32 && p.lora_rank == 0 && p.weight.cols % 64 == 0 &&
         p.weight.blocksize >= 64 && !has_row_scales(p.weight.quant_type);
}

// For each kind of sum that the call supports, calls prepare(call) once and its result with every exec that has that
// sum.
template <class Prepare>
void for_each_sum(const Matmul4bitCase& c, contract::Matmul4bit p, const Prepare& prepare) {
  p.sum = QFUSE_SUM_FP32;
  const auto in_fp32 = prepare(p);
  for_each_cpu_way(in_fp32);
  for_each_gpu_way(in_fp32);
  if (p.dtype == QFUSE_BFLOAT16)
    for (const qfuse_sum sum : kSumsOfCpus) {
      SCOPED_TRACE(sum == QFUSE_SUM_BF16_DOT ? "bf16 dot products" : "tiles of AMX");
      p.sum = sum;
      for_each_cpu_way_with(sum, prepare(p));
    }
  if (c.fp32_alone || p.dtype == QFUSE_FLOAT32 || !gpu_adds_as_the_oracle(p.dtype)) return;
  for (const qfuse_sum sum : {QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT, QFUSE_SUM_FACTORED}) {
    if (sum == QFUSE_SUM_FACTORED && !has_factored_order(p)) continue;
    SCOPED_TRACE(sum == QFUSE_SUM_PLAIN ? "plain" : sum == QFUSE_SUM_SPLIT ? "split" : "factored");
    p.sum = sum;
    for_each_gpu_way(prepare(p));
  }
}

// Returns a function for each exec that compares the call's output with the oracle's.
auto expect_the_oracles(const contract::Matmul4bit& p, std::size_t misalignment = 0) {
  return [p, misalignment, expected = output_of(p, oracle())](const qfuse_exec& exec) {
    expect_output(p, expected, exec, misalignment);
  };
}

// ---- against the oracle ----

// Aligned arrays and, by turns, one of the other misalignments. Quick builds take just one by turns, because emulated
// matrix instructions are slow.
std::vector<std::size_t> misalignments(std::size_t turn) {
  if (kQuick) return {kMisalignments.at(turn % kMisalignments.size())};
  return {kMisalignments.front(), kMisalignments.at(1 + turn % (kMisalignments.size() - 1))};
}

class Matmul4bitCases : public testing::TestWithParam<Matmul4bitCase> {};

TEST_P(Matmul4bitCases, every_way_gives_the_oracles_bytes_at_any_address) {
  std::size_t turn = kQuick ? place_in(kMatmul4bitCases, GetParam()) : 0;
  for (const qfuse_direction direction : kMatmulDirections)
    for (const qfuse_dtype dtype : kMatmulDtypes) {
      SCOPED_TRACE(name_of(direction, dtype));
      const Matmul4bitInput in = make_input(GetParam(), direction, dtype);
      for (const std::size_t misalignment : misalignments(turn++)) {
        SCOPED_TRACE("misaligned by " + std::to_string(misalignment));
        contract::Matmul4bit p = make_params(GetParam(), direction, dtype, in);
        DisplacedWeight weight(in.weight, misalignment, misalignment);
        weight.point(p.weight);
        Buffer x = copy_of(in.in, misalignment);
        Buffer bias = copy_of(in.bias, misalignment);
        Buffer lora_in = copy_of(in.lora_in, misalignment);
        Buffer lora_weight = copy_of(in.lora_weight, misalignment);
        p.in = x.as<void>();
        p.lora_in = lora_in.as<void>();
        p.lora_weight = lora_weight.as<void>();
        p.bias = direction == QFUSE_FORWARD && misalignment % 2 == 0 ? bias.as<void>() : nullptr;
        for_each_sum(GetParam(), p,
                     [&](const contract::Matmul4bit& call) { return expect_the_oracles(call, misalignment); });
      }
    }
}

// Rows computed together have the bits of a row computed alone, in every run. Quick builds test one direction by turns.
TEST_P(Matmul4bitCases, a_row_alone_has_the_same_bytes) {
  const qfuse_dtype dtype = dtype_of_gpu();
  std::size_t turn = place_in(kMatmul4bitCases, GetParam());
  for (const qfuse_direction direction : kMatmulDirections) {
    if (kQuick && turn++ % 2 != 0) continue;
    SCOPED_TRACE(name_of(direction, dtype));
    const Matmul4bitInput in = make_input(GetParam(), direction, dtype);
    for_each_sum(GetParam(), make_params(GetParam(), direction, dtype, in), [&](const contract::Matmul4bit& call) {
      return [&, call](const qfuse_exec& exec) {
        const Buffer all = output_of(call, exec);
        if (!kQuick) expect_output(call, all, exec);
        contract::Matmul4bit one = call;
        one.m = 1;
        const std::int64_t last = (call.m - 1) * 2;
        one.in = in.in.data() + last * in_stride(call);
        one.lora_in = in.lora_in.data() + last * call.lora_rank;
        expect_output(one, std::span(all).subspan(static_cast<std::size_t>(last * out_stride(call))), exec);
      };
    });
  }
}

// If launches overlap, a product may begin before the one that writes its input is done. The Hopper kernels take turns.
// With two buffers, the third product reads the buffer that the second one wrote and the first one read.
TEST(Matmul4bit, a_chain_in_one_stream_is_that_of_single_products) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  constexpr std::int64_t kWidth = 256;
  constexpr int kLinks = 24;
  constexpr qfuse_device kGpu = {QFUSE_CUDA, 0};
  std::mt19937 random(11);
  std::vector<std::uint8_t> packed(kWidth * kWidth / 2);
  for (auto& byte : packed) byte = static_cast<std::uint8_t>(random());
  std::vector<float> absmax(kWidth * kWidth / 64, 0.125F);  // so that values keep their magnitude
  contract::Matmul4bit p{};
  p.weight = plain_weight(kWidth, kWidth, packed.data(), absmax.data());
  p.dtype = dtype_of_gpu();
  p.m = 3;
  const std::array orders = {QFUSE_SUM_SPLIT, gpu_adds_as_the_oracle() ? QFUSE_SUM_FACTORED : QFUSE_SUM_SPLIT,
                             QFUSE_SUM_PLAIN};
  const auto order_of = [&](int link) { return orders.at(static_cast<std::size_t>(link) % orders.size()); };
  const std::vector<std::uint8_t> first = random_values(p.m * kWidth, p.dtype, InputKind::normal, random);
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = kGpu;

  Buffer expected = copy_of(first, 0);
  for (int link = 0; link < kLinks; ++link) {
    p.in = expected.data();
    p.sum = order_of(link);
    expected = output_of(p, exec);
  }
  ASSERT_FALSE(same_bytes(expected, std::vector<std::uint8_t>(expected.size())));

  Stream stream(kGpu);
  DeviceMemory codes(kGpu, packed.size());
  DeviceMemory scales(kGpu, absmax.size() * sizeof(float));
  DeviceMemory even(kGpu, first.size());
  DeviceMemory odd(kGpu, first.size());
  stream.copy(codes.data(), packed.data(), packed.size());
  stream.copy(scales.data(), absmax.data(), absmax.size() * sizeof(float));
  stream.copy(even.data(), first.data(), first.size());
  exec.stream = stream.handle();
  p.weight.packed = reinterpret_cast<std::uint8_t*>(codes.data());
  p.weight.absmax = reinterpret_cast<float*>(scales.data());
  for (int link = 0; link < kLinks; ++link) {
    p.in = link % 2 == 0 ? even.data() : odd.data();
    p.out = link % 2 == 0 ? odd.data() : even.data();
    p.sum = order_of(link);
    ASSERT_EQ(call(p, &exec), QFUSE_OK);
  }
  static_assert(kLinks % 2 == 0);
  std::vector<std::uint8_t> last(first.size());
  stream.copy(last.data(), even.data(), last.size());
  stream.synchronize();
  EXPECT_TRUE(same_bytes(expected, last));
}

INSTANTIATE_TEST_SUITE_P(Risks, Matmul4bitCases, testing::ValuesIn(kMatmul4bitCases), risk_name<Matmul4bitCase>);

// Calls that every tile shape of stages supports. tests/software_gpu selects one shape after another, because a call by
// itself gets the fastest one.
constexpr std::array kStagedCases = {
    Matmul4bitCase{"stages of a single tile", 5, 128, 192},
    Matmul4bitCase{.risk = "stages with LoRA", .m = 70, .rows = 264, .cols = 192, .lora_rank = 136},
    Matmul4bitCase{"stages of many tokens, plain", 259, 136, 320, 64, QFUSE_NF4, 0},
    Matmul4bitCase{"stages of MXFP4", 67, 136, 320, 32, QFUSE_E2M1},
    Matmul4bitCase{"stages of MXFP4, scales of all kinds", 5, 72, 192, 32, QFUSE_E2M1, 0, InputKind::normal,
                   AbsmaxKind::extreme},
    Matmul4bitCase{.risk = "stages of INT4 in groups of 64, with LoRA",
                   .m = 5,
                   .rows = 72,
                   .cols = 192,
                   .blocksize = 64,
                   .quant_type = QFUSE_INT4,
                   .nested_blocksize = kFloat16Scales,
                   .lora_rank = 8},
    Matmul4bitCase{"stages of INT4 in groups of 128, fp32 scales", 67, 136, 384, 128, QFUSE_INT4, kFloat32Scales},
    Matmul4bitCase{"stages of INT4 in groups of 256, scales of all kinds", 5, 72, 256, 256, QFUSE_INT4, kBfloat16Scales,
                   InputKind::normal, AbsmaxKind::extreme},
    Matmul4bitCase{"stages of several tiles of tokens", 300, 72, 64, 128, QFUSE_FP4, 16},
    Matmul4bitCase{"stages of outputs that no vector is full of", 131, 75, 128},
    Matmul4bitCase{.risk = "many tiles of stages with LoRA", .m = 3, .rows = 1104, .cols = 64, .lora_rank = 16},
    Matmul4bitCase{.risk = "many tiles of stages with LoRA backward", .m = 3, .rows = 64, .cols = 1088, .lora_rank = 8},
    Matmul4bitCase{.risk = "more stages of LoRA than slots", .m = 3, .rows = 72, .cols = 64, .lora_rank = 1104},
};

// Likewise for the tiles of warp_specialized: formats of which register_weights has no tables.
constexpr std::array kSmallBlockCases = {
    Matmul4bitCase{"stages of NVFP4", 67, 136, 320, 16, QFUSE_E2M1, kDivisor},
    Matmul4bitCase{"stages of NVFP4, scales of all kinds", 5, 72, 192, 16, QFUSE_E2M1, kFactor, InputKind::normal,
                   AbsmaxKind::extreme},
    Matmul4bitCase{"stages of INT4 in groups of 32", 67, 136, 320, 32, QFUSE_INT4, kBfloat16Scales},
};

// Likewise for every tile of multistage, which also supports half stages, blocks of 32 and LoRA of any rank. There are
// few cases, because multistage is slow on the software GPU.
constexpr std::array kMultistageCases = {
    Matmul4bitCase{"more stages than slots, half a one, blocks of 32", 19, 40, 672, 32, QFUSE_FP4, 0},
    Matmul4bitCase{"more stages than slots backward, half a step, rows shorter than a block", 3, 584, 32, 128},
    Matmul4bitCase{
        .risk = "blocks that straddle rows, LoRA", .m = 5, .rows = 136, .cols = 96, .gap = 8, .lora_rank = 71},
    Matmul4bitCase{.risk = "MXFP4 with LoRA, half a stage",
                   .m = 19,
                   .rows = 40,
                   .cols = 160,
                   .blocksize = 32,
                   .quant_type = QFUSE_E2M1,
                   .lora_rank = 8},
    Matmul4bitCase{"INT4 in groups of 32, half a stage", 19, 40, 160, 32, QFUSE_INT4, kFloat16Scales},
    Matmul4bitCase{"several tiles of tokens, out at an odd address too", 131, 24, 64, 64, QFUSE_NF4, 16},
};

template <std::size_t kCases>
void expect_staged(const std::array<Matmul4bitCase, kCases>& cases, qfuse_direction direction,
                   std::size_t misalignment = 0) {
  for (const Matmul4bitCase& c : cases)
    for (const qfuse_dtype dtype : {QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
      if (kQuick ? dtype != dtype_of_gpu() : !gpu_adds_as_the_oracle(dtype)) continue;
      if (direction == QFUSE_BACKWARD && c.rows % 8 != 0) continue;  // the terms (K) are then not loaded in tiles
      SCOPED_TRACE(std::string(c.risk) + ", " + name_of(direction, dtype));
      const Matmul4bitInput in = make_input(c, direction, dtype);
      contract::Matmul4bit p = make_params(c, direction, dtype, in);
      p.sum = QFUSE_SUM_PLAIN;
      p.bias = direction == QFUSE_FORWARD || c.rows >= c.cols ? in.bias.data() : nullptr;  // it has `rows` values
      for_each_gpu_way(expect_the_oracles(p, misalignment));
    }
}

TEST(Matmul4bitStages, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged(kStagedCases, QFUSE_FORWARD);
}
TEST(Matmul4bitStages, backward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged(kStagedCases, QFUSE_BACKWARD);
  expect_staged(kSmallBlockCases, QFUSE_BACKWARD);
}
TEST(Matmul4bitStages, of_small_blocks) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged(kSmallBlockCases, QFUSE_FORWARD);
}
TEST(Matmul4bitMultistage, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged(kMultistageCases, QFUSE_FORWARD);
  expect_staged(std::array{kMultistageCases.back()}, QFUSE_FORWARD, 1);
}
TEST(Matmul4bitMultistage, backward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged(kMultistageCases, QFUSE_BACKWARD);
  expect_staged(std::array{kMultistageCases.back()}, QFUSE_BACKWARD, 1);
}

// ---- values at the limits of the formats ----

// Rows of MXFP4, each of one code, whose first block has the scale and whose others have 2^-127, which is zero; their
// products with ones, in bf16.
TEST(Matmul4bit, the_least_and_the_greatest_scales_of_mxfp4) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::int64_t kCols = 128;
  struct Row {
    std::uint8_t scale;
    std::uint8_t code;
    float product;
  };
  constexpr std::array kRows = {Row{255, 2, std::numeric_limits<float>::quiet_NaN()},
                                Row{254, 7, kInfinity},
                                Row{254, 15, -kInfinity},
                                Row{0, 7, 0.0F},
                                Row{1, 1, 0.0F},
                                Row{1, 2, 0x1p-121F},
                                Row{2, 9, -0x1p-121F},
                                Row{249, 2, 0x1p127F}};
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> scales;
  for (const Row& row : kRows) {
    packed.insert(packed.end(), kCols / 2, static_cast<std::uint8_t>(row.code * 0x11));
    scales.insert(scales.end(), {row.scale, 0, 0, 0});
  }
  std::vector<std::uint8_t> in(2 * kCols);
  for (std::int64_t i = 0; i < kCols; ++i) format::store_rounded(in.data(), i, QFUSE_BFLOAT16, 1.0F);
  contract::Matmul4bit p{};
  p.weight.rows = std::ssize(kRows);
  p.weight.cols = kCols;
  p.weight.blocksize = 32;
  p.weight.quant_type = QFUSE_E2M1;
  p.weight.scale_type = QFUSE_SCALES_UE8M0;
  p.weight.packed = packed.data();
  p.weight.scales = scales.data();
  p.dtype = QFUSE_BFLOAT16;
  p.m = 1;
  p.in = in.data();
  for_each_sum({}, p, [&](const contract::Matmul4bit& call) {
    const Buffer expected = output_of(call, oracle());
    for (std::size_t r = 0; r < kRows.size(); ++r) {
      const float product = format::load_as_float(expected.data(), static_cast<std::int64_t>(r), QFUSE_BFLOAT16);
      EXPECT_TRUE(product == kRows.at(r).product || (std::isnan(product) && std::isnan(kRows.at(r).product))) << r;
    }
    return [call, expected](const qfuse_exec& exec) { expect_output(call, expected, exec); };
  });
}

// Absmax for which absmax times a code's value is near the smallest normal number. Whether the product is flushed to
// zero must be decided before it is rounded to 16 bits; a sum of one term shows it.
TEST(Matmul4bit, weights_near_the_least_normal_number_are_as_they_are_decoded) {
  constexpr int kNeighbors = 16;
  constexpr std::int64_t kCols = 64;
  std::vector<std::uint8_t> packed;
  std::vector<float> absmax;
  for (unsigned code = 0; code < format::kCodes4; ++code) {
    const float value = std::fabs(format::codebook4(QFUSE_NF4).values[code]);
    if (value == 0) continue;
    for (int i = -kNeighbors; i < kNeighbors; ++i) {
      absmax.push_back(format::float_of(format::bits_of(0x1p-126F / value) + static_cast<std::uint32_t>(i)));
      packed.insert(packed.end(), kCols / 2, static_cast<std::uint8_t>(code << 4 | code));
    }
  }
  std::vector<std::uint8_t> in(2 * kCols);
  format::store_rounded(in.data(), 0, QFUSE_BFLOAT16, 1.0F);
  contract::Matmul4bit p{};
  p.weight = plain_weight(std::ssize(absmax), kCols, packed.data(), absmax.data());
  p.dtype = QFUSE_BFLOAT16;
  p.m = 1;
  p.in = in.data();
  const auto expected_in = [&](qfuse_sum sum) {
    p.sum = sum;
    return expect_the_oracles(p);
  };
  for_each_fast_way<contract::Matmul4bit>(expected_in(QFUSE_SUM_FP32));
  for (const qfuse_sum sum : kSumsOfCpus) for_each_cpu_way_with(sum, expected_in(sum));
}

// ---- empty calls, and calls that are refused ----

// Without terms (K = 0) every sum is 0 and only the bias remains.
TEST(Matmul4bit, no_terms_leave_the_bias) {
  contract::Matmul4bit p{};
  p.weight = flat_weight(0, 64, QFUSE_NF4);
  p.weight.rows = 5;
  p.dtype = QFUSE_FLOAT32;
  p.m = 2;
  const std::array<float, 5> bias = {1, -2, 3, -0.5F, 0};
  const std::array<float, 10> twice = {1, -2, 3, -0.5F, 0, 1, -2, 3, -0.5F, 0};
  for (const bool with_bias : {false, true}) {
    p.bias = with_bias ? bias.data() : nullptr;
    const std::array<float, 10> expected = with_bias ? twice : std::array<float, 10>{};
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) {
      std::array<float, 10> out;
      out.fill(7);
      p.out = out.data();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_EQ(out, expected);
    });
  }
}

TEST(Matmul4bit, refuses_what_the_manual_refuses) {
  const Matmul4bitCase c{"refused", 3, 64, 128};
  const Matmul4bitInput in = make_input(c, QFUSE_FORWARD, QFUSE_BFLOAT16);
  const contract::Matmul4bit good = make_params(c, QFUSE_FORWARD, QFUSE_BFLOAT16, in);
  std::vector<std::uint8_t> out(output_bytes(good));
  const auto expect_refused = [&](auto&& spoil, qfuse_status status, const std::string& words) {
    contract::Matmul4bit p = good;
    p.out = out.data();
    spoil(p);
    qfuse_error error{};
    EXPECT_EQ(call(p, nullptr, &error), status) << words;
    EXPECT_NE(std::string(error.message).find(words), std::string::npos) << error.message;
  };
  using P = contract::Matmul4bit;
  expect_refused([](P& p) { p.m = -1; }, QFUSE_INVALID_ARGUMENT, "m is -1");
  expect_refused([](P& p) { p.direction = static_cast<qfuse_direction>(2); }, QFUSE_INVALID_ARGUMENT, "direction is 2");
  expect_refused([](P& p) { p.dtype = static_cast<qfuse_dtype>(3); }, QFUSE_INVALID_ARGUMENT, "dtype is 3");
  expect_refused([](P& p) { p.in_stride = 127; }, QFUSE_INVALID_ARGUMENT, "in_stride is 127");
  expect_refused([](P& p) { p.out_stride = 63; }, QFUSE_INVALID_ARGUMENT, "out_stride is 63");
  const auto expect_factored_refused = [&](auto&& spoil, qfuse_status status, const std::string& words) {
    const auto also = [&](P& p) {
      p.sum = QFUSE_SUM_FACTORED;
      spoil(p);
    };
    expect_refused(also, status, "QFUSE_SUM_FACTORED, which " + words);
  };
  expect_factored_refused([](P& /*p*/) {}, QFUSE_UNSUPPORTED, "CUDA alone has");
  expect_factored_refused([](P& p) { p.direction = QFUSE_BACKWARD; }, QFUSE_INVALID_ARGUMENT, "QFUSE_FORWARD alone");
  expect_factored_refused([](P& p) { p.lora_rank = 8; }, QFUSE_INVALID_ARGUMENT, "has no LoRA");
  expect_factored_refused([](P& p) { p.dtype = QFUSE_FLOAT32; }, QFUSE_INVALID_ARGUMENT, "QFUSE_FLOAT32 does not");
  expect_factored_refused([](P& p) { p.weight.cols = 96; }, QFUSE_INVALID_ARGUMENT,
                          "needs cols that are a multiple of 64, not 96");
  expect_factored_refused([](P& p) { p.weight.blocksize = 32; }, QFUSE_INVALID_ARGUMENT,
                          "needs blocks of 64 or more, not 32");
  for (const int number : {-1, 7})
    expect_refused([=](P& p) { p.sum = static_cast<qfuse_sum>(number); }, QFUSE_INVALID_ARGUMENT,
                   "sum is " + std::to_string(number) + ", it must be QFUSE_SUM_OF_DEVICE (0), QFUSE_SUM_FP32 (1)");
  for (const qfuse_sum sum : {QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT})
    expect_refused([=](P& p) { p.sum = sum; }, QFUSE_UNSUPPORTED, "which CUDA alone has");
  for (const qfuse_sum sum : kSumsOfCpus)
    expect_refused(
        [&](P& p) {
          p.sum = sum;
          p.dtype = QFUSE_FLOAT16;
        },
        QFUSE_INVALID_ARGUMENT, "which QFUSE_FLOAT16 does not have");
  expect_refused([](P& p) { p.lora_rank = -1; }, QFUSE_INVALID_ARGUMENT, "lora_rank is -1");
  expect_refused([](P& p) { p.lora_rank = INT64_MAX / 8; }, QFUSE_INVALID_ARGUMENT, "more than memory can hold");
  expect_refused([](P& p) { p.m = INT64_MAX / 8; }, QFUSE_INVALID_ARGUMENT, "more than memory can hold");
  expect_refused(
      [](P& p) {
        p.dtype = QFUSE_FLOAT32;
        p.sum = QFUSE_SUM_PLAIN;
      },
      QFUSE_INVALID_ARGUMENT, "QFUSE_FLOAT32 does not have");
}

}  // namespace
}  // namespace qfuse::tests
