// What the rungs have in common: the arithmetic, whose every rounding is the format's, and how a rung is launched.
#ifndef QFUSE_BENCH_LADDER_STEPS_CUH
#define QFUSE_BENCH_LADDER_STEPS_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "backend/cuda/device/rounding.cuh"
#include "format/codebook4.h"
#include "format/layout.h"
#include "gpu/error.h"
#include "ladder/ladder.h"

namespace qfuse::bench::ladder {

using cuda::mul_ftz;
using cuda::Rounding;

inline constexpr int kBlock = static_cast<int>(kBlocksize);  // elements
inline constexpr int kNested = static_cast<int>(format::kNestedBlocksize);
inline constexpr int kGroup = 8;  // elements whose 16-bit form fills one 16-byte store
inline constexpr int kWarp = 32;

// What a kernel sees.
struct Weight {
  const std::uint8_t* packed;       // [n/2]
  const std::uint8_t* absmax_8bit;  // [n/64]
  const float* nested_absmax;       // [n/64/256]
  const float* nested_quant_map;    // [256]
  float nested_offset;
  std::int64_t n;
};

// The codebook in the GPU's memory, from where each rung takes it to where it keeps it.
static __device__ constexpr auto kValues = format::kNf4.values;

// ---- steps ----

__device__ inline float decode_absmax(const Weight& w, std::int64_t block) {
  const float value = __ldg(w.nested_quant_map + __ldg(w.absmax_8bit + block));
  return __fadd_rn(mul_ftz(value, __ldg(w.nested_absmax + block / kNested)), w.nested_offset);
}

// Element e of packed bytes: the high nibble of byte e/2 comes first.
__device__ inline unsigned nibble(std::uint32_t codes, int e) {
  return codes >> (8 * (e / 2) + (e % 2 == 0 ? 4 : 0)) & 0xfU;
}

// All threads of the thread block come here.
__device__ inline void load_table(float (&table)[format::kCodes4]) {
  if (threadIdx.x < format::kCodes4) table[threadIdx.x] = kValues[threadIdx.x];
  __syncthreads();
}

// Two elements as one word, the first one lowest.
template <class Out>
__device__ std::uint32_t decode_pair(const float (&table)[format::kCodes4], unsigned byte, float absmax) {
  const float weights[2] = {mul_ftz(table[byte >> 4], absmax), mul_ftz(table[byte & 0xf], absmax)};
  return Rounding<Out>::word(weights);
}

// A group of values, scaled and rounded.
template <class Out>
__device__ uint4 scale_group(const float (&values)[kGroup], float absmax) {
  float weights[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) weights[e] = mul_ftz(values[e], absmax);
  return {Rounding<Out>::word(weights), Rounding<Out>::word(weights + 2), Rounding<Out>::word(weights + 4),
          Rounding<Out>::word(weights + 6)};
}

// ---- launches ----

inline Weight weight_of(const format::Dequantize4bit& p) {
  return {p.packed, p.absmax_8bit, p.nested_absmax, p.nested_quant_map, p.nested_offset, p.n};
}

// How many tiles a weight has that must be made of whole ones.
inline unsigned whole_tiles(std::int64_t count, std::int64_t tile) {
  if (count % tile != 0)
    throw std::runtime_error(std::to_string(count) + " is not a multiple of the rung's tile, " + std::to_string(tile));
  return static_cast<unsigned>(count / tile);
}

// Calls launch.operator()<Out>() and looks whether it was taken.
template <class Launch>
void for_dtype(qfuse_dtype dtype, const Launch& launch) {
  switch (dtype) {
    case QFUSE_FLOAT16: launch.template operator()<__half>(); break;
    case QFUSE_BFLOAT16: launch.template operator()<__nv_bfloat16>(); break;
    case QFUSE_FLOAT32: throw std::logic_error("the ladder decodes to 16 bits");
  }
  require(cudaGetLastError(), "launching a rung");
}

}  // namespace qfuse::bench::ladder

#endif  // QFUSE_BENCH_LADDER_STEPS_CUH
