#include "format/rounding.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <random>

namespace qfuse::format {
namespace {

#if defined(__aarch64__)
using CompilersHalf = __fp16;  // g++ 12 has no _Float16 in C++ on aarch64
#else
using CompilersHalf = _Float16;
#endif

// The compiler's own conversions are the independent reference for fp16.
TEST(Rounding, every_float16_widens_as_the_compiler_widens_it) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto expected = static_cast<float>(std::bit_cast<CompilersHalf>(half));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(from_float16(half))) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(from_float16(half)), std::bit_cast<std::uint32_t>(expected)) << bits;
    }
  }
}

void expect_rounds_like_the_compiler(float x) {
  const auto expected = static_cast<CompilersHalf>(x);
  if (std::isnan(x)) {
    ASSERT_EQ(to_float16(x), kNan16);
  } else {
    ASSERT_EQ(to_float16(x), std::bit_cast<std::uint16_t>(expected)) << x;
  }
}

TEST(Rounding, float16_rounds_as_the_compiler_rounds_it) {
  // Each fp16 value, the midpoint to its neighbor, and the floats next to both: every tie and every edge.
  for (std::uint32_t bits = 0; bits < 0xffff; ++bits) {
    const float value = from_float16(static_cast<std::uint16_t>(bits));
    const float next = from_float16(static_cast<std::uint16_t>(bits + 1));
    for (const float x : {value, value / 2 + next / 2})
      for (const float y : {x, std::nextafter(x, INFINITY), std::nextafter(x, -INFINITY)})
        ASSERT_NO_FATAL_FAILURE(expect_rounds_like_the_compiler(y));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 2'000'000; ++i)
    ASSERT_NO_FATAL_FAILURE(
        expect_rounds_like_the_compiler(std::bit_cast<float>(static_cast<std::uint32_t>(random()))));
}

// bf16 is the upper half of fp32. The reference is the nearer neighbor, found in fp64; ties go to the even one.
TEST(Rounding, bfloat16_is_the_nearest_with_ties_to_even) {
  std::mt19937 random(4);
  for (int i = 0; i < 2'000'000; ++i) {
    const float x = std::bit_cast<float>(i < 200'000 ? static_cast<std::uint32_t>(random()) | 0x8000U
                                                     : static_cast<std::uint32_t>(random()));
    if (!std::isfinite(x)) continue;
    const auto below = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);  // toward zero
    const auto above = static_cast<std::uint16_t>(below + 1);
    const double to_below = std::fabs(static_cast<double>(x) - static_cast<double>(from_bfloat16(below)));
    // Above the largest finite value, rounding continues as if the exponent range did.
    const double step = std::ldexp(1.0, std::max(std::ilogb(x == 0 ? FLT_MIN : x), -126) - 7);
    const double to_above = step - to_below;
    const std::uint16_t expected = to_below < to_above   ? below
                                   : to_above < to_below ? above
                                   : below % 2 == 0      ? below
                                                         : above;
    ASSERT_EQ(to_bfloat16(x), expected) << x;
  }
}

TEST(Rounding, nan_becomes_the_canonical_nan) {
  for (const std::uint32_t bits : {0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff800001U}) {
    EXPECT_EQ(to_bfloat16(std::bit_cast<float>(bits)), 0x7fff);
    EXPECT_EQ(to_float16(std::bit_cast<float>(bits)), 0x7fff);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(canonical(std::bit_cast<float>(bits))), 0x7fffffffU);
  }
}

TEST(Rounding, flush_keeps_the_sign_and_everything_normal) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(ftz(std::bit_cast<float>(0x007fffffU))), 0U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(ftz(std::bit_cast<float>(0x80000001U))), 0x80000000U);
  for (const std::uint32_t bits : {0x00800000U, 0x80800000U, 0x3f800000U, 0x7f800000U, 0xff800000U, 0x7fc00001U})
    EXPECT_EQ(std::bit_cast<std::uint32_t>(ftz(std::bit_cast<float>(bits))), bits);
}

TEST(Rounding, flushing_product_flushes_operands_and_result) {
  EXPECT_EQ(mul_ftz(0x1p-127F, 0x1p100F), 0.0F) << "a subnormal operand counts as zero";
  EXPECT_EQ(mul_ftz(0x1p-100F, 0x1p-27F), 0.0F) << "a subnormal result becomes zero";
  EXPECT_TRUE(std::signbit(mul_ftz(-0x1p-100F, 0x1p-27F)));
  EXPECT_EQ(mul_ftz(0x1p-100F, 0x1p-26F), 0x1p-126F);
  EXPECT_EQ(mul_ftz(0x1.fffffep-100F, 0x1p-27F), 0.0F) << "below 2^-126 in 24 bits";
  EXPECT_TRUE(std::isnan(mul_ftz(INFINITY, 0x1p-127F))) << "infinity times what counts as zero";
  EXPECT_EQ(mul_ftz(FLT_MAX, 0.0F), 0.0F) << "though its scaled operand is infinite";
  EXPECT_EQ(mul_ftz(FLT_MAX, 0x1p-126F), 0x1.fffffep1F);
}

// The independent reference is the exact product in fp64, rounded to 24 bits at an exponent far from underflow.
TEST(Rounding, flushing_product_is_judged_after_rounding_to_24_bits) {
  std::mt19937 random(4);
  for (int i = 0; i < 2'000'000; ++i) {
    const float a =
        std::bit_cast<float>((static_cast<std::uint32_t>(random()) & 0x007fffffU) | 0x20000000U);  // in [2^-63, 2^-62)
    const auto b = static_cast<float>(0x1p-126 / a * (1 + std::ldexp(static_cast<double>(random() % 7) - 3, -24)));
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    const bool flushed = static_cast<float>(exact * 0x1p100) < 0x1p-26F;
    ASSERT_EQ(mul_ftz(a, b), flushed ? 0.0F : a * b) << a << " * " << b;
  }
}

}  // namespace
}  // namespace qfuse::format
