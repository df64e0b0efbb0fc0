#include "sigmoids.h"

#include <cuda_runtime.h>

#include "backend/cuda/device/swiglu.cuh"

namespace qfuse::tests {
namespace {

__global__ void fill(Sigmoids* of) {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = __uint_as_float(bits << 16);
  of->exponential[bits] = expf(x);
  of->plain[bits] = cuda::sigmoid(x);
  of->fast[bits] = cuda::fast_sigmoid(x);
}

}  // namespace

bool load_sigmoids(Sigmoids& sigmoids) {
  constexpr unsigned kThreads = 256;
  void* memory = nullptr;
  if (cudaMalloc(&memory, sizeof sigmoids) != cudaSuccess) return false;
  fill<<<Sigmoids::kValues / kThreads, kThreads>>>(static_cast<Sigmoids*>(memory));
  const bool good = cudaMemcpy(&sigmoids, memory, sizeof sigmoids, cudaMemcpyDeviceToHost) == cudaSuccess;
  return cudaFree(memory) == cudaSuccess && good;
}

}  // namespace qfuse::tests
