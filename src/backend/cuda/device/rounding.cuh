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

// Element e of an array that registers hold as words.
template <class In>
__device__ float widen(const std::uint32_t* words, int e);
template <>
__device__ inline float widen<float>(const std::uint32_t* words, int e) {
  return __uint_as_float(words[e]);
}
template <>
__device__ inline float widen<__half>(const std::uint32_t* words, int e) {
  const __half2 pair = *reinterpret_cast<const __half2*>(words + e / 2);
  return e % 2 == 0 ? __low2float(pair) : __high2float(pair);
}
template <>
__device__ inline float widen<__nv_bfloat16>(const std::uint32_t* words, int e) {
  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xffff0000U);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH
