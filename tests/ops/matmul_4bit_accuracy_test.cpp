// Compares FACTORED sums of matmul_4bit with fp64 products of the exact weight (code value times absmax). FACTORED
// rounds only code values, to fp16, so the result's own rounding dominates the error. PLAIN rounds the weight.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>
#include <qfuse/qfuse.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "contract/matmul_4bit.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"
#include "reference/weight_4bit.h"
#include "support/quick.h"
#include "support/random.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::int64_t kRows = kQuick ? 32 : 256;
constexpr std::int64_t kCols = 4096;
constexpr qfuse_dtype kDtype = QFUSE_BFLOAT16;
constexpr double kMost = 1.02;  // times the error of rounding the result

// A token of normally distributed numbers, with `count` other numbers from `first` on.
struct Token {
  const char* name;
  float deviation;
  std::int64_t first;
  std::int64_t count;
  float other;
};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::array kTokens = {Token{"normal", 1.0F, 0, 0, 0.0F},
                                Token{"one outlier", 1e-4F, 1000, 1, 300.0F},
                                Token{"a chunk of zeros", 1.0F, 256, 256, 0.0F},
                                Token{"a chunk of subnormals", 1.0F, 256, 256, 0x1p-130F},
                                Token{"subnormals alone", 0x1p-128F, 0, 0, 0.0F},
                                Token{"an infinity", 1.0F, 1000, 1, -kInfinity},
                                Token{"a NaN", 1.0F, 1000, 1, kNan}};
constexpr std::size_t kNormal = 0;
constexpr std::size_t kOutlier = 1;
constexpr std::size_t kFinite = 5;  // tokens without infinity and NaN

std::vector<std::uint8_t> inputs(std::mt19937& random) {
  std::vector<std::uint8_t> in(kTokens.size() * kCols * qfuse_dtype_size(kDtype));
  std::int64_t at = 0;
  for (const Token& token : kTokens)
    for (std::int64_t t = 0; t < kCols; ++t) {
      const float usual = token.deviation * random_normal(random);
      const bool is_other = t >= token.first && t < token.first + token.count;
      format::store_rounded(in.data(), at++, kDtype, is_other ? token.other : usual);
    }
  return in;
}

// Returns a nested weight distributed like trained ones.
Weight4bitArrays quantized_weight(std::mt19937& random) {
  std::vector<float> values(kRows * kCols);
  for (float& value : values) value = 0.02F * random_normal(random);
  Weight4bitArrays weight(kRows, kCols);
  qfuse::quantize_4bit(std::as_bytes(std::span(values)), Dtype::float32, weight.out());
  return weight;
}

struct QuantizedProduct {
  QuantizedProduct()
      : random(20261127), weight(quantized_weight(random)), in(inputs(random)), out(kTokens.size() * kRows * 2) {
    params.weight = detail::to_c<qfuse_weight_4bit>(weight.view());
    params.dtype = kDtype;
    params.m = kTokens.size();
    params.in = in.data();
    params.out = out.data();
  }
  std::vector<float> outputs(qfuse_sum sum, const qfuse_exec& exec) {
    params.sum = sum;
    qfuse_error error{};
    EXPECT_EQ(run(params, exec, &error), QFUSE_OK) << error.message;
    std::vector<float> values;
    for (std::size_t i = 0; i < kTokens.size() * kRows; ++i)
      values.push_back(format::load_as_float(out.data(), static_cast<std::int64_t>(i), kDtype));
    return values;
  }
  // Computes the products in plain fp64 arithmetic.
  [[nodiscard]] std::vector<double> exact_outputs() const {
    const qfuse_weight_4bit& w = params.weight;
    std::vector<double> row(kCols);
    std::vector<double> sums(kTokens.size() * kRows);
    for (std::int64_t o = 0; o < kRows; ++o) {
      for (std::int64_t t = 0; t < kCols; ++t) {
        const std::int64_t i = o * kCols + t;
        row[static_cast<std::size_t>(t)] = static_cast<double>(format::kNf4.values[format::load_nibble(w.packed, i)]) *
                                           static_cast<double>(reference::decode_absmax(w, i / w.blocksize));
      }
      for (std::size_t token = 0; token < kTokens.size(); ++token)
        for (std::size_t t = 0; t < kCols; ++t)
          sums[token * kRows + static_cast<std::size_t>(o)] +=
              row[t] * static_cast<double>(
                           format::load_as_float(in.data(), static_cast<std::int64_t>(token * kCols + t), kDtype));
    }
    return sums;
  }

  std::mt19937 random;
  Weight4bitArrays weight;
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> out;
  contract::Matmul4bit params{};
};

// Error of a token's outputs relative to their norm.
double error_of(const std::vector<float>& found, const std::vector<double>& exact, std::size_t token) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = token * kRows; i < (token + 1) * kRows; ++i) {
    difference += std::pow(static_cast<double>(found[i]) - exact[i], 2);
    norm += exact[i] * exact[i];
  }
  return std::sqrt(difference / norm);
}

std::vector<float> rounded(const std::vector<double>& exact) {
  std::vector<float> values;
  for (const double value : exact)
    values.push_back(format::from_bfloat16(format::to_bfloat16(static_cast<float>(value))));
  return values;
}

// Runs on the oracle, and on GPUs that add in the same order.
template <class Body>
void for_each_way_in_steps(const Body& body) {
  body(oracle());
  if (gpu_adds_as_the_oracle(kDtype)) for_each_gpu_way(body);
}

TEST(Matmul4bitAccuracy, factored_products_are_nearly_those_of_the_exact_weight) {
  QuantizedProduct product;
  const std::vector<double> exact = product.exact_outputs();
  const std::vector<float> best = rounded(exact);
  for_each_way_in_steps([&](const qfuse_exec& exec) {
    const std::vector<float> factored = product.outputs(QFUSE_SUM_FACTORED, exec);
    const std::vector<float> plain = product.outputs(QFUSE_SUM_PLAIN, exec);
    for (std::size_t token = 0; token < kFinite; ++token) {
      SCOPED_TRACE(kTokens.at(token).name);
      const double rounding = error_of(best, exact, token);
      EXPECT_LE(error_of(factored, exact, token), kMost * rounding);
      if (token <= kOutlier)
        RecordProperty(token == kNormal ? "normal" : "outlier",
                       "plain " + std::to_string(error_of(plain, exact, token)) + ", factored " +
                           std::to_string(error_of(factored, exact, token)) + ", rounding " + std::to_string(rounding));
    }
    EXPECT_GT(error_of(plain, exact, kNormal), kMost * error_of(best, exact, kNormal));
  });
}

// Infinity times a code value of 0 is NaN, and NaN times anything is NaN.
TEST(Matmul4bitAccuracy, factored_products_of_infinity_and_nan_are_ieees) {
  QuantizedProduct product;
  const std::vector<double> exact = product.exact_outputs();
  for_each_way_in_steps([&](const qfuse_exec& exec) {
    const std::vector<float> factored = product.outputs(QFUSE_SUM_FACTORED, exec);
    for (std::size_t i = kFinite * kRows; i < exact.size(); ++i) {
      ASSERT_FALSE(std::isfinite(exact[i]));
      EXPECT_TRUE(std::isnan(exact[i]) ? std::isnan(factored[i]) : static_cast<double>(factored[i]) == exact[i])
          << kTokens.at(i / kRows).name << ", output " << i % kRows << ": " << factored[i] << " for " << exact[i];
    }
  });
}

// One weight is 1 and the others are 0. Its input is 2^-28 of the largest input.
TEST(Matmul4bitAccuracy, factored_products_keep_numbers_far_below_the_largest_one) {
  constexpr std::int64_t kBlock = 64;
  std::vector<std::uint8_t> packed(kBlock / 2, 0x77);
  packed[0] = 0xf7;
  const float absmax = 1.0F;
  contract::Matmul4bit p{};
  p.weight = flat_weight(kBlock, kBlock, QFUSE_NF4);
  p.weight.packed = packed.data();
  p.weight.absmax = &absmax;
  p.m = 1;
  p.sum = QFUSE_SUM_FACTORED;
  const auto expect_kept = [&](qfuse_dtype dtype, float largest, float small) {
    std::vector<std::uint8_t> in(2 * kBlock);
    format::store_rounded(in.data(), 0, dtype, small);
    format::store_rounded(in.data(), kBlock - 1, dtype, largest);
    p.dtype = dtype;
    p.in = in.data();
    for_each_way_in_steps([&](const qfuse_exec& exec) {
      std::vector<std::uint8_t> out(2);
      p.out = out.data();
      EXPECT_EQ(run(p, exec, nullptr), QFUSE_OK);
      EXPECT_EQ(format::load_as_float(out.data(), 0, dtype), small);
    });
  };
  expect_kept(QFUSE_FLOAT16, 0x1p15F, 0x1.004p-13F);
  expect_kept(QFUSE_BFLOAT16, 0x1p127F, 0x1.02p99F);
}

}  // namespace
}  // namespace qfuse::tests
