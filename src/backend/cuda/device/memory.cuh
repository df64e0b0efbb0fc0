// Loads and stores: at any address, and past the caches where data is touched only once.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH

#include <cstdint>

namespace qfuse::cuda {

template <class T>
__host__ __device__ inline bool is_aligned(const void* address, T bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) == 0;
}

// One value, small or read often: through the caches. Unless kAligned it may lie at any byte address.
template <bool kAligned>
__device__ float load(const float* from) {
  if (kAligned || is_aligned(from, sizeof(float))) return __ldg(from);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  std::uint32_t bits = 0;
  for (int b = 0; b < 4; ++b) bits |= static_cast<std::uint32_t>(__ldg(bytes + b)) << (8 * b);
  return __uint_as_float(bits);
}

template <bool kAligned, class T>
__device__ void store(T* to, T value) {
  if (kAligned || is_aligned(to, sizeof(T))) {
    *to = value;
    return;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  for (unsigned b = 0; b < sizeof(T); ++b) reinterpret_cast<std::uint8_t*>(to)[b] = bytes[b];
}

// 16 bytes to an aligned address; kStream: that are not read again soon.
template <bool kStream>
__device__ void store_vector(void* to, uint4 words) {
  if constexpr (kStream)
    __stcs(static_cast<uint4*>(to), words);
  else
    *static_cast<uint4*>(to) = words;
}

// kBytes (1, 2 or 4) that nobody reads again, as the low bytes of a word.
template <int kBytes>
__device__ std::uint32_t load_once(const std::uint8_t* from) {
  if constexpr (kBytes == 4) return __ldcs(reinterpret_cast<const std::uint32_t*>(from));
  if constexpr (kBytes == 2) return __ldcs(reinterpret_cast<const std::uint16_t*>(from));
  return __ldcs(from);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_MEMORY_CUH
