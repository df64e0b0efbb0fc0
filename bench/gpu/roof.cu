// in:     decode: packed [n/2] u8, absmax_8bit [n/64] u8; encode: in [n] of 2 bytes; all aligned to 16, n % 16 == 0
// out:    decode: [n] of 2 bytes; encode: packed [n/2] u8, absmax [n/64] fp32; aligned to 16
// math:   none: each value written depends on everything the thread read and is not constant, so no read is removed
// cost:   that of the op whose bytes are moved: this is its roof
// oracle: none
#include <cuda_runtime.h>

#include <stdexcept>

#include "format/layout.h"
#include "gpu/device.h"
#include "gpu/kernels.h"

namespace qfuse::bench {
namespace {

// ---- policy ----

constexpr int kGroup = 8;  // elements: 16 bytes of 16-bit values, or 4 bytes of codes
constexpr int kGroupsPerBlock = static_cast<int>(kBlocksize) / kGroup;
constexpr int kPairsPerBlock = kGroupsPerBlock / 2;
constexpr int kReadThreads = 512;
constexpr int kReadBlocksPerMultiprocessor = 4;
constexpr int kAddThreads = 128;  // like torch's elementwise kernels, with 4 elements per thread
constexpr int kAddElements = 4;

// ---- steps ----

template <bool kStream>
__device__ void store_vector(uint4* to, uint4 words) {
  if constexpr (kStream)
    __stcs(to, words);
  else
    *to = words;
}

__device__ std::uint32_t all_of(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

// ---- kernels ----

// A thread's groups are blockDim.x apart, so that neighboring threads access neighboring groups.
template <int kGroups, bool kStream>
__global__ void move_decode(const std::uint32_t* codes, const std::uint8_t* scales, uint4* out, std::int64_t groups) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * kGroups + threadIdx.x;
  std::uint32_t words[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    if (i < groups) words[g] = __ldcs(codes + i) + __ldg(scales + i / kGroupsPerBlock);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    if (i < groups) store_vector<kStream>(out + i, {words[g], words[g] + 1, words[g] * 3, words[g] ^ 5});
  }
}

// Moves two neighboring vectors and two words at once, which is faster than one of each.
template <int kGroups, bool kStream>
__global__ void move_encode(const uint4* in, uint2* codes, float* absmax, std::int64_t pairs) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * kGroups + threadIdx.x;
  uint4 vectors[kGroups][2];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    if (i >= pairs) continue;
    vectors[g][0] = __ldcs(in + 2 * i);
    vectors[g][1] = __ldcs(in + 2 * i + 1);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    if (i >= pairs) continue;
    const uint2 words = {all_of(vectors[g][0]), all_of(vectors[g][1])};
    if constexpr (kStream)
      __stcs(codes + i, words);
    else
      codes[i] = words;
    if (i % kPairsPerBlock == 0) absmax[i / kPairsPerBlock] = __uint_as_float(words.x);
  }
}

// A group is kRead vectors read and kWritten written, each 1 or 2. If 2, they are in different halves of the array.
template <int kRead, int kWritten, int kGroups, bool kStream>
__global__ void move_vectors(const uint4* from, uint4* to, std::int64_t groups) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * kGroups + threadIdx.x;
  uint4 vectors[kGroups][kRead];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    for (int r = 0; r < kRead; ++r)
      if (i < groups) vectors[g][r] = __ldcs(from + r * groups + i);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t i = first + g * static_cast<std::int64_t>(blockDim.x);
    if (i >= groups) continue;
    const uint4 all = vectors[g][0];
    const uint4 other = vectors[g][kRead - 1];
    for (int w = 0; w < kWritten; ++w)
      store_vector<kStream>(to + w * groups + i, {all.x + other.x, all.y ^ other.z, all.z + w, all_of(other)});
  }
}

__global__ void __launch_bounds__(kReadThreads) read_vectors(const uint4* from, std::int64_t vectors, uint4* never) {
  uint4 all = {0, 0, 0, 0};
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kReadThreads;
#pragma unroll 4
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kReadThreads + threadIdx.x; i < vectors; i += stride) {
    const uint4 v = from[i];
    all = {all.x ^ v.x, all.y ^ v.y, all.z ^ v.z, all.w ^ v.w};
  }
  if (never != nullptr) never[threadIdx.x] = all;
}

__global__ void __launch_bounds__(kAddThreads) add(float* values, std::int64_t count, const float* from) {
  const float offset = *from;
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * kAddThreads + threadIdx.x) * kAddElements;
  if (i + kAddElements <= count) {
    float4 v = *reinterpret_cast<const float4*>(values + i);
    v = {v.x + offset, v.y + offset, v.z + offset, v.w + offset};
    *reinterpret_cast<float4*>(values + i) = v;
  } else {
    for (std::int64_t k = i; k < count; ++k) values[k] += offset;
  }
}

// ---- choosing a tile ----

// Calls launch.operator()<groups, stream>() with the tile's values.
template <class Launch>
void for_tile(const RoofTile& tile, const Launch& launch) {
  if (tile.groups == 1)
    return tile.stream ? launch.template operator()<1, true>() : launch.template operator()<1, false>();
  if (tile.groups == 2)
    return tile.stream ? launch.template operator()<2, true>() : launch.template operator()<2, false>();
  if (tile.groups == 4)
    return tile.stream ? launch.template operator()<4, true>() : launch.template operator()<4, false>();
  throw std::logic_error("a roof has 1, 2 or 4 groups a thread, not " + std::to_string(tile.groups));
}

unsigned blocks_for(std::int64_t groups, const RoofTile& tile) {
  return static_cast<unsigned>(format::ceil_div(groups, std::int64_t{tile.threads} * tile.groups));
}

}  // namespace

std::string describe(const RoofTile& tile) {
  return std::to_string(tile.threads) + " threads x " + std::to_string(tile.groups) +
         (tile.stream ? ", past the caches" : "");
}

void move_as_decode(const contract::Dequantize4bit& p, const RoofTile& tile, cudaStream_t stream) {
  const std::int64_t groups = contract::element_count(p.weight) / kGroup;
  for_tile(tile, [&]<int kGroups, bool kStream>() {
    move_decode<kGroups, kStream><<<blocks_for(groups, tile), static_cast<unsigned>(tile.threads), 0, stream>>>(
        reinterpret_cast<const std::uint32_t*>(p.weight.packed), p.weight.absmax_8bit, static_cast<uint4*>(p.out),
        groups);
  });
  require(cudaGetLastError(), "roof of decode");
}

void move_as_encode(const contract::Quantize4bit& p, const RoofTile& tile, cudaStream_t stream) {
  const std::int64_t pairs = contract::element_count(p.weight) / (2 * kGroup);
  for_tile(tile, [&]<int kGroups, bool kStream>() {
    move_encode<kGroups, kStream><<<blocks_for(pairs, tile), static_cast<unsigned>(tile.threads), 0, stream>>>(
        static_cast<const uint4*>(p.in), reinterpret_cast<uint2*>(p.weight.packed), p.weight.absmax, pairs);
  });
  require(cudaGetLastError(), "roof of encode");
}

void move_bytes(const void* from, void* to, std::int64_t bytes, MoveTo size, const RoofTile& tile,
                cudaStream_t stream) {
  constexpr std::int64_t kVector = sizeof(uint4);
  const std::int64_t groups = bytes / (size == MoveTo::half ? kVector : 2 * kVector);
  for_tile(tile, [&]<int kGroups, bool kStream>() {
    const auto kernel =
        size == MoveTo::half ? move_vectors<2, 1, kGroups, kStream> : move_vectors<1, 2, kGroups, kStream>;
    kernel<<<blocks_for(groups, tile), static_cast<unsigned>(tile.threads), 0, stream>>>(
        static_cast<const uint4*>(from), static_cast<uint4*>(to), groups);
  });
  require(cudaGetLastError(), "roof of rounding to 8 bits");
}

void read_all(const void* from, std::int64_t bytes, int multiprocessors, cudaStream_t stream) {
  read_vectors<<<static_cast<unsigned>(multiprocessors * kReadBlocksPerMultiprocessor), kReadThreads, 0, stream>>>(
      static_cast<const uint4*>(from), bytes / 16, nullptr);
  require(cudaGetLastError(), "reader");
}

void add_offset(float* values, std::int64_t count, const float* offset, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(format::ceil_div(count, kAddThreads * kAddElements));
  add<<<blocks, kAddThreads, 0, stream>>>(values, count, offset);
  require(cudaGetLastError(), "add_offset");
}

}  // namespace qfuse::bench
