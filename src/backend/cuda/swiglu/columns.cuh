// What swiglu writes transposed: the columns of a tile, which are one channel of all its tokens.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_COLUMNS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_COLUMNS_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/swiglu/arguments.cuh"
#include "backend/cuda/swiglu/formats.cuh"
#include "backend/cuda/swiglu/tiles.cuh"

namespace qfuse::cuda::swiglu {

// Values to be transposed are kept in shared memory as bf16, in a plane with a row per token and 16 chunks per row.
// Chunks are permuted within their row, so that neither access has bank conflicts: 8 neighboring chunks of a row are
// stored at once, and one chunk of each of the 8 tokens that load_columns names is loaded at once, for which the XORed
// number takes all 8 values.
__device__ inline int place(int token, int chunk) {
  return (token * kRowChunks + chunk) ^ (token & 1) ^ (token >> 3 & 6);
}

constexpr int kPlane = kTile * kRowChunks;  // vectors
static_assert(kPlane * sizeof(uint4) == kPlaneBytes);

// Loads eight channels of all tokens, transposed: `lane` gets channel lane / 4 for 16 tokens from 16 * (lane % 4) on
// and for the 16 tokens that are 64 further on, as pairs.
constexpr int kColumnPairs = kTile / 8;

__device__ inline void load_columns(const uint4* plane, int chunk, int lane, std::uint32_t (&pairs)[kColumnPairs]) {
  // Tokens 8 or 64 further on are as many rows further on, because place() permutes by other bits of the token.
  const auto first_of = [&](int m, int row) { return plane + place(16 * (row / 2) + 2 * m + row % 2, chunk); };
#pragma unroll
  for (int i = 0; i < kColumnPairs; i += 4) {
    const int tokens = (i >= 8 ? 64 : 0) + 2 * (i % 8);
    const auto row_of = [&](int m, int row) { return first_of(m, row) + tokens * kRowChunks; };
    load_transposed(row_of, lane, pairs + i);
  }
}

// Writes 16 tokens of a channel, `left` of which exist.
template <class Payload>
__device__ void write_tokens(const Arguments& a, std::int8_t* to, const std::uint32_t* pairs, float factor, int left) {
  std::uint32_t payload[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) payload[i] = quantize<Payload>(a.rules, pairs[2 * i], pairs[2 * i + 1], factor);
  if (a.wide_t) {
    if (left > 0) *reinterpret_cast<uint4*>(to) = vector_of(payload);
    return;
  }
#pragma unroll 1  // unrolled, it would keep a mask for each byte
  for (int i = 0; i < 16 && i < left; ++i) {
    to[i] = static_cast<std::int8_t>(payload[0]);
#pragma unroll
    for (int word = 0; word < 3; ++word) payload[word] = payload[word] >> 8 | payload[word + 1] << 24;
    payload[3] >>= 8;
  }
}

// A transposed output, and which of its columns belong to a tile.
struct Columns {
  std::int8_t* q;
  void* s;
  format::ColumnPlace place;
  std::int64_t first;
  int count;
};

// Returns the columns of y, or of the gradient.
template <bool kExperts, class Payload>
__device__ Columns columns_of(const Arguments& a, const Tile& tile, const FoundTile& found, bool y) {
  std::int8_t* const q = y ? a.y_t.q : a.grad_input_t.q;
  void* const s = y ? a.y_t.s : a.grad_input_t.s;
  if constexpr (!kExperts) return {q, s, y ? a.y_place : a.gradient_place, tile.token, tile.tokens};
  const format::TokenTile tokens = tokens_of(found);
  format::ColumnLayout layout = a.columns;
  if constexpr (Payload::kIsOneFormat) layout.scales = {layout.scales.layout, false, kTile};  // a compile-time divisor
  const format::ColumnPlace place = format::place_columns(layout, y ? a.h : 2 * a.h, tokens.before, tokens.columns);
  return {q, s, place, tokens.column, found.columns};
}

// Scales for the 32 tokens of a channel that a thread has. The first and second 16 are in one group or in two.
struct ColumnScales {
  format::GroupScale first;
  format::GroupScale second;
};

// Four neighboring threads have a channel's tokens, each 16 adjacent ones and the 16 that are 64 further on.
template <class Payload>
__device__ ColumnScales scales_of_columns(const format::GroupRules& rules, const std::uint32_t (&pairs)[kColumnPairs]) {
  if (group_size<Payload>(rules) == kTile) {
    std::uint32_t absmax = find_absmax(pairs);
    absmax = larger_magnitudes(absmax, absmax >> 16);
    absmax = larger_magnitudes(absmax, exchange(absmax, 1));
    absmax = larger_magnitudes(absmax, exchange(absmax, 2));
    const format::GroupScale scale = scale_of_group<Payload>(rules, fabsf(widen<Bfloat16>(&absmax, 0)));
    return {scale, scale};
  }
  std::uint32_t halves[2] = {};
#pragma unroll
  for (int i = 0; i < kColumnPairs; ++i)
    halves[i / (kColumnPairs / 2)] = larger_magnitudes(halves[i / (kColumnPairs / 2)], pairs[i]);
#pragma unroll
  for (std::uint32_t& half : halves) {
    half = larger_magnitudes(half, half >> 16);
    half = larger_magnitudes(half, exchange(half, 1));
  }
  return {scale_of_group<Payload>(rules, fabsf(widen<Bfloat16>(halves, 0))),
          scale_of_group<Payload>(rules, fabsf(widen<Bfloat16>(halves + 1, 0)))};
}

// Writes a plane to an output; the tile's first channel is the output's row `first_row`.
template <bool kWide, class Payload, bool kStaged>
__device__ void write_columns(const Arguments& a, const uint4* plane, const Columns& out, std::int64_t first_row) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
#pragma unroll 1
  for (int chunk = static_cast<int>(threadIdx.x / kWarp); chunk < kRowChunks; chunk += warps) {
    std::uint32_t pairs[kColumnPairs];
    load_columns(plane, chunk, lane, pairs);
    const ColumnScales scales = scales_of_columns<Payload>(a.rules, pairs);
    const int size = group_size<Payload>(a.rules);
    const int token = 16 * (lane % 4);  // in the tile; another one is 64 further on
    const bool is_first = token % size == 0;
    const format::ColumnPlace& place = out.place;
    void* const scales_of_expert = static_cast<std::uint8_t*>(out.s) + place.first_scale * scale_size<Payload>(a.rules);
    const std::int64_t row = first_row + chunk * kChunk + lane / 4;
    const std::int64_t group = place.first_group + (out.first + token) / size;
    const auto store_at = [&](std::int64_t of_row, float scale) {
      const ScalePlace to = scale_at<Payload, kStaged>(a.rules, scales_of_expert, place.scales, row, of_row);
      store_scale<kWide, Payload>(a.rules, to, scale);
    };
    if (is_first && token < out.count) store_at(group, scales.first.scale);
    if (is_first && size < kTile && token + 64 < out.count) store_at(group + 64 / size, scales.second.scale);
    std::int8_t* const q = out.q + place.first + product<kStaged>(row, place.stride) + out.first + token;
    write_tokens<Payload>(a, q, pairs, scales.first.factor, out.count - token);
    write_tokens<Payload>(a, q + 64, pairs + kColumnPairs / 2, scales.second.factor, out.count - token - 64);
  }
}

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_COLUMNS_CUH
