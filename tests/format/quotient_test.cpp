// Compares division in integer steps, and division by a global scale, with the CPU's division.
#include "format/quotient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "format/rounding.h"
#include "format/row_absmax.h"

namespace qfuse::format {
namespace {

::testing::AssertionResult is_processors(std::uint32_t a, std::uint32_t b) {
  const float expected = canonical(float_of(a) / float_of(b));
  const float actual = quotient(float_of(a), float_of(b));
  if (format::bits_of(expected) == format::bits_of(actual)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << float_of(a) << " / " << float_of(b) << " is " << expected << ", not "
                                       << actual;
}

TEST(Quotient, of_every_kind_of_number_is_the_processors) {
  std::vector<std::uint32_t> kinds;
  for (const std::uint32_t bits :
       {0x00000000U, 0x00000001U, 0x00000003U, 0x003fffffU, 0x00400000U, 0x007fffffU, 0x00800000U,
        0x00800001U, 0x33d6bf95U, 0x3f7fffffU, 0x3f800000U, 0x3f800001U, 0x3fc00000U, 0x40400000U,
        0x43e00000U, 0x7effffffU, 0x7f000000U, 0x7f7fffffU, 0x7f800000U, 0x7f800001U, 0x7fc00000U})
    for (const std::uint32_t sign : {0U, kSignBit}) kinds.push_back(bits | sign);
  for (const std::uint32_t a : kinds)
    for (const std::uint32_t b : kinds) ASSERT_TRUE(is_processors(a, b));
}

TEST(Quotient, of_any_numbers_is_the_processors) {
  std::mt19937 random(3);
  for (int i = 0; i < 4'000'000; ++i) ASSERT_TRUE(is_processors(random(), random()));
}

// The quotients are subnormal and close to ties.
TEST(Quotient, near_the_least_numbers_is_the_processors) {
  std::mt19937 random(4);
  const auto near = [&](std::uint32_t exponent) {
    const std::uint32_t fraction = random() & 0x7fffffU;
    return (exponent + random() % 8) << 23 | (random() % 2 == 0 ? fraction : fraction & 0x700000U);
  };
  for (int i = 0; i < 2'000'000; ++i) ASSERT_TRUE(is_processors(near(1), near(120)));
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(is_processors(near(20), near(150)));
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(is_processors(near(240), near(110)));
}

// Whether E4M3's scale `code`, divided by a global scale, is the CPU's quotient, with subnormal ones flushed to zero.
::testing::AssertionResult is_quotient_of_scale(std::uint32_t code, std::uint32_t divisor) {
  const float scale = from_e4m3(static_cast<std::uint8_t>(code));
  const float expected = mul_ftz(scale / float_of(divisor), 1.0F);
  const GlobalScale global = divided_by(float_of(divisor), [](float a, float b) { return a / b; });
  const auto fma = [](float a, float b, float c) { return std::fma(a, b, c); };
  const float actual = mul_ftz(over_size(scale, global, fma), global.factor);
  if (format::bits_of(canonical(expected)) == format::bits_of(canonical(actual))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << scale << " / " << float_of(divisor) << " is " << expected << ", not "
                                       << actual;
}

// Divisors with every exponent, the greatest and least fractions, zeros, infinities and NaN.
TEST(GlobalScale, every_scale_by_every_kind_of_divisor_is_the_processors) {
  for (std::uint32_t exponent = 0; exponent <= 0x1ff; ++exponent)
    for (const std::uint32_t fraction : {0U, 1U, 2U, 0x123456U, 0x3fffffU, 0x400000U, 0x700000U, 0x7ffffeU, 0x7fffffU})
      for (std::uint32_t code = 0; code < 256; ++code)
        ASSERT_TRUE(is_quotient_of_scale(code, exponent << 23 | fraction));
}

// Scales differ by a power of two from one of 1 to 1.875. Divisors with every fraction, in exhaustive builds, else at a
// prime stride.
TEST(GlobalScale, every_fraction_is_the_processors) {
#ifdef QFUSE_EXHAUSTIVE
  constexpr std::uint32_t kStride = 1;
#else
  constexpr std::uint32_t kStride = 37;
#endif
  constexpr std::uint32_t kOne = 0x3f800000U;
  for (std::uint32_t fraction = 0; fraction < 1U << 23; fraction += kStride)
    for (std::uint32_t code = 0x38; code < 0x40; ++code) ASSERT_TRUE(is_quotient_of_scale(code, kOne | fraction));
}

}  // namespace
}  // namespace qfuse::format
