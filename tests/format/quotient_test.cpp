// Compares division in integer steps with the CPU's division.
#include "format/quotient.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "format/rounding.h"

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

}  // namespace
}  // namespace qfuse::format
