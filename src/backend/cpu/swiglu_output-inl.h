// Writes a tile's values to swiglu's outputs, in the formats of groups-inl.h. These steps after the arithmetic are the
// same for everything that a call computes.
#if defined(QFUSE_BACKEND_CPU_SWIGLU_OUTPUT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_SWIGLU_OUTPUT_INL_H
#undef QFUSE_BACKEND_CPU_SWIGLU_OUTPUT_INL_H
#else
#define QFUSE_BACKEND_CPU_SWIGLU_OUTPUT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/cpu/groups-inl.h"
#include "contract/ops.h"
#include "format/elements.h"
#include "format/fp8_groups.h"
#include "format/group_rules.h"
#include "format/int8_groups.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kGroup = format::kGroupSize;

HWY_INLINE std::uint16_t largest(hn::Vec<Bits<Floats>> magnitudes) {
  const auto most = hn::MaxOfLanes(Ints(), hn::BitCast(Ints(), magnitudes));
  return static_cast<std::uint16_t>(hn::GetLane(most) >> 16);
}

HWY_INLINE hn::Vec<Bits<Floats>> larger(hn::Vec<Bits<Floats>> magnitudes, hn::Vec<Floats> v) {
  const auto magnitude = hn::BitCast(Ints(), magnitude_bits(Floats(), v));
  return hn::BitCast(Bits<Floats>(), hn::Max(hn::BitCast(Ints(), magnitudes), magnitude));
}

// Scales of an output, or of one expert's part of it. Rows and groups are counted within that part.
struct Scales {
  void* data;
  format::ColumnPlace place;
};

// Writes one scale. After the last UE8M0 scale of a row, it fills the rest of the 4-byte word with zeros.
HWY_INLINE void write_scale(const format::GroupRules& rules, const Scales& scales, std::int64_t row, std::int64_t group,
                            float scale) {
  const std::int64_t index = format::scale_index(scales.place, row, group);
  if (!rules.scales_are_ue8m0) return format::store_unaligned(scales.data, index, scale);
  auto* const bytes = static_cast<std::uint8_t*>(scales.data) + index;
  bytes[0] = format::to_ue8m0(scale);
  const std::int64_t behind = format::empty_scales_behind(scales.place.scales, scales.place.first_group + group);
  std::memset(bytes + 1, 0, static_cast<std::size_t>(behind));
}

// ---- by rows ----

// Where one token's groups of a tile are written.
struct OutputRow {
  std::int8_t* q;
  Scales scales;
  std::int64_t token;
  std::int64_t channel;  // of the first group, in the output's row
};

// Absmax, as bf16 bits, of fp32 values that are exact in bf16.
HWY_INLINE std::uint16_t find_absmax(const float* values, std::int64_t count) {
  auto most = hn::Zero(Bits<Floats>());
  for (std::int64_t c = 0; c < count; c += kLanes) most = larger(most, hn::Load(Floats(), values + c));
  return largest(most);
}

// Quantizes one token's channels. absmax: one per kGroup channels, as bf16 bits.
template <class Groups>
void write_row(const format::GroupRules& rules, const float* values, std::int64_t channels, const std::uint16_t* absmax,
               const OutputRow& out) {
  const Groups groups(rules);
  const std::int64_t size = groups.size();
  auto* const q = reinterpret_cast<std::uint8_t*>(out.q);
  for (std::int64_t c = 0; c < channels; c += size) {
    const std::uint16_t most = size == kGroup ? absmax[c / kGroup] : find_absmax(values + c, size);
    const format::GroupScale scale = groups.scale(most);
    write_scale(rules, out.scales, out.token, (out.channel + c) / size, scale.scale);
    if (Groups::has_one_byte(most)) {
      std::memset(q + c, Groups::kNotFinite, static_cast<std::size_t>(size));
      continue;
    }
    const auto factor = hn::Set(Floats(), scale.factor);
    for (std::int64_t i = c; i < c + size; i += kLanes)
      hn::StoreU(groups.quantize(hn::Load(Floats(), values + i), factor), Payload(), q + i);
  }
}

// ---- transposed ----

// The bf16 values to transpose: one row per token, starting at the tile's first channel.
struct Plane {
  std::uint16_t* values;
  std::int64_t stride;
  [[nodiscard]] HWY_INLINE std::uint16_t* at(std::int64_t token, std::int64_t channel) const {
    return values + token * stride + channel;
  }
};

// The payload of 16 channels, before and after the transpose.
struct Strip {
  alignas(64) std::uint8_t rows[kGroup][kStrip];  // a row per token
  alignas(64) std::uint8_t transposed[kStrip][kGroup];
};

// A range of the tile's tokens.
struct Tokens {
  std::int64_t first;
  std::int64_t end;
};

// Rows of a transposed output and their scales, starting at the tile's first channel and first token.
struct TransposedRows {
  std::int8_t* q;
  std::int64_t q_stride;
  Scales scales;
  std::int64_t first_row;
  std::int64_t first_column;  // within the expert's columns
};

// Finds the absmax of each of 16 channels, from channel c on, over a group of tokens.
HWY_INLINE void find_absmax(const Plane& plane, std::int64_t c, Tokens tokens, std::uint16_t* absmax) {
  const hn::CappedTag<std::int16_t, kStrip> d;
  const auto magnitude = hn::Set(d, static_cast<std::int16_t>(format::kBfloat16Magnitude));
  for (std::int64_t i = 0; i < kStrip; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    auto most = hn::Zero(d);
    for (std::int64_t t = tokens.first; t < tokens.end; ++t)
      most = hn::Max(most, hn::And(load_bytes(d, plane.at(t, c + i)), magnitude));
    store_bytes(d, most, absmax + i);
  }
}

// Transposes 16 x 16 bytes at a time, by four perfect shuffles of 16 registers.
HWY_INLINE void transpose(Strip& strip, std::int64_t tokens) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t i = 0; i < kStrip; ++i) strip.transposed[i][t] = strip.rows[t][i];
#else
  const hn::Full128<std::uint8_t> d;
  for (std::int64_t first = 0; first < tokens; first += kStrip) {
    hn::Vec<decltype(d)> rows[kStrip];
    hn::Vec<decltype(d)> shuffled[kStrip];
    for (std::int64_t i = 0; i < kStrip; ++i) rows[i] = hn::Load(d, strip.rows[first + i]);
    const auto shuffle = [d](const auto* from, auto* to) HWY_ATTR {
      for (std::int64_t i = 0; i < kStrip / 2; ++i) {
        to[2 * i] = hn::InterleaveLower(d, from[i], from[i + kStrip / 2]);
        to[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + kStrip / 2]);
      }
    };
    shuffle(rows, shuffled);
    shuffle(shuffled, rows);
    shuffle(rows, shuffled);
    shuffle(shuffled, rows);
    for (std::int64_t i = 0; i < kStrip; ++i) hn::Store(rows[i], d, strip.transposed[i] + first);
  }
#endif
}

// Quantizes 16 channels of a plane, from channel c on, by their factors.
template <class Groups>
HWY_INLINE void quantize_strip(const Groups& groups, const Plane& plane, Strip& strip, std::int64_t c, Tokens tokens,
                               const float* factors) {
  for (std::int64_t i = 0; i < kStrip; i += kLanes) {
    const auto factor = hn::Load(Floats(), factors + i);
    for (std::int64_t t = tokens.first; t < tokens.end; ++t) {
      const auto z = load_as_float<QFUSE_BFLOAT16>(Floats(), plane.at(t, c + i));
      hn::StoreU(groups.quantize(z, factor), Payload(), &strip.rows[t][i]);
    }
  }
}

// Quantizes one group of tokens of 16 channels. padded: `tokens`, extended to whole 16 x 16 blocks of the transpose.
template <class Groups>
HWY_INLINE void quantize_group(const format::GroupRules& rules, const Groups& groups, const Plane& plane, Strip& strip,
                               std::int64_t c, Tokens tokens, Tokens padded, const TransposedRows& out) {
  std::uint16_t absmax[kStrip];
  alignas(64) float factors[kStrip];
  find_absmax(plane, c, tokens, absmax);
  for (std::int64_t i = 0; i < kStrip; ++i) {
    const format::GroupScale scale = groups.scale(absmax[i]);
    const std::int64_t group = (out.first_column + tokens.first) / groups.size();
    write_scale(rules, out.scales, out.first_row + c + i, group, scale.scale);
    factors[i] = scale.factor;
    if (Groups::has_one_byte(absmax[i]))
      for (std::int64_t t = tokens.first; t < tokens.end; ++t) *plane.at(t, c + i) = 0;  // quantize() gets no NaN
  }
  quantize_strip(groups, plane, strip, c, padded, factors);
  for (std::int64_t i = 0; i < kStrip; ++i)
    if (Groups::has_one_byte(absmax[i]))
      for (std::int64_t t = tokens.first; t < tokens.end; ++t) strip.rows[t][i] = Groups::kNotFinite;
}

// Writes a plane's channels as rows of `columns` tokens. The plane's rows after those, up to whole strips, are zeros.
template <class Groups>
void write_transposed(const format::GroupRules& rules, const Plane& plane, Strip& strip, std::int64_t channels,
                      std::int64_t columns, const TransposedRows& out) {
  const Groups groups(rules);
  const std::int64_t size = groups.size();
  const std::int64_t padded = format::ceil_div(columns, kStrip) * kStrip;
  for (std::int64_t c = 0; c < channels; c += kStrip) {
    for (std::int64_t first = 0; first < columns; first += size)
      quantize_group(rules, groups, plane, strip, c, {first, std::min(columns, first + size)},
                     {first, std::min(padded, first + size)}, out);
    transpose(strip, padded);
    for (std::int64_t i = 0; i < kStrip; ++i)
      std::memcpy(out.q + (c + i) * out.q_stride, strip.transposed[i], static_cast<std::size_t>(columns));
  }
}

// ---- the format of a call ----

struct Writers {
  format::GroupRules rules;
  decltype(&write_row<Int8Groups>) row;
  decltype(&write_transposed<Int8Groups>) transposed;
};

HWY_INLINE Writers writers_of(const contract::Swiglu& p) {
  const format::GroupRules rules = contract::group_rules(p);
  if (contract::has_other_format(p)) return {rules, write_row<AnyGroups>, write_transposed<AnyGroups>};
  if (rules.type == QFUSE_E4M3) return {rules, write_row<E4m3Groups>, write_transposed<E4m3Groups>};
  return {rules, write_row<Int8Groups>, write_transposed<Int8Groups>};
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
