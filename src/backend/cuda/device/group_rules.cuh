// Steps of format/group_rules.h on four values at a time.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH

#include <cstdint>

#include "backend/cuda/device/rounding.cuh"
#include "format/group_rules.h"

namespace qfuse::cuda {

// Four values to their payload, the first one in the lowest byte.
__device__ inline std::uint32_t quantize_in_group(const format::GroupRules& rules, const float* z, float factor) {
  if (rules.type == QFUSE_E4M3)
    return e4m3_bits(z[0] * factor, z[1] * factor) | e4m3_bits(z[2] * factor, z[3] * factor) << 16;
  if (rules.type == QFUSE_E5M2)
    return e5m2_bits(z[0] * factor, z[1] * factor) | e5m2_bits(z[2] * factor, z[3] * factor) << 16;
  std::uint32_t payload = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    payload |=
        static_cast<std::uint32_t>(static_cast<std::uint8_t>(format::quantize_value(z[i], factor, rules.rounding)))
        << 8 * i;
  return payload;
}

// The same of pairs of bf16 values, two in a word.
__device__ inline std::uint32_t quantize_in_group(const format::GroupRules& rules, std::uint32_t first_pair,
                                                  std::uint32_t second_pair, float factor) {
  const std::uint32_t pairs[] = {first_pair, second_pair};
  const float z[] = {widen<Bfloat16>(pairs, 0), widen<Bfloat16>(pairs, 1), widen<Bfloat16>(pairs, 2),
                     widen<Bfloat16>(pairs, 3)};
  return quantize_in_group(rules, z, factor);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH
