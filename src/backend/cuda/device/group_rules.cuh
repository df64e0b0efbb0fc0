// Device steps of format/group_rules.h on four values at a time.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH

#include <cstdint>

#include "backend/cuda/device/fp8_groups.cuh"
#include "backend/cuda/device/int8_groups.cuh"
#include "format/group_rules.h"

namespace qfuse::cuda {

// Returns the scale to store and the factor for values. INT8's factor gives products with the quotient's integer part.
__device__ inline format::GroupScale scale_of_group(const format::GroupRules& rules, float absmax) {
  if (rules.type == QFUSE_E4M3) return format::scale_of_group(rules, absmax);
  const float scale = group_scale(absmax);
  return {scale, group_factor(absmax, scale)};
}

// Quantizes two words with a pair of bf16 values each to four codes, the first in the lowest byte.
__device__ inline std::uint32_t quantize_in_group(const format::GroupRules& rules, std::uint32_t first_pair,
                                                  std::uint32_t second_pair, float factor) {
  if (rules.type == QFUSE_E4M3) return e4m3_values(first_pair, second_pair, factor);
  return quantize_values(first_pair, second_pair, factor);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_GROUP_RULES_CUH
