// in:     in [n] fp32, fp16 or bf16; any address
// out:    codes [n] u8, absmax [blocks] fp32; any address
// math:   v = in - offset; absmax = max |v|; code = nearest of the dynamic 8-bit code to ftz(v * ftz(1/absmax))
// cost:   4n or 2n bytes read, n + 4n/blocksize written
// oracle: reference/quantize_blockwise.cpp
#include "backend/cuda/kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "backend/cuda/device/encode.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/dynamic8.h"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

constexpr int kThreads = 1024;  // one value per thread; blocks of up to this size stay in registers

// ---- tables and kernel arguments ----

constexpr int kThresholds = format::kCodes8 - 1;

// An array for the device: the code's thresholds, which every thread looks up, or its values.
template <std::size_t kSize>
struct Table {
  float values[kSize];
};

template <std::size_t kSize>
constexpr Table<kSize> table_of(const std::array<float, kSize>& values) {
  Table<kSize> table = {};
  std::ranges::copy(values, table.values);
  return table;
}

// The host's copies come first, because some compilers treat the functions that make them as host-only.
constexpr auto kHostThresholds = table_of(format::kDynamic8Thresholds);
constexpr auto kHostMap = table_of(format::kDynamic8);
__device__ constexpr auto kThresholdTable = kHostThresholds;
__device__ constexpr auto kMapTable = kHostMap;

struct Arguments : contract::QuantizeBlockwise {
  const float* offset_at;  // replaces `offset` unless null
  float* offset_out;       // null: not written
  float* map_out;          // likewise
};

// ---- steps ----

__device__ void load_thresholds(float (&thresholds)[kThresholds]) {
  if (threadIdx.x < kThresholds) thresholds[threadIdx.x] = kThresholdTable.values[threadIdx.x];
  __syncthreads();
}

__device__ float load_offset(const Arguments& a) {
  return a.offset_at != nullptr ? load<false>(a.offset_at) : a.offset;
}

// Stores what is written once per launch, not once per block of values; other thread blocks only compare.
__device__ void store_offset_and_map(const Arguments& a, float offset) {
  if (blockIdx.x != 0) return;
  if (a.offset_out != nullptr && threadIdx.x == 0) store<false>(a.offset_out, offset);
  if (a.map_out != nullptr && threadIdx.x < format::kCodes8)
    store<false>(a.map_out + threadIdx.x, kMapTable.values[threadIdx.x]);
}

template <class In>
__device__ float load_value(const Arguments& a, std::int64_t i, float offset) {
  return __fsub_rn(widen(load<false>(static_cast<const In*>(a.in) + i)), offset);
}

__device__ std::uint8_t encode_8bit(const float* thresholds, float v) {
  return static_cast<std::uint8_t>(rank<kThresholds>(thresholds, v));
}

// ---- kernels ----

// Encodes blocks of up to kThreads values, several per thread block.
template <class In>
__global__ void __launch_bounds__(kThreads) encode_small(const __grid_constant__ Arguments a) {
  __shared__ float thresholds[kThresholds];
  __shared__ float of_warps[kThreads / kWarp];
  load_thresholds(thresholds);
  const float offset = load_offset(a);
  store_offset_and_map(a, offset);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int lanes = static_cast<int>(a.blocksize);
  const std::int64_t begin = i & -a.blocksize;
  const bool full = begin + a.blocksize <= a.n;
  const float value = i < a.n ? load_value<In>(a, i, offset) : 0.0F;
  const float most =
      largest_of<kThreads>(i < a.n ? larger(full ? kNoNumber : 0.0F, value) : kNoNumber, lanes, of_warps);
  if (i >= a.n) return;
  if (i == begin) store<false>(a.absmax + i / a.blocksize, most);
  a.codes[i] = encode_8bit(thresholds, mul_ftz(value, reciprocal(most, a.reciprocal)));
}

// Encodes larger blocks, one per thread block, which reads its values twice.
template <class In>
__global__ void __launch_bounds__(kThreads) encode_large(const __grid_constant__ Arguments a) {
  __shared__ float thresholds[kThresholds];
  __shared__ float of_warps[kThreads / kWarp];
  load_thresholds(thresholds);
  const float offset = load_offset(a);
  store_offset_and_map(a, offset);
  const std::int64_t begin = blockIdx.x * a.blocksize;
  const std::int64_t end = a.n - begin < a.blocksize ? a.n : begin + a.blocksize;
  float most = end - begin == a.blocksize ? kNoNumber : 0.0F;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) most = larger(most, load_value<In>(a, i, offset));
  most = largest_of<kThreads>(most, kThreads, of_warps);
  if (threadIdx.x == 0) store<false>(a.absmax + blockIdx.x, most);
  const float scale = reciprocal(most, a.reciprocal);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads)
    a.codes[i] = encode_8bit(thresholds, mul_ftz(load_value<In>(a, i, offset), scale));
}

template <class In>
contract::Outcome launch_encode(const Arguments& a, const qfuse_exec& exec) {
  const bool small = a.blocksize <= kThreads;
  const std::int64_t blocks = format::ceil_div(a.n, small ? kThreads : a.blocksize);
  return launch(small ? encode_small<In> : encode_large<In>, {.blocks = blocks, .threads = kThreads}, a, exec);
}

}  // namespace

contract::Outcome quantize_absmax(const contract::QuantizeBlockwise& p, const float* offset_at, float* offset_out,
                                  float* map_out, const qfuse_exec& exec) {
  const Arguments a{p, offset_at, offset_out, map_out};
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return launch_encode<float>(a, exec);
    case QFUSE_FLOAT16: return launch_encode<Half>(a, exec);
    case QFUSE_BFLOAT16: return launch_encode<Bfloat16>(a, exec);
  }
  return {};
}

contract::Outcome ops::quantize_blockwise(const contract::QuantizeBlockwise& p, const qfuse_exec& exec) {
  if (contract::Outcome o = check_reciprocal(p.reciprocal); !o.ok()) return o;
  return quantize_absmax(p, nullptr, nullptr, nullptr, exec);
}

}  // namespace qfuse::cuda
