// Every SIMD target's loops against the scalar steps of format/.
#include "checkpoint/convert/element_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "format/block_codes.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int64_t kCount = 2 * 1024 + 37;  // more than the loops scale at once, and no whole vectors

// Magnitudes from 2^-12 to 2^12, ties of E2M1, zeros of both signs.
std::vector<float> values() {
  std::vector<float> made(kCount);
  for (std::int64_t i = 0; i < kCount; ++i)
    made[static_cast<std::size_t>(i)] =
        static_cast<float>(i % 2 == 0 ? i : -i) / 1024 * std::exp2(static_cast<float>(i % 25) - 12);
  const float edges[] = {0.0F, -0.0F, 0.25F, -0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, -5.0F, 448.0F, 1e9F};
  std::ranges::copy(edges, made.begin() + 100);
  return made;
}

std::vector<float> scales() {
  std::vector<float> made(kCount);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = i % 7 == 0 ? 1.0F : 0.5F + static_cast<float>(i % 13) / 8;
  return made;
}

template <class Call>
void for_targets(const Call& call) {
  for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i) {
    SCOPED_TRACE(target);
    call(element_loops_of(target));
  }
}

// Compares codes of blocks of several widths with code(value, scale).
template <class Encode, class Code>
void expect_codes(const Encode& encode, const Code& code) {
  const std::vector<float> from = values();
  const std::vector<float> by = scales();
  for (const std::int64_t width : {1, 16, 32, 100, 128, 5000}) {
    SCOPED_TRACE(width);
    std::vector<std::uint8_t> expected(kCount);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = code(from[i], by[i / static_cast<std::size_t>(width)]);
    std::vector<std::uint8_t> codes(kCount);
    encode(ScaledBlocks{from, width, by.data()}, codes.data());
    EXPECT_EQ(codes, expected);
  }
}

// CMakeLists.txt runs it with QFUSE_CPU_TARGET, too, which is read once per process.
TEST(ElementLoops, are_for_the_target_of_the_environment) {
  const char* const asked = std::getenv("QFUSE_CPU_TARGET");
  EXPECT_EQ(&element_loops(), &element_loops_of(asked == nullptr ? qfuse_cpu_target_name(0) : asked));
  EXPECT_NE(&element_loops_of("scalar"), &element_loops_of(qfuse_cpu_target_name(0)));
  EXPECT_THROW(element_loops_of("avx1024"), Error);
}

TEST(ElementLoops, encode_as_the_scalar_steps) {
  for_targets([](const ElementLoops& loops) {
    expect_codes(loops.encode_e4m3, [](float v, float s) { return format::number_to_e4m3(v * s); });
    expect_codes(loops.encode_e2m1_up, [](float v, float s) { return format::to_e2m1_up(v * s); });
    expect_codes(loops.encode_e2m1_even, [](float v, float s) { return format::to_e2m1_even(v * s); });
    expect_codes(loops.encode_e2m1_even_divided, [](float v, float s) { return format::to_e2m1_even(v / s); });
    for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
      const auto quotient = [&](float v, float s) {
        float rounded = 0.0F;
        format::store_rounded(&rounded, 0, static_cast<qfuse_dtype>(dtype), v / s);
        return format::load_as_float(&rounded, 0, static_cast<qfuse_dtype>(dtype));
      };
      expect_codes(
          [&](const ScaledBlocks& blocks, std::uint8_t* codes) { loops.encode_e4m3_divided(blocks, dtype, codes); },
          [&](float v, float s) { return format::number_to_e4m3(quotient(v, s)); });
      expect_codes(
          [&](const ScaledBlocks& blocks, std::uint8_t* codes) { loops.encode_int4_divided(blocks, dtype, codes); },
          [&](float v, float s) {
            return static_cast<std::uint8_t>(8 + std::nearbyint(std::clamp(quotient(v, s), -8.0F, 7.0F)));
          });
    }
  });
}

TEST(ElementLoops, widen_round_and_pack) {
  const std::vector<float> from = values();
  for_targets([&](const ElementLoops& loops) {
    for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
      std::vector<std::byte> rounded(from.size() * static_cast<std::size_t>(size_of(dtype)));
      std::vector<float> widened(from.size());
      loops.round_to(dtype, from, rounded);
      loops.widen(dtype, rounded, widened);
      for (std::int64_t i = 0; i < kCount; ++i) {
        float one = 0.0F;
        format::store_rounded(&one, 0, static_cast<qfuse_dtype>(dtype), from[static_cast<std::size_t>(i)]);
        const auto size = static_cast<std::size_t>(size_of(dtype));
        ASSERT_EQ(std::memcmp(&one, rounded.data() + i * size_of(dtype), size), 0) << i;
        ASSERT_EQ(widened[static_cast<std::size_t>(i)],
                  format::load_as_float(&one, 0, static_cast<qfuse_dtype>(dtype)));
      }
    }
    std::vector<std::uint8_t> nibbles(62);
    for (std::size_t i = 0; i < nibbles.size(); ++i) nibbles[i] = static_cast<std::uint8_t>(i * 5 % 16);
    std::vector<std::byte> packed(nibbles.size() / 2);
    loops.pack(nibbles, packed.data());
    for (std::size_t i = 0; i < packed.size(); ++i)
      ASSERT_EQ(packed[i], static_cast<std::byte>(nibbles[2 * i] + 16 * nibbles[2 * i + 1])) << i;
  });
}

TEST(ElementLoops, raise_absmax_of_blocks) {
  std::vector<float> from = values();
  from[70] = -std::numeric_limits<float>::infinity();
  from[200] = std::numeric_limits<float>::quiet_NaN();
  for_targets([&](const ElementLoops& loops) {
    for (const std::size_t width : {1, 16, 100}) {
      std::vector<std::int32_t> absmax((from.size() + width - 1) / width,
                                       static_cast<std::int32_t>(format::bits_of(2.0F)));
      std::vector<std::int32_t> expected = absmax;
      for (std::size_t i = 0; i < from.size(); ++i)
        expected[i / width] =
            std::max(expected[i / width], static_cast<std::int32_t>(format::bits_of(from[i]) & 0x7fffffffU));
      loops.raise_absmax(from, static_cast<std::int64_t>(width), absmax.data());
      EXPECT_EQ(absmax, expected) << width;
    }
  });
}

TEST(ElementLoops, sum_products_the_same_on_all_targets) {
  const std::vector<float> base = values();
  const std::vector<float> left = scales();
  std::vector<float> sums = base;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += left[i] / 64;
  double kept = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i)
    kept += (static_cast<double>(left[i]) - base[i]) * (static_cast<double>(sums[i]) - base[i]);
  const ProductSums first = element_loops().sum_products(base, sums, left);
  EXPECT_NEAR(first[2], kept, 1e-9 * std::abs(kept));
  for_targets([&](const ElementLoops& loops) { EXPECT_EQ(loops.sum_products(base, sums, left), first); });
}

}  // namespace
}  // namespace qfuse::checkpoint
