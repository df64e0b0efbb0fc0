// Declares the CUDA names that kernels and their launches may use, and no others: a platform that provides these names
// can compile the kernels (docs/PORTING.md).
#ifndef QFUSE_TESTS_DIALECT_CUDA_RUNTIME_H
#define QFUSE_TESTS_DIALECT_CUDA_RUNTIME_H

#include <stdlib.h>  // as vendors' headers do, and clang expects it

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr explicit dim3(unsigned to_x = 1, unsigned to_y = 1, unsigned to_z = 1)
      : x(to_x), y(to_y), z(to_z) {}
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
extern const __device__ dim3 threadIdx;
extern const __device__ dim3 blockIdx;
extern const __device__ dim3 blockDim;

#if QFUSE_LANES == 64
using LaneMask = unsigned long long;
#else
using LaneMask = unsigned;
#endif
__device__ void __syncthreads();
__device__ void __syncwarp(LaneMask lanes);
template <class T>
__device__ T __shfl_xor_sync(LaneMask lanes, T value, int mask, int width);
template <class T>
__device__ T __shfl_up_sync(LaneMask lanes, T value, unsigned lanes_before, int width);
template <class T>
__device__ T __shfl_sync(LaneMask lanes, T value, int lane, int width);

__device__ unsigned __float_as_uint(float x);
__device__ float __uint_as_float(unsigned x);
__device__ float __fadd_rn(float a, float b);
__device__ float __fsub_rn(float a, float b);
__device__ float __fmul_rn(float a, float b);
__device__ float __fmaf_rn(float a, float b, float c);
__device__ float fabsf(float x);
__device__ float fmaxf(float a, float b);
__device__ float fminf(float a, float b);
#ifndef QFUSE_NO_FP64
__device__ double __dadd_rn(double a, double b);
__device__ double __ddiv_rn(double a, double b);
__device__ float __double2float_rn(double x);
#endif
__device__ unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift);
__device__ unsigned __byte_perm(unsigned a, unsigned b, unsigned selector);
__device__ int __ffsll(long long x);
template <class T>
__device__ T __ldg(const T* from);
template <class T>
__device__ T __ldcs(const T* from);
template <class T>
__device__ void __stcs(T* to, T value);

// ---- runtime functions that launches use ----

enum cudaError_t { cudaSuccess };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = struct cudaStream*;
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream);
template <class Argument>
cudaError_t cudaLaunchKernel(void (*kernel)(Argument), dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared_bytes, stream);
}

#endif  // QFUSE_TESTS_DIALECT_CUDA_RUNTIME_H
