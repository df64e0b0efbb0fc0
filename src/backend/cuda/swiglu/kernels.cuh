// The kernels of swiglu: a tile at a time, its rows and then its columns; and the sums of the router weights' gradient.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/arguments.cuh"
#include "backend/cuda/swiglu/ahead.cuh"
#include "backend/cuda/swiglu/columns.cuh"
#include "backend/cuda/swiglu/steps.cuh"
#include "backend/cuda/swiglu/tiles.cuh"

namespace qfuse::cuda {

// Where a row's part of what is transposed belongs in the first plane.
template <bool kGradients, bool kStaged, class Ahead>
__device__ uint4* row_of_planes(const Ahead& ahead, uint4* planes, int token, int chunk) {
  if constexpr (kStaged && kGradients) return ahead.row();
  return planes + place(token, chunk);
}

// All threads of a warp stay together: those of tokens that are not there work on zeros and write nothing but columns'.
// Where columns of such tokens are not written, they may repeat another of the tile, which no absmax of 128 tokens
// notices.
template <class W, bool kWide, bool kExperts, class Payload, bool kStaged = false,
          class B = Bounds<W, Payload, kStaged>>
__global__ void __launch_bounds__(B::kMostThreads, B::kBlocks) differentiate_tile(const SwigluArguments given) {
  constexpr bool kHasWeights = W::kExtras != Extras::none;
  constexpr bool kHasMany = kHasWeights || !Payload::kHasOneScale;
  const SwigluArguments& a = arguments_within_reach<kHasMany>(given);
  constexpr bool kRepeats = !kExperts && !kHasWeights && Payload::kIsOneFormat;
  constexpr bool kMoves = !kExperts || !kHasWeights;  // with both, sm_120 has no registers for such pointers
  constexpr int kGatePlane = W::y_transposed ? kPlane : 0;
  constexpr int kPlanes = (W::y_transposed ? 1 : 0) + (W::transposed ? 2 : 0);
  auto* const y = static_cast<uint4*>(dynamic_shared());
  __shared__ FoundTile found;
  const Tile tile = locate<kExperts>(a, found);
  if (kExperts && tile.tokens == 0) return;
  __shared__ float weights[kHasWeights ? kSwigluTile : 1];
  if constexpr (kHasWeights) {
    if (threadIdx.x < kSwigluTile) weights[threadIdx.x] = load_weight<kWide>(a, tile, static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  const int chunk = static_cast<int>(threadIdx.x % kRowChunks);
  const int rows = static_cast<int>(blockDim.x / kRowChunks);
  const int whole_warps = kExperts ? (tile.tokens + kWarpRows - 1) / kWarpRows * kWarpRows : kSwigluTile;
  int token = static_cast<int>(threadIdx.x / kRowChunks);
  using Ahead = std::conditional_t<kStaged, AheadInShared<W, kRepeats>, AheadInRegisters<W, kWide, kMoves, kRepeats>>;
  Ahead ahead(a, tile, y, token, chunk);
  Target target = target_at<W, Payload, kStaged>(a, tile, token, chunk);
  static_assert(!kStaged || kPlanes > 0, "scales wait for the barrier of the planes");
  __shared__ WaitingScales<W> scales;
  if (kStaged && a.scales_wait) target.scale = waiting_scale_at(scales, token, chunk);
#pragma unroll 1
  for (; token < whole_warps; token += rows) {
    const Inputs in = ahead.take(a, tile, token, rows, chunk);
    Weighting weighting = {};
    if constexpr (kHasWeights) weighting.weight = weights + token;
    Outputs out = differentiate<W::kExtras>(a, in, weighting);
    if (kExperts && W::kExtras == Extras::any && token >= tile.tokens) out = {};  // an offset may make -0 of zeros
    if constexpr (kPlanes > 0) {
      uint4* const row = row_of_planes<W::gradients, kStaged>(ahead, y, token, chunk);
      if (W::y_transposed) row[0] = vector_of(out.y);
      if (W::transposed) {
        row[kGatePlane] = vector_of(out.d_gate);
        row[kGatePlane + kPlane] = vector_of(out.d_up);
      }
    }
    const bool exists = token < tile.tokens;
    if (!kMoves && !kStaged) target = target_at<W, Payload, kStaged>(a, tile, token, chunk);
    if (W::rows) write_gradients<kWide, Payload>(a, target, exists, chunk, out);
    if (W::y_rows) write_y<kWide, Payload>(a, target, exists, chunk, out);
    if (kMoves || kStaged) move_on<W>(a, target);  // behind the last row to where nothing is written
    if (kHasWeights && W::gradients && a.parts_of_sums != nullptr)
      write_part_of_sum<kWide>(a, tile, token, chunk, weighting.sum);
  }
#pragma unroll 1  // no tokens: zeros
  for (; kExperts && kPlanes > 0 && token < kSwigluTile; token += rows)
    for (int i = 0; i < kPlanes; ++i) y[i * kPlane + place(token, chunk)] = {};
  if (kPlanes > 0) __syncthreads();
  if (kStaged && a.scales_wait) write_waiting_scales<W, Payload>(a, tile, scales);
#pragma unroll 1  // of the columns' code there is one copy
  for (int i = 0; i < kPlanes; ++i) {
    const bool is_y = W::y_transposed && i == 0;
    const bool is_d_up = W::transposed && i == kPlanes - 1;
    const Columns columns = columns_of<kExperts, Payload>(a, tile, found, is_y);
    write_columns<kWide, Payload, kStaged>(a, y + i * kPlane, columns, tile.channel + (is_d_up ? a.h : 0));
  }
}

// The values of a chunk, of y or of one of the gradients, to an output by rows.
template <bool kWide>
__device__ void write_float_row(const format::GroupRules& rules, const Target& to, const float (&values)[kChunk],
                                int chunk, bool exists) {
  std::uint32_t absmax = 0;
#pragma unroll
  for (const float value : values) {
    const std::uint32_t magnitude = __float_as_uint(value) & ~format::kSignBit;
    absmax = magnitude > absmax ? magnitude : absmax;
  }
  for (int step = rules.size / kChunk / 2; step > 0; step /= 2) {
    const std::uint32_t other = exchange(absmax, step);
    absmax = other > absmax ? other : absmax;
  }
  if (!exists) return;
  const format::GroupScale scale = format::scale_of_group(rules, __uint_as_float(absmax));
  if (chunk % (rules.size / kChunk) == 0) store_scale<kWide, AnyGroups>(rules, to.scale, scale.scale);
  store_payload<kWide>(to.q, {quantize_in_group(rules, values, scale.factor),
                              quantize_in_group(rules, values + kChunk / 2, scale.factor)});
}

template <bool kFast>
__device__ void differentiate_chunk(const SwigluArguments& a, const Inputs& in, Weighting& w, float (&y)[kChunk],
                                    float (&d_gate)[kChunk], float (&d_up)[kChunk]) {
#pragma unroll
  for (int i = 0; i < kChunk; ++i) {
    const Values values = differentiate_value<Extras::any, kFast>(a, in, i, w);
    y[i] = values.y;
    d_gate[i] = values.d_gate;
    d_up[i] = values.d_up;
  }
}

// The outputs by rows of values that are not rounded to bf16: y or the gradients.
template <bool kGradients, bool kWide, bool kExperts>
__global__ void __launch_bounds__(kSwigluFewerThreads) differentiate_rows(const SwigluArguments given) {
  const SwigluArguments& a = arguments_within_reach<true>(given);
  __shared__ FoundTile found;
  const Tile tile = locate<kExperts>(a, found);
  if (kExperts && tile.tokens == 0) return;
  __shared__ float weights[kSwigluTile];
  if (threadIdx.x < kSwigluTile) weights[threadIdx.x] = load_weight<kWide>(a, tile, static_cast<int>(threadIdx.x));
  __syncthreads();
  const int chunk = static_cast<int>(threadIdx.x) % kRowChunks;
  const int rows = static_cast<int>(blockDim.x) / kRowChunks;
#pragma unroll 1
  for (int token = static_cast<int>(threadIdx.x) / kRowChunks; token < kSwigluTile; token += rows) {
    const bool exists = token < tile.tokens;
    Inputs in = {};
    if (exists) load_row<kWide, kGradients>(a, source_at<kGradients>(a, tile, token, chunk), in);
    Weighting weighting = {weights + token, 0.0F};
    float y[kChunk];
    float d_gate[kChunk];
    float d_up[kChunk];
    if (has_small_gates<Extras::any>(a, in))
      differentiate_chunk<true>(a, in, weighting, y, d_gate, d_up);
    else
      differentiate_chunk<false>(a, in, weighting, y, d_gate, d_up);
    const std::int64_t row = tile.token + token;
    const std::int64_t channel = tile.channel + chunk * kChunk;
    if constexpr (kGradients) {
      const format::GroupRules& rules = a.gradient_rules;
      const auto to = [&](std::int64_t of_row) -> Target {
        return {a.grad_input_q + row * 2 * a.h + of_row,
                scale_at<AnyGroups, false>(rules, a.grad_input_s, a.row_scales, row, of_row / rules.size)};
      };
      write_float_row<kWide>(rules, to(channel), d_gate, chunk, exists);
      write_float_row<kWide>(rules, to(a.h + channel), d_up, chunk, exists);
      if (a.parts_of_sums != nullptr) write_part_of_sum<kWide>(a, tile, token, chunk, weighting.sum);
    } else {
      write_float_row<kWide>(a.y_rules, y_at<AnyGroups, false>(a, tile, token, chunk), y, chunk, exists);
    }
  }
}

// What grad_weights are: the sums of their parts. A thread has a token.
template <bool kWide>
__global__ void add_parts(const SwigluArguments a) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (token >= a.m) return;
  float sum = load<kWide>(a.parts_of_sums + token);
  for (std::int64_t group = 1; group < a.channel_tiles; ++group)
    sum += load<kWide>(a.parts_of_sums + group * a.m + token);
  store<kWide>(a.grad_weights + token, canonical(sum));
}

// Before: zeros for all parts, where a token may have no expert.
template <bool kWide>
__global__ void clear_parts(const SwigluArguments a) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (token >= a.m) return;
  for (std::int64_t group = 0; group < a.channel_tiles; ++group)
    store<kWide>(a.parts_of_sums + group * a.m + token, 0.0F);
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH
