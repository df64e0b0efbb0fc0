// matmul_4bit against independently computed results.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cases/matmul_4bit.h"
#include "format/rounding.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/output.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

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
  for (const qfuse_direction direction : kMatmulDirections)
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

// Compares fp32 sums with fp64 sums of the same terms: the error is at most one fp32 unit of the sum of magnitudes per
// term (docs/ACCURACY.md).
TEST(Matmul4bit, sums_are_near_those_of_fp64) {
  const Matmul4bitCase c{"near", 3, 48, 1024};
  for (const qfuse_direction direction : kMatmulDirections) {
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
  for (const qfuse_direction direction : kMatmulDirections) {
    const Matmul4bitInput in = make_input(c, direction, QFUSE_BFLOAT16);
    contract::Matmul4bit p = make_params(c, direction, QFUSE_BFLOAT16, in);
    const auto expect_near = [&](const qfuse_exec& exec) {
      for_each_exact_sum(p, output_of(p, exec), [&](double got, double sum, double magnitudes) {
        const double of_sum = static_cast<double>(term_count(p)) * 0x1p-24 * magnitudes;
        ASSERT_LE(std::fabs(got - sum), of_sum + 0x1p-8 * (std::fabs(sum) + of_sum));
      });
    };
    for (const qfuse_sum sum : kSumsOfCpus) {
      p.sum = sum;
      expect_near(oracle());
      for_each_cpu_way_with(sum, expect_near);
    }
  }
}

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
    for (const qfuse_sum sum : kSumsOfCpus)
      if (!has_sum(sum, exec)) expect_refused(sum, exec, exec.cpu_target);
  });
  for_each_gpu_way([&](const qfuse_exec& exec) {
    for (const qfuse_sum sum : kSumsOfCpus) expect_refused(sum, exec, "CPUs alone");
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

}  // namespace
}  // namespace qfuse::tests
