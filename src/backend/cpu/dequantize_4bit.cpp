// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset
// out:    [n] fp32, fp16 or bf16; any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by the stores to memory
// oracle: reference/dequantize_4bit.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/dequantize_4bit.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/dequantize_4bit.h"
#include "backend/cpu/parallel_for.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/targets.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- policy ----

// A unit is what one 16-byte table of indices covers, and what every block size is a multiple of.
constexpr std::size_t kUnitPacked = 16;
constexpr std::size_t kUnitElements = 2 * kUnitPacked;

// A block has 16 possible outputs. They are made once, with all roundings, and kept as planes of bytes: plane k holds
// byte k of each output, so that one 16-byte shuffle a plane looks up a whole vector of nibbles.
struct Products {
  alignas(64) std::array<std::uint32_t, format::kCodes4> words;                            // rounded, in the low bytes
  alignas(64) std::array<std::array<std::uint8_t, format::kCodes4>, sizeof(float)> plane;  //
};

// ---- steps ----

HWY_INLINE float decode_absmax(const format::Dequantize4bit& p, std::int64_t block) {
  if (!format::is_nested(p)) return format::load_unaligned<float>(p.absmax, block);
  const float value = format::load_unaligned<float>(p.nested_quant_map, p.absmax_8bit[block]);
  const float scale = format::load_unaligned<float>(p.nested_absmax, block / p.nested_blocksize);
  return format::mul_ftz(value, scale) + p.nested_offset;
}

template <qfuse_dtype kDtype>
HWY_INLINE void make_words(const format::Codebook4& codebook, float absmax, Products& products) {
  const hn::CappedTag<float, format::kCodes4> df;
  const auto scale = hn::Set(df, absmax);
  for (std::size_t i = 0; i < format::kCodes4; i += hn::Lanes(df)) {
    const auto weight = mul_ftz(df, hn::LoadU(df, codebook.values.data() + i), scale);
    hn::Store(round_to<kDtype>(df, weight), Bits<decltype(df)>(), products.words.data() + i);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <qfuse_dtype kDtype>
HWY_INLINE void make_products(const format::Codebook4& codebook, float absmax, Products& products) {
  make_words<kDtype>(codebook, absmax, products);
}

template <qfuse_dtype kDtype, bool kStream>
HWY_INLINE void decode_unit(const Products& products, const std::uint8_t* packed, std::uint8_t* out) {
  for (std::size_t i = 0; i < kUnitElements; ++i) {
    const std::uint32_t word = products.words[format::load_nibble(packed, static_cast<std::int64_t>(i))];
    std::memcpy(out + i * format::dtype_size(kDtype), &word, format::dtype_size(kDtype));
  }
}

#else

template <qfuse_dtype kDtype>
HWY_INLINE void make_products(const format::Codebook4& codebook, float absmax, Products& products) {
  make_words<kDtype>(codebook, absmax, products);
  const hn::Full128<std::uint32_t> d32;
  const hn::Full128<std::uint16_t> d16;
  const hn::Full128<std::uint8_t> d8;
  const auto words = [&](std::size_t i) HWY_ATTR {
    return hn::BitCast(d16, hn::Load(d32, products.words.data() + i));
  };
  const auto split = [&](auto upper, auto lower, std::size_t plane) HWY_ATTR {
    const auto u = hn::BitCast(d8, upper);
    const auto l = hn::BitCast(d8, lower);
    hn::Store(hn::ConcatEven(d8, u, l), d8, products.plane[plane].data());
    hn::Store(hn::ConcatOdd(d8, u, l), d8, products.plane[plane + 1].data());
  };
  split(hn::ConcatEven(d16, words(12), words(8)), hn::ConcatEven(d16, words(4), words(0)), 0);
  if constexpr (kDtype == QFUSE_FLOAT32)
    split(hn::ConcatOdd(d16, words(12), words(8)), hn::ConcatOdd(d16, words(4), words(0)), 2);
}

// For each byte of a unit's output: the packed byte that it comes from.
template <std::size_t kSize>
constexpr auto make_spread() {
  std::array<std::uint8_t, kUnitElements * kSize> spread{};
  for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = static_cast<std::uint8_t>(i / (2 * kSize));
  return spread;
}

// For each byte of a unit's output: 0x0f where it takes the high nibble, the element being even.
template <std::size_t kSize>
constexpr auto make_high() {
  std::array<std::uint8_t, kUnitElements * kSize> high{};
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = i / kSize % 2 == 0 ? 0x0f : 0;
  return high;
}

template <std::size_t kSize>
alignas(64) constexpr auto kSpread = make_spread<kSize>();
template <std::size_t kSize>
alignas(64) constexpr auto kHigh = make_high<kSize>();

template <class D8>
HWY_INLINE hn::Vec<D8> nibbles(D8 d8, hn::Vec<D8> bytes, hn::Vec<D8> high) {
  const hn::Repartition<std::uint16_t, D8> d16;
  const auto shifted = hn::BitCast(d8, hn::ShiftRight<4>(hn::BitCast(d16, bytes)));
  const auto low = hn::AndNot(high, hn::Set(d8, 0x0f));
  return hn::Or(hn::And(shifted, high), hn::And(bytes, low));
}

template <qfuse_dtype kDtype, bool kStream>
HWY_INLINE void decode_unit(const Products& products, const std::uint8_t* packed, std::uint8_t* out) {
  constexpr std::size_t kSize = format::dtype_size(kDtype);
  const hn::CappedTag<std::uint8_t, kUnitElements * kSize> d8;
  const hn::Repartition<std::uint16_t, decltype(d8)> d16;
  const auto unit = hn::LoadDup128(d8, packed);
  const auto plane = [&](std::size_t k) HWY_ATTR { return hn::LoadDup128(d8, products.plane[k].data()); };
  const auto look_up = [&](std::size_t k, auto index) HWY_ATTR {
    const auto even = hn::TableLookupBytes(plane(k), index);
    return hn::OddEven(hn::TableLookupBytes(plane(k + 1), index), even);
  };
  for (std::size_t at = 0; at < kUnitElements * kSize; at += hn::Lanes(d8)) {
    const auto bytes = hn::TableLookupBytes(unit, hn::Load(d8, kSpread<kSize>.data() + at));
    const auto index = nibbles(d8, bytes, hn::Load(d8, kHigh<kSize>.data() + at));
    auto outputs = look_up(0, index);
    if constexpr (kSize == 4)
      outputs = hn::BitCast(d8, hn::OddEven(hn::BitCast(d16, look_up(2, index)), hn::BitCast(d16, outputs)));
    if constexpr (kStream) {
      hn::Stream(outputs, d8, out + at);
    } else {
      hn::StoreU(outputs, d8, out + at);
    }
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

// The last elements of the last block: the same unit, on copies.
template <qfuse_dtype kDtype>
HWY_INLINE void decode_tail(const Products& products, const std::uint8_t* packed, std::size_t count,
                            std::uint8_t* out) {
  alignas(64) std::array<std::uint8_t, kUnitPacked> in{};
  alignas(64) std::array<std::uint8_t, kUnitElements * sizeof(float)> outputs;
  std::memcpy(in.data(), packed, static_cast<std::size_t>(format::packed_size(static_cast<std::int64_t>(count))));
  decode_unit<kDtype, false>(products, in.data(), outputs.data());
  std::memcpy(out, outputs.data(), count * format::dtype_size(kDtype));
}

// ---- kernel: the blocks [begin, end) ----

template <qfuse_dtype kDtype, bool kStream>
void decode_blocks(const format::Dequantize4bit& p, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const format::Codebook4& codebook = format::codebook4(p.quant_type);
  Products products;
  for (std::int64_t block = begin; block < end; ++block) {
    make_products<kDtype>(codebook, decode_absmax(p, block), products);
    const std::int64_t first = block * p.blocksize;
    const auto count = static_cast<std::size_t>(std::min(p.blocksize, p.n - first));
    const std::uint8_t* packed = p.packed + first / 2;
    std::uint8_t* out = static_cast<std::uint8_t*>(p.out) + first * kSize;
    std::size_t i = 0;
    for (; i + kUnitElements <= count; i += kUnitElements)
      decode_unit<kDtype, kStream>(products, packed + i / 2, out + i * kSize);
    if (i < count) decode_tail<kDtype>(products, packed + i / 2, count - i, out + i * kSize);
  }
  if constexpr (kStream) hwy::FlushStream();
}

template <bool kStream>
void decode(const format::Dequantize4bit& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_blocks<QFUSE_FLOAT32, kStream>(p, begin, end);
    case QFUSE_FLOAT16: return decode_blocks<QFUSE_FLOAT16, kStream>(p, begin, end);
    case QFUSE_BFLOAT16: return decode_blocks<QFUSE_BFLOAT16, kStream>(p, begin, end);
  }
}

void dequantize_4bit_blocks(const format::Dequantize4bit& p, std::int64_t begin, std::int64_t end, bool stream) {
  const hn::ScalableTag<std::uint8_t> d8;
  const bool aligned = reinterpret_cast<std::uintptr_t>(p.out) % hn::Lanes(d8) == 0;
  return stream && aligned ? decode<true>(p, begin, end) : decode<false>(p, begin, end);
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(dequantize_4bit_blocks);

// Elements a range holds at least: enough work to be worth a hand-over, little enough to balance.
constexpr std::int64_t kGrainElements = 1 << 17;

// From here on the output leaves the caches anyway, and non-temporal stores save reading it first.
constexpr std::int64_t kStreamBytes = 32 << 20;

}  // namespace

format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec) {
  std::size_t row = 0;
  if (format::Outcome o = choose_target(exec.cpu_target, row); !o.ok()) return o;
  const bool stream = p.n * format::dtype_size(p.out_dtype) >= kStreamBytes;
  parallel_for(format::block_count(p.n, p.blocksize), kGrainElements / p.blocksize, exec.threads,
               [&](std::int64_t begin, std::int64_t end) {
                 HWY_DISPATCH_TABLE(dequantize_4bit_blocks)[row](p, begin, end, stream);
               });
  return {};
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
