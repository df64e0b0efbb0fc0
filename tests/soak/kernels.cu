#include "kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "gpu.h"

namespace qfuse::soak {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kVector = 16;        // bytes of the widest access
constexpr std::int64_t kMostBlocks = 2048;  // of grid-stride kernels
constexpr int kComputeSteps = 1 << 13;      // about 30 us on an H100
constexpr int kMoveRounds = 2;

__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t thread_count() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }
unsigned few_blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks));
}

// Mixes the bits of a counter (Steele, Lea, Flood: SplitMix64).
__device__ std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Box-Muller transform of two uniform numbers.
__device__ float normal_of(std::uint64_t bits) {
  const float first = (static_cast<float>(bits >> 40) + 1.0F) * 0x1p-24F;  // greater than 0
  const float second = static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
  return sqrtf(-2.0F * logf(first)) * cospif(2.0F * second);
}

__device__ float special_of(std::uint64_t bits, float normal) {
  switch (bits % 64) {
    case 0: return 0.0F;
    case 1: return -0.0F;
    case 2: return normal * 0x1p-130F;
    case 3: return normal * 0x1p14F;
    default: break;
  }
  if (bits / 64 % 512 == 0) return __int_as_float(0x7f800000);
  if (bits / 64 % 512 == 1) return __int_as_float(0x7fc00000);
  return normal;
}

__device__ float value_of(const Fill& what, std::uint64_t bits) {
  if (what.values == Values::uniform)
    return what.scale * (0.125F + 0.875F * (static_cast<float>(bits >> 40) * 0x1p-24F));
  const float normal = normal_of(bits) * what.scale;
  return what.values == Values::special ? special_of(mix(bits), normal) : normal;
}

__global__ void __launch_bounds__(kThreads) fill_elements(void* to, std::int64_t count, const Fill what) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::uint64_t bits = mix(static_cast<std::uint64_t>(i) + (static_cast<std::uint64_t>(what.seed) << 40));
  if (what.values == Values::bytes) {
    static_cast<std::uint8_t*>(to)[i] = static_cast<std::uint8_t>(bits);
    return;
  }
  const float value = value_of(what, bits);
  switch (what.dtype) {
    case QFUSE_FLOAT32: static_cast<float*>(to)[i] = value; return;
    case QFUSE_FLOAT16: static_cast<__half*>(to)[i] = __float2half_rn(value); return;
    case QFUSE_BFLOAT16: static_cast<__nv_bfloat16*>(to)[i] = __float2bfloat16_rn(value); return;
  }
}

// Sets bit 7, 15, 23 or 31 for each byte in which the words differ.
__device__ unsigned differing_bytes(unsigned a, unsigned b) { return __vcmpne4(a, b) & 0x80808080U; }

__global__ void __launch_bounds__(kThreads)
    compare_vectors(const uint4* expected, const uint4* actual, std::int64_t vectors, Difference* found) {
  for (std::int64_t i = thread_index(); i < vectors; i += thread_count()) {
    const uint4 a = expected[i];
    const uint4 b = actual[i];
    const unsigned x = differing_bytes(a.x, b.x);
    const unsigned y = differing_bytes(a.y, b.y);
    const unsigned z = differing_bytes(a.z, b.z);
    const unsigned w = differing_bytes(a.w, b.w);
    if ((x | y | z | w) == 0) continue;
    const auto at = [](unsigned word, int first) { return first + (__ffs(static_cast<int>(word)) - 1) / 8; };
    const int first = x != 0 ? at(x, 0) : y != 0 ? at(y, 4) : z != 0 ? at(z, 8) : at(w, 12);
    atomicAdd(&found->bytes, static_cast<unsigned long long>(__popc(x) + __popc(y) + __popc(z) + __popc(w)));
    atomicMax(&found->complement, ~static_cast<unsigned long long>(i * kVector + first));
  }
}

__global__ void __launch_bounds__(kThreads) overwrite_vectors(uint4* memory, std::int64_t vectors) {
  for (std::int64_t i = thread_index(); i < vectors; i += thread_count())
    memory[i] = {static_cast<unsigned>(i), blockIdx.x, 1, 2};
}

__global__ void __launch_bounds__(kThreads) add_to_vectors(uint4* memory, std::int64_t vectors) {
  for (int round = 0; round < kMoveRounds; ++round)
    for (std::int64_t i = thread_index(); i < vectors; i += thread_count()) {
      uint4 vector = memory[i];
      ++vector.x;
      memory[i] = vector;
    }
}

__global__ void __launch_bounds__(kThreads) multiply_and_add(float* result) {
  float x = static_cast<float>(threadIdx.x);
  float y = 1.0F;
  for (int i = 0; i < kComputeSteps; ++i) {
    x = fmaf(x, 0.5F, y);
    y = fmaf(y, 0.25F, x);
  }
  if (x == -1.0F) *result = y;  // never true, but the compiler cannot know
}

}  // namespace

void fill(void* to, std::int64_t count, const Fill& what, cudaStream_t stream) {
  if (count == 0) return;
  fill_elements<<<blocks_for(count), kThreads, 0, stream>>>(to, count, what);
  require(cudaGetLastError(), "filling an array");
}

void compare(const std::uint8_t* expected, const std::uint8_t* actual, std::int64_t size, Difference* found,
             cudaStream_t stream) {
  const std::int64_t vectors = size / kVector;
  compare_vectors<<<few_blocks_for(vectors), kThreads, 0, stream>>>(
      reinterpret_cast<const uint4*>(expected), reinterpret_cast<const uint4*>(actual), vectors, found);
  require(cudaGetLastError(), "comparing");
}

void overwrite(void* memory, std::int64_t size, cudaStream_t stream) {
  const std::int64_t vectors = size / kVector;
  overwrite_vectors<<<few_blocks_for(vectors), kThreads, 0, stream>>>(static_cast<uint4*>(memory), vectors);
  require(cudaGetLastError(), "overwriting the L2 cache");
}

void move_bytes(void* memory, std::int64_t size, int multiprocessors, cudaStream_t stream) {
  add_to_vectors<<<static_cast<unsigned>(multiprocessors), kThreads, 0, stream>>>(static_cast<uint4*>(memory),
                                                                                  size / kVector);
  require(cudaGetLastError(), "moving bytes beside an op");
}

void compute(float* result, int multiprocessors, cudaStream_t stream) {
  multiply_and_add<<<static_cast<unsigned>(multiprocessors), kThreads, 0, stream>>>(result);
  require(cudaGetLastError(), "computing beside an op");
}

}  // namespace qfuse::soak
