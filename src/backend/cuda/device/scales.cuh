// Loads scales of every qfuse_scale_type: the only place of these types in kernels.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_SCALES_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_SCALES_CUH

#include <qfuse/qfuse.h>

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/row_tiles.cuh"
#include "format/fp8_groups.h"

namespace qfuse::cuda {

__device__ inline float e4m3_number(std::uint32_t code) {
  float number;
  float none;
  e4m3_numbers(code, number, none);
  return number;
}

// Converts the bits of a scale to fp32, exactly.
__device__ inline float widen_scale(std::uint32_t bits, qfuse_scale_type type) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return __uint_as_float(bits);
    case QFUSE_SCALES_UE8M0: return format::from_ue8m0(bits);
    case QFUSE_SCALES_FLOAT16: return half_value(static_cast<std::uint16_t>(bits));
    case QFUSE_SCALES_BFLOAT16: return __uint_as_float(bits << 16);
    case QFUSE_SCALES_E4M3: return e4m3_number(bits);
  }
  return 0.0F;
}

// The same for a scale of one byte, without a jump.
__device__ inline float widen_byte(std::uint32_t byte, qfuse_scale_type type) {
  return type == QFUSE_SCALES_UE8M0 ? format::from_ue8m0(byte) : e4m3_number(byte);
}

// Divides what widen_byte() returns. By a divisor from kLeast to kMost no E4M3 scale becomes subnormal or infinite.
__device__ inline float divide_byte(float scale, float divisor, qfuse_scale_type type) {
  constexpr float kLeast = 0x1p-100F;
  constexpr float kMost = 0x1p100F;
  if (type == QFUSE_SCALES_UE8M0 || !(divisor >= kLeast && divisor <= kMost)) return divide(scale, divisor);
  return divide_normal(scale, divisor);
}

// Scale i of an array of FP8's scales. The contract refuses E4M3 there; with that case the compiler makes a jump table,
// and rows with a scale each take 11 % longer (H200).
__device__ inline float load_scale(const void* scales, std::int64_t i, qfuse_scale_type type) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return load<false>(static_cast<const float*>(scales) + i);
    case QFUSE_SCALES_UE8M0: return format::from_ue8m0(static_cast<const std::uint8_t*>(scales)[i]);
    case QFUSE_SCALES_FLOAT16: return widen(load<false>(static_cast<const Half*>(scales) + i));
    case QFUSE_SCALES_BFLOAT16: return widen(load<false>(static_cast<const Bfloat16*>(scales) + i));
    case QFUSE_SCALES_E4M3: break;
  }
  return 0.0F;
}

// Which of a thread's rows exist, and the index of each row's scale at the thread's columns.
struct RowBlocks {
  bool there[kRowsEach];
  std::int64_t blocks[kRowsEach];
};

// Loads the scale bits of all rows; every load is issued before the first result is needed.
template <class Bits>
__device__ void load_scale_bits(const void* scales, const RowBlocks& rows, std::uint32_t (&bits)[kRowsEach]) {
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (rows.there[r]) bits[r] = load<false>(static_cast<const Bits*>(scales) + rows.blocks[r]);
}

__device__ inline void load_scale_bits(const void* scales, qfuse_scale_type type, const RowBlocks& rows,
                                       std::uint32_t (&bits)[kRowsEach]) {
  switch (type) {
    case QFUSE_SCALES_UE8M0:
    case QFUSE_SCALES_E4M3: return load_scale_bits<std::uint8_t>(scales, rows, bits);
    case QFUSE_SCALES_FLOAT16:
    case QFUSE_SCALES_BFLOAT16: return load_scale_bits<std::uint16_t>(scales, rows, bits);
    case QFUSE_SCALES_FLOAT32: return load_scale_bits<std::uint32_t>(scales, rows, bits);
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_SCALES_CUH
