// The only CUDA names that the kernels and gpu.cpp use, for a GPU emulated in this process: kernels are compiled as
// C++, each thread of a block is a fiber, and memory is the host's (software_gpu.cpp).
#ifndef QFUSE_TESTS_SOFTWARE_GPU_CUDA_RUNTIME_H
#define QFUSE_TESTS_SOFTWARE_GPU_CUDA_RUNTIME_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

// ---- the language of kernels ----

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static __attribute__((section("qfuse_shared")))  // one block's at a time, overwritten between blocks

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
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

extern thread_local dim3 threadIdx;
extern thread_local dim3 blockIdx;
extern thread_local dim3 blockDim;

void __syncthreads();
void __syncwarp(unsigned lanes);
inline void __threadfence_block() {}
void __nanosleep(unsigned nanoseconds);  // lets the other threads of the block run
unsigned atomicAdd(unsigned* at, unsigned value);
unsigned atomicSub(unsigned* at, unsigned value);

namespace qfuse::software_gpu {
std::uint64_t exchange(std::uint64_t bits, unsigned lane);  // with `lane` of the same warp
struct Words {
  std::uint32_t words[6];
};
const Words* exchange(const Words& words);  // returns those of all lanes of the warp, until it has exchanged again
// device/portable.cuh documents this class.
class WarpWords {
 public:
  explicit WarpWords(const Words& own) : all_(exchange(own)) {}
  [[nodiscard]] std::uint32_t of(int lane, int i) const { return all_[lane].words[i]; }

 private:
  const Words* all_;
};
void* dynamic_shared();
}  // namespace qfuse::software_gpu
#define QFUSE_WARP_WORDS ::qfuse::software_gpu::WarpWords
#define QFUSE_DYNAMIC_SHARED ::qfuse::software_gpu::dynamic_shared()

namespace qfuse::software_gpu {

// The async proxy sees shared memory as a copy, which plain stores reach only by a fence. The range is the dynamic
// shared memory of a launch that has some, otherwise the shared memory that kernels declare.
struct AsyncView {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::intptr_t to_copy = 0;
  [[nodiscard]] bool has(const void* at, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return address >= begin && address + bytes <= end;
  }
};
extern AsyncView async_view;

// device/hopper_portable.cuh documents these functions. QFUSE_GPU_ORDER sets when copies and products complete: forward
// at once or at the next thread switch, backward as late as allowed, the last copy first, and shuffled at any time.
struct Hardware {
  static void copy_in_bulk(void* to, unsigned bytes, std::function<void()> copy);
  template <class T>
  static const T* seen_by_async_proxy(const T* shared) {
    if (!async_view.has(shared, sizeof(T))) fault("the async proxy reads outside of shared memory");
    return reinterpret_cast<const T*>(reinterpret_cast<std::intptr_t>(shared) + async_view.to_copy);
  }
  static void fence_proxy_async();
  static void multiply(std::function<void()> product);
  static void close_products();
  static void wait_for_products(int pending);
  static void let_others_run();
  [[noreturn]] static void fault(const char* what);
};

}  // namespace qfuse::software_gpu
#define QFUSE_HARDWARE ::qfuse::software_gpu::Hardware

template <class T>
T __shfl_sync(unsigned, T value, int lane, int = 32) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = qfuse::software_gpu::exchange(bits, static_cast<unsigned>(lane));
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int lane_mask, int = 32) {
  return __shfl_sync(lanes, value, static_cast<int>(threadIdx.x % 32) ^ lane_mask);
}
template <class T>
T __shfl_up_sync(unsigned lanes, T value, unsigned lanes_before, int = 32) {
  const unsigned lane = threadIdx.x % 32;
  return __shfl_sync(lanes, value, static_cast<int>(lane < lanes_before ? lane : lane - lanes_before));
}

inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) {
  const float sum = std::fma(a, b, c);
  return sum == sum ? sum : __builtin_bit_cast(float, 0x7fffffff);  // CUDA's NaN
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both >> std::min(shift, 32U));
}
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= (bytes >> (8 * (selector >> 4 * i & 7)) & 0xff) << (8 * i);
  return result;
}
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}

// ---- the runtime ----

#define QFUSE_HAS_DRIVER  // declared by cuda.h in this directory

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorInvalidResourceHandle = 400
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrL2CacheSize,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrClockRate,
  cudaDevAttrMemoryClockRate,
  cudaDevAttrGlobalMemoryBusWidth,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor
};
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
inline constexpr unsigned long long cudaEnableDefault = 0;
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaMemcpyKind { cudaMemcpyDefault };
using cudaStream_t = struct cudaStream*;
inline constexpr unsigned cudaStreamNonBlocking = 1;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount;
  std::size_t totalGlobalMem;
};

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
inline cudaError_t cudaGetLastError() { return cudaSuccess; }  // no error is stored
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* found);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
// A thread without a context gets that of its device from any of the calls below.
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol);
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

namespace qfuse::software_gpu {
void enter();  // called by these functions: gives a thread without a context one
// Runs `thread` as every thread of every block, each block with `shared_bytes` of dynamic shared memory.
cudaError_t run(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread);
// From now on, launches are counted but not run. launches() returns the number of all launches so far.
void only_count_launches();
std::int64_t launches();
}  // namespace qfuse::software_gpu

template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  qfuse::software_gpu::enter();
  *address = const_cast<T*>(&symbol);
  return cudaSuccess;
}

template <class Argument>
cudaError_t cudaLaunchKernel(void (*kernel)(Argument), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t) {
  qfuse::software_gpu::enter();
  const Argument argument = *static_cast<const Argument*>(arguments[0]);
  return qfuse::software_gpu::run(grid, block, shared_bytes, [kernel, &argument] { kernel(argument); });
}

#endif  // QFUSE_TESTS_SOFTWARE_GPU_CUDA_RUNTIME_H
