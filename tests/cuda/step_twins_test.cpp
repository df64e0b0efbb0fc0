// Tests that device/ptx.cuh and device/portable.cuh agree: on all inputs of unary steps, on many inputs of others.
#include "step_twins.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdio>

namespace qfuse::tests {
namespace {

TEST(StepTwins, give_the_same_bits) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  const std::vector<TwinResult> all = compare_step_twins();
  ASSERT_FALSE(all.empty()) << "the GPU failed";
  for (const TwinResult& twins : all) {
    std::printf("%s: %llu compared\n", twins.step.c_str(), static_cast<unsigned long long>(twins.inputs));
    EXPECT_EQ(twins.differ, 0U) << twins.step << ": input " << twins.example;
  }
}

}  // namespace
}  // namespace qfuse::tests
