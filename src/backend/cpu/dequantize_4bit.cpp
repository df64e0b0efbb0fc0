// in:     packed [ceil(n/2)] u8; absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset;
//         row scales: packed [rows, ceil(cols/2)] u8, scales [rows, blocks], global scale or divisor, zero points
// out:    [n] fp32, fp16 or bf16; any alignment
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//         row scales: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written; bound by the stores to memory
// oracle: reference/dequantize_4bit.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/dequantize_4bit.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/products-inl.h"
#include "backend/cpu/run.h"
#include "backend/cpu/scales-inl.h"
#include "backend/cpu/steps-inl.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- policy ----

// Entries of a scale table: one per 8-bit code of a nested block, or one per block of a run of plain blocks.
constexpr std::int64_t kScales = format::kCodes8;

// ---- steps ----

using Floats = hn::ScalableTag<float>;
using ScaleTable = std::array<float, kScales>;

// Decodes the absmax for each of the 256 codes of a nested block, so that each of its blocks needs only a look-up.
HWY_INLINE void decode_absmax(const contract::Dequantize4bit& p, std::int64_t nested_block, ScaleTable& scales) {
  const auto scale = hn::Set(Floats(), format::load_unaligned<float>(p.weight.nested_absmax, nested_block));
  const auto offset = hn::Set(Floats(), contract::nested_offset(p.weight));
  for (std::size_t i = 0; i < scales.size(); i += hn::Lanes(Floats())) {
    const auto value =
        load_bytes(Floats(), reinterpret_cast<const char*>(p.weight.nested_quant_map) + i * sizeof(float));
    hn::Store(hn::Add(mul_ftz(Floats(), value, scale), offset), Floats(), scales.data() + i);
  }
}

HWY_INLINE void copy_absmax(const contract::Dequantize4bit& p, std::int64_t begin, std::int64_t end,
                            ScaleTable& scales) {
  scales.fill(0.0F);
  std::memcpy(scales.data(),
              reinterpret_cast<const char*>(p.weight.absmax) + begin * static_cast<std::int64_t>(sizeof(float)),
              static_cast<std::size_t>(end - begin) * sizeof(float));
}

// ---- kernel: the blocks [begin, end) ----

template <qfuse_dtype kDtype>
constexpr std::int64_t kUnitBytes = static_cast<std::int64_t>(kUnitElements) * format::dtype_size(kDtype);

// Decodes full blocks. Block begin + i has scales[codes[i]], or scales[i] if `codes` is null.
template <qfuse_dtype kDtype, bool kStream, bool kTame>
HWY_NOINLINE void decode_full_blocks(const contract::Dequantize4bit& p, std::int64_t begin, std::int64_t end,
                                     const ScaleTable& scales, const std::uint8_t* codes) {
  const Values& values = format::codebook4(p.weight.quant_type).values;
  const std::int64_t units = p.weight.blocksize / static_cast<std::int64_t>(kUnitElements);
  const std::uint8_t* packed = p.weight.packed + begin * p.weight.blocksize / 2;
  std::uint8_t* out = static_cast<std::uint8_t*>(p.out) + begin * units * kUnitBytes<kDtype>;
  for (std::int64_t i = 0; i < end - begin; ++i) {
    const float absmax = scales[static_cast<std::size_t>(codes != nullptr ? codes[i] : i)];
    const Products products = make_products<kDtype, kTame>(values, absmax);
    for (std::int64_t unit = 0; unit < units; ++unit, packed += kUnitPacked, out += kUnitBytes<kDtype>)
      decode_unit<kDtype, kStream>(products, packed, out);
  }
}

// Decodes the short last block in units; a partial last unit goes through zero-padded copies.
template <qfuse_dtype kDtype>
HWY_NOINLINE void decode_short_block(const contract::Dequantize4bit& p, std::int64_t block, float absmax) {
  const Products products = make_products<kDtype, false>(format::codebook4(p.weight.quant_type).values, absmax);
  std::int64_t first = block * p.weight.blocksize;
  for (; first < contract::element_count(p.weight); first += kUnitElements) {
    const std::int64_t count =
        std::min(static_cast<std::int64_t>(kUnitElements), contract::element_count(p.weight) - first);
    std::array<std::uint8_t, kUnitPacked> packed{};
    std::array<std::uint8_t, kUnitBytes<kDtype>> outputs;
    std::memcpy(packed.data(), p.weight.packed + first / 2, static_cast<std::size_t>(format::packed_size(count)));
    decode_unit<kDtype, false>(products, packed.data(), outputs.data());
    std::memcpy(static_cast<std::uint8_t*>(p.out) + first * format::dtype_size(kDtype), outputs.data(),
                static_cast<std::size_t>(count * format::dtype_size(kDtype)));
  }
}

template <qfuse_dtype kDtype, bool kStream>
void decode_blocks(const contract::Dequantize4bit& p, std::int64_t begin, std::int64_t end) {
  const bool nested = contract::is_nested(p.weight);
  const std::int64_t run = nested ? p.weight.nested_blocksize : kScales;
  const std::int64_t full_end = std::min(end, contract::element_count(p.weight) / p.weight.blocksize);
  alignas(64) ScaleTable scales;
  while (begin < end) {
    const std::int64_t stop = begin + std::min(end - begin, run - begin % run);
    nested ? decode_absmax(p, begin / run, scales) : copy_absmax(p, begin, stop, scales);
    const std::uint8_t* const codes = nested ? p.weight.absmax_8bit + begin : nullptr;
    is_tame(scales.data(), scales.size())
        ? decode_full_blocks<kDtype, kStream, true>(p, begin, std::min(stop, full_end), scales, codes)
        : decode_full_blocks<kDtype, kStream, false>(p, begin, std::min(stop, full_end), scales, codes);
    if (stop > full_end) {
      const std::int64_t last = stop - 1 - begin;
      decode_short_block<kDtype>(p, stop - 1, scales[static_cast<std::size_t>(nested ? codes[last] : last)]);
    }
    begin = stop;
  }
  if constexpr (kStream) hwy::FlushStream();
}

template <bool kStream>
void decode(const contract::Dequantize4bit& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_blocks<QFUSE_FLOAT32, kStream>(p, begin, end);
    case QFUSE_FLOAT16: return decode_blocks<QFUSE_FLOAT16, kStream>(p, begin, end);
    case QFUSE_BFLOAT16: return decode_blocks<QFUSE_BFLOAT16, kStream>(p, begin, end);
  }
}

// ---- kernel for row scales: the pieces [begin, end), each of up to `piece` columns of a row ----

constexpr NibbleOrder kOrderOfRows = NibbleOrder::low_first;

// Scales and zero points of a piece's blocks. A piece has at most kScales blocks, even of the smallest size.
struct RowScales {
  alignas(64) ScaleTable scales;
  alignas(64) ScaleTable zero_points;
  bool are_finite;
};

// Decodes the scales and zero points of `count` blocks. Whole vectors are read from a copy, never past the arrays.
HWY_INLINE void decode_scales(const qfuse_weight_4bit& w, std::int64_t block, std::int64_t count, RowScales& to) {
  const hn::ScalableTag<float> df;
  const std::size_t padded = hwy::RoundUpTo(static_cast<std::size_t>(count), hn::Lanes(df));
  alignas(64) std::array<std::uint8_t, kScales * sizeof(float)> copy;
  const auto copy_of = [&](const void* array, std::int64_t size) HWY_ATTR {
    std::memcpy(copy.data(), static_cast<const std::uint8_t*>(array) + block * size,
                static_cast<std::size_t>(count * size));
    std::memset(copy.data() + count * size, 0,
                (padded - static_cast<std::size_t>(count)) * static_cast<std::size_t>(size));
  };
  copy_of(w.scales, format::scale_size(w.scale_type));
  widen_scales(w.scale_type, copy.data(), padded, to.scales.data());
  if (const contract::Global global = contract::global_of(w); global.value != nullptr)
    apply_global(global, format::load_unaligned<float>(global.value, 0), padded, to.scales.data());
  to.are_finite = are_zero_or_within(to.scales.data(), padded, 0, format::kInfBits);
  if (w.zero_points == nullptr) return;
  copy_of(w.zero_points, 1);
  for (std::size_t i = 0; i < padded; i += hn::Lanes(df)) {
    const auto integers = hn::BitCast(hn::RebindToSigned<decltype(df)>(), load_code_bytes(df, copy.data() + i));
    hn::Store(hn::ConvertTo(df, integers), df, to.zero_points.data() + i);
  }
}

// Decodes `count` elements of one block, the first of which starts a byte; a partial last unit goes through copies.
template <qfuse_dtype kDtype, bool kStream, std::size_t kElements>
HWY_INLINE void decode_block_of_row(const Products& products, const std::uint8_t* packed, std::int64_t count,
                                    std::uint8_t* out) {
  constexpr auto kUnit = static_cast<std::int64_t>(kElements);
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  for (; count >= kUnit; count -= kUnit, packed += kUnit / 2, out += kUnit * kSize)
    decode_unit<kDtype, kStream, kOrderOfRows, kElements>(products, packed, out);
  if (count == 0) return;
  std::array<std::uint8_t, kElements / 2> copy{};
  std::array<std::uint8_t, kElements * kSize> outputs;
  std::memcpy(copy.data(), packed, static_cast<std::size_t>(format::packed_size(count)));
  decode_unit<kDtype, false, kOrderOfRows, kElements>(products, copy.data(), outputs.data());
  std::memcpy(out, outputs.data(), static_cast<std::size_t>(count * kSize));
}

// Decodes the blocks of a piece. make(i) returns the 16 possible outputs of block i.
template <qfuse_dtype kDtype, bool kStream, std::size_t kElements, class Make>
HWY_INLINE void decode_blocks_of_row(const std::uint8_t* packed, std::uint8_t* out, std::int64_t count,
                                     std::int64_t first_count, std::int64_t blocksize, const Make& make) {
  constexpr auto kUnit = static_cast<std::int64_t>(kElements);
  std::size_t i = 0;
  if (first_count == kUnit && blocksize == kUnit) {  // one unit per block: MXFP4 and NVFP4
    for (; count >= kUnit; ++i, count -= kUnit, packed += kUnit / 2, out += kUnit * format::dtype_size(kDtype))
      decode_unit<kDtype, kStream, kOrderOfRows, kElements>(make(i), packed, out);
  }
  for (std::int64_t left = first_count; count > 0; ++i, left = blocksize) {
    left = std::min(left, count);
    decode_block_of_row<kDtype, kStream, kElements>(make(i), packed, left, out);
    packed += left / 2;
    out += left * format::dtype_size(kDtype);
    count -= left;
  }
}

// Decodes the columns [col, end) of a row.
template <qfuse_dtype kDtype, bool kStream, std::size_t kElements>
HWY_NOINLINE void decode_piece(const contract::Dequantize4bit& p, std::int64_t row, std::int64_t col,
                               std::int64_t end) {
  const qfuse_weight_4bit& w = p.weight;
  const format::Format4& format = format::format4(w.quant_type);
  const std::uint8_t* const packed = w.packed + row * contract::bytes_a_row(w) + col / 2;
  auto* const out = static_cast<std::uint8_t*>(p.out) + (row * w.cols + col) * format::dtype_size(kDtype);
  const std::int64_t block = col / w.blocksize;
  RowScales of;
  decode_scales(w, row * contract::blocks_a_row(w) + block, (end - 1) / w.blocksize + 1 - block, of);
  const auto decode = [&](const auto& make) HWY_ATTR {
    decode_blocks_of_row<kDtype, kStream, kElements>(packed, out, end - col, w.blocksize - col % w.blocksize,
                                                     w.blocksize, make);
  };
  if (w.zero_points != nullptr)
    return decode([&](std::size_t i) HWY_ATTR {
      return make_products_of_row<kDtype>(format.values, of.zero_points[i], of.scales[i]);
    });
  Values values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = format.values[i] - format.zero_point;
  if (of.are_finite)
    return decode([&](std::size_t i) HWY_ATTR { return make_products_of_row<kDtype, true>(values, of.scales[i]); });
  decode([&](std::size_t i) HWY_ATTR { return make_products_of_row<kDtype, false>(values, of.scales[i]); });
}

template <qfuse_dtype kDtype, bool kStream>
void decode_rows(const contract::Dequantize4bit& p, std::int64_t piece, std::int64_t begin, std::int64_t end) {
  const std::int64_t cols = p.weight.cols;
  const std::int64_t pieces = format::ceil_div(cols, piece);
  const bool whole_units =
      p.weight.blocksize % static_cast<std::int64_t>(kUnitElements) == 0 || p.weight.blocksize >= cols;
  const auto decode_one =
      whole_units ? decode_piece<kDtype, kStream, kUnitElements> : decode_piece<kDtype, kStream, kUnitElements / 2>;
  std::int64_t row = begin / pieces;
  std::int64_t col = begin % pieces * piece;
  for (; begin < end; ++begin) {
    const std::int64_t stop = col + std::min(piece, cols - col);
    decode_one(p, row, col, stop);
    row += stop == cols ? 1 : 0;
    col = stop == cols ? 0 : stop;
  }
  if constexpr (kStream) hwy::FlushStream();
}

template <bool kStream>
void decode_of_rows(const contract::Dequantize4bit& p, std::int64_t piece, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return decode_rows<QFUSE_FLOAT32, kStream>(p, piece, begin, end);
    case QFUSE_FLOAT16: return decode_rows<QFUSE_FLOAT16, kStream>(p, piece, begin, end);
    case QFUSE_BFLOAT16: return decode_rows<QFUSE_BFLOAT16, kStream>(p, piece, begin, end);
  }
}

// Streams only if `out` and each of its rows are aligned to whole vectors.
void dequantize_4bit_rows(const contract::Dequantize4bit& p, std::int64_t piece, std::int64_t begin, std::int64_t end,
                          bool stream) {
  const hn::ScalableTag<std::uint8_t> d8;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d8));
  const bool aligned = reinterpret_cast<std::uintptr_t>(p.out) % hn::Lanes(d8) == 0 &&
                       p.weight.cols * format::dtype_size(p.out_dtype) % lanes == 0;
  return stream && aligned ? decode_of_rows<true>(p, piece, begin, end) : decode_of_rows<false>(p, piece, begin, end);
}

void dequantize_4bit_blocks(const contract::Dequantize4bit& p, std::int64_t begin, std::int64_t end, bool stream) {
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
HWY_EXPORT(dequantize_4bit_rows);

// Approximate elements per range: enough work to be worth a hand-over to a thread, few enough to balance the load.
constexpr std::int64_t kGrainElements = 1 << 17;

// An output of at least this size leaves the caches anyway, and non-temporal stores avoid reading it first.
constexpr std::int64_t kStreamBytes = 32 << 20;

// Columns of a row that a thread decodes at once: whole units, in at most kScales blocks.
constexpr std::int64_t kPiece = format::kCodes8 * format::kRowBlocksize;

contract::Outcome dequantize_rows(const contract::Dequantize4bit& p, const qfuse_exec& exec, bool stream) {
  const std::int64_t pieces = format::ceil_div(p.weight.cols, kPiece);
  const std::int64_t grain = format::ceil_div(kGrainElements, std::min(p.weight.cols, kPiece));
  return run(p, p.weight.rows * pieces, grain, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(dequantize_4bit_rows)[target](p, kPiece, begin, end, stream);
  });
}

}  // namespace

contract::Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  const std::int64_t n = contract::element_count(p.weight);
  const std::int64_t blocksize = p.weight.blocksize;
  const bool stream = n * format::dtype_size(p.out_dtype) >= kStreamBytes;
  if (contract::has_scales_of_rows(p.weight)) return dequantize_rows(p, exec, stream);
  return run(p, format::block_count(n, blocksize), kGrainElements / blocksize, exec,
             [&](std::size_t target, std::int64_t begin, std::int64_t end) {
               HWY_DISPATCH_TABLE(dequantize_4bit_blocks)[target](p, begin, end, stream);
             });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
