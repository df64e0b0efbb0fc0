// Loads and stores at any address, and streaming ones for data that is touched only once.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH

#include <cstddef>
#include <cstdint>

#include "backend/cuda/align.h"
#include "backend/cuda/platform.h"

namespace qfuse::cuda {

// Four words in registers as one vector, for a single memory access; and back.
__device__ inline uint4 vector_of(const std::uint32_t* words) { return {words[0], words[1], words[2], words[3]}; }
__device__ inline void unpack(uint4 vector, std::uint32_t* words) {
  words[0] = vector.x;
  words[1] = vector.y;
  words[2] = vector.z;
  words[3] = vector.w;
}

// The dynamic shared memory of the launch, in addition to what the kernel declares; aligned to 128 bytes.
__device__ inline void* dynamic_shared() {
#ifdef QFUSE_DYNAMIC_SHARED  // a platform without extern __shared__ arrays
  return QFUSE_DYNAMIC_SHARED;
#else
  extern __shared__ __align__(128) unsigned char dynamic[];
  return dynamic;
#endif
}

// Loads a value from any byte address; store_bytes() stores one.
template <class T>
__device__ T load_bytes(const void* from) {
  T value;
  for (unsigned b = 0; b < sizeof(T); ++b)
    reinterpret_cast<std::uint8_t*>(&value)[b] = static_cast<const std::uint8_t*>(from)[b];
  return value;
}

template <class T>
__device__ void store_bytes(void* to, T value) {
  for (unsigned b = 0; b < sizeof(T); ++b)
    static_cast<std::uint8_t*>(to)[b] = reinterpret_cast<const std::uint8_t*>(&value)[b];
}

// load() and store() are for addresses that are usually aligned or, with kAligned, always are.
template <bool kAligned, class T>
__device__ T load(const T* from) {
  return kAligned || is_aligned(from, sizeof(T)) ? *from : load_bytes<T>(from);
}

template <bool kAligned, class T>
__device__ void store(T* to, T value) {
  if (kAligned || is_aligned(to, sizeof(T)))
    *to = value;
  else
    store_bytes(to, value);
}

// Streaming accesses to aligned addresses, for data that is not accessed again soon.
#ifdef QFUSE_HIP
using Words2 = unsigned __attribute__((ext_vector_type(2)));
using Words4 = unsigned __attribute__((ext_vector_type(4)));

template <class T>
__device__ T load_once(const T* from) {
  return __builtin_nontemporal_load(from);
}
__device__ inline uint4 load_once(const uint4* from) {
  const Words4 words = __builtin_nontemporal_load(reinterpret_cast<const Words4*>(from));
  return {words.x, words.y, words.z, words.w};
}
__device__ inline void store_once(uint2* to, uint2 value) {
  __builtin_nontemporal_store(Words2{value.x, value.y}, reinterpret_cast<Words2*>(to));
}
__device__ inline void store_once(uint4* to, uint4 value) {
  __builtin_nontemporal_store(Words4{value.x, value.y, value.z, value.w}, reinterpret_cast<Words4*>(to));
}
#else
template <class T>
__device__ T load_once(const T* from) {
  return __ldcs(from);
}
template <class T>
__device__ void store_once(T* to, T value) {
  __stcs(to, value);
}
#endif

// Stores 16 bytes to an aligned address; kStream: they are not read again soon.
template <bool kStream>
__device__ void store_vector(void* to, uint4 words) {
  if constexpr (kStream)
    store_once(static_cast<uint4*>(to), words);
  else
    *static_cast<uint4*>(to) = words;
}

// Loads kBytes (1, 2 or 4) that are not read again, into the low bytes of a word.
template <int kBytes>
__device__ std::uint32_t load_bytes_once(const std::uint8_t* from) {
  if constexpr (kBytes == 4) return load_once(reinterpret_cast<const std::uint32_t*>(from));
  if constexpr (kBytes == 2) return load_once(reinterpret_cast<const std::uint16_t*>(from));
  return load_once(from);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH
