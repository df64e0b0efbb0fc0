// Compares fp64 sums in integer arithmetic with the CPU's own fp64.
#include "format/binary64.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace qfuse::format {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr std::array kEdges = {0.0F,     -0.0F,        1.0F,    -1.0F,   FLT_MAX,  -FLT_MAX, FLT_MIN,
                               -FLT_MIN, FLT_TRUE_MIN, kInf,    -kInf,   0x1p-30F, 0x1p23F,  0x1p24F,
                               0x1p29F,  0x1p30F,      0x1p53F, 0x1p54F, NAN,      0x1p-24F, 1 / 3.0F};

// Edge values, any bits, subnormals, and numbers close to each other whose sums cancel.
class Numbers {
 public:
  float next() {
    const auto bits = static_cast<std::uint32_t>(random_());
    switch (random_() % 5) {
      case 0: return kEdges[random_() % kEdges.size()];
      case 1: return std::bit_cast<float>(bits);
      case 2: return std::bit_cast<float>(bits & 0x80ffffffU);
      default: return std::bit_cast<float>(0x3f000000U + (bits & 0x83ffffffU));
    }
  }
  std::int64_t count() {
    return static_cast<std::int64_t>(random_() % 3 == 0 ? random_() >> (11 + random_() % 50) : random_() % 1000) + 1;
  }

 private:
  std::mt19937_64 random_{64};
};

void expect_same(double expected, Binary64 sum) {
  if (std::isnan(expected))
    ASSERT_GT(binary64::magnitude(sum), binary64::kInf);
  else
    ASSERT_EQ(sum.bits, std::bit_cast<std::uint64_t>(expected)) << expected;
}

void expect_same(float expected, float mean) {
  if (std::isnan(expected))
    ASSERT_EQ(bits_of(mean), kNan32);
  else
    ASSERT_EQ(bits_of(mean), bits_of(expected)) << expected;
}

TEST(Binary64, sums_and_means_as_the_processor_does) {
  constexpr int kSums = 1 << 19;
  constexpr int kTerms = 6;
  Numbers numbers;
  for (int i = 0; i < kSums; ++i) {
    double expected = 0.0;
    Binary64 sum = to_binary64(0.0F);
    for (int term = 0; term < kTerms; ++term) {
      const float x = numbers.next();
      expected += x;
      sum = add(sum, to_binary64(x));
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, sum));
      const std::int64_t count = numbers.count();
      ASSERT_NO_FATAL_FAILURE(
          expect_same(static_cast<float>(expected / static_cast<double>(count)), divide(sum, count)));
    }
  }
}

TEST(Binary64, adds_every_pair_of_edges) {
  for (const float a : kEdges)
    for (const float b : kEdges)
      expect_same(static_cast<double>(a) + static_cast<double>(b), add(to_binary64(a), to_binary64(b)));
}

}  // namespace
}  // namespace qfuse::format
