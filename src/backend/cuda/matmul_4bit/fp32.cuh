// Kernel `fp32`, for any GPU: sums in fp32 without matrix instructions, element by element from global memory.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_FP32_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_FP32_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/groups.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- steps ----

template <class Value>
__device__ float load_input(const InputRows& in, std::int64_t tokens, std::int64_t token, std::int64_t term) {
  if (token >= tokens) return 0.0F;
  return widen(load<false>(static_cast<const Value*>(in.values) + token * in.stride + term));
}

// map: that of nested absmax, in shared memory.
template <class Value>
__device__ float rounded_weight(const MatmulArguments& a, const float* values, const float* map, std::int64_t i) {
  const float absmax = load_absmax_of_any<false>(a.weight, a.is_nested, i >> a.weight.block_shift,
                                                 [&](unsigned code) { return map[code]; });
  return widen(Rounding<Value>::one(decode_element(a.weight, values, i, absmax)));
}

// ---- kernel ----

template <bool kForward>
constexpr int kFp32Outputs = kForward ? kFp32Threads / kWarp : kFp32Threads;  // per thread block

// Forward, a warp makes one output, each lane one of its 32 partial sums. Backward, a thread makes one output.
template <class Value, bool kForward>
__device__ void multiply_tile_in_fp32(const MatmulArguments& a, const BlockTile& tile) {
  __shared__ float values[format::kCodes4];
  __shared__ float map[format::kCodes8];
  static_assert(kFp32Threads == format::kCodes8);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  if (thread < format::kCodes4) values[thread] = a.weight.values[thread];
  if (a.is_nested) map[thread] = load_map_value<false>(a.weight, static_cast<unsigned>(thread));
  __syncthreads();
  const std::int64_t terms = kForward ? a.cols : a.rows;
  const std::int64_t outputs = kForward ? a.rows : a.cols;
  const std::int64_t output = tile.first_output + (kForward ? thread / kWarp : thread);
  const std::int64_t first_token = tile.first_token;
  if (output >= outputs) return;
  float sums[kFp32Tokens] = {};
  const auto add_terms = [&](const InputRows& in, auto weight_of) {
    for (std::int64_t term = kForward ? lane : 0; term < in.terms; term += kForward ? kWarp : 1) {
      const float weight = weight_of(kForward ? output * in.terms + term : term * outputs + output);
#pragma unroll
      for (int i = 0; i < kFp32Tokens; ++i)
        sums[i] = __fadd_rn(sums[i], __fmul_rn(load_input<Value>(in, a.m, first_token + i, term), weight));
    }
  };
  add_terms({a.in, a.in_stride, terms}, [&](std::int64_t i) { return rounded_weight<Value>(a, values, map, i); });
  add_terms({a.lora_in, a.lora_rank, a.lora_rank},
            [&](std::int64_t i) { return widen(load<false>(static_cast<const Value*>(a.lora_weight) + i)); });
#pragma unroll
  for (int i = 0; i < kFp32Tokens; ++i) {
    if constexpr (kForward)
      for (int half = kWarp / 2; half > 0; half /= 2) sums[i] = __fadd_rn(sums[i], exchange(sums[i], half));
    if (!kForward || lane == 0) store_output<Value>(a, first_token + i, output, outputs, sums[i]);
  }
}

template <class Value, bool kForward>
__global__ void __launch_bounds__(kFp32Threads) multiply_in_fp32(const __grid_constant__ MatmulArguments a) {
  multiply_tile_in_fp32<Value, kForward>(a, tile_of_block(a, kFp32Outputs<kForward>, kFp32Tokens));
}

template <class Value, bool kForward>
__global__ void __launch_bounds__(kFp32Threads) multiply_groups_in_fp32(const __grid_constant__ GroupedArguments a) {
  with_tile<Value, kForward>(
      a, kFp32Outputs<kForward>, kFp32Tokens,
      [&](const MatmulArguments& own, const BlockTile& tile) { multiply_tile_in_fp32<Value, kForward>(own, tile); });
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_FP32_CUH
