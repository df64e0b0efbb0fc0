// The SwiGLU backward on a GPU against the oracle, to which the GPU lends its exp: the one step in which devices
// differ.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "reference/reference.h"
#include "sigmoids.h"
#include "support/run.h"
#include "support/silu.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

const Sigmoids& sigmoids() {
  static const auto kOnes = [] {
    auto made = std::make_unique<Sigmoids>();
    if (!load_sigmoids(*made)) throw std::runtime_error("the GPU failed to compute its sigmoids");
    return made;
  }();
  return *kOnes;
}

float gpus_exponential(float x) { return sigmoids().exponential[std::bit_cast<std::uint32_t>(x) >> 16]; }

class SiluOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  }
};

class SiluCasesOnGpu : public SiluOnGpu, public testing::WithParamInterface<SiluCase> {};

// Over the case's arrays at an address as odd as asked for, and, M being what it is, rows of y at odd addresses too.
TEST_P(SiluCasesOnGpu, GivesTheOraclesBytesAtAnyAddress) {
  for (const Asked asked : {Asked::both, Asked::gradients, Asked::y}) {
    SCOPED_TRACE(asked == Asked::both ? "both" : asked == Asked::y ? "y alone" : "gradients alone");
    for (const std::size_t misalignment : {0U, 1U, 2U, 8U}) {
      SCOPED_TRACE(misalignment);
      const SiluInputs in(GetParam(), misalignment);
      qfuse_silu_dot_fwd_bwd_quant_fuse_params p = in.params(asked);
      SiluOutputs expected(p.m, p.h);
      expected.point(p, asked);
      reference::silu_dot_fwd_bwd_quant_fuse_with(gpus_exponential, p);
      for_each_gpu_way([&](const qfuse_exec& exec) {
        SiluOutputs actual(p.m, p.h, misalignment);
        actual.point(p, asked);
        qfuse_error error{};
        ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
        ASSERT_TRUE(same_outputs(expected, actual));
      });
      EXPECT_TRUE(in.unchanged());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, SiluCasesOnGpu, testing::ValuesIn(kSiluCases), [](const auto& info) {
  std::string name = info.param.risk;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// As many tiles as fewer threads a block are used for, and more than one wave of blocks.
TEST_F(SiluOnGpu, GivesTheOraclesBytesWhateverTheNumberOfTiles) {
  for (const std::int64_t m : {2048, 3968}) {
    const SiluInputs in(SiluCase{"", m, 2560}, 0);
    qfuse_silu_dot_fwd_bwd_quant_fuse_params p = in.params(Asked::both);
    SiluOutputs expected(p.m, p.h);
    expected.point(p, Asked::both);
    reference::silu_dot_fwd_bwd_quant_fuse_with(gpus_exponential, p);
    for_each_gpu_way([&](const qfuse_exec& exec) {
      SiluOutputs actual(p.m, p.h);
      actual.point(p, Asked::both);
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_outputs(expected, actual));
    });
  }
}

TEST_F(SiluOnGpu, TheFastSigmoidHasTheBitsOfThePlainOne) {
  constexpr float kMost = 87.0F;  // device/swiglu.cuh
  for (unsigned bits = 0; bits < Sigmoids::kValues; ++bits) {
    const float g = std::bit_cast<float>(bits << 16);
    if (!(std::fabs(g) <= kMost)) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(sigmoids().fast[bits]), std::bit_cast<std::uint32_t>(sigmoids().plain[bits]))
        << g;
  }
}

// A wrong table would make the oracle wrong in the same way: exp itself, within two ulps of fp64's.
TEST_F(SiluOnGpu, ExpIsExp) {
  for (unsigned bits = 0; bits < Sigmoids::kValues; ++bits) {
    const float x = std::bit_cast<float>(bits << 16);
    const double exact = std::exp(static_cast<double>(x));
    const float gpus = sigmoids().exponential[bits];
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(gpus));
    } else if (exact > 0x1p-126 && exact < 0x1p127) {
      ASSERT_LE(std::fabs(static_cast<double>(gpus) - exact), 2 * 0x1p-23 * exact) << x;
    } else {
      ASSERT_TRUE(exact > 1 ? gpus > 0x1p126F : gpus <= 0x1p-126F) << x;
    }
  }
}

}  // namespace
}  // namespace qfuse::tests
