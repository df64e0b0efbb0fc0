// Between fp32 and the 16-bit types, and the arithmetic of format/rounding.h, in the device's own instructions. No step
// may be fused with another: whoever includes this is compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace qfuse::cuda {

// Subnormal operands and results count as zero; a NaN result is the canonical one.
__device__ inline float mul_ftz(float a, float b) {
  float product;
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
  return product;
}

// The results of arithmetic rounded to nearest even: one as Out, or as many as fill 32 bits, the first one lowest.
template <class Out>
struct Rounding;

template <>
struct Rounding<float> {
  static __device__ float one(float x) { return x; }
  static __device__ std::uint32_t word(const float* x) { return __float_as_uint(x[0]); }
};

template <>
struct Rounding<__half> {
  static __device__ __half one(float x) { return __float2half_rn(x); }
  static __device__ std::uint32_t word(const float* x) {
    const __half2 pair = __floats2half2_rn(x[0], x[1]);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
};

template <>
struct Rounding<__nv_bfloat16> {
  static __device__ __nv_bfloat16 one(float x) { return __float2bfloat16_rn(x); }
  static __device__ std::uint32_t word(const float* x) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x[0], x[1]);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
};

// Widening is exact.
__device__ inline float widen(float x) { return x; }
__device__ inline float widen(__half x) { return __half2float(x); }
__device__ inline float widen(__nv_bfloat16 x) { return __bfloat162float(x); }

// 8 elements from an address aligned to 16 bytes, which nobody reads again.
template <class In>
__device__ void widen(const In* from, float (&x)[8]) {
  constexpr int kVectors = 8 * sizeof(In) / sizeof(uint4);
  constexpr int kPerVector = 8 / kVectors;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const uint4 words = __ldcs(reinterpret_cast<const uint4*>(from) + v);
#pragma unroll
    for (int e = 0; e < kPerVector; ++e) x[v * kPerVector + e] = widen(reinterpret_cast<const In*>(&words)[e]);
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH
