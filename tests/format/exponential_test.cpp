#include "format/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "format/rounding.h"

namespace qfuse::format {
namespace {

// Tests every float in exhaustive builds (about 15 s), otherwise every bf16 value and floats at a prime stride.
#ifdef QFUSE_EXHAUSTIVE
constexpr std::uint32_t kFloatStride = 1;
#else
constexpr std::uint32_t kFloatStride = 251;
#endif

// Reference value: the host's fp64 exp, rounded once. Its error is below one fp64 ulp, so it is correctly rounded
// except within 2^-52 of a tie, which adds an error of at most half an ulp. Beyond +-104 the result is 0 or infinity,
// and below 2^-26 it is 1.
float judged(float x) {
  if (x > 104.0F) return std::numeric_limits<float>::infinity();
  if (x < -104.0F) return 0.0F;
  if (std::fabs(x) < 0x1p-26F) return 1.0F;
  return static_cast<float>(std::exp(static_cast<double>(x)));
}

// Both are nonnegative, so the difference of the bits counts the floats between them.
std::uint32_t ulps(float a, float b) {
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  return x > y ? x - y : y - x;
}

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t correctly_rounded = 0;
  std::uint32_t worst = 0;
  float worst_at = 0.0F;

  void add(float x) {
    const std::uint32_t distance = ulps(judged(x), exponential(x));
    ++compared;
    correctly_rounded += distance == 0 ? 1 : 0;
    if (distance <= worst) return;
    worst = distance;
    worst_at = x;
  }
};

TEST(Exponential, is_within_one_ulp_of_the_correctly_rounded_for_every_number) {
  Tally tally;
  for (const std::uint32_t sign : {0U, 0x80000000U})
    for (std::uint32_t magnitude = 0; magnitude <= 0x7f800000U;
         magnitude += std::min(kFloatStride, 0x7f800001U - magnitude))
      tally.add(float_of(magnitude | sign));
  EXPECT_LE(tally.worst, 1U) << "exp(" << tally.worst_at << ")";
  RecordProperty("compared", std::to_string(tally.compared));
  RecordProperty("not_correctly_rounded", std::to_string(tally.compared - tally.correctly_rounded));
}

TEST(Exponential, is_within_one_ulp_for_every_bfloat16) {
  Tally tally;
  for (std::uint32_t upper = 0; upper <= 0xffff; ++upper)
    if (const float x = float_of(upper << 16U); !std::isnan(x)) tally.add(x);
  EXPECT_EQ(tally.compared, 2U * 0x7f81U);
  EXPECT_LE(tally.worst, 1U) << "exp(" << tally.worst_at << ")";
}

TEST(Exponential, of_nan_is_nan) {
  for (const std::uint32_t bits : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xff800001U, 0xffffffffU, 0x7fc12345U})
    EXPECT_TRUE(std::isnan(exponential(float_of(bits)))) << bits;
}

TEST(Exponential, ends_where_floats_end) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(exponential(kInfinity), kInfinity);
  EXPECT_EQ(exponential(-kInfinity), 0.0F);
  EXPECT_EQ(exponential(0.0F), 1.0F);
  EXPECT_EQ(exponential(-0.0F), 1.0F);
  EXPECT_LT(exponential(88.72283F), kInfinity) << "the largest whose exp is finite";
  EXPECT_EQ(exponential(std::nextafter(88.72283F, 100.0F)), kInfinity);
  EXPECT_EQ(exponential(-103.972F), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(exponential(-103.973F), 0.0F) << "half of the least subnormal lies between";
}

}  // namespace
}  // namespace qfuse::format
