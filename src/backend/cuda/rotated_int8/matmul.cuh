// Arguments of the rotated_int8_matmul kernels, and the order of their tiles.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_MATMUL_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_MATMUL_CUH

#include <cstdint>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/rotated_int8/plan.h"

namespace qfuse::cuda::rotated_int8 {

// ---- kernel arguments ----

struct MatmulArguments {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t out_stride;
  std::int64_t lora_rank;
  bool is_forward;
  bool is_wide;  // 16-byte stores
  std::int64_t token_tiles;
  std::int64_t output_tiles;
  const std::int8_t* in;
  const float* in_scale;
  const std::int8_t* weight;
  const float* weight_scale;
  void* out;
  const void* bias;
  const void* lora_in;
  const void* lora_weight;
  const void* addend;
};

inline MatmulArguments arguments_of(const contract::RotatedInt8Matmul& p, const MatmulPlan& plan) {
  // If k is 0 the operands may be null. Kernels add offsets to these addresses, but read nothing there.
  const auto* const nothing = static_cast<const std::int8_t*>(static_cast<const void*>(p.out));
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .out_stride = out_stride(p),
          .lora_rank = p.lora_rank,
          .is_forward = p.direction == QFUSE_FORWARD,
          .is_wide = is_aligned(p.out, kVectorBytes) && out_stride(p) * format::dtype_size(p.dtype) % kVectorBytes == 0,
          .token_tiles = format::ceil_div(p.m, plan.tokens),
          .output_tiles = format::ceil_div(p.n, plan.outputs),
          .in = p.k > 0 ? p.in_q : nothing,
          .in_scale = p.in_scale,
          .weight = p.k > 0 ? p.weight_q : nothing,
          .weight_scale = p.weight_scale,
          .out = p.out,
          .bias = p.bias,
          .lora_in = p.lora_in,
          .lora_weight = p.lora_weight,
          .addend = p.addend};
}

contract::Outcome launch_mma(const contract::RotatedInt8Matmul& p, const MatmulPlan& plan, const qfuse_exec& exec);
contract::Outcome launch_wgmma(const contract::RotatedInt8Matmul& p, const MatmulPlan& plan, const qfuse_exec& exec);

// ---- the order of tiles ----

struct TilePlace {
  std::int64_t token;
  std::int64_t output;
};

// All tiles of 2048 tokens come before those of the next 2048, so that both operands are read from L2.
template <int kTokens, int kOutputs>
__device__ TilePlace place_of_tile(const MatmulArguments& a, std::int64_t tile) {
  constexpr std::int64_t kGroup = 2048 / kTokens;
  const std::int64_t group = tile / (kGroup * a.output_tiles);
  const std::int64_t in_group = tile % (kGroup * a.output_tiles);
  const std::int64_t left = a.token_tiles - group * kGroup;
  const std::int64_t tokens = left < kGroup ? left : kGroup;
  return {(group * kGroup + in_group % tokens) * kTokens, in_group / tokens * kOutputs};
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_MATMUL_CUH
