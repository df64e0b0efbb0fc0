// Device steps of format/int8_groups.h on pairs of bf16 values, one pair per word.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_INT8_GROUPS_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_INT8_GROUPS_CUH

#include <cstdint>

#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::cuda {

__device__ inline std::uint32_t magnitudes(std::uint32_t pair) { return pair & 0x7fff7fffU; }

// Largest magnitude of each half, with any sign. Reduces as a tree: in a chain each step would wait for the one before.
template <int kWords>
__device__ std::uint32_t find_absmax(const std::uint32_t (&pairs)[kWords]) {
  static_assert(kWords % 4 == 0);
  std::uint32_t most[kWords / 2];
#pragma unroll
  for (int i = 0; i < kWords / 2; ++i) most[i] = larger_magnitudes(pairs[2 * i], pairs[2 * i + 1]);
#pragma unroll
  for (int step = 1; step < kWords / 2; step *= 2)
#pragma unroll
    for (int i = 0; i < kWords / 2; i += 2 * step) most[i] = larger_magnitudes(most[i], most[i + step]);
  return most[0];
}

__device__ inline float group_scale(float absmax) {
  return larger_or_nan(absmax * format::kInt8Scale, format::kMinGroupScale);
}

// Like format::group_factor, with a reciprocal that may be an ulp off: a value's product with the factor has the
// integer part of its quotient by the scale. With an infinite or NaN scale every product is zero or NaN.
__device__ inline float group_factor(float absmax, float scale) {
  constexpr float kNudge = 0x1p-18F;
  const float factor = reciprocal_near(scale);
  const bool reaches_127 = __fmaf_rn(-127.0F, scale, absmax) >= scale * -kNudge;  // absmax / scale rounds to 127
  return factor * (reaches_127 ? 1 + kNudge : 1 - kNudge);
}

// Quantizes four values to int8, the first in the lowest byte. NaN becomes 0.
__device__ inline std::uint32_t quantize_values(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
  const std::uint32_t pairs[] = {first_pair, second_pair};
  int q[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) q[i] = truncate(widen<Bfloat16>(pairs, i) * factor);
  return saturated_bytes(q);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_INT8_GROUPS_CUH
