// Conversions between fp32 and the 16-bit types. No step may be fused with another: files that include this are
// compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH

#include <cstdint>

#include "backend/cuda/device/steps.cuh"

namespace qfuse::cuda {

// Element types of arrays in kernels. They are not the vendors' types, whose names and operators differ.
struct Half {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

// Rounds results of arithmetic to nearest even: one as Out, or as many as fill 32 bits, the first one lowest.
template <class Out>
struct Rounding;

template <>
struct Rounding<float> {
  static __device__ float one(float x) { return canonical(x); }
  static __device__ std::uint32_t word(const float* x) { return __float_as_uint(canonical(x[0])); }
};

template <>
struct Rounding<Half> {
  static __device__ Half one(float x) { return {half_bits(x)}; }
  static __device__ std::uint32_t word(const float* x) { return half_bits(x[0], x[1]); }
};

template <>
struct Rounding<Bfloat16> {
  static __device__ Bfloat16 one(float x) { return {bfloat16_bits(x)}; }
  static __device__ std::uint32_t word(const float* x) { return bfloat16_bits(x[0], x[1]); }
};

// Converts to fp32, exactly.
__device__ inline float widen(float x) { return x; }
__device__ inline float widen(Half x) { return half_value(x.bits); }
__device__ inline float widen(Bfloat16 x) { return __uint_as_float(static_cast<std::uint32_t>(x.bits) << 16); }

// Converts element e of an array held as words in registers.
template <class In>
__device__ float widen(const std::uint32_t* words, int e);
template <>
__device__ inline float widen<float>(const std::uint32_t* words, int e) {
  return __uint_as_float(words[e]);
}
template <>
__device__ inline float widen<Half>(const std::uint32_t* words, int e) {
  return half_value(static_cast<std::uint16_t>(e % 2 == 0 ? words[e / 2] : words[e / 2] >> 16));
}
template <>
__device__ inline float widen<Bfloat16>(const std::uint32_t* words, int e) {
  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xffff0000U);
}

// Stores element e of such an array, whose bits must be zero.
__device__ inline void insert(std::uint32_t* words, int e, float x) { words[e] = __float_as_uint(x); }
__device__ inline void insert(std::uint32_t* words, int e, Half x) {
  words[e / 2] |= static_cast<std::uint32_t>(x.bits) << (16 * (e % 2));
}
__device__ inline void insert(std::uint32_t* words, int e, Bfloat16 x) {
  words[e / 2] |= static_cast<std::uint32_t>(x.bits) << (16 * (e % 2));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ROUNDING_CUH
