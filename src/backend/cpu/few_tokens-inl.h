// x * W^T for a few tokens, on AVX-512. A register holds the 16 values of a block. Permuting its lanes by the codes
// gives decoded weights, which are multiplied without a store. This covers the usual case: rows of whole blocks, and
// numbers whose products need no rounding. For any other case, matmul_4bit.cpp has the general path.
//   are_few(p, tokens)                     whether this path is tried for this many tokens
//   take_inputs<dtype>, take_scales        keep what a part of W needs; return false if it is not the usual case
//   add_few<dtype>(w, part, few, sums)     adds their products
// The 32 values of a unit fill two vectors, one of high nibbles' columns and one of low ones'.
#if defined(QFUSE_BACKEND_CPU_FEW_TOKENS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_FEW_TOKENS_INL_H
#undef QFUSE_BACKEND_CPU_FEW_TOKENS_INL_H
#else
#define QFUSE_BACKEND_CPU_FEW_TOKENS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "backend/cpu/products-inl.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/weights-inl.h"
#include "contract/matmul_4bit.h"
#include "contract/weight_4bit.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// Some columns of some rows of W.
struct Part {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_column;
  std::int64_t columns;
};

// Inputs for the columns of a part, in fp32: a row per token, in_stride apart, zero-padded to a multiple of 32 columns.
struct PartInputs {
  const float* in;
  std::int64_t in_stride;
  std::int64_t tokens;
};

// Number of tokens whose sums with 4 rows (2 rows in this file) fit into the target's registers.
constexpr std::int64_t kTokensAtOnce = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// Upper bounds of a part: rows, columns, and columns times tokens.
constexpr std::int64_t kPartRows = 32;
constexpr std::int64_t kPartColumns = 4096;
constexpr std::int64_t kPartInputs = 32768;

#if HWY_TARGET <= HWY_AVX3

// Most tokens for which decoding again for every four of them is cheaper than storing decoded weights and reading them
// back, on Zen 4.
constexpr std::int64_t kFewTokens = 8;

// Rows ahead for which codes are prefetched, because the hardware prefetcher does not cross a page. On Zen 4, 4096 ->
// 14336, this loop took 4.9 ms for one token without prefetching, 4.0 with 2 rows, 3.1 with 4, 3.0 with 8.
constexpr std::int64_t kFewRowsAhead = 8;

using Floats16 = hn::Full512<float>;
using Vec16 = hn::Vec<Floats16>;

struct Pair {
  Vec16 high;
  Vec16 low;
};

constexpr std::int64_t kFewRows = 4;

// Inputs that all rows of a part use before the next inputs are read, so that they stay in L1. They are whole blocks.
constexpr std::int64_t kFewInputs = 4096;
constexpr std::int64_t kMostFewBlocksize = kFewInputs / kTokensAtOnce;

struct Few {
  alignas(64) float in[kPartInputs + kFewTokens * 16];           // in each 32, those of high nibbles first
  alignas(64) float scales[kPartRows][scales_of(kPartColumns)];  //
  std::int64_t in_stride;
  std::int64_t tokens;
};

HWY_INLINE Pair load_pair(const float* from) { return {hn::Load(Floats16(), from), hn::Load(Floats16(), from + 16)}; }
HWY_INLINE void store_pair(Pair pair, float* to) {
  hn::Store(pair.high, Floats16(), to);
  hn::Store(pair.low, Floats16(), to + 16);
}

HWY_INLINE bool are_few(const contract::Matmul4bit& p, std::int64_t tokens) {
  return tokens <= kFewTokens && p.weight.blocksize >= 2 * kUnit && p.weight.blocksize <= kMostFewBlocksize &&
         p.weight.cols % p.weight.blocksize == 0;
}

// ---- checks for the usual case ----

// The product of two bf16 numbers within these bounds, or of zeros, neither overflows nor underflows and has 16 bits of
// significand. It is exact in fp32, so it may be fused with the addition. Products of fp16 numbers are always exact.
constexpr std::uint32_t kLeastPlain = 0x21800000U;  // 2^-60
constexpr std::uint32_t kPlainEnd = 0x5d800000U;    // 2^60

// Nested scales within these bounds need no flush to zero. If a map value, a scale or a product is too small, the sum
// with the offset is either outside the usual bounds or equal to offset + 0.
constexpr std::uint32_t kLeastFactor = 0x30800000U;  // 2^-30
constexpr std::uint32_t kFactorEnd = 0x4e800000U;    // 2^30

// Whether nested blocks [first, last] have only zeros and scales within these bounds.
HWY_INLINE bool are_plain_factors(const float* nested_absmax, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i <= last; ++i) {
    const float size = std::abs(format::load_unaligned<float>(nested_absmax, i));
    if (size != 0.0F && !(size >= format::float_of(kLeastFactor) && size < format::float_of(kFactorEnd))) return false;
  }
  return true;
}

// Reorders each 32 values to those of high nibbles, then those of low ones; join_units restores the order.
HWY_INLINE void split_units(const float* values, std::int64_t count, bool is_low_first, float* split) {
  const Floats16 df;
  for (std::int64_t i = 0; i < count; i += kUnit) {
    Pair pair;
    hn::LoadInterleaved2(df, values + i, is_low_first ? pair.low : pair.high, is_low_first ? pair.high : pair.low);
    store_pair(pair, split + i);
  }
}
HWY_INLINE void join_units(const float* split, std::int64_t count, bool is_low_first, float* values) {
  const Floats16 df;
  for (std::int64_t i = 0; i < count; i += kUnit) {
    const Pair pair = load_pair(split + i);
    hn::StoreInterleaved2(is_low_first ? pair.low : pair.high, is_low_first ? pair.high : pair.low, df, values + i);
  }
}

template <qfuse_dtype kDtype>
HWY_INLINE bool take_inputs(const qfuse_weight_4bit& w, const PartInputs& inputs, std::int64_t columns, Few& few) {
  few.in_stride = columns + 16;  // padded, so that tokens use different sets of L1
  few.tokens = inputs.tokens;
  for (std::int64_t t = 0; t < inputs.tokens; ++t) {
    const float* const in = inputs.in + t * inputs.in_stride;
    if (kDtype == QFUSE_BFLOAT16 && !are_zero_or_within(in, static_cast<std::size_t>(columns), kLeastPlain, kPlainEnd))
      return false;
    split_units(in, columns, format::is_low_first(w.quant_type), few.in + t * few.in_stride);
  }
  return true;
}

HWY_INLINE bool take_scales(const qfuse_weight_4bit& w, const Part& part, Few& few) {
  for (std::int64_t r = 0; r < part.rows; ++r) {
    const std::int64_t begin = ((part.first_row + r) * w.cols + part.first_column) / w.blocksize;
    const std::int64_t end = begin + part.columns / w.blocksize;
    if (contract::is_nested(w) && !are_plain_factors(w.nested_absmax, (w.nested_begin + begin) / w.nested_blocksize,
                                                     (w.nested_begin + end - 1) / w.nested_blocksize))
      return false;
    const std::size_t count = load_scales<kPartColumns, true>(w, begin, end, few.scales[r]);
    if (!are_zero_or_within(few.scales[r], count, kLeastPlain, kPlainEnd)) return false;
  }
  return true;
}

// ---- steps ----

// The 16 values of a block. Scales must be within the bounds, so that no value is NaN or, in bf16, subnormal.
template <qfuse_dtype kDtype>
HWY_INLINE Vec16 values_of_block(Vec16 codes, float absmax) {
  const Floats16 df;
  const auto values = hn::Mul(codes, hn::Set(df, absmax));
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return values;
  } else if constexpr (kDtype == QFUSE_FLOAT16) {
    return Vec16{_mm512_cvtph_ps(_mm512_cvtps_ph(values.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
  } else {
    const Bits<Floats16> du;
    const auto bits = hn::BitCast(du, values);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fffU)), odd);
    return hn::BitCast(df, hn::And(rounded, hn::Set(du, 0xffff0000U)));  // two shifts would wait for permutations
  }
}

// In debug builds, Highway's own permutation requires clear bits above the index, which the instruction ignores.
HWY_INLINE Vec16 permute_floats(Vec16 table, hn::Vec<Bits<Floats16>> index) {
  return Vec16{_mm512_permutexvar_ps(index.raw, table.raw)};
}

HWY_INLINE Pair look_up(Vec16 values, const std::uint8_t* packed) {
  const auto bytes = hn::PromoteTo(Bits<Floats16>(), hn::LoadU(hn::Full128<std::uint8_t>(), packed));
  return {permute_floats(values, hn::ShiftRight<4>(bytes)), permute_floats(values, bytes)};
}

// sum + a * b with both steps rounded, as the contract says. Fusing them gives the same where products are exact.
template <qfuse_dtype kDtype>
HWY_INLINE Vec16 add_plain_product(Vec16 sum, Vec16 a, Vec16 b) {
  if constexpr (kDtype == QFUSE_FLOAT32) {
    return hn::Add(sum, hn::Mul(a, b));
  } else {
    return hn::MulAdd(a, b, sum);
  }
}

// ---- kernel: some blocks of kRows rows with kCount tokens ----

// Addresses for the first row and token, and the distances to the next ones.
struct FewBlocks {
  const std::uint8_t* packed;
  std::int64_t row_bytes;
  const float* scales;
  std::int64_t row_scales;
  const float* in;
  std::int64_t token_inputs;
  float* sums;  // tokens are 32 apart
  std::int64_t row_sums;
  std::int64_t blocks;
  std::int64_t units;  // per block: 2, 4, ...
  std::int64_t ahead;  // prefetch distance in bytes
};

template <qfuse_dtype kDtype, std::int64_t kRows, std::int64_t kCount>
HWY_INLINE void add_unit(const Vec16 (&values)[kRows], const std::uint8_t* packed, std::int64_t row_bytes,
                         const float* in, std::int64_t token_inputs, Pair (&sum)[kRows][kCount]) {
  Pair weight[kRows];
  for (std::int64_t r = 0; r < kRows; ++r) weight[r] = look_up(values[r], packed + r * row_bytes);
  for (std::int64_t t = 0; t < kCount; ++t) {
    const Pair x = load_pair(in + t * token_inputs);
    for (std::int64_t r = 0; r < kRows; ++r) {
      sum[r][t].high = add_plain_product<kDtype>(sum[r][t].high, x.high, weight[r].high);
      sum[r][t].low = add_plain_product<kDtype>(sum[r][t].low, x.low, weight[r].low);
    }
  }
}

template <qfuse_dtype kDtype, std::int64_t kRows, std::int64_t kCount>
HWY_INLINE void add_blocks(Vec16 codes, FewBlocks from) {
  Pair sum[kRows][kCount];
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t t = 0; t < kCount; ++t) sum[r][t] = load_pair(from.sums + r * from.row_sums + t * kUnit);
  for (std::int64_t b = 0; b < from.blocks; ++b) {
    Vec16 values[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) {
      hwy::Prefetch(from.packed + r * from.row_bytes + from.ahead);
      values[r] = values_of_block<kDtype>(codes, from.scales[r * from.row_scales + b]);
    }
    for (std::int64_t u = 0; u < from.units; u += 2) {  // usually once: a block of 64 elements has two
      add_unit<kDtype>(values, from.packed, from.row_bytes, from.in, from.token_inputs, sum);
      add_unit<kDtype>(values, from.packed + kUnitPacked, from.row_bytes, from.in + kUnit, from.token_inputs, sum);
      from.packed += 2 * kUnitPacked;
      from.in += 2 * kUnit;
    }
  }
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t t = 0; t < kCount; ++t) store_pair(sum[r][t], from.sums + r * from.row_sums + t * kUnit);
}

// The same blocks, from another row and token on.
HWY_INLINE FewBlocks at(FewBlocks from, std::int64_t row, std::int64_t token) {
  from.packed += row * from.row_bytes;
  from.scales += row * from.row_scales;
  from.in += token * from.token_inputs;
  from.sums += row * from.row_sums + token * kUnit;
  return from;
}

// Adds as many rows at once as the registers can hold sums of: 4 with one or two tokens, 2 with four. For a single row,
// the row strides are 0: all rows of a group are then that row, and store the same results.
template <qfuse_dtype kDtype>
HWY_NOINLINE void add_rows_at_once(Vec16 codes, const FewBlocks& from, std::int64_t rows, std::int64_t tokens) {
  if (tokens == kTokensAtOnce) {
    for (std::int64_t r = 0; r < rows; r += 2) add_blocks<kDtype, 2, kTokensAtOnce>(codes, at(from, r, 0));
    return;
  }
  std::int64_t t = 0;
  for (; t + 2 <= tokens; t += 2) add_blocks<kDtype, kFewRows, 2>(codes, at(from, 0, t));
  if (t < tokens) add_blocks<kDtype, kFewRows, 1>(codes, at(from, 0, t));
}

template <qfuse_dtype kDtype>
HWY_INLINE void add_few_rows(Vec16 codes, const FewBlocks& from, std::int64_t rows, std::int64_t tokens) {
  std::int64_t r = 0;
  for (; r + kFewRows <= rows; r += kFewRows) add_rows_at_once<kDtype>(codes, at(from, r, 0), kFewRows, tokens);
  for (; r < rows; ++r) {
    FewBlocks one = at(from, r, 0);
    one.row_bytes = one.row_scales = one.row_sums = 0;
    add_rows_at_once<kDtype>(codes, one, 1, tokens);
  }
}

// Adds the products to sums [rows, row_sums apart][tokens][32].
template <qfuse_dtype kDtype>
HWY_INLINE void add_few(const qfuse_weight_4bit& w, const Part& part, const Few& few, float* sums,
                        std::int64_t row_sums) {
  const bool is_low_first = format::is_low_first(w.quant_type);
  for (std::int64_t r = 0; r < part.rows; ++r)
    split_units(sums + r * row_sums, few.tokens * kUnit, is_low_first, sums + r * row_sums);
  const auto codes = hn::LoadU(Floats16(), format::format4(w.quant_type).codes.data());
  const bool has_more = part.first_row + part.rows + kFewRowsAhead <= w.rows;
  for (std::int64_t t = 0; t < few.tokens; t += kTokensAtOnce) {
    const std::int64_t tokens = std::min(kTokensAtOnce, few.tokens - t);
    const std::int64_t step = kFewInputs / static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tokens)));
    for (std::int64_t c = 0; c < part.columns; c += step) {
      const FewBlocks from = {.packed = w.packed + (part.first_row * w.cols + part.first_column + c) / 2,
                              .row_bytes = w.cols / 2,
                              .scales = few.scales[0] + c / w.blocksize,
                              .row_scales = scales_of(kPartColumns),
                              .in = few.in + t * few.in_stride + c,
                              .token_inputs = few.in_stride,
                              .sums = sums + t * kUnit,
                              .row_sums = row_sums,
                              .blocks = std::min(step, part.columns - c) / w.blocksize,
                              .units = w.blocksize / kUnit,
                              .ahead = has_more ? kFewRowsAhead * w.cols / 2 : 0};
      add_few_rows<kDtype>(codes, from, part.rows, tokens);
    }
  }
  for (std::int64_t r = 0; r < part.rows; ++r)
    join_units(sums + r * row_sums, few.tokens * kUnit, is_low_first, sums + r * row_sums);
}

#else  // other targets lack the registers or the permutation

struct Few {};

HWY_INLINE bool are_few(const contract::Matmul4bit& /*p*/, std::int64_t /*tokens*/) { return false; }

template <qfuse_dtype kDtype>
HWY_INLINE bool take_inputs(const qfuse_weight_4bit& /*w*/, const PartInputs& /*inputs*/, std::int64_t /*columns*/,
                            Few& /*few*/) {
  return false;
}

HWY_INLINE bool take_scales(const qfuse_weight_4bit& /*w*/, const Part& /*part*/, Few& /*few*/) { return false; }

template <qfuse_dtype kDtype>
HWY_INLINE void add_few(const qfuse_weight_4bit& /*w*/, const Part& /*part*/, const Few& /*few*/, float* /*sums*/,
                        std::int64_t /*row_sums*/) {}

#endif  // AVX-512

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
