#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "checkpoint/convert/element_loops.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>

#include "backend/cpu/targets.h"
#include "checkpoint/convert/element_loops.h"
#include "format/block_codes.h"
#include "format/elements.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::checkpoint::HWY_NAMESPACE {

template <qfuse_dtype kDtype>
HWY_INLINE void widen_all(const std::byte* elements, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = format::load_as_float(elements, i, kDtype);
}

void widen(Dtype dtype, std::span<const std::byte> elements, std::span<float> out) {
  switch (dtype) {
    case Dtype::float32: return widen_all<QFUSE_FLOAT32>(elements.data(), std::ssize(out), out.data());
    case Dtype::float16: return widen_all<QFUSE_FLOAT16>(elements.data(), std::ssize(out), out.data());
    case Dtype::bfloat16: return widen_all<QFUSE_BFLOAT16>(elements.data(), std::ssize(out), out.data());
  }
}

template <qfuse_dtype kDtype>
HWY_INLINE void round_all(const float* values, std::int64_t count, std::byte* out) {
  for (std::int64_t i = 0; i < count; ++i) format::store_rounded(out, i, kDtype, values[i]);
}

void round_to(Dtype dtype, std::span<const float> values, std::span<std::byte> out) {
  switch (dtype) {
    case Dtype::float32: return round_all<QFUSE_FLOAT32>(values.data(), std::ssize(values), out.data());
    case Dtype::float16: return round_all<QFUSE_FLOAT16>(values.data(), std::ssize(values), out.data());
    case Dtype::bfloat16: return round_all<QFUSE_BFLOAT16>(values.data(), std::ssize(values), out.data());
  }
}

HWY_INLINE std::int32_t larger(std::int32_t most, float value) {
  const auto magnitude = static_cast<std::int32_t>(format::bits_of(value) & ~format::kSignBit);
  return magnitude > most ? magnitude : most;
}

void raise_absmax(std::span<const float> values, std::int64_t width, std::int32_t* HWY_RESTRICT absmax) {
  const float* const v = values.data();
  const std::int64_t count = std::ssize(values);
  if (width == 1) {
    for (std::int64_t i = 0; i < count; ++i) absmax[i] = larger(absmax[i], v[i]);
    return;
  }
  for (std::int64_t begin = 0, block = 0; begin < count; begin += width, ++block) {
    std::int32_t most = absmax[block];
    for (std::int64_t i = begin; i < std::min(begin + width, count); ++i) most = larger(most, v[i]);
    absmax[block] = most;
  }
}

struct E4m3 {
  static HWY_INLINE std::uint8_t code(float value, float factor) { return format::number_to_e4m3(value * factor); }
};
// A quotient rounded to a dtype, then encoded.
template <qfuse_dtype kQuotient, std::uint8_t (*kEncode)(float)>
struct Divided {
  static HWY_INLINE std::uint8_t code(float value, float divisor) {
    const float quotient = value / divisor;
    if constexpr (kQuotient == QFUSE_BFLOAT16)
      return kEncode(format::from_bfloat16(format::to_bfloat16(quotient)));
    else if constexpr (kQuotient == QFUSE_FLOAT16)
      return kEncode(format::from_float16(format::to_float16(quotient)));
    else
      return kEncode(quotient);
  }
};
struct E2m1Up {
  static HWY_INLINE std::uint8_t code(float value, float factor) { return format::to_e2m1_up(value * factor); }
};
struct E2m1Even {
  static HWY_INLINE std::uint8_t code(float value, float factor) { return format::to_e2m1_even(value * factor); }
};

template <class Step>
HWY_INLINE void encode_run(const float* HWY_RESTRICT values, const float* HWY_RESTRICT scales, std::int64_t count,
                           std::uint8_t* HWY_RESTRICT codes) {
  for (std::int64_t i = 0; i < count; ++i) codes[i] = Step::code(values[i], scales[i]);
}

// Copies each scale to all values of its block, because a loop per block would be too short to be vectorized well.
template <class Step>
void encode(const ScaledBlocks& blocks, std::uint8_t* codes) {
  const float* const values = blocks.values.data();
  const std::int64_t count = std::ssize(blocks.values);
  if (blocks.width == 1) return encode_run<Step>(values, blocks.scales, count, codes);
  constexpr std::int64_t kRun = 1024;
  float scales[kRun];
  for (std::int64_t begin = 0; begin < count; begin += kRun) {
    const std::int64_t run = std::min(kRun, count - begin);
    for (std::int64_t i = 0; i < run;) {
      const std::int64_t block = (begin + i) / blocks.width;
      const std::int64_t end = std::min((block + 1) * blocks.width - begin, run);
      std::fill(scales + i, scales + end, blocks.scales[block]);
      i = end;
    }
    encode_run<Step>(values + begin, scales, run, codes + begin);
  }
}

template <std::uint8_t (*kEncode)(float)>
void encode_divided(const ScaledBlocks& blocks, Dtype quotient, std::uint8_t* codes) {
  switch (quotient) {
    case Dtype::float32: return encode<Divided<QFUSE_FLOAT32, kEncode>>(blocks, codes);
    case Dtype::float16: return encode<Divided<QFUSE_FLOAT16, kEncode>>(blocks, codes);
    case Dtype::bfloat16: return encode<Divided<QFUSE_BFLOAT16, kEncode>>(blocks, codes);
  }
}

void pack(std::span<const std::uint8_t> nibbles, std::byte* HWY_RESTRICT codes) {
  const std::uint8_t* const n = nibbles.data();
  for (std::size_t i = 0; i < nibbles.size() / 2; ++i) codes[i] = static_cast<std::byte>(n[2 * i] | n[2 * i + 1] << 4);
}

constexpr std::size_t kLanes = 8;  // partial sums of each sum, because compilers keep the order of a sum

struct PartialSums {
  double squares[kLanes] = {};
  double added[kLanes] = {};
  double kept[kLanes] = {};
  double kept_squares[kLanes] = {};
};

HWY_INLINE void add_products(PartialSums& sums, std::size_t lane, double w, double d, double l) {
  const double kept = l * d;
  sums.squares[lane] += w * w;
  sums.added[lane] += d * d;
  sums.kept[lane] += kept;
  sums.kept_squares[lane] += kept * kept;
}

HWY_INLINE double total_of(const double (&parts)[kLanes]) {
  double total = 0.0;
  for (const double part : parts) total += part;
  return total;
}

ProductSums sum_products(std::span<const float> base, std::span<const float> sums, std::span<const float> left) {
  PartialSums parts;
  std::size_t i = 0;
  for (; i + kLanes <= base.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double w = base[i + lane];
      add_products(parts, lane, w, sums[i + lane] - w, left[i + lane] - w);
    }
  for (; i < base.size(); ++i) {
    const double w = base[i];
    add_products(parts, i % kLanes, w, sums[i] - w, left[i] - w);
  }
  return {total_of(parts.squares), total_of(parts.added), total_of(parts.kept), total_of(parts.kept_squares)};
}

const ElementLoops& loops_of_target() {
  static constexpr ElementLoops kLoops = {
      .widen = widen,
      .round_to = round_to,
      .raise_absmax = raise_absmax,
      .encode_e4m3 = encode<E4m3>,
      .encode_e4m3_divided = encode_divided<format::number_to_e4m3>,
      .encode_e2m1_up = encode<E2m1Up>,
      .encode_e2m1_even = encode<E2m1Even>,
      .encode_e2m1_even_divided = encode<Divided<QFUSE_FLOAT32, format::to_e2m1_even>>,
      .encode_int4_divided = encode_divided<format::to_int4>,
      .pack = pack,
      .sum_products = sum_products,
  };
  return kLoops;
}

}  // namespace qfuse::checkpoint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::checkpoint {

HWY_EXPORT(loops_of_target);

const ElementLoops& element_loops_of(const char* target) {
  std::size_t row = 0;
  if (const contract::Outcome o = cpu::choose_target(target, row); !o.ok())
    throw Error(static_cast<Status>(o.status), o.message);
  return HWY_DISPATCH_TABLE(loops_of_target)[row]();
}

const ElementLoops& element_loops() {
  static const ElementLoops& chosen = element_loops_of(nullptr);
  return chosen;
}

}  // namespace qfuse::checkpoint

#endif  // HWY_ONCE
