// The software GPU detects rings of matmul_4bit that fail on a Hopper GPU only in isolated calls.
#include "software_gpu/planted_shapes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cases/matmul_4bit.h"
#include "reference/reference.h"
#include "support/compare.h"
#include "support/quick.h"

namespace qfuse::tests {
namespace {

constexpr int kSeeds = 8;  // enough to detect each fault
constexpr int kSeedsOfRight = kQuick ? 2 : kSeeds;
constexpr Matmul4bitCase kManyStages{"more stages than slots of any ring", 5, 128, 128 * 16};

class PlantedShapes : public testing::Test {
 protected:
  PlantedShapes()
      : in_(make_input(kManyStages, QFUSE_FORWARD, QFUSE_BFLOAT16)),
        p_(make_params(kManyStages, QFUSE_FORWARD, QFUSE_BFLOAT16, in_)) {
    p_.sum = QFUSE_SUM_PLAIN;
    expected_.resize(output_bytes(p_));
    found_.resize(output_bytes(p_));
    p_.out = expected_.data();
    reference::matmul_4bit(p_);
    p_.out = found_.data();
  }
  ~PlantedShapes() override { ::unsetenv("QFUSE_GPU_ORDER"); }

  void run_shuffled(const PlantedShape& shape, int seeds) {
    for (int seed = 1; seed <= seeds; ++seed) {
      ::setenv("QFUSE_GPU_ORDER", ("shuffle:" + std::to_string(seed)).c_str(), 1);
      ASSERT_TRUE(shape.multiply(p_).ok());
      ASSERT_TRUE(same_bytes(expected_.data(), found_.data(), static_cast<std::int64_t>(found_.size()))) << seed;
    }
  }

 private:
  Matmul4bitInput in_;
  contract::Matmul4bit p_;
  std::vector<std::uint8_t> expected_;
  std::vector<std::uint8_t> found_;
};

TEST_F(PlantedShapes, as_planned_are_right_in_every_order) { run_shuffled(kAsPlanned, kSeedsOfRight); }

using PlantedShapesDeathTest = PlantedShapes;

TEST_F(PlantedShapesDeathTest, whose_waits_are_two_phases_off_are_found) {
  for (const PlantedShape* shape : {&kFiveCodesOfThreeTeams, &kThreeCodesOfTwoTeams}) {
    SCOPED_TRACE(shape->name);
    EXPECT_FALSE(keeps_in_phase(shape->shape));
    EXPECT_DEATH(run_shuffled(*shape, kSeeds), "a wait passes two phases off");
  }
}

}  // namespace
}  // namespace qfuse::tests
