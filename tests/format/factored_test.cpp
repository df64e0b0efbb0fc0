// Tests the scale by which FACTORED sums multiply a chunk of inputs.
#include "format/factored.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace qfuse::format {
namespace {

constexpr int kLeastExponent = -111;
constexpr int kMostExponent = 127;

// Expects that both scales are normal powers of two.
void expect_scale(float largest, int exponent) {
  const ChunkScale scale = chunk_scale(largest);
  EXPECT_EQ(scale.up, std::ldexp(1.0F, 14 - exponent)) << largest;
  EXPECT_EQ(scale.down, std::ldexp(1.0F, exponent - 14)) << largest;
  EXPECT_EQ(scale.up * scale.down, 1.0F) << largest;
}

TEST(ChunkScale, puts_the_largest_magnitude_between_2_to_the_14_and_twice_that) {
  for (int exponent = kLeastExponent; exponent <= kMostExponent; ++exponent) {
    const float power = std::ldexp(1.0F, exponent);
    for (const float largest : {power, power * 1.5F, std::nextafter(power, 2 * power), power * 0x1.fffffep0F}) {
      expect_scale(largest, exponent);
      EXPECT_GE(largest * chunk_scale(largest).up, 0x1p14F) << largest;
      EXPECT_LT(largest * chunk_scale(largest).up, 0x1p15F) << largest;
    }
  }
}

TEST(ChunkScale, small_magnitudes_have_the_least_exponent) {
  for (const float largest : {0.0F, 0x1p-149F, 0x1p-127F, 0x1p-126F, std::nextafter(0x1p-111F, 0.0F)})
    expect_scale(largest, kLeastExponent);
}

TEST(ChunkScale, infinity_and_nan_have_the_largest_exponent_of_a_number) {
  for (const std::uint32_t bits : {kInfBits, kInfBits + 1, kNan32}) expect_scale(float_of(bits), kMostExponent);
}

}  // namespace
}  // namespace qfuse::format
