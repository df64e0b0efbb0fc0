// Kernels of swiglu: a tile at a time, its rows and then its columns; and the sums of the router weights' gradient.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/arguments.cuh"
#include "backend/cuda/swiglu/ahead.cuh"
#include "backend/cuda/swiglu/columns.cuh"
#include "backend/cuda/swiglu/steps.cuh"
#include "backend/cuda/swiglu/tiles.cuh"

namespace qfuse::cuda::swiglu {

// Returns where a thread's part of a row to be transposed is in the first plane.
template <bool kBackward, bool kStaged, class Ahead>
__device__ uint4* row_of_planes(const Ahead& ahead, uint4* planes, int token, int chunk) {
  if constexpr (kStaged && kBackward) return ahead.row();
  return planes + place(token, chunk);
}

// Stores a row's values to be transposed in their planes: y's first, if it is requested, then d_gate's and d_up's.
template <bool kBackward>
__device__ void keep_for_columns(unsigned outputs, const Outputs& out, uint4* row) {
  if ((outputs & kYTransposed) != 0) row[0] = vector_of(out.y);
  if (!kBackward || (outputs & kGradTransposed) == 0) return;
  uint4* const gradients = row + ((outputs & kYTransposed) != 0 ? kPlane : 0);
  gradients[0] = vector_of(out.d_gate);
  gradients[kPlane] = vector_of(out.d_up);
}

// All threads of a warp stay together: those whose token does not exist work on zeros and write only columns. If
// columns of such tokens are not written, these threads may repeat another token of the tile, which does not change the
// absmax of the 128 tokens. kOutputs: `outputs` of Kernel.
template <bool kBackward, unsigned kOutputs, Format kFormat, Extras kExtras, bool kExperts, bool kWide, bool kStaged,
          class B = Bounds<kBackward, kFormat, kExtras, kStaged>>
__global__ void __launch_bounds__(B::kMostThreads, B::kBlocks) swiglu_tile(const Arguments given) {
  using Payload = typename PayloadOf<kFormat>::Type;
  constexpr bool kHasWeights = kExtras != Extras::none;
  constexpr bool kHasMany = kHasWeights || !Payload::kHasOneScale;
  const Arguments& a = arguments_within_reach<kHasMany>(given);
  constexpr bool kRepeats = !kExperts && !kHasWeights && Payload::kIsOneFormat;
  constexpr bool kMoves = !kExperts || !kHasWeights;  // with both, sm_120 lacks registers for moving addresses
  const unsigned outputs = kOutputs != 0 ? kOutputs : a.outputs;
  const int planes = transposed_planes(outputs);
  const bool has_rows = (outputs & rows_of(kBackward)) != 0;
  auto* const in_planes = static_cast<uint4*>(dynamic_shared());
  __shared__ FoundTile found;
  const Tile tile = locate<kExperts>(a, found);
  if (kExperts && tile.tokens == 0) return;
  __shared__ float weights[kHasWeights ? kTile : 1];
  if constexpr (kHasWeights) {
    if (threadIdx.x < kTile) weights[threadIdx.x] = load_weight<kWide>(a, tile, static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  const int chunk = static_cast<int>(threadIdx.x % kRowChunks);
  const int rows = static_cast<int>(blockDim.x / kRowChunks);
  const int whole_warps = kExperts ? (tile.tokens + kWarpRows - 1) / kWarpRows * kWarpRows : kTile;
  int token = static_cast<int>(threadIdx.x / kRowChunks);
  using Ahead = std::conditional_t<kStaged, AheadInShared<kBackward, kRepeats>,
                                   AheadInRegisters<kBackward, kWide, kMoves, kRepeats>>;
  Ahead ahead(a, tile, in_planes, token, chunk);
  OutputPlace to = {};
  if (has_rows) to = output_at<kBackward, Payload, kStaged>(a, tile, token, chunk);
  __shared__ WaitingScales<kBackward> scales;
  if (kStaged && a.scales_wait) to.scale = waiting_scale_at(scales, token, chunk);
#pragma unroll 1
  for (; token < whole_warps; token += rows) {
    const Inputs in = ahead.take(a, tile, token, rows, chunk);
    Weighting weighting = {};
    if constexpr (kHasWeights) weighting.weight = weights + token;
    Outputs out = swiglu_chunk<kExtras>(a, in, weighting);
    if (kExperts && kExtras == Extras::any && token >= tile.tokens) out = {};  // an offset may turn zeros into -0
    if (planes > 0)
      keep_for_columns<kBackward>(outputs, out, row_of_planes<kBackward, kStaged>(ahead, in_planes, token, chunk));
    if (has_rows) {
      if (!kMoves && !kStaged) to = output_at<kBackward, Payload, kStaged>(a, tile, token, chunk);
      write_row<kBackward, kWide, Payload>(a, to, token < tile.tokens, chunk, out);
      if (kMoves || kStaged) move_on<kBackward>(a, to);  // after the last row to where nothing is written
    }
    if (kHasWeights && kBackward && a.parts_of_sums != nullptr)
      write_part_of_sum<kWide>(a, tile, token, chunk, weighting.sum);
  }
#pragma unroll 1  // zeros for tokens that do not exist
  for (; kExperts && token < kTile; token += rows)
    for (int i = 0; i < planes; ++i) in_planes[i * kPlane + place(token, chunk)] = {};
  if (kStaged || planes > 0) __syncthreads();
  if (kStaged && a.scales_wait) write_waiting_scales<kBackward, Payload>(a, tile, scales);
#pragma unroll 1  // so that there is one copy of the columns' code
  for (int i = 0; i < planes; ++i) {
    const bool is_y = i == 0 && (outputs & kYTransposed) != 0;
    const bool is_d_up = !is_y && i == planes - 1;
    const Columns columns = columns_of<kExperts, Payload>(a, tile, found, is_y);
    write_columns<kWide, Payload, kStaged>(a, in_planes + i * kPlane, columns, tile.channel + (is_d_up ? a.h : 0));
  }
}

// Adds the parts of grad_weights, one thread per token.
template <bool kWide>
__global__ void add_parts(const Arguments a) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (token >= a.m) return;
  float sum = load<kWide>(a.parts_of_sums + token);
  for (std::int64_t group = 1; group < a.channel_tiles; ++group)
    sum += load<kWide>(a.parts_of_sums + group * a.m + token);
  store<kWide>(a.grad_weights + token, canonical(sum));
}

// Called before the tiles if a token may have no expert: sets all parts to zero.
template <bool kWide>
__global__ void clear_parts(const Arguments a) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (token >= a.m) return;
  for (std::int64_t group = 0; group < a.channel_tiles; ++group)
    store<kWide>(a.parts_of_sums + group * a.m + token, 0.0F);
}

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_CUH
