#include "cases/dequantize_fp8.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "format/fp8_groups.h"
#include "format/rounding.h"
#include "support/buffer.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::int64_t kCodes = 256;

// Value of a code by the definition of the format.
double value_of_code(unsigned code) {
  if ((code & 0x7fU) == 0x7f) return std::nan("");
  const int exponent = static_cast<int>(code >> 3 & 15U);
  const double fraction = (code & 7U) / 8.0;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
  return code >= 0x80U ? -magnitude : magnitude;
}

// Each row has all codes and its own scale.
contract::DequantizeFp8 all_codes(const std::vector<std::uint8_t>& codes, const void* scales, std::int64_t count) {
  contract::DequantizeFp8 p{};
  p.rows = count;
  p.cols = kCodes;
  p.block_rows = 1;
  p.block_cols = kCodes;
  p.codes = codes.data();
  p.scales = scales;
  return p;
}

std::vector<std::uint8_t> rows_of_all_codes(std::int64_t rows) {
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(rows * kCodes));
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i);
  return codes;
}

// Products are exact in fp64, and the compiler rounds them to fp32 once. Infinity times zero is NaN there, too.
void expect_products(const contract::DequantizeFp8& all, const std::vector<double>& scales) {
  std::vector<float> products;
  for (const double scale : scales)
    for (unsigned code = 0; code < kCodes; ++code) products.push_back(static_cast<float>(value_of_code(code) * scale));
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    Buffer expected(products.size() * qfuse_dtype_size(dtype));
    for (std::size_t i = 0; i < products.size(); ++i)
      format::store_rounded(expected.as<void>(), static_cast<std::int64_t>(i), dtype, products[i]);
    contract::DequantizeFp8 p = all;
    p.out_dtype = dtype;
    for_each_way<contract::DequantizeFp8>([&](const qfuse_exec& exec) { expect_output(p, expected, exec); });
  }
}

TEST(DequantizeFp8, codes_are_what_the_format_says) {
  for (unsigned code = 0; code < kCodes; ++code) {
    const float value = format::from_e4m3(static_cast<std::uint8_t>(code));
    if (std::isnan(value_of_code(code))) {
      EXPECT_TRUE(std::isnan(value)) << code;
    } else {
      EXPECT_EQ(format::bits_of(value), format::bits_of(static_cast<float>(value_of_code(code)))) << code;
      EXPECT_EQ(format::to_e4m3(value), code) << "and back";
    }
  }
}

// Some products are subnormal, ties of fp32, fp16 or bf16, or infinite.
TEST(DequantizeFp8, products_of_every_code_round_as_fp64_says) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> scales = {1.0F,        -0.0F,           0.0F,      1.0F / 3, -1.5F,         0x1.8p-127F,
                               0x1p-149F,   0x1p-9F,         -0x1p-15F, 0x1p-24F, 0x1.000002p0F, 146.0F,
                               0x1.fep126F, 0x1.fffffep127F, kInf,      -kInf,    std::nanf("")};
  for (std::uint32_t i = 0; i < 64; ++i) scales.push_back(format::float_of(i * 0x9e3779b1U));
  const auto codes = rows_of_all_codes(std::ssize(scales));
  expect_products(all_codes(codes, scales.data(), std::ssize(scales)), {scales.begin(), scales.end()});
}

class DequantizeFp8Cases : public testing::TestWithParam<DequantizeFp8Case> {};

// Misalignment of each array in bytes: GPUs use other loads for aligned codes and outputs.
struct Places {
  std::size_t codes;
  std::size_t scales;
  std::size_t out;
};
constexpr Places kPlaces[] = {{0, 0, 0}, {1, 3, 3}, {4, 2, 0}};

// Quick builds take one place by turns for each type of scales and dtype.
TEST_P(DequantizeFp8Cases, every_target_gives_the_oracles_bytes_at_any_address) {
  for (const qfuse_scale_type type : kFp8ScaleTypes) {
    SCOPED_TRACE("scale_type " + std::to_string(type));
    const DequantizeFp8Input input = make_input(GetParam(), type);
    for (const Places& places : kPlaces) {
      const Buffer codes = copy_of(input.codes, places.codes);
      const Buffer scales = copy_of(input.scales, places.scales);
      const auto place = static_cast<std::size_t>(&places - kPlaces);
      for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
        if (kQuick && (static_cast<std::size_t>(type) + static_cast<std::size_t>(dtype)) % std::size(kPlaces) != place)
          continue;
        SCOPED_TRACE("dtype " + std::to_string(dtype));
        contract::DequantizeFp8 p = make_params(GetParam(), type, input);
        p.out_dtype = dtype;
        const Buffer expected = output_of(p, oracle());
        p.codes = codes.data();
        p.scales = scales.data();
        for_each_fast_way<contract::DequantizeFp8>(
            [&](const qfuse_exec& exec) { expect_output(p, expected, exec, places.out); });
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, DequantizeFp8Cases, testing::ValuesIn(kDequantizeFp8Cases),
                         risk_name<DequantizeFp8Case>);

}  // namespace
}  // namespace qfuse::tests
