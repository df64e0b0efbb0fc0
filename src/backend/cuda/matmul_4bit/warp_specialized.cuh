// The warp-specialized kernel: gives each warp its role. A header, so that a test can compile shapes that no plan has.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_WARP_SPECIALIZED_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_WARP_SPECIALIZED_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/decoding_warps.cuh"
#include "backend/cuda/matmul_4bit/multiplying_warps.cuh"
#include "backend/cuda/matmul_4bit/producer_warps.cuh"

namespace qfuse::cuda::matmul_4bit {

template <class Value, bool kForward, class OfShape, template <bool, int, int> class OfScheduler = TileScheduler>
__global__ void __launch_bounds__(OfShape::kShape.threads(), 1)
    multiply_warp_specialized(const __grid_constant__ typename OfScheduler<kForward, 1, 1>::Arguments a) {
  using Tiles = Stage<kForward, OfShape>;
  using Scheduler = OfScheduler<kForward, Tiles::kOutputs, Tiles::kTokens>;
  auto& shared = stage_shared<StageShared<Tiles>>();
  const Scheduler scheduler(a, shared.first_tile);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // tells the compiler that the value is warp-uniform
  if (thread == 0) init_mbarriers(shared);
  if constexpr (!Scheduler::kIsGrouped)  // the previous grid may write the experts' ends
    prefetch_stages<kForward, Tiles>(a, scheduler, thread);
  launch_dependent_grids();
  wait_for_prerequisite_grids();
  find_first_tile(scheduler, warp, shared.first_tile);
  constexpr int kLoaders = Tiles::kMultipliers + Tiles::kDecoders;
  if (warp < Tiles::kMultipliers)
    multiply_stages<Value, kForward>(a, scheduler, shared, warp);
  else if (warp < kLoaders) {
    const auto decode = [&](auto format) {
      decode_stages<Value, kForward, decltype(format)>(a, scheduler, shared, warp - Tiles::kMultipliers);
    };
    if constexpr (Scheduler::kHasOwnFormats)
      with_own_format(a.matmul.weight, decode);
    else
      with_panel_format<true, !Scheduler::kIsGrouped>(a.matmul.weight, decode);
  } else if (thread == kLoaders * kWarp)
    load_all(CodeProducer<kForward, Tiles, Scheduler>(scheduler), a, scheduler, shared);
  else if (thread == (kLoaders + 1) * kWarp)
    load_all(InputProducer<Tiles, Scheduler>(scheduler), a, scheduler, shared);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_WARP_SPECIALIZED_CUH
