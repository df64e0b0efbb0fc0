#include "software_gpu/planted_shapes.h"

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/warp_specialized.cuh"

namespace qfuse::tests {
namespace {

using cuda::matmul_4bit::StageShape;

template <int kOutputs, int kTokens, int kDecoders, int kTeams, int kDecodedSlots, int kInputSlots, int kCodeSlots>
struct Planted {
  static constexpr StageShape kShape = {kOutputs,      kTokens,     kDecoders,  kTeams,
                                        kDecodedSlots, kInputSlots, kCodeSlots, 0};
};

template <class OfShape>
contract::Outcome multiply_in(const contract::Matmul4bit& p) {
  constexpr StageShape kShape = OfShape::kShape;
  cuda::matmul_4bit::Plan plan;
  plan.kernel = cuda::matmul_4bit::Kernel::warp_specialized;
  plan.outputs = kShape.outputs;
  plan.tokens = kShape.tokens;
  plan.blocks = 1;
  const cuda::CurrentDevice current(0);  // needed by the tensor maps too
  if (!current.outcome().ok()) return current.outcome();
  cuda::matmul_4bit::PipelineArguments arguments;
  if (contract::Outcome o = make_pipeline_arguments(arguments, arguments_of(p, plan), p, 0, plan); !o.ok()) return o;
  return cuda::launch(cuda::matmul_4bit::multiply_warp_specialized<cuda::Bfloat16, true, OfShape>,
                      {.blocks = plan.blocks,
                       .threads = kShape.threads(),
                       .shared_bytes = static_cast<int>(stage_shared_bytes(kShape))},
                      arguments, QFUSE_EXEC_INIT);
}

template <class OfShape>
constexpr PlantedShape planted(const char* name) {
  return {name, OfShape::kShape, multiply_in<OfShape>};
}

}  // namespace

const PlantedShape kFiveCodesOfThreeTeams = planted<Planted<128, 64, 12, 3, 4, 3, 5>>("five_codes_of_three_teams");
const PlantedShape kThreeCodesOfTwoTeams = planted<Planted<128, 128, 8, 2, 3, 3, 3>>("three_codes_of_two_teams");
const PlantedShape kAsPlanned = planted<cuda::matmul_4bit::ShapeOf<128, 64>>("as_planned");

}  // namespace qfuse::tests
