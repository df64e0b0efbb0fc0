// in:     in [n] fp32, fp16 or bf16; aligned to 16 bytes
// out:    [n] of the same dtype; aligned to 16 bytes
// math:   out = round(in * factor), each step rounded in fp32
// cost:   2n or 4n bytes read and as many written: bound by device memory
// oracle: reference/scale.cpp
// Hopper only: one thread bulk-copies a tile to shared memory and back. Compiled with its own architecture flags.
#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "skeleton/backend/cuda/scale/steps.cuh"

namespace qfuse::cuda::scale {
namespace {

template <class T>
__global__ void __launch_bounds__(kThreads) scale_tile(const __grid_constant__ contract::Scale p) {
  constexpr int kTile = kTileBytes / static_cast<int>(sizeof(T));
  __shared__ Mbarrier barrier;
  T* const tile = static_cast<T*>(dynamic_shared());
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(p.n - first < kTile ? p.n - first : kTile);
  const unsigned bytes = static_cast<unsigned>(count) * sizeof(T);
  if (threadIdx.x == 0) {
    init_mbarrier(barrier);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) load_bulk(tile, static_cast<const T*>(p.in) + first, bytes, barrier);
  wait_for(barrier);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) tile[i] = scaled(tile[i], p.factor);
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) store_bulk(static_cast<T*>(p.out) + first, tile, bytes);
}

}  // namespace

contract::Outcome launch_scale_bulk(const contract::Scale& p, const Plan& plan, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = kTileBytes};
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch(scale_tile<float>, shape, p, exec);
    case QFUSE_FLOAT16: return launch(scale_tile<Half>, shape, p, exec);
    case QFUSE_BFLOAT16: return launch(scale_tile<Bfloat16>, shape, p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda::scale
