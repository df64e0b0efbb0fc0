#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "format/codebook4.h"
#include "format/dynamic8.h"
#include "reference/reference.h"

namespace qfuse::format {
namespace {

template <std::size_t N>
std::array<std::uint32_t, N> bits_of(std::span<const float> values) {
  std::array<std::uint32_t, N> bits{};
  std::ranges::transform(values, bits.begin(), [](float value) { return std::bit_cast<std::uint32_t>(value); });
  return bits;
}

// The fp32 bits of bitsandbytes' decision constants: each decimal is rounded once.
TEST(Codebook4, thresholds_are_the_decimals_rounded_once) {
  EXPECT_EQ(bits_of<7>(kFp4.used_thresholds()),
            (std::array<std::uint32_t, 7>{0x3b2aaab9, 0x3db00000, 0x3e555555, 0x3e955555, 0x3ed55556, 0x3f155550,
                                          0x3f555555}));
  const auto nf4 = bits_of<15>(kNf4.used_thresholds());
  for (std::size_t i = 0; i < nf4.size(); ++i) {
    const float midpoint = (kNf4.values[i] + kNf4.values[i + 1]) * 0.5F;
    const bool is_off = i == 0 || i == 8 || i == 12 || i == 14;
    EXPECT_EQ(nf4[i] == std::bit_cast<std::uint32_t>(midpoint), !is_off) << i;
  }
  EXPECT_EQ(nf4[0], 0xbf591cd9U);
  EXPECT_EQ(nf4[8], 0x3df64863U);
  EXPECT_EQ(nf4[12], 0x3f006d03U);
  EXPECT_EQ(nf4[14], 0x3f5c89d9U);
}

TEST(Codebook4, ranks_ascend_in_magnitude) {
  for (const Codebook4* codebook : {&kNf4, &kFp4}) {
    for (std::size_t rank = 1; rank <= static_cast<std::size_t>(codebook->threshold_count); ++rank) {
      const float below = codebook->values[codebook->code_of_rank[rank - 1]];
      const float above = codebook->values[codebook->code_of_rank[rank]];
      EXPECT_LT(below, codebook->thresholds[rank - 1]);
      EXPECT_LT(codebook->thresholds[rank - 1], above);
    }
  }
}

TEST(Dynamic8, is_the_map_that_checkpoints_hold) {
  EXPECT_EQ(dynamic8::crc32(kDynamic8), 454261483U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(kDynamic8[0]), 0xbf7e3333U);
  EXPECT_EQ(kDynamic8[127], 0.0F);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(kDynamic8[128]), 0x3513a3b7U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(kDynamic8[254]), 0x3f7e3333U);
  EXPECT_EQ(kDynamic8[255], 1.0F);
  EXPECT_TRUE(std::ranges::is_sorted(kDynamic8Thresholds));
}

std::uint8_t count_below(float x) {
  return static_cast<std::uint8_t>(std::ranges::count_if(kDynamic8Thresholds, [x](float t) { return x > t; }));
}

// The backends count thresholds, but the oracle searches as bitsandbytes does. Both must agree for all inputs.
TEST(Dynamic8, counting_thresholds_equals_the_search) {
  for (std::size_t i = 0; i + 1 < kDynamic8.size(); ++i) {
    const float midpoint = (kDynamic8[i] + kDynamic8[i + 1]) * 0.5F;
    for (const float x : {kDynamic8[i], midpoint, std::nextafter(midpoint, 2.0F), std::nextafter(midpoint, -2.0F)})
      ASSERT_EQ(count_below(x), reference::encode_8bit(x)) << i << " " << x;
    EXPECT_EQ(reference::encode_8bit(midpoint) % 2, 0) << "ties go to the even index";
  }
  std::mt19937 random(5);
  for (int i = 0; i < 300'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    ASSERT_EQ(count_below(x), reference::encode_8bit(x)) << x;
  }
  EXPECT_EQ(reference::encode_8bit(NAN), 0);
  EXPECT_EQ(reference::encode_8bit(0.0F), 127);
}

}  // namespace
}  // namespace qfuse::format
