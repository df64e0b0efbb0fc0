// The steps that encode block-scaled formats, compared with an exhaustive search for the nearest code and with fp64.
#include "format/block_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace qfuse::format {
namespace {

constexpr std::array<double, 8> kMagnitudes{0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
constexpr float kMost = std::numeric_limits<float>::max();

// tie(low, high) returns the code to take of two that are equally near.
template <class Tie>
int nearest(float value, Tie tie) {
  const double magnitude = std::min(std::abs(static_cast<double>(value)), 10.0);
  int best = 0;
  for (int code = 1; code < 8; ++code) {
    const double before = std::abs(magnitude - kMagnitudes.at(static_cast<std::size_t>(best)));
    const double now = std::abs(magnitude - kMagnitudes.at(static_cast<std::size_t>(code)));
    if (now < before || (now == before && tie(best, code) == code)) best = code;
  }
  return best;
}

// All code values, the midpoints between neighbors, the floats next to these, and many random values.
std::vector<float> telling_values() {
  std::vector<float> values{0.0F, kMost, 0x1p-149F, 0x1p-126F, 5.0F, 7.0F, 100.0F};
  for (std::size_t i = 0; i + 1 < kMagnitudes.size(); ++i)
    values.insert(values.end(), {static_cast<float>(kMagnitudes.at(i + 1)),
                                 static_cast<float>((kMagnitudes.at(i) + kMagnitudes.at(i + 1)) / 2)});
  for (std::size_t i = 0, count = values.size(); i < count; ++i)
    values.insert(values.end(), {std::nextafter(values[i], 0.0F), std::nextafter(values[i], kMost)});
  std::mt19937 random(1);
  std::uniform_real_distribution<float> some(0.0F, 7.0F);
  for (int i = 0; i < 100'000; ++i) values.push_back(some(random));
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

TEST(BlockCodes, e2m1_is_the_nearest_and_ties_go_up) {
  for (const float value : telling_values()) {
    const int sign = std::signbit(value) ? 8 : 0;
    ASSERT_EQ(to_e2m1_up(value), nearest(value, [](int, int high) { return high; }) | sign) << value;
  }
}

TEST(BlockCodes, e2m1_is_the_nearest_and_ties_go_to_even) {
  for (const float value : telling_values()) {
    const int sign = value < 0.0F ? 8 : 0;
    ASSERT_EQ(to_e2m1_even(value), nearest(value, [](int low, int high) { return low % 2 == 0 ? low : high; }) | sign)
        << value;
  }
  EXPECT_EQ(to_e2m1_even(-0.0F), 0);
  EXPECT_EQ(to_e2m1_even(-0x1p-149F), 8);
  EXPECT_EQ(to_e2m1_even(std::numeric_limits<float>::quiet_NaN()), 0) << "a value, as decoding needs";
}

TEST(BlockCodes, e4m3_of_a_number_is_that_of_any_float) {
  for (std::uint64_t bits = 0; bits <= 0xffffffffU; bits += 997) {
    const float value = float_of(static_cast<std::uint32_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(number_to_e4m3(value), to_e4m3(value)) << value;
  }
  for (int code = 0; code < 127; ++code) {  // each value, the midpoints, and the floats next to them
    const float value = from_e4m3(static_cast<std::uint8_t>(code));
    const float next = code < 126 ? from_e4m3(static_cast<std::uint8_t>(code + 1)) : 480.0F;
    for (const float middle : {value, std::nextafter(value, kMost), (value + next) / 2,
                               std::nextafter((value + next) / 2, kMost), std::nextafter((value + next) / 2, 0.0F)}) {
      ASSERT_EQ(number_to_e4m3(middle), to_e4m3(middle)) << middle;
      ASSERT_EQ(number_to_e4m3(-middle), to_e4m3(-middle)) << middle;
    }
  }
}

TEST(BlockCodes, mx_exponents_are_powers_of_two_around_absmax) {
  std::mt19937 random(2);
  std::uniform_int_distribution<std::uint32_t> any(1, kInfBits - 1);
  for (int i = 0; i < 200'000; ++i) {
    const float absmax = i < 254 ? std::ldexp(6.0F, i - 130) : float_of(any(random));
    if (!std::isfinite(absmax)) continue;
    int exponent = 0;
    const double quotient = static_cast<double>(absmax / 6.0F);
    const double mantissa = std::frexp(quotient, &exponent);
    const int up = std::max(exponent - (mantissa == 0.5 ? 1 : 0), -126);
    ASSERT_EQ(mx_exponent_rounded_up(absmax), up + 127) << absmax;
    ASSERT_EQ(mx_factor(mx_exponent_rounded_up(absmax)), std::ldexp(1.0F, -up)) << absmax;
    const double of_absmax = std::frexp(static_cast<double>(absmax), &exponent);
    if (absmax < 0x1p-126F) continue;  // a subnormal's stored mantissa is not normalized
    ASSERT_EQ(mx_exponent_of_nearest(absmax), std::max(exponent - 3 + (of_absmax >= 0.875 ? 1 : 0), -127) + 127);
  }
  EXPECT_EQ(mx_exponent_rounded_up(0.0F), 0);
  EXPECT_EQ(mx_factor(0), 0.0F);
  EXPECT_EQ(mx_exponent_of_nearest(0.0F), 0);
}

TEST(BlockCodes, fp8_scales_bring_absmax_to_the_most) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::uint32_t> any(format::bits_of(0x1p-119F), kInfBits - 1);
  for (int i = 0; i < 200'000; ++i) {
    const float absmax = i < 247 ? std::ldexp(7.0F, i - 121) : float_of(any(random));
    if (!std::isfinite(absmax)) continue;
    const BlockScale scale = fp8_block_scale(absmax);
    ASSERT_EQ(scale.scale, 1.0F / scale.factor);
    ASSERT_NEAR(static_cast<double>(absmax) * scale.factor / 448.0, 1.0, 0x1p-20)
        << absmax << ", whose inverse may be subnormal";
    const BlockScale power = fp8_power_scale(absmax);
    int exponent = 0;
    ASSERT_EQ(std::frexp(power.scale, &exponent), 0.5F) << absmax;
    ASSERT_EQ(power.factor * power.scale, 1.0F);
    ASSERT_LE(static_cast<double>(absmax) / power.scale, 448.0 * (1 + 0x1p-17)) << "a power that was rounded down";
    if (power.scale > 0x1p-126F) {
      ASSERT_GT(static_cast<double>(absmax) / power.scale, 224.0 * (1 - 0x1p-20));
    }
  }
}

TEST(BlockCodes, blocks_of_nothing_have_a_scale_of_one) {
  for (const float absmax : {0.0F, 0x1p-149F, 0x1p-126F, 0x1p-120F}) {
    EXPECT_EQ(fp8_block_scale(absmax).scale, 1.0F) << absmax;
    EXPECT_EQ(fp8_block_scale(absmax).factor, 1.0F) << absmax;
    EXPECT_EQ(fp8_power_scale(absmax).scale, 1.0F) << absmax;
  }
  EXPECT_LT(fp8_block_scale(0x1p-119F).scale, 1.0F);
}

}  // namespace
}  // namespace qfuse::format
