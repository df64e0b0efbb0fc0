// Quantizes the groups of the swiglu kernels, and finds where their scales are stored. Multiplications and additions
// must not be contracted to FMAs: files that include this are compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_FORMATS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_FORMATS_CUH

#include <cstdint>

#include "backend/cuda/device/fp8_groups.cuh"
#include "backend/cuda/device/group_rules.cuh"
#include "backend/cuda/device/int8_groups.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/swiglu/arguments.cuh"

namespace qfuse::cuda::swiglu {

// How a group is quantized: scale and prepare once per group, quantize for every 4 values. Int8 multiplies by a factor
// for which the product has the quotient's integer part.
struct Int8 {
  static constexpr bool kIsOneFormat = true;
  static constexpr bool kHasOneScale = true;
  static __device__ float scale(float absmax) { return group_scale(absmax); }
  static __device__ float prepare(float absmax, float scale) { return group_factor(absmax, scale); }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
    return quantize_values(first_pair, second_pair, factor);
  }
};

struct E4m3 {
  static constexpr bool kIsOneFormat = true;
  static constexpr bool kHasOneScale = true;
  static __device__ float scale(float absmax) { return format::e4m3_scale(absmax); }
  static __device__ float prepare(float /*absmax*/, float scale) { return format::e4m3_factor(scale); }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
    return e4m3_values(first_pair, second_pair, factor);
  }
};

// e4m3 in groups of 128 with fp32 scales; the call chooses the rule that makes a scale.
struct ScaledE4m3 : E4m3 {
  static constexpr bool kHasOneScale = false;
};

// Any format, including groups of 32; the call's rules say which.
struct AnyGroups {
  static constexpr bool kIsOneFormat = false;
  static constexpr bool kHasOneScale = false;
};

template <Format kFormat>
struct PayloadOf {
  using Type = AnyGroups;
};
template <>
struct PayloadOf<Format::int8> {
  using Type = Int8;
};
template <>
struct PayloadOf<Format::e4m3> {
  using Type = E4m3;
};
template <>
struct PayloadOf<Format::scaled_e4m3> {
  using Type = ScaledE4m3;
};

template <class Payload>
__device__ format::GroupScale scale_of_group(const format::GroupRules& rules, float absmax) {
  if constexpr (Payload::kHasOneScale) {
    const float scale = Payload::scale(absmax);
    return {scale, Payload::prepare(absmax, scale)};
  } else {
    return cuda::scale_of_group(rules, absmax);
  }
}

template <class Payload>
__device__ std::uint32_t quantize(const format::GroupRules& rules, std::uint32_t first_pair, std::uint32_t second_pair,
                                  float factor) {
  if constexpr (Payload::kIsOneFormat)
    return Payload::quantize(first_pair, second_pair, factor);
  else
    return quantize_in_group(rules, first_pair, second_pair, factor);
}

// Values per group.
template <class Payload>
__device__ int group_size(const format::GroupRules& rules) {
  if constexpr (Payload::kIsOneFormat) return kTile;
  return rules.size;
}

// Returns the group of a row's value.
template <class Payload, bool kStaged>
__device__ std::int64_t group_of(const format::GroupRules& rules, std::int64_t value) {
  if constexpr (kStaged) return static_cast<std::uint32_t>(value) / kTile;
  return value / group_size<Payload>(rules);
}

// Bytes per scale.
template <class Payload>
__device__ int scale_size(const format::GroupRules& rules) {
  if constexpr (Payload::kIsOneFormat) return sizeof(float);
  return format::scale_size(rules);
}

// Returns the place of a scale of [rows, groups] from `data` on. Scales of one format are fp32, never packed in words.
template <class Payload, bool kStaged>
__device__ ScalePlace scale_at(const format::GroupRules& rules, void* data, const format::ScaleStrides& strides,
                               std::int64_t row, std::int64_t group) {
  auto* const bytes = static_cast<std::uint8_t*>(data);
  const int size = scale_size<Payload>(rules);
  if constexpr (Payload::kIsOneFormat) {
    const std::int64_t index = product<kStaged>(row, strides.row) + product<kStaged>(group, strides.group);
    return {bytes + size * index, 0};
  }
  return {bytes + size * format::scale_index(strides, row, group),
          static_cast<int>(format::empty_scales_behind(strides, group))};
}

template <bool kWide, class Payload>
__device__ void store_scale(const format::GroupRules& rules, const ScalePlace& to, float scale) {
  if (Payload::kIsOneFormat || !rules.scales_are_ue8m0) {
    store<kWide>(reinterpret_cast<float*>(to.address), scale);
    return;
  }
  to.address[0] = format::to_ue8m0(scale);
#pragma unroll 1
  for (int i = 1; i <= to.empty; ++i) to.address[i] = 0;
}

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_FORMATS_CUH
