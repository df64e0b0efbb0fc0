// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; rows at any stride, any address; weights [m] fp32
// out:    i8 payloads, fp32 scales: grad_input.q [m, 2h], grad_input.s [m, 2h/128]; y.q [m, h], y.s [m, h/128]; y_t.q
//         [h, m], y_t.s [h, ceil(m/128)]; grad_input_t.q [2h, m], grad_input_t.s [2h, ceil(m/128)]; with experts, y_t
//         and grad_input_t hold one expert after another; grad_weights [m] fp32
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in other formats those of format/group_rules.h
// cost:   bytes per element: forward 4 read, and 1 written per layout of y; backward 6 read, and 3.1 or more written;
//         bound by the arithmetic, about 90 operations and a division per element
// oracle: reference/swiglu.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/swiglu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/swiglu_output-inl.h"
#include "backend/cpu/swiglu_steps-inl.h"
#include "contract/ops.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/swiglu_layout.h"

// Constants that do not depend on the target, guarded because this file is included once per target.
#ifndef QFUSE_BACKEND_CPU_SWIGLU_POLICY
#define QFUSE_BACKEND_CPU_SWIGLU_POLICY
namespace qfuse::cpu {

// Channels per tile of 128 tokens; a tile is one item of a thread's range. Measured on Zen 5, 8192 x 4096, 4 KiB pages,
// one core: rows are pages apart, so a narrow tile mostly waits for the next page. 1, 2, 4, 8 groups of channels took
// 2.7, 2.1, 1.9, 1.8 ns per element; with rows prefetched, 4 took 1.8 and 8 took 1.7, but y of 8 would take 256 KiB of
// the stack instead of 128. Transposed gradients are on the stack like y, so their tiles are half as wide.
template <bool kTransposed>
inline constexpr std::int64_t kTileWidth = (kTransposed ? 2 : 4) * format::kGroupSize;

inline constexpr std::int64_t kMostGroups = kTileWidth<false> / format::kGroupSize;

// Fewest tokens per range when threads add up the sums of grad_weights: microseconds of work.
inline constexpr std::int64_t kSumsAtOnce = 512;

inline std::int64_t tile_width(const contract::Swiglu& p) {
  return contract::wants_transposed(p) ? kTileWidth<true> : kTileWidth<false>;
}

}  // namespace qfuse::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kRowsAhead = 8;  // rows that are prefetched ahead; 4 to 16 are equally fast on Zen 5

// ---- steps ----

// Limits the magnitude of v; NaN stays NaN.
HWY_INLINE hn::Vec<Floats> limited(hn::Vec<Floats> v, hn::Vec<Floats> limit) {
  return hn::IfThenElse(hn::Gt(hn::Abs(v), limit), hn::CopySign(limit, v), v);
}

// Rounds to bf16. NaN from arithmetic on bf16 values has a lower half of zeros, so that rounding keeps it NaN.
HWY_INLINE hn::Vec<Floats> rounded_to_bfloat16(hn::Vec<Floats> v) {
  const Bits<Floats> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
  const auto sum = hn::Add(hn::Add(bits, hn::Set(du, 0x7fffU)), odd);
  return hn::BitCast(Floats(), hn::And(sum, hn::Set(du, 0xffff0000U)));
}

// ---- kernel: tiles of 128 tokens by whole groups of channels, so that groups along rows and columns are complete ----

template <bool kTransposed>
struct SwigluTile {
  static constexpr std::int64_t kWidth = kTileWidth<kTransposed>;
  static constexpr std::int64_t kGradientWidth = kTransposed ? kWidth : 1;
  alignas(64) std::uint16_t y_of_all[kGroup][kWidth];  // bf16, a row per token
  alignas(64) std::uint16_t d_gate_of_all[kGroup][kGradientWidth];
  alignas(64) std::uint16_t d_up_of_all[kGroup][kGradientWidth];
  alignas(64) float d_gate[kWidth];  // of one token; fp32 that holds bf16 values
  alignas(64) float d_up[kWidth];
  alignas(64) float y[kWidth];
  alignas(64) float products[kWidth];  // grad_y times y without its router weight
  Strip strip;
};

// What a call computes, and whether it has neither router weights nor another activation (kPlain). Which outputs are
// written, and in which format, is not a template parameter.
template <bool kGradientsAtAll, bool kTransposedGradient, bool kRowsOfY, bool kTransposedY, bool kIsPlain>
struct Wanted {
  static constexpr bool kGradients = kGradientsAtAll;
  static constexpr bool kTransposed = kTransposedGradient;
  static constexpr bool kYRows = kRowsOfY;
  static constexpr bool kYTransposed = kTransposedY;
  static constexpr bool kPlain = kIsPlain;
};

// Parameters of one token that only a call that is not plain needs.
struct Options {
  float weight;
  float limit;
  float alpha;
  float up_offset;
  bool sums_products;
};

// Position of a tile in the arrays.
struct Place {
  format::TokenTile tile;
  std::int64_t first_channel;
  std::int64_t channels;  // whole groups, at most kTileWidth
};

// Where one token's part of the tile starts in the inputs.
struct Row {
  const std::uint8_t* gate;
  const std::uint8_t* up;
  const std::uint8_t* grad_y;
};

struct GroupAbsmax {
  std::uint16_t d_gate;
  std::uint16_t d_up;
  std::uint16_t y;
};

template <bool kGradients>
HWY_INLINE Row row_at(const contract::Swiglu& p, std::int64_t token, std::int64_t channel) {
  constexpr std::int64_t kSize = format::dtype_size(QFUSE_BFLOAT16);
  const auto* const gate = static_cast<const std::uint8_t*>(p.x) + (token * contract::x_stride(p) + channel) * kSize;
  if constexpr (!kGradients) return {gate, gate + p.h * kSize, nullptr};
  const auto* const grad_y = static_cast<const std::uint8_t*>(p.grad_y);
  return {gate, gate + p.h * kSize, grad_y + (token * contract::grad_y_stride(p) + channel) * kSize};
}

// Prefetches a row in software, because the processor's own prefetching stops at the end of a page.
template <bool kGradients>
HWY_INLINE void prefetch(const Row& row, std::int64_t channels) {
  constexpr std::int64_t kLine = 64;
  for (std::int64_t i = 0; i < channels * format::dtype_size(QFUSE_BFLOAT16); i += kLine) {
    hwy::Prefetch(row.gate + i);
    hwy::Prefetch(row.up + i);
    if constexpr (kGradients) hwy::Prefetch(row.grad_y + i);
  }
}

HWY_INLINE hn::Vec<Floats> load_bfloat16(const std::uint8_t* row, std::int64_t c) {
  return load_as_float<QFUSE_BFLOAT16>(Floats(), row + c * format::dtype_size(QFUSE_BFLOAT16));
}

HWY_INLINE hn::Vec<Words> upper_halves(hn::Vec<Floats> v) {
  return hn::TruncateTo(Words(), hn::ShiftRight<16>(hn::BitCast(Bits<Floats>(), v)));
}

// Replaces a NaN weight by one with a lower half of zeros, which rounded_to_bfloat16() needs.
HWY_INLINE Options options_of(const contract::Swiglu& p, std::int64_t token) {
  const float weight = p.weights == nullptr ? 1.0F : format::load_unaligned<float>(p.weights, token);
  return {weight == weight ? weight : format::from_bfloat16(0x7fc0), contract::limit(p), contract::alpha(p),
          p.up_offset, contract::wants_grad_weights(p)};
}

// For a vector of channels of one token: gate, up, the argument of the sigmoid, and the sigmoid.
struct Elements {
  hn::Vec<Floats> g;
  hn::Vec<Floats> u;
  hn::Vec<Floats> exponent;
  hn::Vec<Floats> s;
};

template <bool kPlain>
HWY_INLINE Elements elements_at(const Row& row, std::int64_t c, const Options& options) {
  auto g = load_bfloat16(row.gate, c);
  auto u = load_bfloat16(row.up, c);
  if constexpr (kPlain) return {g, u, g, sigmoid(Floats(), g)};
  const auto limit = hn::Set(Floats(), options.limit);
  g = hn::IfThenElse(hn::Gt(g, limit), limit, g);
  u = limited(u, limit);
  if (options.up_offset != 0) u = hn::Add(u, hn::Set(Floats(), options.up_offset));
  const auto exponent = hn::Mul(hn::Set(Floats(), options.alpha), g);
  return {g, u, exponent, sigmoid(Floats(), exponent)};
}

// Computes the gradients of gate and up for a vector of channels. A gradient is 0 where its input exceeded the limit.
template <class W, bool kWide>
HWY_INLINE void make_gradients(const Row& row, SwigluTile<kWide>& tile, std::int64_t t, std::int64_t c,
                               const Elements& e, const Options& options, hn::Vec<Bits<Floats>>& most_d_gate,
                               hn::Vec<Bits<Floats>>& most_d_up) {
  const auto silu = hn::Mul(e.g, e.s);
  auto dy = load_bfloat16(row.grad_y, c);
  if constexpr (!W::kPlain) {
    if (options.sums_products) hn::Store(hn::Mul(dy, hn::Mul(silu, e.u)), Floats(), tile.products + c);
    dy = hn::Mul(dy, hn::Set(Floats(), options.weight));
  }
  auto d_up = rounded_to_bfloat16(hn::Mul(dy, silu));
  auto d_gate = rounded_to_bfloat16(gate_gradient(Floats(), e.exponent, e.u, dy, e.s));
  if constexpr (!W::kPlain) {
    const auto limit = hn::Set(Floats(), options.limit);
    d_gate = hn::IfThenZeroElse(hn::Gt(load_bfloat16(row.gate, c), limit), d_gate);
    d_up = hn::IfThenZeroElse(hn::Gt(hn::Abs(load_bfloat16(row.up, c)), limit), d_up);
  }
  most_d_up = larger(most_d_up, d_up);
  most_d_gate = larger(most_d_gate, d_gate);
  hn::Store(d_up, Floats(), tile.d_up + c);
  hn::Store(d_gate, Floats(), tile.d_gate + c);
  if constexpr (W::kTransposed) {
    hn::StoreU(upper_halves(d_gate), Words(), &tile.d_gate_of_all[t][c]);
    hn::StoreU(upper_halves(d_up), Words(), &tile.d_up_of_all[t][c]);
  }
}

// Computes y and the gradients of one token for the group that starts at channel `first` of the tile, stores them in
// the tile and returns their absmax.
template <class W>
HWY_INLINE GroupAbsmax make_group(const Row& row, SwigluTile<W::kTransposed>& tile, std::int64_t t, std::int64_t first,
                                  const Options& options) {
  auto most_d_gate = hn::Zero(Bits<Floats>());
  auto most_d_up = hn::Zero(Bits<Floats>());
  auto most_y = hn::Zero(Bits<Floats>());
  for (std::int64_t c = first; c < first + kGroup; c += kLanes) {
    const Elements e = elements_at<W::kPlain>(row, c, options);
    if constexpr (W::kYTransposed || W::kYRows) {
      auto y = hn::Mul(hn::Mul(e.g, e.s), e.u);
      if constexpr (!W::kPlain) y = hn::Mul(y, hn::Set(Floats(), options.weight));
      if constexpr (W::kYTransposed)
        hn::StoreU(hn::TruncateTo(Words(), number_to_bfloat16(Floats(), y)), Words(), &tile.y_of_all[t][c]);
      if constexpr (W::kYRows) {
        const auto kept = rounded_to_bfloat16(y);
        most_y = larger(most_y, kept);
        hn::Store(kept, Floats(), tile.y + c);
      }
    }
    if constexpr (W::kGradients) make_gradients<W>(row, tile, t, c, e, options, most_d_gate, most_d_up);
  }
  return {largest(most_d_gate), largest(most_d_up), largest(most_y)};
}

// Sums a token's products over a group, in the order that qfuse.h defines: each eight neighbors one after another, then
// the 16 results by halves.
HWY_INLINE float sum_of_group(const float* products) {
  constexpr std::int64_t kNeighbours = 8;
  float sums[kGroup / kNeighbours];
  for (std::int64_t i = 0; i < kGroup / kNeighbours; ++i) sums[i] = products[i * kNeighbours];
  for (std::int64_t n = 1; n < kNeighbours; ++n)
    for (std::int64_t i = 0; i < kGroup / kNeighbours; ++i) sums[i] += products[i * kNeighbours + n];
  for (std::int64_t half = kGroup / kNeighbours / 2; half > 0; half /= 2)
    for (std::int64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

// Computes all groups of one token before it quantizes the first one, because a group's factor has a long latency.
template <class W>
HWY_INLINE void make_token(const contract::Swiglu& p, const Writers& writers, SwigluTile<W::kTransposed>& tile,
                           const Place& place, std::int64_t t) {
  const std::int64_t token = place.tile.token + t;
  const std::int64_t channel = place.first_channel;
  const Row row = row_at<W::kGradients>(p, token, channel);
  if (t + kRowsAhead < place.tile.count)
    prefetch<W::kGradients>(row_at<W::kGradients>(p, token + kRowsAhead, channel), place.channels);
  const Options options = W::kPlain ? Options{} : options_of(p, token);
  std::uint16_t d_gate[kMostGroups];
  std::uint16_t d_up[kMostGroups];
  std::uint16_t y[kMostGroups];
  for (std::int64_t c = 0; c < place.channels; c += kGroup) {
    const GroupAbsmax absmax = make_group<W>(row, tile, t, c, options);
    d_gate[c / kGroup] = absmax.d_gate;
    d_up[c / kGroup] = absmax.d_up;
    y[c / kGroup] = absmax.y;
  }
  if (W::kGradients && contract::wants_rows(p)) {
    const Scales scales = {p.grad_input.s, {0, 0, 0, 0, contract::row_scale_strides(p)}};
    std::int8_t* const q = contract::payload(p.grad_input) + token * 2 * p.h;
    const std::int64_t up = p.h + channel;
    writers.row(writers.rules, tile.d_gate, place.channels, d_gate, {q + channel, scales, token, channel});
    writers.row(writers.rules, tile.d_up, place.channels, d_up, {q + up, scales, token, up});
  }
  if constexpr (W::kYRows) {
    const Scales scales = {p.y.s, {0, 0, 0, 0, contract::y_scale_strides(p)}};
    std::int8_t* const q = contract::payload(p.y) + token * p.h + channel;
    writers.row(writers.rules, tile.y, place.channels, y, {q, scales, token, channel});
  }
  if constexpr (W::kGradients && !W::kPlain)
    if (options.sums_products)
      for (std::int64_t c = 0; c < place.channels; c += kGroup)
        format::store_unaligned(p.workspace, (channel + c) / kGroup * p.m + token, sum_of_group(tile.products + c));
}

// Writes a plane to an output of `rows` rows. `first_row` is the output's row for the tile's first channel.
void write_plane(const contract::Swiglu& p, const Writers& writers, const Plane& plane, Strip& strip,
                 const Place& place, const qfuse_quantized& to, std::int64_t rows, std::int64_t first_row) {
  const std::int64_t columns = format::columns_of(place.tile);
  for (std::int64_t t = place.tile.count; t < format::ceil_div(columns, kStrip) * kStrip; ++t)
    std::memset(plane.at(t, 0), 0, static_cast<std::size_t>(plane.stride) * sizeof *plane.values);
  const format::ColumnPlace at =
      format::place_columns(contract::column_layout(p), rows, place.tile.before, place.tile.columns);
  const std::int64_t column = place.tile.column;
  writers.transposed(
      writers.rules, plane, strip, place.channels, columns,
      {contract::payload(to) + at.first + first_row * at.stride + column, at.stride, {to.s, at}, first_row, column});
}

template <class W>
HWY_NOINLINE void make_tiles(const contract::Swiglu& p, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kWidth = kTileWidth<W::kTransposed>;
  const Writers writers = writers_of(p);
  const std::int64_t tiles_across = format::ceil_div(p.h, kWidth);
  SwigluTile<W::kTransposed> tile;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t channel = i % tiles_across * kWidth;
    const Place place = {contract::find_token_tile(p, i / tiles_across), channel, std::min(kWidth, p.h - channel)};
    if (place.tile.count == 0) continue;
    for (std::int64_t t = 0; t < place.tile.count; ++t) make_token<W>(p, writers, tile, place, t);
    if constexpr (W::kYTransposed)
      write_plane(p, writers, {tile.y_of_all[0], kWidth}, tile.strip, place, p.y_t, p.h, channel);
    if constexpr (W::kTransposed) {
      write_plane(p, writers, {tile.d_gate_of_all[0], kWidth}, tile.strip, place, p.grad_input_t, 2 * p.h, channel);
      write_plane(p, writers, {tile.d_up_of_all[0], kWidth}, tile.strip, place, p.grad_input_t, 2 * p.h, p.h + channel);
    }
  }
}

template <bool kPlain>
void make_wanted(const contract::Swiglu& p, std::int64_t begin, std::int64_t end) {
  const bool y_t = contract::wants_y_transposed(p);
  if (contract::wants_transposed(p)) {
    if (y_t) return make_tiles<Wanted<true, true, false, true, kPlain>>(p, begin, end);
    return make_tiles<Wanted<true, true, false, false, kPlain>>(p, begin, end);
  }
  if (contract::wants_rows(p)) {
    if (y_t) return make_tiles<Wanted<true, false, false, true, kPlain>>(p, begin, end);
    return make_tiles<Wanted<true, false, false, false, kPlain>>(p, begin, end);
  }
  if (!contract::wants_y_rows(p)) return make_tiles<Wanted<false, false, false, true, kPlain>>(p, begin, end);
  if (y_t) return make_tiles<Wanted<false, false, true, true, kPlain>>(p, begin, end);
  make_tiles<Wanted<false, false, true, false, kPlain>>(p, begin, end);
}

void swiglu_tiles(const contract::Swiglu& p, std::int64_t begin, std::int64_t end) {
  if (!contract::has_weights(p) && !contract::has_activation(p)) return make_wanted<true>(p, begin, end);
  make_wanted<false>(p, begin, end);
}

// Adds up the group sums of tokens [begin, end).
void swiglu_sums(const contract::Swiglu& p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t token = begin; token < end; ++token) {
    float sum = format::load_unaligned<float>(p.workspace, token);
    for (std::int64_t group = 1; group < p.h / kGroup; ++group)
      sum += format::load_unaligned<float>(p.workspace, group * p.m + token);
    format::store_unaligned(p.grad_weights, token, format::canonical(sum));
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(swiglu_tiles);
HWY_EXPORT(swiglu_sums);

}  // namespace

// A tile is about 100 us of work, so that a range may be one tile.
contract::Outcome swiglu(const contract::Swiglu& p, const qfuse_exec& exec) {
  if (contract::Outcome o = check_values(p); !o.ok()) return o;
  const bool sums = contract::wants_grad_weights(p) && !is_empty(p);
  if (sums && contract::has_experts(p)) std::memset(p.workspace, 0, static_cast<std::size_t>(workspace_size(p)));
  const std::int64_t tiles = contract::token_tiles(p) * format::ceil_div(p.h, tile_width(p));
  const auto write_tiles = [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(swiglu_tiles)[target](p, begin, end);
  };
  if (contract::Outcome o = run(p, tiles, 1, exec, write_tiles); !o.ok() || !sums) return o;
  return run(p, p.m, kSumsAtOnce, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(swiglu_sums)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
