// The 16 possible outputs of a block, and the look-up of nibbles in them. Three implementations of two functions:
//   make_outputs<dtype>(values, rule)                     does all rounding of the format, once per code
//   decode_unit<dtype, kStream, kOrder, kElements>(products, packed, out)    decodes a unit or half of one by look-up
// A unit is 16 packed bytes, 32 elements. kOrder says which nibble of a byte is first.
#if defined(QFUSE_BACKEND_CPU_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_PRODUCTS_INL_H
#undef QFUSE_BACKEND_CPU_PRODUCTS_INL_H
#else
#define QFUSE_BACKEND_CPU_PRODUCTS_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/steps-inl.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::size_t kUnitPacked = 16;
constexpr std::size_t kUnitElements = 2 * kUnitPacked;

using Values = std::array<float, format::kCodes4>;

// With an absmax of at least this, products with every code of all codebooks (the smallest is 2^-7.6) are normal.
constexpr std::uint32_t kTameBits = 0x04800000U;  // 2^-118

// Whether each value is zero or has a magnitude, compared as bits, of at least `least` and less than `end`. The array
// must be aligned and consist of whole vectors.
HWY_INLINE bool are_zero_or_within(const float* values, std::size_t count, std::uint32_t least, std::uint32_t end) {
  const hn::ScalableTag<float> df;
  const Bits<decltype(df)> du;
  auto outside = hn::Zero(du);
  for (std::size_t i = 0; i < count; i += hn::Lanes(df)) {
    const auto magnitude = magnitude_bits(df, hn::Load(df, values + i));
    const auto small = hn::AndNot(hn::Eq(magnitude, hn::Zero(du)), magnitude_less(du, magnitude, least));
    const auto large = hn::Not(magnitude_less(du, magnitude, end));
    outside = hn::Or(outside, hn::VecFromMask(du, hn::Or(small, large)));
  }
  return hn::AllTrue(du, hn::Eq(outside, hn::Zero(du)));
}

// Whether all scales satisfy what kTame promises; the array is as above.
HWY_INLINE bool is_tame(const float* scales, std::size_t count) {
  return are_zero_or_within(scales, count, kTameBits, format::kInfBits);
}

// Products of some codes, rounded, in the low bytes of each lane. kTame promises that absmax is zero, or finite and so
// large that no product is subnormal. The steps for NaN and for flushing to zero are then omitted.
template <qfuse_dtype kDtype, bool kTame, class DF>
HWY_INLINE hn::Vec<Bits<DF>> round_products(DF df, hn::Vec<DF> codes, hn::Vec<DF> absmax) {
  if constexpr (kTame) {
    return round_number_to<kDtype>(df, hn::Mul(codes, absmax));
  } else {
    return round_to<kDtype>(df, mul_ftz(df, codes, absmax));
  }
}

using format::NibbleOrder;

// For each byte of a unit's output, the index of the packed byte that it comes from.
template <std::size_t kSize>
constexpr auto make_spread() {
  std::array<std::uint8_t, kUnitElements * kSize> spread{};
  for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = static_cast<std::uint8_t>(i / (2 * kSize));
  return spread;
}
template <std::size_t kSize>
alignas(64) constexpr auto kSpread = make_spread<kSize>();

// Loads a unit's packed bytes into every 16 lanes, or half a unit's into every 8. Reads no byte beyond them.
template <std::size_t kElements, class D8>
HWY_INLINE hn::Vec<D8> load_unit(D8 d8, const std::uint8_t* packed) {
  if constexpr (kElements == kUnitElements) {
    return hn::LoadDup128(d8, packed);
  } else {
    static_assert(kElements == kUnitElements / 2);
    const hn::Repartition<std::uint64_t, D8> d64;
    return hn::BitCast(d8, hn::Set(d64, format::load_unaligned<std::uint64_t>(packed, 0)));
  }
}

template <bool kStream, class D8>
HWY_INLINE void store_outputs(D8 d8, hn::Vec<D8> outputs, std::uint8_t* out) {
  if constexpr (kStream) {
    hn::Stream(outputs, d8, out);
  } else {
    hn::StoreU(outputs, d8, out);
  }
}

#if HWY_TARGET == HWY_SCALAR

// ---- scalar: one output after another ----

using Products = std::array<std::uint32_t, format::kCodes4>;

template <qfuse_dtype kDtype, class Rule>
HWY_INLINE Products make_outputs(const Values& values, const Rule& rule) {
  const hn::ScalableTag<float> df;
  Products products;
  for (std::size_t i = 0; i < products.size(); ++i) products[i] = hn::GetLane(rule(df, hn::Set(df, values[i])));
  return products;
}

template <qfuse_dtype kDtype, bool kStream, NibbleOrder kOrder = NibbleOrder::high_first,
          std::size_t kElements = kUnitElements>
HWY_INLINE void decode_unit(const Products& products, const std::uint8_t* packed, std::uint8_t* out) {
  constexpr std::size_t kSize = format::dtype_size(kDtype);
  for (std::size_t i = 0; i < kElements; ++i) {
    const std::uint32_t product = products[format::load_nibble(packed, static_cast<std::int64_t>(i), kOrder)];
    std::memcpy(out + i * kSize, &product, kSize);
  }
}

#elif HWY_TARGET <= HWY_AVX3

// ---- AVX-512: all 16 products in one register, looked up by a permutation of its lanes ----

// 16-bit products fill both halves of their 32-bit lane. The permutation of 16-bit lanes then finds them at index 2 *
// nibble, whatever the lowest bit of the index is.
using Products = hn::Vec<hn::Full512<std::uint32_t>>;

template <qfuse_dtype kDtype, class Rule>
HWY_INLINE Products make_outputs(const Values& values, const Rule& rule) {
  const hn::Full512<float> df;
  const auto products = rule(df, hn::LoadU(df, values.data()));
  if constexpr (kDtype == QFUSE_FLOAT32) return products;
  return hn::Or(products, hn::ShiftLeft<16>(products));
}

// Highway 1.0.3 permutes only 32-bit and 64-bit lanes.
HWY_INLINE hn::Vec512<std::uint16_t> permute_words(hn::Vec512<std::uint16_t> table, hn::Vec512<std::uint16_t> index) {
  return hn::Vec512<std::uint16_t>{_mm512_permutexvar_epi16(index.raw, table.raw)};
}

// Each lane is filled with copies of its packed byte. A shift per lane moves the nibble to the index bits of the
// permutation: bits 1 to 4 of words, bits 0 to 3 of doublewords. Higher bits are ignored.
template <qfuse_dtype kDtype, bool kStream, NibbleOrder kOrder = NibbleOrder::high_first,
          std::size_t kElements = kUnitElements>
HWY_INLINE void decode_unit(Products products, const std::uint8_t* packed, std::uint8_t* out) {
  constexpr std::size_t kSize = format::dtype_size(kDtype);
  constexpr bool kHighFirst = kOrder == NibbleOrder::high_first;
  const hn::Full512<std::uint8_t> d8;
  const hn::Full512<std::uint16_t> d16;
  const hn::Full512<std::uint32_t> d32;
  const auto unit = load_unit<kElements>(d8, packed);
  for (std::size_t at = 0; at < kElements * kSize; at += hn::Lanes(d8)) {
    const auto bytes = hn::TableLookupBytes(unit, hn::Load(d8, kSpread<kSize>.data() + at));
    if constexpr (kSize == 4) {
      constexpr std::uint64_t kShifts = kHighFirst ? 4 : std::uint64_t{4} << 32;
      const auto shifts = hn::BitCast(d32, hn::Set(hn::Full512<std::uint64_t>(), kShifts));
      const auto nibbles = hn::And(hn::Shr(hn::BitCast(d32, bytes), shifts), hn::Set(d32, 0xfU));
      store_outputs<kStream>(d8, hn::BitCast(d8, hn::TableLookupLanes(products, hn::IndicesFromVec(d32, nibbles))),
                             out + at);
    } else {
      const auto shifts = hn::BitCast(d16, hn::Set(d32, kHighFirst ? 7U << 16 | 11U : 11U << 16 | 7U));
      const auto index = hn::Shr(hn::BitCast(d16, bytes), shifts);
      const auto outputs = hn::BitCast(d8, permute_words(hn::BitCast(d16, products), index));
      if constexpr (kElements == kUnitElements) {
        store_outputs<kStream>(d8, outputs, out + at);
      } else {
        const hn::Half<decltype(d8)> half;
        store_outputs<kStream>(half, hn::LowerHalf(half, outputs), out + at);
      }
    }
  }
}

#else

// ---- byte planes: plane k holds byte k of each product, and a byte shuffle looks up a vector of nibbles ----

struct Products {
  alignas(16) std::array<std::array<std::uint8_t, format::kCodes4>, sizeof(float)> plane;
};

template <qfuse_dtype kDtype, class Rule>
HWY_INLINE Products make_outputs(const Values& values, const Rule& rule) {
  const hn::CappedTag<float, format::kCodes4> df;
  alignas(64) std::array<std::uint32_t, format::kCodes4> words;
  for (std::size_t i = 0; i < words.size(); i += hn::Lanes(df)) {
    hn::Store(rule(df, hn::LoadU(df, values.data() + i)), Bits<decltype(df)>(), words.data() + i);
  }
  const hn::Full128<std::uint32_t> d32;
  const hn::Full128<std::uint16_t> d16;
  const hn::Full128<std::uint8_t> d8;
  Products products;
  const auto load = [&](std::size_t i) HWY_ATTR { return hn::BitCast(d16, hn::Load(d32, words.data() + i)); };
  const auto split = [&](auto upper, auto lower, std::size_t plane) HWY_ATTR {
    const auto u = hn::BitCast(d8, upper);
    const auto l = hn::BitCast(d8, lower);
    hn::Store(hn::ConcatEven(d8, u, l), d8, products.plane[plane].data());
    hn::Store(hn::ConcatOdd(d8, u, l), d8, products.plane[plane + 1].data());
  };
  split(hn::ConcatEven(d16, load(12), load(8)), hn::ConcatEven(d16, load(4), load(0)), 0);
  if constexpr (kDtype == QFUSE_FLOAT32)
    split(hn::ConcatOdd(d16, load(12), load(8)), hn::ConcatOdd(d16, load(4), load(0)), 2);
  return products;
}

// For each byte of a unit's output: 0x0f if its element is in a high nibble (even or odd elements, by kOrder), else 0.
template <std::size_t kSize, NibbleOrder kOrder>
constexpr auto make_high() {
  constexpr std::size_t kTaker = kOrder == NibbleOrder::high_first ? 0 : 1;
  std::array<std::uint8_t, kUnitElements * kSize> high{};
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = i / kSize % 2 == kTaker ? 0x0f : 0;
  return high;
}
template <std::size_t kSize, NibbleOrder kOrder>
alignas(64) constexpr auto kHigh = make_high<kSize, kOrder>();

template <class D8>
HWY_INLINE hn::Vec<D8> nibbles(D8 d8, hn::Vec<D8> bytes, hn::Vec<D8> high) {
  const hn::Repartition<std::uint16_t, D8> d16;
  const auto shifted = hn::BitCast(d8, hn::ShiftRight<4>(hn::BitCast(d16, bytes)));
  const auto low = hn::AndNot(high, hn::Set(d8, 0x0f));
  return hn::Or(hn::And(shifted, high), hn::And(bytes, low));
}

template <qfuse_dtype kDtype, bool kStream, NibbleOrder kOrder = NibbleOrder::high_first,
          std::size_t kElements = kUnitElements>
HWY_INLINE void decode_unit(const Products& products, const std::uint8_t* packed, std::uint8_t* out) {
  constexpr std::size_t kSize = format::dtype_size(kDtype);
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::Repartition<std::uint16_t, decltype(d8)> d16;
  const auto unit = load_unit<kElements>(d8, packed);
  const auto plane = [&](std::size_t k) HWY_ATTR { return hn::LoadDup128(d8, products.plane[k].data()); };
  const auto look_up = [&](std::size_t k, auto index) HWY_ATTR {
    const auto even = hn::TableLookupBytes(plane(k), index);
    return hn::OddEven(hn::TableLookupBytes(plane(k + 1), index), even);
  };
  for (std::size_t at = 0; at < kElements * kSize; at += hn::Lanes(d8)) {
    const auto bytes = hn::TableLookupBytes(unit, hn::Load(d8, kSpread<kSize>.data() + at));
    const auto index = nibbles(d8, bytes, hn::Load(d8, kHigh<kSize, kOrder>.data() + at));
    auto outputs = look_up(0, index);
    if constexpr (kSize == 4)
      outputs = hn::BitCast(d8, hn::OddEven(hn::BitCast(d16, look_up(2, index)), hn::BitCast(d16, outputs)));
    store_outputs<kStream>(d8, outputs, out + at);
  }
}

#endif  // the target's form

// For a block of a format with absmax.
template <qfuse_dtype kDtype, bool kTame>
HWY_INLINE Products make_products(const Values& values, float absmax) {
  const auto rule = [&](auto df, auto codes)
                        HWY_ATTR { return round_products<kDtype, kTame>(df, codes, hn::Set(df, absmax)); };
  return make_outputs<kDtype>(values, rule);
}

// For a block of a format with row scales, where nothing is flushed to zero. kFinite promises a finite scale.
template <qfuse_dtype kDtype, bool kFinite>
HWY_INLINE Products make_products_of_row(const Values& values, float scale) {
  const auto rule = [&](auto df, auto codes) HWY_ATTR {
    const auto products = hn::Mul(codes, hn::Set(df, scale));
    if constexpr (kFinite) return round_number_to<kDtype>(df, products);
    return round_to<kDtype>(df, products);
  };
  return make_outputs<kDtype>(values, rule);
}

// Like the above, but subtracts a zero point from the codes.
template <qfuse_dtype kDtype>
HWY_INLINE Products make_products_of_row(const Values& values, float zero_point, float scale) {
  const auto rule = [&](auto df, auto codes) HWY_ATTR {
    return round_to<kDtype>(df, hn::Mul(hn::Sub(codes, hn::Set(df, zero_point)), hn::Set(df, scale)));
  };
  return make_outputs<kDtype>(values, rule);
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
