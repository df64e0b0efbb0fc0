// Device steps of format/fp8_groups.h on pairs of bf16 values, one pair per word.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_FP8_GROUPS_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_FP8_GROUPS_CUH

#include <cstdint>

#include "backend/cuda/device/rounding.cuh"
#include "format/fp8_groups.h"

namespace qfuse::cuda {

// Multiplies four values by `factor` and encodes them as e4m3, the first in the lowest byte.
__device__ inline std::uint32_t e4m3_values(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
  const std::uint32_t pairs[] = {first_pair, second_pair};
  const auto value = [&](int i) { return widen<Bfloat16>(pairs, i) * factor; };
  return e4m3_bits(value(0), value(1)) | e4m3_bits(value(2), value(3)) << 16;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_FP8_GROUPS_CUH
