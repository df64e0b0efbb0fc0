// The warp-specialized product of matmul_4bit in shapes that no plan has: their rings have a slot too few, so that
// waits can be two phases off.
#ifndef QFUSE_TESTS_SOFTWARE_GPU_PLANTED_SHAPES_H
#define QFUSE_TESTS_SOFTWARE_GPU_PLANTED_SHAPES_H

#include "backend/cuda/matmul_4bit/plan.h"
#include "contract/outcome.h"

namespace qfuse::tests {

struct PlantedShape {
  const char* name;
  cuda::matmul_4bit::StageShape shape;
  contract::Outcome (*multiply)(const contract::Matmul4bit& p);  // forward, bf16, on the first GPU
};

extern const PlantedShape kFiveCodesOfThreeTeams;
extern const PlantedShape kThreeCodesOfTwoTeams;
extern const PlantedShape kAsPlanned;  // a correct shape

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SOFTWARE_GPU_PLANTED_SHAPES_H
