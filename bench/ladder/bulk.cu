// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written
// oracle: reference/dequantize_4bit.cpp
// A tile is decoded into shared memory, which the copy engine of Hopper and later writes out.
#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;
constexpr int kTileBytes = kThreads * static_cast<int>(sizeof(uint4));

// Shared memory to global memory, and no further than that shared memory has been read.
__device__ inline void copy_out(void* to, const void* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(shared), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

// What threads have stored there may be read by the copy engine, when all have come this far and to a barrier.
__device__ inline void publish_shared() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

template <class Out>
__global__ void __launch_bounds__(kThreads) decode_tile(Weight w, uint4* out) {
  __shared__ float table[format::kCodes4];
  __shared__ alignas(16) uint4 tile[kThreads];
  load_table(table);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const std::int64_t i = first + threadIdx.x;
  const std::uint32_t codes = reinterpret_cast<const std::uint32_t*>(w.packed)[i];
  float values[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) values[e] = table[nibble(codes, e)];
  tile[threadIdx.x] = scale_group<Out>(values, decode_absmax(w, i * kGroup / kBlock));
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) copy_out(out + first, tile, kTileBytes);
}

}  // namespace
}  // namespace ladder

void bulk_stores(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    decode_tile<Out><<<whole_tiles(climb.p.n, kThreads * kGroup), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<uint4*>(climb.p.out));
  });
}

}  // namespace qfuse::bench
