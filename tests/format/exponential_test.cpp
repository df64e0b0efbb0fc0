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

// Every float where the build has time for it (some 15 s); else every bf16 value and a prime stride of floats.
#ifdef QFUSE_EXHAUSTIVE
constexpr std::uint32_t kFloatStride = 1;
#else
constexpr std::uint32_t kFloatStride = 251;
#endif

// The judge: the host's exp in fp64, rounded once. It is wrong by less than one unit of fp64, so that its rounding is
// that of the exact value, but where that lies within 2^-52 of a tie, which then costs nobody more than half a unit.
// Beyond +-104 nothing but 0 and infinity is left, below 2^-26 nothing but 1.
float judged(float x) {
  if (x > 104.0F) return std::numeric_limits<float>::infinity();
  if (x < -104.0F) return 0.0F;
  if (std::fabs(x) < 0x1p-26F) return 1.0F;
  return static_cast<float>(std::exp(static_cast<double>(x)));
}

// Neither is negative, so the distance of the bits counts the floats between.
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
