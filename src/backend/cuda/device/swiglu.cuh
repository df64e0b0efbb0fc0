// Steps of SwiGLU on one element: from gate, up and gradient to what the contract rounds to bf16. No step may be fused
// with another unless it says so: files that include this are compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH

#include <cstdint>

#include "backend/cuda/device/rounding.cuh"

namespace qfuse::cuda {

// Largest |g|, as bf16 bits (87), for which fast_sigmoid is right: beyond, 1 + exp(-g) may exceed 2^126, whose
// reciprocal is subnormal.
constexpr std::uint32_t kFastSigmoidMost = 0x42aeU;

__device__ inline float gate_gradient(float g, float u, float dy, float s) {
  return ((dy * u) * s) * (1.0F + g * (1.0F - s));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH
