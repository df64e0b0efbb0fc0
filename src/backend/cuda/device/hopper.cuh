// Device steps of Hopper kernels, in addition to steps.cuh: NVIDIA's instructions, or their emulation on the GPU of
// tests/software_gpu.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_HOPPER_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_HOPPER_CUH

#ifndef QFUSE_PORTABLE
#include "backend/cuda/device/hopper_ptx.cuh"
#else
#include "backend/cuda/device/hopper_portable.cuh"
#endif
#include "backend/cuda/align.h"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"

namespace qfuse::cuda {

// Called by all lanes of a warp; one of them arrives for all. What the lanes did before is ordered before what a waiter
// does afterwards: each lane's accesses precede __syncwarp, which orders memory among lanes (PTX ISA, bar.warp.sync);
// __syncwarp precedes the arrival, a release; the arrival precedes the wait that it completes, an acquire; and
// causality order is transitive (Memory Consistency Model, Causality Order). racecheck tracks only the lane that
// arrived and reports the other lanes' accesses as hazards.
__device__ inline void arrive_as_warp(Mbarrier& barrier, int lane) {
  __syncwarp(kAllLanes);
  if (lane == 0) arrive(barrier);
}

// Position of a warp in a ring of slots: the slot, and the phase of its mbarriers.
template <int kSlots>
struct PipelineState {
  int slot = 0;
  unsigned phase = 0;
  __device__ void advance(int by) {
    slot += by;
    if (slot < kSlots) return;
    slot -= kSlots;
    ++phase;
  }
};

// The launch's dynamic shared memory, from the first address that is aligned for a tile.
__device__ inline char* aligned_shared() {
  char* const begin = static_cast<char*>(dynamic_shared());
  const auto beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % kTileAlignment);
  return begin + (beyond == 0 ? 0 : kTileAlignment - beyond);
}

template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds, Half) {
  wgmma_half<kColumns, kLeftTransposed, kRightTransposed>(sums, a, b, adds);
}
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds, Bfloat16) {
  wgmma_bfloat16<kColumns, kLeftTransposed, kRightTransposed>(sums, a, b, adds);
}

__device__ inline void wgmma_rs(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds, Half) {
  wgmma_rs_half(sums, a, b, adds);
}
__device__ inline void wgmma_rs(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds, Bfloat16) {
  wgmma_rs_bfloat16(sums, a, b, adds);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_HOPPER_CUH
