// The steps and the kernels of swiglu. No step may be fused with another: whoever includes this is compiled with
// -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH

#include <cstdint>
#include <limits>

#include "backend/cuda/device/arguments.cuh"
#include "backend/cuda/device/fp8_groups.cuh"
#include "backend/cuda/device/group_rules.cuh"
#include "backend/cuda/device/int8_groups.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/swiglu.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/swiglu/plan.h"

namespace qfuse::cuda {

constexpr int kChunk = kSwigluChunk;
constexpr int kRowChunks = kSwigluTile / kChunk;  // threads that share a row
constexpr int kPairs = kChunk / 2;                // words of bf16 a chunk
constexpr int kHardwareWarp = 64;                 // threads, at most: all of one come where they exchange values
constexpr int kWarpRows = kHardwareWarp / kRowChunks;

// ---- what a kernel sees ----

struct SwigluArguments {
  std::int64_t m;
  std::int64_t h;
  std::int64_t x_stride;       // elements
  std::int64_t grad_y_stride;  // elements
  int channel_tiles;
  std::uint32_t per_channel_tiles;  // of 2^32, rounded down
  bool wide_t;
  const std::uint8_t* x;
  const std::uint8_t* grad_y;
  std::int8_t* grad_input_q;
  void* grad_input_s;
  std::int8_t* y_q;
  void* y_s;
  std::int8_t* y_q_t;
  void* y_s_t;
  std::int8_t* grad_input_q_t;
  void* grad_input_s_t;
  format::GroupRules y_rules;
  format::GroupRules gradient_rules;
  contract::ScaleStrides row_scales;
  contract::ScaleStrides y_scales;
  contract::ColumnPlace y_place;  // where there are no experts
  contract::ColumnPlace gradient_place;
  contract::ColumnLayout columns;  // where there are
  const void* expert_ends;
  bool ends_are_64;  // bits wide
  int experts;
  const std::int32_t* row_experts;  // instead of ends; NULL: not given
  const float* weights;             // NULL: 1
  float* grad_weights;              // [m]
  float* parts_of_sums;             // [h/128, m] of grad_weights; NULL: not asked for
  float limit;                      // infinity: none
  float alpha;
  float up_offset;
  bool exponents_are_bf16;  // whatever the gates
  // From a thread's row to its next one, in bytes.
  std::int64_t x_step;
  std::int64_t grad_y_step;
  std::int64_t gradients_step;
  std::int64_t gradient_scales_step;
  std::int64_t y_step;
  std::int64_t y_scales_step;
};

// One block's.
struct Tile {
  std::int64_t token;    // the first one
  std::int64_t channel;  // the first one
  int tokens;            // that there are: 128, or fewer in the last tile
};

// Where a thread has its part of a row, in what is read and in what is written of it. Both move from row to row: products
// of a row's number with a stride would take an eighth of all instructions.
struct Source {
  const std::uint8_t* x;
  const std::uint8_t* grad_y;
};

// Of a scale; behind it, bytes of no group that its word ends with.
struct ScalePlace {
  std::uint8_t* address;
  int empty;
};

struct Target {  // the gradients', or y's
  std::int8_t* q;
  ScalePlace scale;
};

// What a thread has of a row: pairs of bf16.
struct Inputs {
  std::uint32_t gate[kPairs];
  std::uint32_t up[kPairs];
  std::uint32_t grad_y[kPairs];
};

struct Outputs {
  std::uint32_t d_gate[kPairs];
  std::uint32_t d_up[kPairs];
  std::uint32_t y[kPairs];
};

inline SwigluArguments arguments_of(const contract::Swiglu& p, const SwigluPlan& plan) {
  constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  const int row_step = plan.threads / kRowChunks;
  const auto step = [&](std::int64_t stride, unsigned size = 1) {  // modulo 2^64: one row alone may have any stride
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) * size * static_cast<unsigned>(row_step));
  };
  const unsigned scale_size = p.scale_type == QFUSE_SCALES_UE8M0 ? 1 : sizeof(float);
  return {.m = p.m,
          .h = p.h,
          .x_stride = contract::x_stride(p),
          .grad_y_stride = contract::grad_y_stride(p),
          .channel_tiles = static_cast<int>(p.h / kSwigluTile),
          .per_channel_tiles = static_cast<std::uint32_t>(kMost32 / (p.h / kSwigluTile)),
          .wide_t = plan.wide_t,
          .x = static_cast<const std::uint8_t*>(p.x),
          .grad_y = static_cast<const std::uint8_t*>(p.grad_y),
          .grad_input_q = contract::grad_input_payload(p),
          .grad_input_s = p.grad_input_s,
          .y_q = contract::y_payload(p),
          .y_s = p.y_s,
          .y_q_t = contract::y_t_payload(p),
          .y_s_t = p.y_s_t,
          .grad_input_q_t = contract::grad_input_t_payload(p),
          .grad_input_s_t = p.grad_input_s_t,
          .y_rules = contract::y_rules(p),
          .gradient_rules = contract::gradient_rules(p),
          .row_scales = contract::row_scale_strides(p),
          .y_scales = contract::y_scale_strides(p),
          .y_place = contract::place_columns(contract::column_layout(p), p.h, 0, p.m),
          .gradient_place = contract::place_columns(contract::column_layout(p), 2 * p.h, 0, p.m),
          .columns = contract::column_layout(p),
          .expert_ends = p.expert_ends,
          .ends_are_64 = p.expert_ends_type == QFUSE_INDEX_INT64,
          .experts = static_cast<int>(p.expert_count),
          .row_experts = p.row_experts,
          .weights = p.weights,
          .grad_weights = p.grad_weights,
          .parts_of_sums = contract::wants_grad_weights(p) ? static_cast<float*>(p.workspace) : nullptr,
          .limit = contract::limit(p),
          .alpha = contract::alpha(p),
          .up_offset = p.up_offset,
          .exponents_are_bf16 = contract::alpha(p) == 1 && contract::limit_is_bfloat16(p),
          .x_step = step(contract::x_stride(p), 2),
          .grad_y_step = step(contract::grad_y_stride(p), 2),
          .gradients_step = step(p.h, 2),
          .gradient_scales_step = step(contract::row_scale_strides(p).row, scale_size),
          .y_step = step(p.h),
          .y_scales_step = step(contract::y_scale_strides(p).row, scale_size)};
}

// ---- what a kernel is compiled for ----

// What a call has beside x and grad_y: nothing, router weights, or anything.
enum class Extras { none, weights, any };

// The bounds of a forward's kernel, which leave 48 registers, enough there: five blocks of 256 threads have room then, or
// two of 512. Turing has no room for so many threads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMostForwardThreads = kSwigluThreads;
#else
constexpr int kMostForwardThreads = 640;
#endif
// With router weights, sm_120 would need more than those 48.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr int kMostWeightedForwardThreads = kSwigluThreads;
#else
constexpr int kMostWeightedForwardThreads = kMostForwardThreads;
#endif

// Some outputs, and no steps for what the call does not have.
template <unsigned kOutputs, Extras kOfCall>
struct Wanted {
  static constexpr bool rows = (kOutputs & kRows) != 0;
  static constexpr bool transposed = (kOutputs & kTransposed) != 0;
  static constexpr bool y_rows = (kOutputs & kYRows) != 0;
  static constexpr bool y_transposed = (kOutputs & kYTransposed) != 0;
  static constexpr bool gradients = rows || transposed;
  static constexpr Extras kExtras = kOfCall;
};

// The bounds of its kernel. Other activations and formats take more registers.
template <class W, class Payload>
struct Bounds {
  static constexpr bool kIsAny = W::kExtras == Extras::any || !Payload::kIsOneFormat;
  static constexpr int kMostThreads = W::gradients || kIsAny            ? kSwigluThreads
                                      : W::kExtras == Extras::weights ? kMostWeightedForwardThreads
                                                                      : kMostForwardThreads;
  static constexpr int kBlocks = kIsAny ? 1 : kSwigluThreadsPerMultiprocessor / kSwigluThreads;
};

// ---- steps ----

// How a group is quantized: once a group scale and prepare, for each 4 values quantize. Int8: by the factor whose product
// has the quotient's integer part; bench/variants tries others.
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

// e4m3 in groups of 128 with fp32 scales, whose rule is the call's.
struct ScaledE4m3 : E4m3 {
  static constexpr bool kHasOneScale = false;
};

// Any format, groups of 32 among them: what it is stands in the call's rules.
struct AnyGroups {
  static constexpr bool kIsOneFormat = false;
  static constexpr bool kHasOneScale = false;
};

template <class Payload>
__device__ format::GroupScale scale_of_group(const format::GroupRules& rules, float absmax) {
  if constexpr (Payload::kHasOneScale) {
    const float scale = Payload::scale(absmax);
    return {scale, Payload::prepare(absmax, scale)};
  } else {
    return format::scale_of_group(rules, absmax);
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

// Values of a group.
template <class Payload>
__device__ int group_size(const format::GroupRules& rules) {
  if constexpr (Payload::kIsOneFormat) return kSwigluTile;
  return rules.size;
}

// Where a scale of [rows, groups] lies from `data` on. Scales of one format are fp32, so never in words.
template <class Payload>
__device__ ScalePlace scale_at(const format::GroupRules& rules, void* data, const contract::ScaleStrides& strides,
                               std::int64_t row, std::int64_t group) {
  constexpr std::int64_t kFloat = sizeof(float);
  auto* const bytes = static_cast<std::uint8_t*>(data);
  if constexpr (Payload::kIsOneFormat) return {bytes + kFloat * (row * strides.row + group * strides.group), 0};
  return {bytes + (rules.scales_are_ue8m0 ? 1 : kFloat) * contract::scale_index(strides, row, group),
          static_cast<int>(contract::empty_scales_behind(strides, group))};
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

// Where an expert's tokens end: the nearest of 0 to m, as nobody has looked at it before.
__device__ inline std::int64_t expert_end(const SwigluArguments& a, int expert) {
  if (expert < 0) return 0;
  const std::int64_t end = a.ends_are_64 ? __ldg(static_cast<const long long*>(a.expert_ends) + expert)
                                         : __ldg(static_cast<const int*>(a.expert_ends) + expert);
  return end < 0 ? 0 : end > a.m ? a.m : end;
}

// Neighbouring tiles lie side by side in a row: the rows of x are then read as a whole. The number of the block's row of
// tiles is a quotient, on which every load waits: by a product, at most one less, as blocks are fewer than 2^31.
__device__ inline unsigned token_tile_number(const SwigluArguments& a) {
  const auto channel_tiles = static_cast<unsigned>(a.channel_tiles);
  const auto number = static_cast<unsigned>(std::uint64_t{blockIdx.x} * a.per_channel_tiles >> 32);
  return blockIdx.x - number * channel_tiles >= channel_tiles ? number + 1 : number;
}

// The token tile of that number to shared memory, which the block's first warp writes, each lane having counted the tiles
// of one expert; count 0 where there is none, or its expert's columns go beyond those that there is room for. Tiles are
// counted in int: as many tokens as would not fit take terabytes.
__device__ inline void find_token_tile(const SwigluArguments& a, int number, contract::TokenTile& tile) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (threadIdx.x == 0) tile = {};
  sync_warp();
  int before = 0;  // tiles
  for (int first = 0; first < a.experts && before <= number; first += kWarp) {
    const int expert = first + lane;
    const std::int64_t begin = expert < a.experts ? expert_end(a, expert - 1) : 0;
    const std::int64_t end = expert < a.experts ? expert_end(a, expert) : 0;
    const std::int64_t rows = end > begin ? end - begin : 0;
    const auto tiles = static_cast<int>((rows + kSwigluTile - 1) / kSwigluTile);
    int until = tiles;  // and those of the lanes before
#pragma unroll
    for (int step = 1; step < kWarp; step *= 2) {
      const int others = value_of(until, lane >= step ? lane - step : lane);
      if (lane >= step) until += others;
    }
    const int index = number - (before + until - tiles);
    const std::int64_t columns_before = static_cast<std::int64_t>(number - index) * kSwigluTile;
    const std::int64_t columns = static_cast<std::int64_t>(tiles) * kSwigluTile;
    const bool is_found = index >= 0 && index < tiles && columns_before + columns <= a.columns.all_columns;
    if (is_found && threadIdx.x < kWarp) tile = contract::tile_of(begin, rows, index, columns_before, columns);
    before += value_of(until, kWarp - 1);
  }
}

// The least of a warp's values, to all its lanes.
__device__ inline int least_of_warp(int value) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const int other = exchange(value, step);
    value = other < value ? other : value;
  }
  return value;
}

// How many of `most` things, from 0 on, are as `is_ours` says: a warp asks for 32 at a time.
template <class IsOurs>
__device__ int count_leading(int most, const IsOurs& is_ours) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll 1
  for (int first = 0; first < most; first += kWarp) {
    const int i = first + lane;
    const int stranger = least_of_warp(i < most && is_ours(i) ? kWarp : lane);
    if (stranger < kWarp) return first + stranger;
  }
  return most;
}

// As find_token_tile, of what row_experts say: the steps of contract::tile_of_rows, which see.
__device__ inline void find_tile_of_rows(const SwigluArguments& a, int number, contract::TokenTile& tile) {
  const std::int64_t first = static_cast<std::int64_t>(number) * kSwigluTile;
  const int tiles = static_cast<int>((a.m + kSwigluTile - 1) / kSwigluTile);
  const int expert = __ldg(a.row_experts + first);
  const std::int64_t left = a.m - first;
  const auto is_ours = [&](std::int64_t row) { return __ldg(a.row_experts + row) == expert; };
  const int count = count_leading(static_cast<int>(left < kSwigluTile ? left : kSwigluTile),
                                  [&](int i) { return is_ours(first + i); });
  const int before =
      count_leading(number, [&](int i) { return is_ours(first - (static_cast<std::int64_t>(i) + 1) * kSwigluTile); });
  const int behind =
      count_leading(tiles - number, [&](int i) { return is_ours(first + static_cast<std::int64_t>(i) * kSwigluTile); });
  if (threadIdx.x != 0) return;
  tile = {};
  if (expert >= 0)
    tile = {first, count, static_cast<std::int64_t>(before) * kSwigluTile,
            static_cast<std::int64_t>(number - before) * kSwigluTile,
            static_cast<std::int64_t>(before + behind) * kSwigluTile};
}

__device__ inline Tile tile_at(const SwigluArguments& a, const contract::TokenTile& tokens) {
  const unsigned channel_tile = blockIdx.x - token_tile_number(a) * static_cast<unsigned>(a.channel_tiles);
  return {tokens.token, static_cast<std::int64_t>(channel_tile) * kSwigluTile, static_cast<int>(tokens.count)};
}

// The block's tokens where there are no experts.
__device__ inline contract::TokenTile locate_tokens(const SwigluArguments& a) {
  return contract::tile_of(0, a.m, token_tile_number(a), 0, a.m);
}

// The block's tile; an expert's is found for all by the first warp of the hardware's, be it of 32 threads or 64.
template <bool kExperts>
__device__ Tile locate(const SwigluArguments& a, contract::TokenTile& tokens) {
  if constexpr (!kExperts) return tile_at(a, locate_tokens(a));
  const auto number = static_cast<int>(token_tile_number(a));
  if (threadIdx.x < kHardwareWarp) {
    if (a.row_experts != nullptr)
      find_tile_of_rows(a, number, tokens);
    else
      find_token_tile(a, number, tokens);
  }
  __syncthreads();
  return tile_at(a, tokens);
}

template <bool kWide>
__device__ void load_chunk(const std::uint8_t* from, std::uint32_t (&pairs)[kPairs]) {
  if constexpr (kWide) {
    unpack(__ldg(reinterpret_cast<const uint4*>(from)), pairs);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) pairs[i] = load_bytes<std::uint32_t>(from + 4 * i);
  }
}

template <bool kGradients>
__device__ Source source_at(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  return {a.x + 2 * (row * a.x_stride + channel),
          kGradients ? a.grad_y + 2 * (row * a.grad_y_stride + channel) : nullptr};
}

template <bool kGradients>
__device__ void move_on(const SwigluArguments& a, Source& source) {
  source.x += a.x_step;
  if constexpr (kGradients) source.grad_y += a.grad_y_step;
}

template <bool kWide, bool kGradients>
__device__ void load_row(const SwigluArguments& a, const Source& from, Inputs& in) {
  load_chunk<kWide>(from.x, in.gate);
  load_chunk<kWide>(from.x + 2 * a.h, in.up);
  if constexpr (kGradients) load_chunk<kWide>(from.grad_y, in.grad_y);
}

template <bool kWide>
__device__ float load_weight(const SwigluArguments& a, const Tile& tile, int token) {
  if (a.weights == nullptr || token >= tile.tokens) return 1.0F;
  return load<kWide>(a.weights + tile.token + token);
}

// Where a token's router weight is, in shared memory, and the sum over its channels so far of grad_y and what y is without
// the weight. The weight is read for each pair of channels, since a register more would be one too many.
struct Weighting {
  const volatile float* weight;
  float sum;
};

// Of one channel.
struct Values {
  float y;
  float d_gate;
  float d_up;
};

template <Extras kExtras, bool kFast>
__device__ Values differentiate_value(const SwigluArguments& a, const Inputs& in, int i, Weighting& w) {
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
__device__ void differentiate_pair(const SwigluArguments& a, const Inputs& in, int i, Outputs& out, Weighting& w) {
  const Values first = differentiate_value<kExtras, kFast>(a, in, 2 * i, w);
  const Values second = differentiate_value<kExtras, kFast>(a, in, 2 * i + 1, w);
  const float y[] = {first.y, second.y};
  const float d_up[] = {first.d_up, second.d_up};
  const float d_gate[] = {first.d_gate, second.d_gate};
  out.y[i] = Rounding<Bfloat16>::word(y);
  out.d_up[i] = Rounding<Bfloat16>::word(d_up);
  out.d_gate[i] = Rounding<Bfloat16>::word(d_gate);
}

// Whether fast_sigmoid is right for all exponents of a chunk.
template <Extras kExtras>
__device__ bool has_small_gates(const SwigluArguments& a, const Inputs& in) {
  const bool small = are_at_most(magnitudes(find_absmax(in.gate)), kFastSigmoidMost);
  return small && (kExtras != Extras::any || a.exponents_are_bf16);
}

// The forward and its gradients, rounded to bf16.
template <Extras kExtras>
__device__ Outputs differentiate(const SwigluArguments& a, const Inputs& in, Weighting& w) {
  Outputs out;
  if (has_small_gates<kExtras>(a, in)) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) differentiate_pair<kExtras, true>(a, in, i, out, w);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) differentiate_pair<kExtras, false>(a, in, i, out, w);
  }
  return out;
}

__device__ inline Outputs differentiate(const SwigluArguments& a, const Inputs& in) {
  Weighting none = {};
  return differentiate<Extras::none>(a, in, none);
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

// Even threads write scales of d_gate, odd ones those of d_up, if they have one of a group's first two chunks.
template <class Payload>
__device__ Target gradients_at(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  const std::int64_t group = (channel + (chunk % 2 == 1 ? a.h : 0)) / group_size<Payload>(a.gradient_rules);
  return {a.grad_input_q + row * 2 * a.h + channel,
          scale_at<Payload>(a.gradient_rules, a.grad_input_s, a.row_scales, row, group)};
}

// The chunks of a row share its two groups, or as many as there are in its 128 channels. Their absmax travel as one word,
// d_gate's in the lower half; then even threads make the scale of d_gate, odd ones that of d_up.
template <bool kWide, class Payload = Int8>
__device__ void write_gradients(const SwigluArguments& a, const Target& to, bool exists, int chunk,
                                const Outputs& out) {
  const format::GroupRules& rules = a.gradient_rules;
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

template <class Payload>
__device__ Target y_at(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  return {a.y_q + row * a.h + channel,
          scale_at<Payload>(a.y_rules, a.y_s, a.y_scales, row, channel / group_size<Payload>(a.y_rules))};
}

// What a kernel with these outputs writes of a row; nothing, if it writes only columns.
template <class W, class Payload>
__device__ Target target_at(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  if constexpr (W::rows) return gradients_at<Payload>(a, tile, token, chunk);
  if constexpr (W::y_rows) return y_at<Payload>(a, tile, token, chunk);
  return {};
}

template <class W>
__device__ void move_on(const SwigluArguments& a, Target& target) {
  if constexpr (W::rows) {
    target.q += a.gradients_step;
    target.scale.address += a.gradient_scales_step;
  }
  if constexpr (W::y_rows) {
    target.q += a.y_step;
    target.scale.address += a.y_scales_step;
  }
}

template <bool kWide, class Payload>
__device__ void write_y(const SwigluArguments& a, const Target& to, bool exists, int chunk, const Outputs& out) {
  const int size = group_size<Payload>(a.y_rules);
  std::uint32_t absmax = find_absmax(out.y);
  for (int step = size / kChunk / 2; step > 0; step /= 2) absmax = larger_magnitudes(absmax, exchange(absmax, step));
  absmax = larger_magnitudes(absmax, absmax >> 16);
  const format::GroupScale scale = scale_of_group<Payload>(a.y_rules, fabsf(widen<Bfloat16>(&absmax, 0)));
  if (!exists) return;
  if (chunk % (size / kChunk) == 0) store_scale<kWide, Payload>(a.y_rules, to.scale, scale.scale);
  write_payload<kWide, Payload>(a.y_rules, to.q, out.y, scale.factor);
}

// A token's sum over the tile's channels, of which each chunk has added its own: by halves.
template <bool kWide>
__device__ void write_part_of_sum(const SwigluArguments& a, const Tile& tile, int token, int chunk, float sum) {
#pragma unroll
  for (int step = kRowChunks / 2; step > 0; step /= 2) sum += exchange(sum, step);
  if (token >= tile.tokens || chunk != 0) return;
  store<kWide>(a.parts_of_sums + tile.channel / kSwigluTile * a.m + tile.token + token, sum);
}

// ---- columns: one channel of y, or of the gradient transposed ----

// It waits in shared memory, a plane of a row a token, 16 chunks a row. Chunks change places within their row so that both ways
// through it meet all banks: 8 neighbouring chunks of a row are stored at once, and then one chunk of each of the 8
// tokens that load_columns names, in which this number takes all its values.
__device__ inline int place(int token, int chunk) {
  return (token * kRowChunks + chunk) ^ (token & 1) ^ (token >> 3 & 6);
}

// Eight channels of all tokens, transposed: `lane` gets the channel lane / 4 and of it the pairs of tokens from
// 16 * (lane % 4) on, and as many from 64 further on.
constexpr int kColumnPairs = kSwigluTile / 8;

__device__ inline void load_columns(const uint4* plane, int chunk, int lane, std::uint32_t (&pairs)[kColumnPairs]) {
  // Tokens 8 or 64 further on lie as much further on: place looks at others of a token's bits.
  const auto first_of = [&](int m, int row) { return plane + place(16 * (row / 2) + 2 * m + row % 2, chunk); };
#pragma unroll
  for (int i = 0; i < kColumnPairs; i += 4) {
    const int tokens = (i >= 8 ? 64 : 0) + 2 * (i % 8);
    const auto row_of = [&](int m, int row) { return first_of(m, row) + tokens * kRowChunks; };
    load_transposed(row_of, lane, pairs + i);
  }
}

// 16 tokens of a channel, `left` of which exist.
template <class Payload>
__device__ void write_tokens(const SwigluArguments& a, const format::GroupRules& rules, std::int8_t* to,
                             const std::uint32_t* pairs, float factor, int left) {
  std::uint32_t payload[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) payload[i] = quantize<Payload>(rules, pairs[2 * i], pairs[2 * i + 1], factor);
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

// A transposed output, and which of its columns are a tile's.
struct Columns {
  std::int8_t* q;
  void* s;
  contract::ColumnPlace place;
  std::int64_t first;
  int count;
  format::GroupRules rules;
};

template <bool kExperts>
__device__ Columns y_of(const SwigluArguments& a, const Tile& tile, const contract::TokenTile& tokens) {
  if constexpr (!kExperts) return {a.y_q_t, a.y_s_t, a.y_place, tile.token, tile.tokens, a.y_rules};
  const contract::ColumnPlace place = contract::place_columns(a.columns, a.h, tokens.before, tokens.columns);
  return {a.y_q_t, a.y_s_t, place, tokens.column, kSwigluTile, a.y_rules};
}

template <bool kExperts>
__device__ Columns gradient_of(const SwigluArguments& a, const Tile& tile, const contract::TokenTile& tokens) {
  if constexpr (!kExperts)
    return {a.grad_input_q_t, a.grad_input_s_t, a.gradient_place, tile.token, tile.tokens, a.gradient_rules};
  const contract::ColumnPlace place = contract::place_columns(a.columns, 2 * a.h, tokens.before, tokens.columns);
  return {a.grad_input_q_t, a.grad_input_s_t, place, tokens.column, kSwigluTile, a.gradient_rules};
}

// Of the 32 tokens of a channel that a thread has, whose halves are of one group or of two.
struct ColumnScales {
  format::GroupScale first;
  format::GroupScale second;
};

// Four neighbouring threads have a channel's tokens, 16 neighbours each and 16 that lie 64 further on.
template <class Payload>
__device__ ColumnScales scales_of_columns(const format::GroupRules& rules, const std::uint32_t (&pairs)[kColumnPairs]) {
  if (group_size<Payload>(rules) == kSwigluTile) {
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

// A plane to an output, the tile's first channel to its row `first_row`.
template <bool kWide, class Payload = Int8>
__device__ void write_columns(const SwigluArguments& a, const uint4* plane, const Columns& out,
                              std::int64_t first_row) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
#pragma unroll 1
  for (int chunk = static_cast<int>(threadIdx.x / kWarp); chunk < kRowChunks; chunk += warps) {
    std::uint32_t pairs[kColumnPairs];
    load_columns(plane, chunk, lane, pairs);
    const ColumnScales scales = scales_of_columns<Payload>(out.rules, pairs);
    const int size = group_size<Payload>(out.rules);
    const int token = 16 * (lane % 4);  // of the tile, and another 64 further on
    const bool is_first = token % size == 0;
    const contract::ColumnPlace& place = out.place;
    void* const scales_of_expert = static_cast<std::uint8_t*>(out.s) + place.first_scale * (out.rules.scales_are_ue8m0 ? 1 : 4);
    const std::int64_t row = first_row + chunk * kChunk + lane / 4;
    const std::int64_t group = place.first_group + (out.first + token) / size;
    const auto store_at = [&](std::int64_t of_row, float scale) {
      const ScalePlace to = scale_at<Payload>(out.rules, scales_of_expert, place.scales, row, of_row);
      store_scale<kWide, Payload>(out.rules, to, scale);
    };
    if (is_first && token < out.count) store_at(group, scales.first.scale);
    if (is_first && size <= 64 && token + 64 < out.count) store_at(group + 64 / size, scales.second.scale);
    std::int8_t* const q = out.q + place.first + row * place.stride + out.first + token;
    write_tokens<Payload>(a, out.rules, q, pairs, scales.first.factor, out.count - token);
    write_tokens<Payload>(a, out.rules, q + 64, pairs + kColumnPairs / 2, scales.second.factor, out.count - token - 64);
  }
}

// ---- kernels ----

constexpr int kPlane = kSwigluTile * kRowChunks;  // vectors
static_assert(kPlane * sizeof(uint4) == kSwigluPlaneBytes);

// All threads of a warp stay together: those of tokens that are not there work on zeros and write nothing but columns'.
// Where columns of such tokens are not written, they may repeat the thread's token before, which no absmax of 128 tokens
// notices.
template <class W, bool kWide, bool kExperts, class Payload, class B = Bounds<W, Payload>>
__global__ void __launch_bounds__(B::kMostThreads, B::kBlocks) differentiate_tile(const SwigluArguments given) {
  constexpr bool kHasWeights = W::kExtras != Extras::none;
  const SwigluArguments& a = arguments_within_reach<kHasWeights || !Payload::kHasOneScale>(given);
  constexpr bool kRepeats = !kExperts && !kHasWeights && Payload::kIsOneFormat;
  constexpr bool kMoves = !kExperts || !kHasWeights;  // with both, sm_120 has no registers for such pointers
  constexpr int kPlanes = (W::y_transposed ? 1 : 0) + (W::transposed ? 2 : 0);
  auto* const y = static_cast<uint4*>(dynamic_shared());
  uint4* const d_gate = y + (W::y_transposed ? kPlane : 0);
  uint4* const d_up = d_gate + (W::transposed ? kPlane : 0);
  __shared__ contract::TokenTile tokens;
  const Tile tile = locate<kExperts>(a, tokens);
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
  Source source = source_at<W::gradients>(a, tile, token, chunk);
  Target target = target_at<W, Payload>(a, tile, token, chunk);
  Inputs next = {};
  if (token < tile.tokens) load_row<kWide, W::gradients>(a, source, next);
#pragma unroll 1
  for (; token < whole_warps; token += rows) {
    const Inputs in = next;
    Weighting weighting = {};
    const bool has_next = token + rows < tile.tokens;
    if (!kRepeats) next = {};
    if (has_next) {
      if (kMoves)
        move_on<W::gradients>(a, source);
      else
        source = source_at<W::gradients>(a, tile, token + rows, chunk);
      load_row<kWide, W::gradients>(a, source, next);
    }
    if constexpr (kHasWeights) weighting.weight = weights + token;
    Outputs out = differentiate<W::kExtras>(a, in, weighting);
    if (kExperts && W::kExtras == Extras::any && token >= tile.tokens) out = {};  // an offset may make -0 of zeros
    if (W::y_transposed) y[place(token, chunk)] = vector_of(out.y);
    if (W::transposed) {
      d_gate[place(token, chunk)] = vector_of(out.d_gate);
      d_up[place(token, chunk)] = vector_of(out.d_up);
    }
    const bool exists = token < tile.tokens;
    if (!kMoves) target = target_at<W, Payload>(a, tile, token, chunk);
    if (W::rows) write_gradients<kWide, Payload>(a, target, exists, chunk, out);
    if (W::y_rows) write_y<kWide, Payload>(a, target, exists, chunk, out);
    if (kMoves && has_next) move_on<W>(a, target);
    if (kHasWeights && W::gradients && a.parts_of_sums != nullptr)
      write_part_of_sum<kWide>(a, tile, token, chunk, weighting.sum);
  }
#pragma unroll 1  // no tokens: zeros
  for (; kExperts && kPlanes > 0 && token < kSwigluTile; token += rows)
    for (int i = 0; i < kPlanes; ++i) y[i * kPlane + place(token, chunk)] = {};
  if (kPlanes > 0) __syncthreads();
#pragma unroll 1  // of the columns' code there is one copy
  for (int i = 0; i < kPlanes; ++i) {
    const bool is_y = W::y_transposed && i == 0;
    const bool is_d_up = W::transposed && i == kPlanes - 1;
    const Columns columns = is_y ? y_of<kExperts>(a, tile, tokens) : gradient_of<kExperts>(a, tile, tokens);
    write_columns<kWide, Payload>(a, y + i * kPlane, columns, tile.channel + (is_d_up ? a.h : 0));
  }
}

// The values of a chunk, of y or of one of the gradients, to an output by rows; `first` is its first channel there.
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
  const float(&low)[4] = reinterpret_cast<const float(&)[4]>(values[0]);
  const float(&high)[4] = reinterpret_cast<const float(&)[4]>(values[4]);
  store_payload<kWide>(to.q,
                       {quantize_in_group(rules, low, scale.factor), quantize_in_group(rules, high, scale.factor)});
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
  __shared__ contract::TokenTile tokens;
  const Tile tile = locate<kExperts>(a, tokens);
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
                scale_at<AnyGroups>(rules, a.grad_input_s, a.row_scales, row, of_row / rules.size)};
      };
      write_float_row<kWide>(rules, to(channel), d_gate, chunk, exists);
      write_float_row<kWide>(rules, to(a.h + channel), d_up, chunk, exists);
      if (a.parts_of_sums != nullptr) write_part_of_sum<kWide>(a, tile, token, chunk, weighting.sum);
    } else {
      write_float_row<kWide>(a.y_rules, y_at<AnyGroups>(a, tile, token, chunk), y, chunk, exists);
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

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_STEPS_CUH
