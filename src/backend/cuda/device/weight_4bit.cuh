// Steps of every op that reads a 4-bit weight: the kernel's view of the weight, and decoding codes to values.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_WEIGHT_4BIT_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_WEIGHT_4BIT_CUH

#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "contract/weight_4bit.h"
#include "format/codebook4.h"
#include "format/layout.h"

namespace qfuse::cuda {

struct Weight4bit {
  int block_shift;               // log2 of elements per block
  int nested_shift;              // log2 of elements per nested block, at most 63; 0 if not nested
  std::int64_t nested_begin;     // blocks that nested_absmax[0] covers before this weight
  bool is_low_first;             // whether a byte's first element is in its low nibble
  qfuse_scale_type absmax_type;  // of plain absmax: fp32, fp16 or bf16
  const std::uint8_t* packed;
  const float* absmax;
  const std::uint8_t* absmax_8bit;
  const float* nested_absmax;
  const float* nested_quant_map;
  const float* nested_offset;
  const float* divisor;  // of the map's values; null: none
  float values[format::kCodes4];
};

inline Weight4bit device_view(const qfuse_weight_4bit& w) {
  constexpr int kMaxShift = 63;  // largest shift of a 64-bit number
  const int block_shift = log2(w.blocksize);
  const contract::Global global = contract::global_of(w);
  const int nested_shift = contract::is_nested(w) ? block_shift + log2(w.nested_blocksize) : 0;
  Weight4bit view{.block_shift = block_shift,
                  .nested_shift = std::min(nested_shift, kMaxShift),
                  .nested_begin = w.nested_begin,
                  .is_low_first = format::is_low_first(w.quant_type),
                  .absmax_type = w.scale_type,
                  .packed = w.packed,
                  .absmax = w.absmax,
                  .absmax_8bit = w.absmax_8bit,
                  .nested_absmax = w.nested_absmax,
                  .nested_quant_map = w.nested_quant_map,
                  .nested_offset = w.nested_offset,
                  .divisor = global.divides ? global.value : nullptr,
                  .values = {}};
  std::ranges::copy(format::format4(w.quant_type).codes, view.values);
  return view;
}

// Look-up tables of a thread block in shared memory. The 16 values are in 16 banks, so that reading never conflicts.
template <bool kNested>
struct Tables {
  float values[format::kCodes4];
  float map[kNested ? format::kCodes8 : 1];
};

// All threads of a thread block call this, and must synchronize before they read the tables.
template <int kThreads, bool kWide, bool kNested>
__device__ void load_tables(const Weight4bit& w, Tables<kNested>& tables) {
  static_assert(kThreads == format::kCodes8, "each thread loads one entry of the map");
  if (threadIdx.x < format::kCodes4) tables.values[threadIdx.x] = w.values[threadIdx.x];
  if constexpr (kNested) tables.map[threadIdx.x] = load<kWide>(w.nested_quant_map + threadIdx.x);
}

// A block's absmax as loaded from memory; the tables then decode it.
struct Absmax {
  unsigned code;  // if nested
  float scale;    // of the nested block; if not nested, absmax itself
};

// Index of the block of 2^shift elements that holds element `at` of the tile that begins at element `tile`. Both sizes
// are powers of two, so the terms are shifted separately. For `at`, one instruction gives 0 for shifts of 32 or more.
__device__ inline std::int64_t block_of(std::int64_t tile, unsigned at, int shift) {
  return (tile >> shift) + __funnelshift_rc(at, 0, static_cast<unsigned>(shift));
}

template <bool kWide, bool kNested>
__device__ Absmax load_absmax(const Weight4bit& w, std::int64_t tile, unsigned at) {
  const std::int64_t block = block_of(tile, at, w.block_shift);
  if constexpr (!kNested) return {0, load<kWide>(w.absmax + block)};
  return {__ldg(w.absmax_8bit + block), load<kWide>(w.nested_absmax + block_of(tile, at, w.nested_shift))};
}

template <bool kWide, bool kNested>
__device__ float load_offset(const Weight4bit& w) {
  if constexpr (!kNested) return 0.0F;
  return load<kWide>(w.nested_offset);
}

// Returns the map's value for a code * the nested block's absmax + the offset, which may be loaded as late as here.
template <class LoadOffset>
__device__ float decode_absmax(float value, float scale, const LoadOffset& load_offset) {
  return __fadd_rn(mul_ftz(value, scale), load_offset());
}
__device__ inline float decode_absmax(bool is_nested, const float* map, const Absmax& absmax, float offset) {
  if (!is_nested) return absmax.scale;
  return decode_absmax(map[absmax.code], absmax.scale, [&] { return offset; });
}

// Value of an 8-bit code of absmax.
template <bool kWide>
__device__ float load_map_value(const Weight4bit& w, unsigned code) {
  const float value = load<kWide>(w.nested_quant_map + code);
  return w.divisor == nullptr ? value : divide(value, load<kWide>(w.divisor));
}

// Applies a global scale to a value of the map.
__device__ inline float apply_global(float value, const format::GlobalScale& global) {
  const float quotient = format::over_size(value, global, [](float a, float b, float c) { return __fmaf_rn(a, b, c); });
  return mul_ftz(quotient, global.factor);
}

// Widens plain absmax of 16 bits, which are the low ones of `bits`.
__device__ inline float widen_absmax(qfuse_scale_type type, unsigned bits) {
  if (type == QFUSE_SCALES_BFLOAT16) return __uint_as_float(bits << 16);
  return widen(Half{static_cast<std::uint16_t>(bits)});
}

// Widens plain absmax. If it has 16 bits, `scale` has two, and `code` says which one.
__device__ inline float widen_word(qfuse_scale_type type, const Absmax& absmax) {
  if (type == QFUSE_SCALES_FLOAT32) return absmax.scale;
  return widen_absmax(type, __float_as_uint(absmax.scale) >> (16 * absmax.code) & 0xffffU);
}

// Pointer to plain absmax of a later block.
__device__ inline const float* absmax_at(const Weight4bit& w, std::int64_t block) {
  const std::int64_t size = w.absmax_type == QFUSE_SCALES_FLOAT32 ? sizeof(float) : sizeof(std::uint16_t);
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(w.absmax) + block * size);
}

// For ops in which each thread needs only a few absmax: reads global memory instead of tables in shared memory.
// map_value: returns the value of an 8-bit code.
template <bool kWide, class MapValue>
__device__ float load_decoded_absmax(const Weight4bit& w, bool is_nested, std::int64_t block,
                                     const MapValue& map_value) {
  if (!is_nested) return load<kWide>(w.absmax + block);
  const float value = map_value(w.absmax_8bit[block]);
  const float scale = load<kWide>(w.nested_absmax + ((w.nested_begin + block) >> (w.nested_shift - w.block_shift)));
  return decode_absmax(value, scale, [&] { return load<kWide>(w.nested_offset); });
}
// For weights with absmax, of which no op divides a map's values.
template <bool kWide>
__device__ float load_decoded_absmax(const Weight4bit& w, bool is_nested, std::int64_t block) {
  return load_decoded_absmax<kWide>(w, is_nested, block,
                                    [&](unsigned code) { return load<kWide>(w.nested_quant_map + code); });
}

// Loads the codes of kGroup elements, or of the `left` elements that exist if fewer.
template <int kGroup>
__device__ std::uint32_t load_codes(const std::uint8_t* packed, int left) {
  if (left >= kGroup) return load_bytes_once<kGroup / 2>(packed);
  std::uint32_t codes = 0;
  for (int j = 0; 2 * j < left; ++j) codes |= static_cast<std::uint32_t>(packed[j]) << (8 * j);
  return codes;
}

// Code of element e of a group.
template <format::NibbleOrder kOrder = format::NibbleOrder::high_first>
__device__ unsigned nibble(std::uint32_t codes, int e) {
  constexpr int kOfHigh = kOrder == format::NibbleOrder::high_first ? 0 : 1;  // e % 2 of the element in the high nibble
  return codes >> (8 * (e / 2) + (e % 2 == kOfHigh ? 4 : 0)) & 0xfU;
}

template <bool kNested>
__device__ float decode_code(const Tables<kNested>& tables, std::uint32_t codes, int e, float absmax) {
  return mul_ftz(tables.values[nibble(codes, e)], absmax);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_WEIGHT_4BIT_CUH
