// in:     in [n] fp32, fp16 or bf16; aligned to 16 bytes
// out:    [n] of the same dtype; aligned to 16 bytes
// math:   out = round(in * factor), each step rounded in fp32
// cost:   2n or 4n bytes read and as many written: bound by the device's memory
// oracle: reference/scale.cpp
// Hopper's way: one thread has a tile copied to shared memory and back. Compiled with flags of its own.
#include "backend/cuda/device/launch.cuh"
#include "skeleton/backend/cuda/scale/steps.cuh"

namespace qfuse::cuda {
namespace {

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void begin_load(void* to, const void* from, unsigned bytes, std::uint64_t& arrived) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)), "r"(bytes));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&arrived))
               : "memory");
}

__device__ void wait_for(std::uint64_t& arrived) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(&arrived))
                 : "memory");
}

__device__ void store_tile(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

template <class T>
__global__ void __launch_bounds__(kScaleThreads) scale_tile(const __grid_constant__ contract::Scale p) {
  constexpr int kTile = kScaleTileBytes / static_cast<int>(sizeof(T));
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ std::uint64_t arrived;
  T* const tile = reinterpret_cast<T*>(shared);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(p.n - first < kTile ? p.n - first : kTile);
  const unsigned bytes = static_cast<unsigned>(count) * sizeof(T);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) begin_load(tile, static_cast<const T*>(p.in) + first, bytes, arrived);
  wait_for(arrived);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kScaleThreads) tile[i] = scaled(tile[i], p.factor);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy engine shall see these stores
  __syncthreads();
  if (threadIdx.x == 0) store_tile(static_cast<T*>(p.out) + first, tile, bytes);
}

}  // namespace

contract::Outcome launch_scale_sm90a(const contract::Scale& p, const ScalePlan& plan, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = kScaleTileBytes};
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch(scale_tile<float>, shape, p, exec);
    case QFUSE_FLOAT16: return launch(scale_tile<Half>, shape, p, exec);
    case QFUSE_BFLOAT16: return launch(scale_tile<Bfloat16>, shape, p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
