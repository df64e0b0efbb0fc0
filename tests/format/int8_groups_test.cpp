#include "format/int8_groups.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace qfuse::format {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Tests every absmax in exhaustive builds (a second or two), otherwise a prime stride of them.
#ifdef QFUSE_EXHAUSTIVE
constexpr std::uint16_t kAbsmaxStride = 1;
#else
constexpr std::uint16_t kAbsmaxStride = 61;
#endif

// The kernels truncate products; by definition, codes are truncated quotients.
TEST(Int8Groups, products_have_the_integer_part_of_quotients_for_every_value_under_every_absmax) {
  std::int64_t differing = 0;
  int most = 0;
  for (std::uint16_t absmax = 0; absmax < kBfloat16Inf; absmax = static_cast<std::uint16_t>(absmax + kAbsmaxStride)) {
    const float scale = group_scale(absmax);
    const float factor = group_factor(absmax);
    int differing_here = 0;
    for (std::uint32_t bits = 0; bits <= absmax; ++bits) {
      const float z = from_bfloat16(static_cast<std::uint16_t>(bits));
      differing_here += static_cast<int>(z / scale) != static_cast<int>(z * factor) ? 1 : 0;
    }
    ASSERT_EQ(differing_here, 0) << "absmax " << from_bfloat16(absmax);
    differing += differing_here;
    most = std::max(most, static_cast<int>(from_bfloat16(absmax) / scale));
  }
  EXPECT_EQ(differing, 0);
  EXPECT_EQ(most, 127) << "the quotients are in range without clipping";
}

TEST(Int8Groups, signs_are_kept) {
  for (std::uint16_t absmax = 1; absmax < kBfloat16Inf; absmax = static_cast<std::uint16_t>(absmax + 97)) {
    const float scale = group_scale(absmax);
    const float z = from_bfloat16(absmax);
    EXPECT_EQ(quantize_value(-z, scale), -quantize_value(z, scale));
    EXPECT_EQ(quantize_value(-z, scale), static_cast<int>(-z * group_factor(absmax)));
  }
}

TEST(Int8Groups, the_largest_becomes_126_for_ten_mantissas) {
  int becomes_126 = 0;
  for (std::uint16_t mantissa = 0; mantissa < 128; ++mantissa) {
    const auto absmax = static_cast<std::uint16_t>(to_bfloat16(1.0F) + mantissa);
    const int q = quantize_value(from_bfloat16(absmax), group_scale(absmax));
    EXPECT_TRUE(q == 126 || q == 127) << q;
    becomes_126 += q == 126 ? 1 : 0;
  }
  EXPECT_EQ(becomes_126, 10);
}

TEST(Int8Groups, scale_has_a_floor_and_keeps_what_is_not_finite) {
  EXPECT_EQ(group_scale(0), 1e-10F);
  EXPECT_EQ(group_scale(to_bfloat16(1e-20F)), 1e-10F);
  EXPECT_EQ(group_scale(to_bfloat16(127.0F)), 127.0F * kInt8Scale);
  EXPECT_EQ(group_scale(kBfloat16Inf), kInfinity);
  for (const std::uint16_t nan : {0x7f81, 0x7fc0, 0x7fff})
    EXPECT_EQ(std::bit_cast<std::uint32_t>(group_scale(nan)), 0x7fffffffU);
}

TEST(Int8Groups, quotients_that_are_no_number_are_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float scale : {1.0F, nan, kInfinity}) EXPECT_EQ(quantize_value(nan, scale), 0);
  for (const float z : {1.0F, -3e38F, 0.0F, kInfinity}) EXPECT_EQ(quantize_value(z, nan), 0);
  for (const float z : {1.0F, -3e38F, 0.0F, kInfinity, -kInfinity}) EXPECT_EQ(quantize_value(z, kInfinity), 0);
  EXPECT_EQ(group_factor(kBfloat16Inf), 0.0F);
  EXPECT_EQ(group_factor(0x7fff), 0.0F);
}

}  // namespace
}  // namespace qfuse::format
