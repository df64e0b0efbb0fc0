// Device steps of swiglu, and what is written of a row. No step may be fused with another: files that include this are
// compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/swiglu.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/swiglu/arguments.cuh"
#include "backend/cuda/swiglu/formats.cuh"

namespace qfuse::cuda::swiglu {

// ---- a token's channels ----

template <bool kWide>
__device__ void load_chunk(const std::uint8_t* from, std::uint32_t (&pairs)[kPairs]) {
  if constexpr (kWide) {
    unpack(__ldg(reinterpret_cast<const uint4*>(from)), pairs);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) pairs[i] = load_bytes<std::uint32_t>(from + 4 * i);
  }
}

template <bool kGradients, bool kStaged = false>
__device__ InputPlace input_at(const Arguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  return {a.x + 2 * (product<kStaged>(row, a.x_stride) + channel),
          kGradients ? a.grad_y + 2 * (product<kStaged>(row, a.grad_y_stride) + channel) : nullptr};
}

template <bool kGradients>
__device__ void move_on(const Arguments& a, InputPlace& from) {
  from.x += a.x_step;
  if constexpr (kGradients) from.grad_y += a.grad_y_step;
}

template <bool kWide, bool kGradients>
__device__ void load_row(const Arguments& a, const InputPlace& from, Inputs& in) {
  load_chunk<kWide>(from.x, in.gate);
  load_chunk<kWide>(from.x + 2 * a.h, in.up);
  if constexpr (kGradients) load_chunk<kWide>(from.grad_y, in.grad_y);
}

template <bool kWide>
__device__ float load_weight(const Arguments& a, const Tile& tile, int token) {
  if (a.weights == nullptr || token >= tile.tokens) return 1.0F;
  return load<kWide>(a.weights + tile.token + token);
}

// Address of a token's router weight in shared memory, and the sum so far, over its channels, of grad_y times the
// unweighted y. The weight is read again at each use, because keeping it would take one register too many.
struct Weighting {
  const volatile float* weight;
  float sum;
};

// Results for one channel.
struct Values {
  float y;
  float d_gate;
  float d_up;
};

template <Extras kExtras, bool kFast>
__device__ Values swiglu_channel(const Arguments& a, const Inputs& in, int i, Weighting& w) {
  float g = widen<Bfloat16>(in.gate, i);
  float u = widen<Bfloat16>(in.up, i);
  float dy = widen<Bfloat16>(in.grad_y, i);
  const bool gate_is_limited = kExtras == Extras::any && g > a.limit;
  const bool up_is_limited = kExtras == Extras::any && fabsf(u) > a.limit;
  float exponent = g;
  if constexpr (kExtras == Extras::any) {
    g = gate_is_limited ? a.limit : g;
    u = up_is_limited ? (u > 0.0F ? a.limit : -a.limit) : u;
    u = a.up_offset != 0 ? u + a.up_offset : u;
    exponent = a.alpha * g;
  }
  const float s = kFast ? fast_sigmoid(exponent) : sigmoid(exponent);
  const float silu = g * s;
  float y = silu * u;
  if constexpr (kExtras != Extras::none) {
    const float product = dy * y;
    w.sum = i == 0 ? product : w.sum + product;
    const float weight = *w.weight;
    y = y * weight;
    dy = dy * weight;
  }
  return {y, gate_is_limited ? 0.0F : gate_gradient(exponent, u, dy, s), up_is_limited ? 0.0F : dy * silu};
}

template <Extras kExtras, bool kFast>
__device__ void swiglu_pair(const Arguments& a, const Inputs& in, int i, Outputs& out, Weighting& w) {
  const Values first = swiglu_channel<kExtras, kFast>(a, in, 2 * i, w);
  const Values second = swiglu_channel<kExtras, kFast>(a, in, 2 * i + 1, w);
  const float y[] = {first.y, second.y};
  const float d_up[] = {first.d_up, second.d_up};
  const float d_gate[] = {first.d_gate, second.d_gate};
  out.y[i] = Rounding<Bfloat16>::word(y);
  out.d_up[i] = Rounding<Bfloat16>::word(d_up);
  out.d_gate[i] = Rounding<Bfloat16>::word(d_gate);
}

// Whether fast_sigmoid is right for all sigmoid arguments of a chunk.
template <Extras kExtras>
__device__ bool has_small_gates(const Arguments& a, const Inputs& in) {
  const bool small = are_at_most(magnitudes(find_absmax(in.gate)), kFastSigmoidMost);
  return small && (kExtras != Extras::any || a.exponents_are_bf16);
}

// Computes y and the gradients of a chunk, rounded to bf16.
template <Extras kExtras>
__device__ Outputs swiglu_chunk(const Arguments& a, const Inputs& in, Weighting& w) {
  Outputs out;
  if (has_small_gates<kExtras>(a, in)) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) swiglu_pair<kExtras, true>(a, in, i, out, w);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) swiglu_pair<kExtras, false>(a, in, i, out, w);
  }
  return out;
}

// ---- rows: the gradients of one token, or its y ----

template <bool kWide>
__device__ void store_payload(std::int8_t* to, uint2 payload) {
  if constexpr (kWide)
    *reinterpret_cast<uint2*>(to) = payload;
  else
    store_bytes(to, payload);
}

template <bool kWide, class Payload>
__device__ void write_payload(const format::GroupRules& rules, std::int8_t* to, const std::uint32_t (&pairs)[kPairs],
                              float factor) {
  store_payload<kWide>(
      to, {quantize<Payload>(rules, pairs[0], pairs[1], factor), quantize<Payload>(rules, pairs[2], pairs[3], factor)});
}

// Even threads write scales of d_gate, odd ones scales of d_up, if they have one of a group's first two chunks.
template <class Payload, bool kStaged>
__device__ OutputPlace gradients_at(const Arguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  const std::int64_t of_row = channel + (chunk % 2 == 1 ? a.h : 0);
  return {a.grad_input.q + 2 * product<kStaged>(row, a.h) + channel,
          scale_at<Payload, kStaged>(a.rules, a.grad_input.s, a.row_scales, row,
                                     group_of<Payload, kStaged>(a.rules, of_row))};
}

// The chunks of a row share its two groups, or as many as there are in its 128 channels. Their absmax are exchanged in
// one word, d_gate's in the low half; then even threads make the scale of d_gate, odd ones that of d_up.
template <bool kWide, class Payload>
__device__ void write_gradients(const Arguments& a, const OutputPlace& to, bool exists, int chunk, const Outputs& out) {
  const format::GroupRules& rules = a.rules;
  const int size = group_size<Payload>(rules);
  const std::uint32_t gate = find_absmax(out.d_gate);
  const std::uint32_t up = find_absmax(out.d_up);
  std::uint32_t absmax = larger_magnitudes(__byte_perm(gate, up, 0x5410), __byte_perm(gate, up, 0x7632));
  for (int step = size / kChunk / 2; step > 0; step /= 2) absmax = larger_magnitudes(absmax, exchange(absmax, step));
  const bool ups = chunk % 2 == 1;
  const format::GroupScale scale = scale_of_group<Payload>(rules, fabsf(widen<Bfloat16>(&absmax, ups ? 1 : 0)));
  const float others = exchange(scale.factor, 1);
  if (!exists) return;
  if (chunk % (size / kChunk) < 2) store_scale<kWide, Payload>(rules, to.scale, scale.scale);
  write_payload<kWide, Payload>(rules, to.q, out.d_gate, ups ? others : scale.factor);
  write_payload<kWide, Payload>(rules, to.q + a.h, out.d_up, ups ? scale.factor : others);
}

template <class Payload, bool kStaged>
__device__ OutputPlace y_at(const Arguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  return {a.y.q + product<kStaged>(row, a.h) + channel,
          scale_at<Payload, kStaged>(a.rules, a.y.s, a.y_scales, row, group_of<Payload, kStaged>(a.rules, channel))};
}

template <bool kWide, class Payload>
__device__ void write_y(const Arguments& a, const OutputPlace& to, bool exists, int chunk, const Outputs& out) {
  const int size = group_size<Payload>(a.rules);
  std::uint32_t absmax = find_absmax(out.y);
  for (int step = size / kChunk / 2; step > 0; step /= 2) absmax = larger_magnitudes(absmax, exchange(absmax, step));
  absmax = larger_magnitudes(absmax, absmax >> 16);
  const format::GroupScale scale = scale_of_group<Payload>(a.rules, fabsf(widen<Bfloat16>(&absmax, 0)));
  if (!exists) return;
  if (chunk % (size / kChunk) == 0) store_scale<kWide, Payload>(a.rules, to.scale, scale.scale);
  write_payload<kWide, Payload>(a.rules, to.q, out.y, scale.factor);
}

// The row-wise output of a pass: the gradients, or y.
__device__ constexpr unsigned rows_of(bool backward) { return backward ? kGradRows : kYRows; }

// Returns where a thread writes its part of a row.
template <bool kBackward, class Payload, bool kStaged>
__device__ OutputPlace output_at(const Arguments& a, const Tile& tile, int token, int chunk) {
  if constexpr (kBackward) return gradients_at<Payload, kStaged>(a, tile, token, chunk);
  return y_at<Payload, kStaged>(a, tile, token, chunk);
}

template <bool kBackward>
__device__ void move_on(const Arguments& a, OutputPlace& to) {
  to.q += kBackward ? a.gradients_step : a.y_step;
  to.scale.address += kBackward ? a.gradient_scales_step : a.y_scales_step;
}

template <bool kBackward, bool kWide, class Payload>
__device__ void write_row(const Arguments& a, const OutputPlace& to, bool exists, int chunk, const Outputs& out) {
  if constexpr (kBackward)
    write_gradients<kWide, Payload>(a, to, exists, chunk, out);
  else
    write_y<kWide, Payload>(a, to, exists, chunk, out);
}

// Scales of a tile's rows, of d_gate and d_up or of y, in shared memory. They wait there if they are MN-major and the
// kernel is staged: scales of neighboring tokens are adjacent and are then stored as whole lines.
template <bool kBackward>
struct WaitingScales {
  static constexpr int kGroups = kBackward ? 2 : 1;
  float of[kGroups][kTile];
};

template <bool kBackward>
__device__ ScalePlace waiting_scale_at(WaitingScales<kBackward>& scales, int token, int chunk) {
  return {reinterpret_cast<std::uint8_t*>(&scales.of[chunk % WaitingScales<kBackward>::kGroups][token]), 0};
}

// Called after a barrier.
template <bool kBackward, class Payload>
__device__ void write_waiting_scales(const Arguments& a, const Tile& tile, const WaitingScales<kBackward>& scales) {
  const int token = static_cast<int>(threadIdx.x) % kTile;
  const int of_tile = static_cast<int>(threadIdx.x) / kTile;
  if (of_tile >= WaitingScales<kBackward>::kGroups || token >= tile.tokens) return;
  const std::int64_t group = group_of<Payload, true>(a.rules, tile.channel + (of_tile == 0 ? 0 : a.h));
  void* const data = kBackward ? a.grad_input.s : a.y.s;
  const format::ScaleStrides& strides = kBackward ? a.row_scales : a.y_scales;
  const ScalePlace to = scale_at<Payload, true>(a.rules, data, strides, tile.token + token, group);
  store_scale<true, Payload>(a.rules, to, scales.of[of_tile][token]);
}

// Sums the chunks' sums of a token over the tile's channels, as a tree, and writes the result.
template <bool kWide>
__device__ void write_part_of_sum(const Arguments& a, const Tile& tile, int token, int chunk, float sum) {
#pragma unroll
  for (int step = kRowChunks / 2; step > 0; step /= 2) sum += exchange(sum, step);
  if (token >= tile.tokens || chunk != 0) return;
  store<kWide>(a.parts_of_sums + tile.channel / kTile * a.m + tile.token + token, sum);
}

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH
