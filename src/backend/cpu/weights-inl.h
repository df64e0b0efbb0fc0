// Decodes a stretch of a 4-bit weight to fp32 on the stack, for ops that multiply by it: the output of dequantize_4bit
// in a dtype, converted to fp32. Two functions, which use the tables of products-inl.h:
//   make_wide_products<dtype, kTame>(values, absmax)      the 16 values of a block, rounded to the dtype
//   decode_stretch<dtype>(weight, first, count, room)     elements [first, first + count), starting anywhere in a block
#if defined(QFUSE_BACKEND_CPU_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_WEIGHTS_INL_H
#undef QFUSE_BACKEND_CPU_WEIGHTS_INL_H
#else
#define QFUSE_BACKEND_CPU_WEIGHTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "backend/cpu/products-inl.h"
#include "backend/cpu/scales-inl.h"
#include "backend/cpu/steps-inl.h"
#include "contract/weight_4bit.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kUnit = kUnitElements;

// Most elements of a stretch. Its fixed cost is then small next to the decoding (512 elements were 10% slower for one
// token on Zen 4, AVX2), and 4 rows of it, with two tokens, still fit in L1.
constexpr std::int64_t kStretch = 1024;

// Upper bound on the blocks that `elements` elements touch, in whole vectors of any target, plus one vector.
constexpr std::int64_t kMostLanes = 16;
constexpr std::int64_t scales_of(std::int64_t elements) {
  return format::ceil_div(elements / format::kRowBlocksize + 2, kMostLanes) * kMostLanes + kMostLanes;
}

// ---- a unit of 32 elements ----

// Products of some codes, rounded to a dtype and converted back to fp32.
template <qfuse_dtype kDtype, bool kTame, class DF>
HWY_INLINE hn::Vec<DF> wide_products(DF df, hn::Vec<DF> codes, hn::Vec<DF> absmax) {
  return widen<kDtype>(df, round_products<kDtype, kTame>(df, codes, absmax));
}

#if HWY_TARGET <= HWY_AVX3

template <qfuse_dtype kDtype>
using WideProducts = Products;

template <qfuse_dtype kDtype, bool kTame>
HWY_INLINE WideProducts<kDtype> make_wide_products(const Values& values, float absmax) {
  const hn::Full512<float> df;
  const auto codes = hn::LoadU(df, values.data());
  return hn::BitCast(Bits<decltype(df)>(), wide_products<kDtype, kTame>(df, codes, hn::Set(df, absmax)));
}

template <qfuse_dtype kDtype, NibbleOrder kOrder, std::size_t kElements = kUnitElements>
HWY_INLINE void decode_wide_unit(WideProducts<kDtype> products, const std::uint8_t* packed, float* out) {
  decode_unit<QFUSE_FLOAT32, false, kOrder, kElements>(products, packed, reinterpret_cast<std::uint8_t*>(out));
}

#elif HWY_TARGET == HWY_AVX2

// Two registers of 8 products. Both are permuted, and the highest bit of the nibble selects the result of one.
struct WidePair {
  hn::Vec<hn::Full256<float>> low;
  hn::Vec<hn::Full256<float>> high;
};

template <qfuse_dtype kDtype>
using WideProducts = WidePair;

template <qfuse_dtype kDtype, bool kTame>
HWY_INLINE WidePair make_wide_products(const Values& values, float absmax) {
  const hn::Full256<float> df;
  const auto scale = hn::Set(df, absmax);
  return {wide_products<kDtype, kTame>(df, hn::LoadU(df, values.data()), scale),
          wide_products<kDtype, kTame>(df, hn::LoadU(df, values.data() + 8), scale)};
}

// In debug builds, Highway's own permutation requires clear bits above the index, which the instruction ignores.
HWY_INLINE hn::Vec256<float> permute_floats(hn::Vec256<float> table, hn::Vec256<std::uint32_t> index) {
  return hn::Vec256<float>{_mm256_permutevar8x32_ps(table.raw, index.raw)};
}

// In 4 packed bytes, read as a little-endian number, the nibble of element i begins at bit 8 * (i / 2), plus 4 if it is
// the high nibble of its byte.
template <NibbleOrder kOrder>
constexpr auto make_nibble_shifts() {
  constexpr std::uint32_t kOfHigh = kOrder == NibbleOrder::high_first ? 0 : 1;
  std::array<std::uint32_t, 8> shifts{};
  for (std::uint32_t i = 0; i < shifts.size(); ++i) shifts[i] = i / 2 * 8 + (i % 2 == kOfHigh ? 4 : 0);
  return shifts;
}
template <NibbleOrder kOrder>
alignas(32) constexpr auto kNibbleShifts = make_nibble_shifts<kOrder>();

template <qfuse_dtype kDtype, NibbleOrder kOrder, std::size_t kElements = kUnitElements>
HWY_INLINE void decode_wide_unit(const WidePair& products, const std::uint8_t* packed, float* out) {
  const hn::Full256<float> df;
  const hn::Full256<std::uint32_t> du;
  const auto shifts = hn::Load(du, kNibbleShifts<kOrder>.data());
  for (std::int64_t at = 0; at < std::int64_t{kElements}; at += 8) {
    const auto bytes = hn::Set(du, format::load_unaligned<std::uint32_t>(packed, at / 8));
    const auto index = hn::Shr(bytes, shifts);
    const auto upper = hn::MaskFromVec(hn::BitCast(df, hn::ShiftLeft<28>(index)));
    const auto values =
        hn::IfThenElse(upper, permute_floats(products.high, index), permute_floats(products.low, index));
    hn::StoreU(values, df, out + at);
  }
}

#else

template <qfuse_dtype kDtype>
using WideProducts = Products;

template <qfuse_dtype kDtype, bool kTame>
HWY_INLINE Products make_wide_products(const Values& values, float absmax) {
  return make_products<kDtype, kTame>(values, absmax);
}

template <qfuse_dtype kDtype, NibbleOrder kOrder, std::size_t kElements = kUnitElements>
HWY_INLINE void decode_wide_unit(const Products& products, const std::uint8_t* packed, float* out) {
  const hn::ScalableTag<float> df;
  constexpr std::size_t kSize = format::dtype_size(kDtype);
  alignas(64) std::uint8_t narrow[kElements * kSize];
  decode_unit<kDtype, false, kOrder, kElements>(products, packed, narrow);
  for (std::size_t i = 0; i < kElements; i += hn::Lanes(df))
    hn::StoreU(load_as_float<kDtype>(df, narrow + i * kSize), df, out + i);
}

#endif  // the target's form

// ---- a stretch of any elements ----

// Loads `count` row scales from block `begin` on, times or divided by the global one. What is subnormal is zero in
// products: make_products() flushes such scales, but not such a global scale.
HWY_INLINE void load_scales_of_rows(const qfuse_weight_4bit& w, std::int64_t begin, std::int64_t count, float* scales) {
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const std::int64_t size = format::scale_size(w.scale_type);
  const auto* const from = static_cast<const std::uint8_t*>(w.scales) + begin * size;
  const std::int64_t whole = count / lanes * lanes;
  widen_scales(w.scale_type, from, static_cast<std::size_t>(whole), scales);
  if (whole < count) {
    std::uint8_t copy[kMostLanes * sizeof(float)] = {};
    std::memcpy(copy, from + whole * size, static_cast<std::size_t>((count - whole) * size));
    widen_scales(w.scale_type, copy, static_cast<std::size_t>(lanes), scales + whole);
  }
  const contract::Global global = contract::global_of(w);
  if (global.value == nullptr) return;
  const float value = format::load_unaligned<float>(global.value, 0);
  apply_global(global, global.divides ? value : format::ftz(value), static_cast<std::size_t>(count), scales);
}

// Loads the absmax of blocks [begin, end), zero-padded to a multiple of 16; returns the padded number. `scales` must
// fit those of kElements elements. kTame promises that no product of nested scales, and no factor of one, is subnormal.
template <std::int64_t kElements, bool kTame>
HWY_INLINE std::size_t load_scales(const qfuse_weight_4bit& w, std::int64_t begin, std::int64_t end, float* scales) {
  constexpr std::int64_t kSize = sizeof(float);
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const std::int64_t count = end - begin;
  const std::int64_t padded = format::ceil_div(count, kMostLanes) * kMostLanes;
  if (contract::has_scales_of_rows(w)) {
    load_scales_of_rows(w, begin, count, scales);
  } else if (!contract::is_nested(w)) {
    if (count > 0)  // otherwise the array may be null
      std::memcpy(scales, reinterpret_cast<const char*>(w.absmax) + begin * kSize,
                  static_cast<std::size_t>(count * kSize));
  } else {
    // Zero-fills from the start of the last vector on, in a loop: a call of memset takes as long as decoding a few
    // blocks.
    alignas(64) float values[scales_of(kElements)];
    for (std::int64_t i = count / kMostLanes * kMostLanes; i < padded + kMostLanes; i += lanes)
      hn::Store(hn::Zero(df), df, values + i);
    for (std::int64_t i = 0; i < count; ++i)
      values[i] = format::load_unaligned<float>(w.nested_quant_map, w.absmax_8bit[begin + i]);
    const auto offset = hn::Set(df, contract::nested_offset(w));
    const auto scaled = [&](auto value, auto scale)
                            HWY_ATTR { return kTame ? hn::Mul(value, scale) : mul_ftz(df, value, scale); };
    const int shift = std::countr_zero(static_cast<std::uint64_t>(w.nested_blocksize));
    for (std::int64_t i = 0, stop = 0; i < count; i = stop) {  // the next one overwrites values past its end
      const std::int64_t nested_block = (w.nested_begin + begin + i) >> shift;
      stop = std::min(count, ((nested_block + 1) << shift) - w.nested_begin - begin);
      const auto scale = hn::Set(df, format::load_unaligned<float>(w.nested_absmax, nested_block));
      for (; i < stop; i += lanes)
        hn::StoreU(hn::Add(scaled(hn::LoadU(df, values + i), scale), offset), df, scales + i);
    }
  }
  for (std::int64_t i = count / lanes * lanes; i < padded; i += lanes) {
    const auto kept = hn::FirstN(df, static_cast<std::size_t>(std::max<std::int64_t>(count - i, 0)));
    hn::Store(hn::IfThenElseZero(kept, hn::Load(df, scales + i)), df, scales + i);
  }
  return static_cast<std::size_t>(padded);
}

// Like decode_units(), for blocks of half a unit. A weight that ends in one has a scale of 0 for the other.
template <qfuse_dtype kDtype, bool kTame, NibbleOrder kOrder>
HWY_INLINE void decode_half_units(const qfuse_weight_4bit& w, std::int64_t begin, std::int64_t end, const float* scales,
                                  float* out) {
  constexpr std::size_t kHalf = kUnitElements / 2;
  const Values& values = format::format4(w.quant_type).codes;
  const std::int64_t blocks = contract::element_count(w) / std::int64_t{kHalf};
  const std::uint8_t* packed = w.packed + begin * static_cast<std::int64_t>(kUnitPacked);
  for (std::int64_t block = 2 * begin; block < 2 * end; ++block, ++scales, packed += kUnitPacked / 2, out += kHalf) {
    constexpr std::uint8_t kNone[kUnitPacked / 2] = {};
    const auto products = make_wide_products<kDtype, kTame>(values, *scales);
    decode_wide_unit<kDtype, kOrder, kHalf>(products, block < blocks ? packed : kNone, out);
  }
}

// Decodes whole units, the first of which starts a byte. The weight's last unit, if short, is read from a padded copy.
template <qfuse_dtype kDtype, bool kTame, NibbleOrder kOrder>
HWY_INLINE void decode_units(const qfuse_weight_4bit& w, std::int64_t begin, std::int64_t end, const float* scales,
                             float* out) {
  if (w.blocksize < kUnit) return decode_half_units<kDtype, kTame, kOrder>(w, begin, end, scales, out);
  const Values& values = format::format4(w.quant_type).codes;
  const std::int64_t units_in_block = w.blocksize / kUnit;
  const std::int64_t full_end = std::min(end, contract::element_count(w) / kUnit);
  const std::uint8_t* packed = w.packed + begin * static_cast<std::int64_t>(kUnitPacked);
  for (std::int64_t unit = begin; unit < end; ++scales) {
    const std::int64_t stop = std::min(end, unit / units_in_block * units_in_block + units_in_block);
    const auto products = make_wide_products<kDtype, kTame>(values, *scales);
    for (; unit < std::min(stop, full_end); ++unit, packed += kUnitPacked, out += kUnit)
      decode_wide_unit<kDtype, kOrder>(products, packed, out);
    if (unit == stop) continue;
    std::uint8_t copy[kUnitPacked] = {};
    std::memcpy(copy, packed, static_cast<std::size_t>(format::packed_size(contract::element_count(w) % kUnit)));
    decode_wide_unit<kDtype, kOrder>(products, copy, out);
    return;
  }
}

// Has room for elements that begin and end inside a unit, for the zeros after them, and for one vector more, so that
// consecutive rows do not all begin in the same L1 bank (5% of a matmul on Zen 4, AVX2).
struct Stretch {
  float values[kStretch + 2 * kUnit + hn::MaxLanes(hn::ScalableTag<float>())];
};

// Decodes [first, first + count), at most kStretch elements, zero-padded to a multiple of 32; returns where they begin.
template <qfuse_dtype kDtype>
HWY_NOINLINE const float* decode_stretch(const qfuse_weight_4bit& w, std::int64_t first, std::int64_t count,
                                         Stretch& stretch) {
  alignas(64) float scales[scales_of(kStretch)];
  const std::int64_t begin = first / kUnit;
  const std::int64_t end = format::ceil_div(first + count, kUnit);
  const std::size_t blocks = load_scales<kStretch, false>(w, begin * kUnit / w.blocksize,
                                                          format::ceil_div(first + count, w.blocksize), scales);
  const auto decode = [&]<NibbleOrder kOrder>() HWY_ATTR {
    is_tame(scales, blocks) ? decode_units<kDtype, true, kOrder>(w, begin, end, scales, stretch.values)
                            : decode_units<kDtype, false, kOrder>(w, begin, end, scales, stretch.values);
  };
  format::is_low_first(w.quant_type) ? decode.template operator()<NibbleOrder::low_first>()
                                     : decode.template operator()<NibbleOrder::high_first>();
  float* const values = stretch.values + (first - begin * kUnit);
  std::fill(values + count, values + format::ceil_div(count, kUnit) * kUnit, 0.0F);
  return values;
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
