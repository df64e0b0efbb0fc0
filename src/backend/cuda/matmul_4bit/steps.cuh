// The arguments of matmul_4bit's kernels, and device functions that several kernels share. Those for the weight are in
// device/weight_4bit.cuh.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/matmul_4bit/plan.h"
#include "format/matrix_step.h"

namespace qfuse::cuda::matmul_4bit {

// ---- kernel arguments ----

// In these kernels tokens are M, outputs are N and terms are K. Forward, outputs and terms are the weight's rows and
// cols; backward, its cols and rows.
struct MatmulArguments {
  std::int64_t m;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t in_stride;
  std::int64_t out_stride;
  std::int64_t blocks;       // of the launch
  std::int64_t token_tiles;  // tiles along M; tiles of the same outputs are adjacent
  bool is_nested;
  bool is_split;
  bool has_whole_chains;
  bool is_turing;  // runs the variant for Turing
  Weight4bit weight;
  const void* in;
  const void* bias;
  void* out;
  std::int64_t lora_rank;
  const void* lora_in;
  const void* lora_weight;
};

inline MatmulArguments arguments_of(const contract::Matmul4bit& p, const Plan& plan) {
  return {.m = p.m,
          .rows = p.weight.rows,
          .cols = p.weight.cols,
          .in_stride = in_stride(p),
          .out_stride = out_stride(p),
          .blocks = plan.blocks,
          .token_tiles = format::ceil_div(p.m, plan.tokens),
          .is_nested = contract::is_nested(p.weight),
          .is_split = p.sum == QFUSE_SUM_SPLIT,
          .has_whole_chains = has_whole_chains(p),
          .is_turing = plan.is_turing,
          .weight = device_view(p.weight),
          .in = p.in,
          .bias = p.bias,
          .out = p.out,
          .lora_rank = p.lora_rank,
          .lora_in = p.lora_in,
          .lora_weight = p.lora_weight};
}

// ---- steps ----

__device__ inline void multiply(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4], Half) {
  multiply_half(a, b, sums);
}
__device__ inline void multiply(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4], Bfloat16) {
  multiply_bfloat16(a, b, sums);
}

constexpr int kPanelShift = 6;
static_assert(1 << kPanelShift == kPanelCols);

// Whether each 64 codes have several scales: of rows, in blocks of 32 or 16.
__host__ __device__ inline bool has_small_blocks(const Weight4bit& w) { return 1 << w.block_shift < kPanelCols; }

// The values of a byte's two codes, in the order of their elements.
__device__ inline Pair pair_of_byte(const Weight4bit& w, float high, float low) {
  return w.is_low_first ? Pair{low, high} : Pair{high, low};
}

// Swaps the nibbles of each byte, for codes whose low nibbles are first.
__device__ inline std::uint32_t with_high_first(std::uint32_t codes) {
  constexpr std::uint32_t kLow = 0x0f0f0f0f;
  return (codes >> 4 & kLow) | (codes & kLow) << 4;
}

// The absmax of a block of any format.
template <bool kWide, class MapValue>
__device__ float load_absmax_of_any(const Weight4bit& w, bool is_nested, std::int64_t block,
                                    const MapValue& map_value) {
  if (!is_nested && w.absmax_type != QFUSE_SCALES_FLOAT32)
    return widen_absmax(w.absmax_type, load_bytes<std::uint16_t>(absmax_at(w, block)));
  return load_decoded_absmax<kWide>(w, is_nested, block, map_value);
}
template <bool kWide>
__device__ float load_absmax_of_any(const Weight4bit& w, bool is_nested, std::int64_t block) {
  return load_absmax_of_any<kWide>(w, is_nested, block, [&](unsigned code) { return load_map_value<kWide>(w, code); });
}

// One weight, before it is rounded, whose block has this absmax.
__device__ inline float decode_element(const Weight4bit& w, const float* values, std::int64_t i, float absmax) {
  const unsigned byte = w.packed[i / 2];
  return mul_ftz(values[(i % 2 == 0) != w.is_low_first ? byte >> 4 : byte & 0xfU], absmax);
}

// Rows of inputs: of `in`, or of lora_in.
struct InputRows {
  const void* values;
  std::int64_t stride;
  std::int64_t terms;
};

template <class Value>
__device__ void store_output(const MatmulArguments& a, std::int64_t token, std::int64_t output, std::int64_t outputs,
                             float sum) {
  if (token >= a.m || output >= outputs) return;
  if (a.bias != nullptr) sum = __fadd_rn(sum, widen(load_bytes<Value>(static_cast<const Value*>(a.bias) + output)));
  store<false>(static_cast<Value*>(a.out) + token * a.out_stride + output, Rounding<Value>::one(sum));
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STEPS_CUH
