// Tests the comparison functions of the tests: they must detect every difference that matters.
#include "support/compare.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace qfuse::tests {
namespace {

constexpr std::array kBase = {1.0F, -0.0F, 2.0F};

TEST(Compare, equal_is_equal) { EXPECT_TRUE(same_elements(kBase.data(), kBase.data(), 3, QFUSE_FLOAT32)); }

TEST(Compare, a_number_is_not_nan) {
  const std::array other = {1.0F, -0.0F, NAN};
  EXPECT_FALSE(same_elements(kBase.data(), other.data(), 3, QFUSE_FLOAT32));
  EXPECT_FALSE(same_elements(other.data(), kBase.data(), 3, QFUSE_FLOAT32));
}

TEST(Compare, any_nan_is_any_nan) {
  const std::array one = {std::bit_cast<float>(0x7fc00000U)};
  const std::array two = {std::bit_cast<float>(0xffffffffU)};
  EXPECT_TRUE(same_elements(one.data(), two.data(), 1, QFUSE_FLOAT32));
}

TEST(Compare, zeros_have_signs) {
  const std::array other = {1.0F, 0.0F, 2.0F};
  EXPECT_FALSE(same_elements(kBase.data(), other.data(), 3, QFUSE_FLOAT32));
}

TEST(Compare, one_ulp_is_a_difference_and_is_located) {
  const std::array other = {1.0F, -0.0F, std::nextafter(2.0F, 3.0F)};
  const auto result = same_elements(kBase.data(), other.data(), 3, QFUSE_FLOAT32);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("1 of 3 elements differ, first at 2"), std::string::npos)
      << result.message();
}

TEST(Compare, bytes_differ) {
  const std::array<std::uint8_t, 3> one = {1, 2, 3};
  const std::array<std::uint8_t, 3> two = {1, 9, 3};
  EXPECT_TRUE(same_bytes(one.data(), one.data(), 3));
  const auto result = same_bytes(one.data(), two.data(), 3);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("first at 1: expected 2, is 9"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace qfuse::tests
