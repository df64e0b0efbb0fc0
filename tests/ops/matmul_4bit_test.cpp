#include "cases/matmul_4bit.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>
#include <qfuse/qfuse.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
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

constexpr std::array kMatmulDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};
constexpr std::array kOfCpus = {QFUSE_SUM_BF16_DOT, QFUSE_SUM_BF16_AMX};
constexpr std::array kDirections = {QFUSE_FORWARD, QFUSE_BACKWARD};

std::string name_of(qfuse_direction direction, qfuse_dtype dtype) {
  constexpr std::array kNames = {"float32", "float16", "bfloat16"};
  return std::string(direction == QFUSE_FORWARD ? "forward in " : "backward in ") + kNames.at(dtype);
}

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
    for (const qfuse_sum sum : kOfCpus) {
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
  for (const qfuse_direction direction : kDirections)
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
  for (const qfuse_direction direction : kDirections) {
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

// ---- against independently computed results ----

// Small integers, and the same values encoded in a dtype.
struct Exact {
  Exact(std::int64_t n, qfuse_dtype dtype, std::mt19937& random)
      : values(static_cast<std::size_t>(n)), bytes(values.size() * qfuse_dtype_size(dtype)) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t& value = values[static_cast<std::size_t>(i)];
      value = static_cast<std::int64_t>(random() % 7) - 3;
      format::store_rounded(bytes.data(), i, dtype, static_cast<float>(value));
    }
  }
  std::vector<std::int64_t> values;
  std::vector<std::uint8_t> bytes;
};

// Weights of -1, 0 and 1, scales that are powers of two, and small integers as inputs: every sum is exact in any order.
TEST(Matmul4bit, exact_sums_are_exact) {
  constexpr std::int64_t kRows = 96;
  constexpr std::int64_t kCols = 576;
  constexpr std::int64_t kTokens = 11;
  constexpr std::int64_t kRank = 24;
  std::mt19937 random(7);
  std::vector<std::uint8_t> packed(kRows * kCols / 2);
  std::vector<std::int64_t> weights(kRows * kCols);
  std::vector<float> absmax(kRows * kCols / 64);
  for (auto& scale : absmax) scale = std::ldexp(1.0F, static_cast<int>(random() % 3));
  for (std::int64_t i = 0; i < kRows * kCols; ++i) {
    const auto u = static_cast<std::size_t>(i);
    const unsigned digit = random() % 3;
    packed[u / 2] |= static_cast<std::uint8_t>((digit == 0 ? 0U : digit == 1 ? 7U : 15U) << (i % 2 == 0 ? 4 : 0));
    weights[u] = (static_cast<std::int64_t>(digit) - 1) * static_cast<std::int64_t>(absmax[u / 64]);
  }
  for (const qfuse_direction direction : kDirections)
    for (const qfuse_dtype dtype : kMatmulDtypes) {
      SCOPED_TRACE(name_of(direction, dtype));
      contract::Matmul4bit p{};
      p.weight = plain_weight(kRows, kCols, packed.data(), absmax.data());
      p.direction = direction;
      p.dtype = dtype;
      p.m = kTokens;
      const Exact in(kTokens * term_count(p), dtype, random);
      p.in = in.bytes.data();
      p.lora_rank = kRank;
      const Exact lora_in(kTokens * kRank, dtype, random);
      const Exact lora_weight(output_count(p) * kRank, dtype, random);
      p.lora_in = lora_in.bytes.data();
      p.lora_weight = lora_weight.bytes.data();
      std::vector<std::uint8_t> expected(output_bytes(p));
      for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t o = 0; o < output_count(p); ++o) {
          std::int64_t sum = 0;
          for (std::int64_t t = 0; t < term_count(p); ++t) {
            const std::int64_t at = direction == QFUSE_FORWARD ? o * kCols + t : t * kCols + o;
            sum += in.values[static_cast<std::size_t>(i * term_count(p) + t)] * weights[static_cast<std::size_t>(at)];
          }
          for (std::int64_t j = 0; j < kRank; ++j) {
            const std::int64_t at = direction == QFUSE_FORWARD ? o * kRank + j : j * kCols + o;
            sum += lora_in.values[static_cast<std::size_t>(i * kRank + j)] *
                   lora_weight.values[static_cast<std::size_t>(at)];
          }
          format::store_rounded(expected.data(), i * output_count(p) + o, dtype, static_cast<float>(sum));
        }
      const auto expect_exact = [&](const qfuse_exec& exec) { expect_output(p, expected, exec); };
      for_each_way<contract::Matmul4bit>(expect_exact);
      if (dtype == QFUSE_FLOAT32 || !gpu_adds_as_the_oracle(dtype)) continue;
      p.sum = QFUSE_SUM_SPLIT;
      for_each_gpu_way(expect_exact);
    }
}

// One row of two blocks. All weights are 0, except the first of each block, -1 and 1 times the scale. In the forward
// direction both terms are added to one sum.
contract::Matmul4bit two_terms(std::vector<std::uint8_t>& packed, const std::vector<float>& absmax,
                               const std::vector<std::uint8_t>& in) {
  packed.assign(64, 0x77);
  packed[0] = 0x07;
  packed[32] = 0xf7;
  contract::Matmul4bit p{};
  p.weight = plain_weight(1, 128, packed.data(), absmax.data());
  p.dtype = QFUSE_BFLOAT16;
  p.m = 1;
  p.in = in.data();
  p.sum = QFUSE_SUM_FP32;
  return p;
}

// -2^127 + 2^128: the second product must be rounded to infinity before it is added, unlike in a fused multiply-add.
TEST(Matmul4bit, a_product_too_large_is_infinite) {
  struct Way {
    float x;
    float scale;
  };
  for (const Way& way : {Way{0x1p127F, 1.0F}, Way{0x1p59F, 0x1p68F}}) {
    SCOPED_TRACE(way.scale);
    std::vector<std::uint8_t> packed;
    std::vector<std::uint8_t> in(256);
    for (const std::int64_t i : {0, 64}) format::store_rounded(in.data(), i, QFUSE_BFLOAT16, way.x);
    const std::vector<float> absmax = {way.scale, 2 * way.scale};
    const contract::Matmul4bit p = two_terms(packed, absmax, in);
    const std::vector<std::uint8_t> infinity = {0x80, 0x7f};
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) { expect_output(p, infinity, exec); });
  }
}

// A subnormal factor of a nested scale is flushed to zero, however large the other factor.
TEST(Matmul4bit, a_subnormal_factor_of_a_scale_is_zero) {
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> in(256);
  format::store_rounded(in.data(), 0, QFUSE_BFLOAT16, 0x1p30F);
  contract::Matmul4bit p = two_terms(packed, {}, in);
  std::vector<std::uint8_t> codes(2);
  float offset = 0.0F;
  p.weight.absmax = nullptr;
  p.weight.absmax_8bit = codes.data();
  p.weight.nested_offset = &offset;
  p.weight.nested_blocksize = 256;
  const std::vector<std::uint8_t> zero(2);
  for (float nested_absmax : {0x1p-130F, 0x1p120F}) {
    SCOPED_TRACE(nested_absmax);
    std::vector<float> map(QFUSE_QUANT_MAP_SIZE, nested_absmax < 1 ? 0x1p120F : 0x1p-130F);
    p.weight.nested_absmax = &nested_absmax;
    p.weight.nested_quant_map = map.data();
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) { expect_output(p, zero, exec); });
  }
}

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

// Calls body(output, sum in fp64, sum of the terms' magnitudes) for each output.
void for_each_exact_sum(const contract::Matmul4bit& p, const Buffer& out,
                        const std::function<void(double, double, double)>& body) {
  contract::Dequantize4bit decode{};
  decode.weight = p.weight;
  decode.out_dtype = p.dtype;
  const Buffer weights = output_of(decode, oracle());
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t o = 0; o < output_count(p); ++o) {
      double sum = 0;
      double magnitudes = 0;
      for (std::int64_t t = 0; t < term_count(p); ++t) {
        const std::int64_t at = is_forward(p) ? o * p.weight.cols + t : t * p.weight.cols + o;
        const double term = static_cast<double>(format::load_as_float(p.in, i * term_count(p) + t, p.dtype)) *
                            static_cast<double>(format::load_as_float(weights.data(), at, p.dtype));
        sum += term;
        magnitudes += std::fabs(term);
      }
      body(format::load_as_float(out.data(), i * output_count(p) + o, p.dtype), sum, magnitudes);
    }
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
  for (const qfuse_sum sum : kOfCpus) for_each_cpu_way_with(sum, expected_in(sum));
}

// Compares fp32 sums with fp64 sums of the same terms: the error is at most one fp32 unit of the sum of magnitudes per
// term (docs/ACCURACY.md).
TEST(Matmul4bit, sums_are_near_those_of_fp64) {
  const Matmul4bitCase c{"near", 3, 48, 1024};
  for (const qfuse_direction direction : kDirections) {
    const Matmul4bitInput in = make_input(c, direction, QFUSE_FLOAT32);
    const contract::Matmul4bit p = make_params(c, direction, QFUSE_FLOAT32, in);
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) {
      for_each_exact_sum(p, output_of(p, exec), [&](double got, double sum, double magnitudes) {
        ASSERT_LE(std::fabs(got - sum), static_cast<double>(term_count(p)) * 0x1p-23 * magnitudes);
      });
    });
  }
}

// With CPUs' bf16 instructions: half a unit per term, plus the rounding of the result to bf16.
TEST(Matmul4bit, sums_of_bf16_instructions_are_near_those_of_fp64) {
  const Matmul4bitCase c{"near", 3, 48, 1024};
  for (const qfuse_direction direction : kDirections) {
    const Matmul4bitInput in = make_input(c, direction, QFUSE_BFLOAT16);
    contract::Matmul4bit p = make_params(c, direction, QFUSE_BFLOAT16, in);
    const auto expect_near = [&](const qfuse_exec& exec) {
      for_each_exact_sum(p, output_of(p, exec), [&](double got, double sum, double magnitudes) {
        const double of_sum = static_cast<double>(term_count(p)) * 0x1p-24 * magnitudes;
        ASSERT_LE(std::fabs(got - sum), of_sum + 0x1p-8 * (std::fabs(sum) + of_sum));
      });
    };
    for (const qfuse_sum sum : kOfCpus) {
      p.sum = sum;
      expect_near(oracle());
      for_each_cpu_way_with(sum, expect_near);
    }
  }
}

// ---- where bf16 instructions of CPUs are available ----

// The default where the processor has them and the target is its best: AMX tiles, otherwise dot products. Elsewhere
// they are refused. -2^127 + 2^128 identifies dot products, whose fused multiply-add gives a finite result.
TEST(Matmul4bit, bf16_instructions_are_the_cpus_own_way_where_it_has_them) {
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> in(256);
  for (const std::int64_t i : {0, 64}) format::store_rounded(in.data(), i, QFUSE_BFLOAT16, 0x1p127F);
  const std::vector<float> absmax = {1.0F, 2.0F};
  contract::Matmul4bit own = two_terms(packed, absmax, in);
  own.sum = QFUSE_SUM_OF_DEVICE;
  const std::vector<std::uint8_t> infinite = {0x80, 0x7f};
  const std::vector<std::uint8_t> finite = {0x00, 0x7f};
  const auto expect_refused = [&](qfuse_sum sum, const qfuse_exec& exec, const char* words) {
    std::vector<std::uint8_t> out(2);
    contract::Matmul4bit p = own;
    p.sum = sum;
    p.out = out.data();
    qfuse_error error{};
    EXPECT_EQ(run(p, exec, &error), QFUSE_UNSUPPORTED);
    EXPECT_NE(std::string(error.message).find(words), std::string::npos) << error.message;
  };
  for_each_cpu_way([&](const qfuse_exec& exec) {
    const bool has_dot = has_sum(QFUSE_SUM_BF16_DOT, exec);
    const bool has_amx = has_sum(QFUSE_SUM_BF16_AMX, exec);
    expect_output(own, has_dot && !has_amx ? finite : infinite, exec);
    for (const qfuse_sum sum : kOfCpus)
      if (!has_sum(sum, exec)) expect_refused(sum, exec, exec.cpu_target);
  });
  for_each_gpu_way([&](const qfuse_exec& exec) {
    for (const qfuse_sum sum : kOfCpus) expect_refused(sum, exec, "CPUs alone");
  });
}

// -2^-126 and a little more: the sum is subnormal, but rounding gives -2^-126 again. It is still flushed to zero if it
// is also subnormal when rounded to 24 bits with an unbounded exponent.
TEST(Matmul4bit, bf16_dot_products_judge_a_sum_as_if_no_exponent_were_too_small) {
  const auto expect_sum = [](float little, std::uint16_t sum) {
    std::vector<std::uint8_t> packed;
    std::vector<std::uint8_t> in(256);
    format::store_rounded(in.data(), 0, QFUSE_BFLOAT16, 0x1p-63F);
    format::store_rounded(in.data(), 64, QFUSE_BFLOAT16, little);
    const std::vector<float> absmax = {0x1p-63F, 0x1p-75F};
    contract::Matmul4bit p = two_terms(packed, absmax, in);
    p.sum = QFUSE_SUM_BF16_DOT;
    std::vector<std::uint8_t> expected(2);
    std::memcpy(expected.data(), &sum, sizeof sum);
    const auto expect = [&](const qfuse_exec& exec) { expect_output(p, expected, exec); };
    expect(oracle());
    for_each_cpu_way_with(QFUSE_SUM_BF16_DOT, expect);
  };
  expect_sum(0x1p-75F, 0x0000);  // 2^-150
  expect_sum(0x1p-77F, 0x8080);  // 2^-152
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
  for (const qfuse_sum sum : kOfCpus)
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
