// matmul_4bit by bf16 dot products, for processors with AVX512-BF16: VDPBF16PS adds two products to each of 16 sums.
//   has_bf16_dot()                      whether the processor has it and this target has AVX-512
//   multiply_bf16_dot(p, begin, end)    computes items [begin, end) of count_items(p, kDotItems)
// W is decoded to bf16 panels in the caches for all tokens of an item, or in registers for a few tokens.
#if defined(QFUSE_BACKEND_CPU_BF16_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_BF16_DOT_INL_H
#undef QFUSE_BACKEND_CPU_BF16_DOT_INL_H
#else
#define QFUSE_BACKEND_CPU_BF16_DOT_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backend/cpu/matmul_items.h"
#include "backend/cpu/products-inl.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/weights-inl.h"
#include "contract/matmul_4bit.h"
#include "contract/weight_4bit.h"
#include "format/bf16_step.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"

#if HWY_TARGET <= HWY_AVX3

// Enables one instruction more than Highway's target has; Highway's functions may still be inlined here. Lambdas must
// repeat the attribute, as with HWY_ATTR.
#define QFUSE_DOT_TARGET HWY_TARGET_STR ",avx512bf16"
#define QFUSE_DOT_ATTR __attribute__((target(QFUSE_DOT_TARGET)))
HWY_PUSH_ATTRIBUTES(QFUSE_DOT_TARGET)
namespace qfuse::cpu::HWY_NAMESPACE {

inline bool has_bf16_dot() { return __builtin_cpu_supports("avx512bf16") != 0; }

constexpr std::int64_t kBfloatSize = 2;
constexpr std::int64_t kDotSums = format::kDotSums;

// Sums that stay in registers: 4 rows x 6 tokens forward, 4 vectors of columns x 6 tokens backward.
constexpr std::int64_t kDotRows = 4;
constexpr std::int64_t kDotVectors = 4;
constexpr std::int64_t kDotTokens = 6;

// Most tokens for which weights are decoded in registers, again for every 6 tokens. On Zen 4, 14336 x 4096, 8 tokens
// took 7.9 ms this way and 10.3 ms through the caches; 16 tokens took 15.6 and 14.6 ms.
constexpr std::int64_t kCodedTokens = 2 * kDotTokens;

// Size of a panel of decoded weights, which L2 holds. Forward: terms (elements of K) of an item's rows; 64 tokens took
// 47 ms with 1024, 45 with 2048, 42 with all 4096. Backward: pairs of rows, for an item's columns.
constexpr std::int64_t kPanelTerms = 4096;
constexpr std::int64_t kPanelPairs = 64;

// Most blocks per row for which an item's absmax are decoded once for all its panels and tokens.
constexpr std::int64_t kRowBlocks = 512;
constexpr std::int64_t kItemElements = kDotItems.rows * kRowBlocks * format::kRowBlocksize;

// Rows ahead for which codes are prefetched, because the hardware prefetcher does not cross a page boundary.
constexpr std::int64_t kDotRowsAhead = 8;

// ---- steps ----

HWY_INLINE __m512 add_dots(__m512 sums, __m512i a, __m512i b) {
  return _mm512_dpbf16_ps(sums, __builtin_bit_cast(__m512bh, a), __builtin_bit_cast(__m512bh, b));
}

// Loads the first `count` 16-bit words; the others are zero.
HWY_INLINE __m512i load_words(const void* from, std::int64_t count) {
  return _mm512_maskz_loadu_epi16(_bzhi_u32(~0U, static_cast<unsigned>(count)), from);
}

// The 16 values of a block in bf16, stored twice, so that bit 4 of an index does not matter. absmax must be tame
// (is_tame), because the instruction treats subnormals as zeros.
HWY_INLINE __m512i make_dot_products(__m512 codes, float absmax) {
  const __m512 values = _mm512_mul_ps(codes, _mm512_set1_ps(absmax));
  return __builtin_bit_cast(__m512i, _mm512_cvtne2ps_pbh(values, values));
}

// Right shift of each 16-bit word that moves its nibble to the lowest bits. The high nibble holds the first or the
// second of a byte's two values, depending on the type.
HWY_INLINE __m512i nibble_shifts(const qfuse_weight_4bit& w) {
  return _mm512_set1_epi32(format::is_low_first(w.quant_type) ? 4 << 16 : 4);
}

// 32 codes, one in the lowest four bits of each 16-bit word. Other codes are in the bits above.
HWY_INLINE __m512i spread_codes(__m512i shifts, const std::uint8_t* packed) {
  const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(packed)));
  const __m512i spread = _mm512_shuffle_epi8(bytes, _mm512_load_si512(kSpread<kBfloatSize>.data()));
  return _mm512_srlv_epi16(spread, shifts);
}

// Decodes 32 values.
HWY_INLINE __m512i decode_words(__m512i products, __m512i shifts, const std::uint8_t* packed) {
  return _mm512_permutexvar_epi16(spread_codes(shifts, packed), products);
}

// ---- rows in bf16 ----

// Converts fp32 numbers that bf16 holds exactly.
HWY_INLINE void narrow(const float* values, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; i += kUnit / 2) {
    const __m512i bits = _mm512_srli_epi32(_mm512_loadu_si512(values + i), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_cvtepi32_epi16(bits));
  }
}

// Like decode_blocks(), for blocks of half a unit: a register holds the values of a unit's two.
HWY_INLINE void decode_half_blocks(const qfuse_weight_4bit& w, std::int64_t first, std::int64_t count,
                                   const float* scales, std::uint16_t* to) {
  const __m512 codes = _mm512_loadu_ps(format::format4(w.quant_type).codes.data());
  const __m512i shifts = nibble_shifts(w);
  const __m512i nibbles = _mm512_set1_epi16(0xf);
  const __m512i of_second = _mm512_maskz_set1_epi16(0xffff0000U, 16);
  const std::uint8_t* packed = w.packed + first / 2;
  for (std::int64_t i = 0; i < count; i += kUnit, packed += kUnitPacked, scales += 2) {
    const __m512i products =
        __builtin_bit_cast(__m512i, _mm512_cvtne2ps_pbh(_mm512_mul_ps(codes, _mm512_set1_ps(scales[1])),
                                                        _mm512_mul_ps(codes, _mm512_set1_ps(scales[0]))));
    const __m512i codes_of_unit = _mm512_and_si512(spread_codes(shifts, packed), nibbles);
    _mm512_storeu_si512(to + i, _mm512_permutexvar_epi16(_mm512_or_si512(codes_of_unit, of_second), products));
  }
}

// Decodes elements [first, first + count) of the weight, whole units, with the tame absmax of their blocks.
HWY_INLINE void decode_blocks(const qfuse_weight_4bit& w, std::int64_t first, std::int64_t count, const float* scales,
                              std::uint16_t* to) {
  if (w.blocksize < kUnit) return decode_half_blocks(w, first, count, scales, to);
  const __m512 codes = _mm512_loadu_ps(format::format4(w.quant_type).codes.data());
  const __m512i shifts = nibble_shifts(w);
  const std::uint8_t* packed = w.packed + first / 2;
  for (std::int64_t i = first, end = first + count; i < end; ++scales) {
    const std::int64_t stop = std::min(end, (i | (w.blocksize - 1)) + 1);
    const __m512i products = make_dot_products(codes, *scales);
    for (; i < stop; i += kUnit, packed += kUnitPacked, to += kUnit)
      _mm512_storeu_si512(to, decode_words(products, shifts, packed));
  }
}

// Decodes any range of at most kStretch elements, zero-padded to a multiple of 32.
HWY_NOINLINE void decode_elements(const qfuse_weight_4bit& w, std::int64_t first, std::int64_t count,
                                  std::uint16_t* to) {
  alignas(64) float scales[scales_of(kStretch)];
  const std::size_t blocks =
      load_scales<kStretch, false>(w, first / w.blocksize, format::ceil_div(first + count, w.blocksize), scales);
  if (first % kUnit == 0 && count % kUnit == 0 && is_tame(scales, blocks))
    return decode_blocks(w, first, count, scales, to);
  Stretch stretch;
  narrow(decode_stretch<QFUSE_BFLOAT16>(w, first, count, stretch), format::ceil_div(count, kUnit) * kUnit, to);
}

HWY_INLINE void fetch_codes(const qfuse_weight_4bit& w, std::int64_t first, std::int64_t count) {
  constexpr std::int64_t kLine = 64;
  const std::int64_t end = std::min(first + count, contract::element_count(w)) / 2;
  for (std::int64_t byte = first / 2; byte < end; byte += kLine) hwy::Prefetch(w.packed + byte);
}

// Loads rows of W, decoded to bf16.
struct DotWeight {
  const qfuse_weight_4bit& w;
  const float* scales = nullptr;  // from take_scales, for the rows from first_row on; or null
  std::int64_t first_row = 0;
  std::int64_t cols = w.cols;
  void load(std::int64_t row, std::int64_t first, std::int64_t count, std::uint16_t* to) const {
    fetch_codes(w, (row + kDotRowsAhead) * cols + first, count);
    if (scales != nullptr)
      return decode_blocks(w, row * cols + first, count, scales + ((row - first_row) * cols + first) / w.blocksize, to);
    for (std::int64_t i = 0; i < count; i += kStretch)
      decode_elements(w, row * cols + first + i, std::min(kStretch, count - i), to + i);
  }
};

// Loads rows of an array of bf16.
struct DotArray {
  const void* values;
  std::int64_t cols;
  void load(std::int64_t row, std::int64_t first, std::int64_t count, std::uint16_t* to) const {
    const auto* const from = static_cast<const std::uint8_t*>(values) + (row * cols + first) * kBfloatSize;
    for (std::int64_t i = 0; i < count; i += kUnit)
      _mm512_storeu_si512(to + i, load_words(from + i * kBfloatSize, std::min(kUnit, count - i)));
  }
};

// Inputs of an item's tokens: the address of the first token's values, and the bytes from one token to the next.
struct DotInputs {
  const std::uint8_t* first;
  std::int64_t stride;
  std::int64_t count;
};

HWY_INLINE DotInputs inputs_of(const void* values, std::int64_t stride, Item item) {
  return {static_cast<const std::uint8_t*>(values) + item.first_token * stride * kBfloatSize, stride * kBfloatSize,
          item.tokens};
}

// ---- forward: one vector of sums per row of W and token ----

struct DotForwardTile {
  // Padded by one vector, so that rows do not all begin in the same sets of L1.
  alignas(64) std::uint16_t weights[kDotItems.rows][kPanelTerms + kUnit];
  alignas(64) float scales[scales_of(kItemElements)];
  alignas(64) float sums[kDotItems.tokens][kDotItems.rows][kDotSums];
};
constexpr std::int64_t kDotTokenSums = kDotItems.rows * kDotSums;

// Decodes the absmax of an item's rows, row after row. Returns null if blocks or units cross rows, or
// blocks are too many or not tame.
HWY_INLINE const float* take_scales(const qfuse_weight_4bit& w, Item item, DotForwardTile& tile) {
  const std::int64_t blocks = w.cols / w.blocksize;
  if (blocks * w.blocksize != w.cols || blocks > kRowBlocks || w.cols % kUnit != 0) return nullptr;
  const std::int64_t begin = item.first * blocks;
  const std::size_t count = load_scales<kItemElements, false>(w, begin, begin + item.count * blocks, tile.scales);
  return is_tame(tile.scales, count) ? tile.scales : nullptr;
}

// Adds `terms` products (elements of K) to each sum of 4 rows with kCount tokens.
template <int kCount>
HWY_NOINLINE void add_terms(const std::uint16_t (*weights)[kPanelTerms + kUnit], const std::uint8_t* in,
                            std::int64_t in_stride, std::int64_t terms, float* sums) {
  __m512 sum[kDotRows][kCount];
  for (int r = 0; r < kDotRows; ++r)
    for (int t = 0; t < kCount; ++t) sum[r][t] = _mm512_load_ps(sums + t * kDotTokenSums + r * kDotSums);
  const auto add = [&](std::int64_t first, const auto& load) QFUSE_DOT_ATTR {
    __m512i weight[kDotRows];
    for (int r = 0; r < kDotRows; ++r) weight[r] = _mm512_load_si512(weights[r] + first);
    for (int t = 0; t < kCount; ++t) {
      const __m512i x = load(in + t * in_stride + first * kBfloatSize);
      for (int r = 0; r < kDotRows; ++r) sum[r][t] = add_dots(sum[r][t], x, weight[r]);
    }
  };
  std::int64_t i = 0;
  for (; i + kUnit <= terms; i += kUnit)
    add(i, [](const std::uint8_t* from) QFUSE_DOT_ATTR { return _mm512_loadu_si512(from); });
  if (i < terms) add(i, [&](const std::uint8_t* from) QFUSE_DOT_ATTR { return load_words(from, terms - i); });
  for (int r = 0; r < kDotRows; ++r)
    for (int t = 0; t < kCount; ++t) _mm512_store_ps(sums + t * kDotTokenSums + r * kDotSums, sum[r][t]);
}

// Calls body(constant, first) for groups of at most six tokens, of sizes as equal as possible.
template <class Body>
HWY_INLINE void for_token_groups(std::int64_t tokens, const Body& body) {
  const std::int64_t groups = format::ceil_div(tokens, kDotTokens);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t first = tokens * g / groups;
    switch (tokens * (g + 1) / groups - first) {
      case 1: body(std::integral_constant<int, 1>(), first); break;
      case 2: body(std::integral_constant<int, 2>(), first); break;
      case 3: body(std::integral_constant<int, 3>(), first); break;
      case 4: body(std::integral_constant<int, 4>(), first); break;
      case 5: body(std::integral_constant<int, 5>(), first); break;
      default: body(std::integral_constant<int, kDotTokens>(), first); break;
    }
  }
}

template <class Rows>
HWY_INLINE void add_panel(const Rows& rows, DotForwardTile& tile, Item item, std::int64_t first, DotInputs in) {
  const std::int64_t terms = std::min(kPanelTerms, rows.cols - first);
  for (std::int64_t r = 0; r < item.count; ++r) rows.load(item.first + r, first, terms, tile.weights[r]);
  for (std::int64_t r = item.count; r % kDotRows != 0; ++r) std::fill_n(tile.weights[r], terms, 0);
  for_token_groups(in.count, [&](auto count, std::int64_t t) QFUSE_DOT_ATTR {
    for (std::int64_t r = 0; r < item.count; r += kDotRows)
      add_terms<count()>(&tile.weights[r], in.first + t * in.stride + first * kBfloatSize, in.stride, terms,
                         tile.sums[t][r]);
  });
}

template <class Rows>
HWY_INLINE void add_panels(const Rows& rows, DotForwardTile& tile, Item item, DotInputs in) {
  for (std::int64_t first = 0; first < rows.cols; first += kPanelTerms) add_panel(rows, tile, item, first, in);
}

// ---- forward, for a few tokens: codes are decoded in registers ----

// Codes and scales of 4 rows of whole blocks.
struct CodedRows {
  const std::uint8_t* packed;  // of the first row
  std::int64_t row_bytes;      // from one row to the next
  const float* scales;
  std::int64_t blocks;
  std::int64_t block_bytes;
  std::int64_t ahead;  // prefetch distance in bytes
};

template <int kCount>
HWY_NOINLINE void add_coded(__m512 codes, __m512i shifts, const CodedRows& rows, const std::uint8_t* in,
                            std::int64_t in_stride, float* sums) {
  __m512 sum[kDotRows][kCount];
  for (int r = 0; r < kDotRows; ++r)
    for (int t = 0; t < kCount; ++t) sum[r][t] = _mm512_load_ps(sums + t * kDotTokenSums + r * kDotSums);
  const std::uint8_t* const packed[kDotRows] = {rows.packed, rows.packed + rows.row_bytes,
                                                rows.packed + 2 * rows.row_bytes, rows.packed + 3 * rows.row_bytes};
  const float* const scales[kDotRows] = {rows.scales, rows.scales + rows.blocks, rows.scales + 2 * rows.blocks,
                                         rows.scales + 3 * rows.blocks};
  const auto add_unit = [&](const __m512i(&products)[kDotRows], std::int64_t byte) QFUSE_DOT_ATTR {
    __m512i weight[kDotRows];
    for (int r = 0; r < kDotRows; ++r) weight[r] = decode_words(products[r], shifts, packed[r] + byte);
    for (int t = 0; t < kCount; ++t) {
      const __m512i x =
          _mm512_loadu_si512(in + t * in_stride + byte * (kUnit * kBfloatSize / std::int64_t{kUnitPacked}));
      for (int r = 0; r < kDotRows; ++r) sum[r][t] = add_dots(sum[r][t], x, weight[r]);
    }
  };
  std::int64_t byte = 0;
  for (std::int64_t b = 0; b < rows.blocks; ++b) {
    __m512i products[kDotRows];
    for (int r = 0; r < kDotRows; ++r) {
      hwy::Prefetch(packed[r] + byte + rows.ahead);
      products[r] = make_dot_products(codes, scales[r][b]);
    }
    for (const std::int64_t end = byte + rows.block_bytes; byte < end; byte += 2 * std::int64_t{kUnitPacked}) {
      add_unit(products, byte);
      add_unit(products, byte + std::int64_t{kUnitPacked});
    }
  }
  for (int r = 0; r < kDotRows; ++r)
    for (int t = 0; t < kCount; ++t) _mm512_store_ps(sums + t * kDotTokenSums + r * kDotSums, sum[r][t]);
}

HWY_INLINE bool are_coded(const qfuse_weight_4bit& w, Item item) {
  return item.tokens <= kCodedTokens && item.count % kDotRows == 0 && w.blocksize >= 2 * kUnit;
}

HWY_INLINE void add_coded_rows(const qfuse_weight_4bit& w, DotForwardTile& tile, Item item, DotInputs in) {
  const __m512 codes = _mm512_loadu_ps(format::format4(w.quant_type).codes.data());
  const __m512i shifts = nibble_shifts(w);
  const bool has_more = item.first + item.count + kDotRowsAhead <= w.rows;
  const std::int64_t blocks = w.cols / w.blocksize;
  for_token_groups(in.count, [&](auto count, std::int64_t t) QFUSE_DOT_ATTR {
    for (std::int64_t r = 0; r < item.count; r += kDotRows) {
      const CodedRows rows = {.packed = w.packed + (item.first + r) * w.cols / 2,
                              .row_bytes = w.cols / 2,
                              .scales = tile.scales + r * blocks,
                              .blocks = blocks,
                              .block_bytes = w.blocksize / 2,
                              .ahead = has_more ? kDotRowsAhead * w.cols / 2 : 0};
      add_coded<count()>(codes, shifts, rows, in.first + t * in.stride, in.stride, tile.sums[t][r]);
    }
  });
}

// Reduces 16 vectors to one sum each, by halves: lane i of the result is the sum of vector i.
HWY_INLINE __m512 add_all_halves(const float (*sums)[kDotSums]) {
  const auto eights = [&](int i) QFUSE_DOT_ATTR {  // 8 sums of each of vectors i and i + 4
    const __m512 a = _mm512_load_ps(sums[i]);
    const __m512 b = _mm512_load_ps(sums[i + 4]);
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
  };
  const auto fours = [&](int i) QFUSE_DOT_ATTR {  // 4 sums of each of i, i + 4, i + 8 and i + 12
    const __m512 a = eights(i);
    const __m512 b = eights(i + 8);
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
  };
  const auto twos = [&](int i) QFUSE_DOT_ATTR {  // 2 sums of each vector of fours(i) and fours(i + 1)
    const __m512d a = _mm512_castps_pd(fours(i));
    const __m512d b = _mm512_castps_pd(fours(i + 1));
    return _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  };
  const __m512 a = twos(0);
  const __m512 b = twos(2);
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}

// Rounds and stores the first `count` of 16 sums.
HWY_INLINE void store_sums(__m512 sums, std::int64_t count, void* to) {
  const hn::Full512<float> df;
  alignas(32) std::uint16_t rounded[kDotSums];
  store_rounded<QFUSE_BFLOAT16>(df, hn::Vec<hn::Full512<float>>{sums}, rounded);
  std::memcpy(to, rounded, static_cast<std::size_t>(count * kBfloatSize));
}

// Bias of `count` outputs from `output` on; zeros if there is none.
HWY_INLINE __m512 load_bias(const contract::Matmul4bit& p, std::int64_t output, std::int64_t count) {
  if (p.bias == nullptr) return _mm512_setzero_ps();
  const __m512i words = load_words(static_cast<const std::uint8_t*>(p.bias) + output * kBfloatSize, count);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)), 16));
}

HWY_INLINE void write_item_forward(const contract::Matmul4bit& p, const DotForwardTile& tile, Item item) {
  for (std::int64_t r = 0; r < item.count; r += kDotSums) {
    const std::int64_t o = item.first + r;
    const std::int64_t count = std::min(kDotSums, item.count - r);
    const __m512 bias = load_bias(p, o, count);
    for (std::int64_t t = 0; t < item.tokens; ++t) {
      __m512 sums = add_all_halves(&tile.sums[t][r]);
      if (p.bias != nullptr) sums = _mm512_add_ps(sums, bias);
      const std::int64_t at = (item.first_token + t) * contract::out_stride(p) + o;
      store_sums(sums, count, static_cast<std::uint8_t*>(p.out) + at * kBfloatSize);
    }
  }
}

HWY_NOINLINE void multiply_dots_forward(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  DotForwardTile tile;
  for (std::int64_t i = begin; i < end; ++i) {
    const Item item = item_of(p, kDotItems, i);
    std::fill_n(tile.sums[0][0], item.tokens * kDotTokenSums, 0.0F);
    const DotInputs in = inputs_of(p.in, contract::in_stride(p), item);
    const float* const scales = take_scales(p.weight, item, tile);
    if (scales != nullptr && are_coded(p.weight, item)) {
      add_coded_rows(p.weight, tile, item, in);
    } else {
      add_panels(DotWeight{p.weight, scales, item.first}, tile, item, in);
    }
    add_panels(DotArray{p.lora_weight, p.lora_rank}, tile, item, inputs_of(p.lora_in, p.lora_rank, item));
    write_item_forward(p, tile, item);
  }
}

// ---- backward: one sum per column of W and token ----

constexpr std::int64_t kGroupCols = kDotVectors * kDotSums;

struct DotBackwardTile {
  alignas(64) std::uint32_t pairs[kDotItems.cols / kGroupCols][kPanelPairs + 1][kGroupCols];
  alignas(64) std::uint32_t factors[kDotItems.tokens][kPanelPairs];
  alignas(64) float sums[kDotItems.tokens][kDotItems.cols];
  alignas(64) std::uint16_t rows[2][kDotItems.cols];
};

// Stores two rows as pair i of the panel. In each 32 columns, those whose bit 2 is 0 come first, then the others: the
// unpack instructions produce this order.
HWY_INLINE void store_pairs(DotBackwardTile& tile, std::int64_t i, std::int64_t columns) {
  for (std::int64_t c = 0; c < columns; c += kUnit) {
    const __m512i even = _mm512_load_si512(tile.rows[0] + c);
    const __m512i odd = _mm512_load_si512(tile.rows[1] + c);
    std::uint32_t* const to = tile.pairs[c / kGroupCols][i] + c % kGroupCols;
    _mm512_store_si512(to, _mm512_unpacklo_epi16(even, odd));
    _mm512_store_si512(to + kDotSums, _mm512_unpackhi_epi16(even, odd));
  }
}

// Adds `pairs` pairs of rows to the sums of 64 columns with kCount tokens.
template <int kCount>
HWY_NOINLINE void add_pairs(const std::uint32_t (*weights)[kGroupCols], const std::uint32_t* factors,
                            std::int64_t pairs, float* sums) {
  __m512 sum[kCount][kDotVectors];
  for (int t = 0; t < kCount; ++t)
    for (int v = 0; v < kDotVectors; ++v) sum[t][v] = _mm512_load_ps(sums + t * kDotItems.cols + v * kDotSums);
  for (std::int64_t i = 0; i < pairs; ++i) {
    __m512i weight[kDotVectors];
    for (int v = 0; v < kDotVectors; ++v) weight[v] = _mm512_load_si512(weights[i] + v * kDotSums);
    for (int t = 0; t < kCount; ++t) {
      const __m512i factor = _mm512_set1_epi32(static_cast<int>(factors[t * kPanelPairs + i]));
      for (int v = 0; v < kDotVectors; ++v) sum[t][v] = add_dots(sum[t][v], factor, weight[v]);
    }
  }
  for (int t = 0; t < kCount; ++t)
    for (int v = 0; v < kDotVectors; ++v) _mm512_store_ps(sums + t * kDotItems.cols + v * kDotSums, sum[t][v]);
}

// Adds rows [first, first + count), which fill at most one panel, to the sums of an item.
template <class Rows>
HWY_INLINE void add_row_pairs(const Rows& rows, DotBackwardTile& tile, Item item, std::int64_t first,
                              std::int64_t count, DotInputs in) {
  const std::int64_t pairs = format::ceil_div(count, std::int64_t{2});
  for (std::int64_t r = 0; r < 2 * pairs; ++r) {
    std::uint16_t* const row = tile.rows[r % 2];
    if (r < count) {
      rows.load(first + r, item.first, item.count, row);
    } else {
      std::fill_n(row, kDotItems.cols, 0);
    }
    if (r % 2 != 0) store_pairs(tile, r / 2, item.count);
  }
  for (std::int64_t t = 0; t < in.count; ++t) {
    tile.factors[t][pairs - 1] = 0;
    std::memcpy(tile.factors[t], in.first + t * in.stride + first * kBfloatSize,
                static_cast<std::size_t>(count * kBfloatSize));
  }
  for (std::int64_t g = 0; g * kGroupCols < item.count; ++g)
    for_token_groups(in.count, [&](auto tokens, std::int64_t t) QFUSE_DOT_ATTR {
      add_pairs<tokens()>(tile.pairs[g], tile.factors[t], pairs, tile.sums[t] + g * kGroupCols);
    });
}

HWY_INLINE void write_item_backward(const contract::Matmul4bit& p, const DotBackwardTile& tile, Item item) {
  // Lane numbers: 0 to 15 select from vector a, 16 to 31 from vector b.
  const __m512i low = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (std::int64_t t = 0; t < item.tokens; ++t) {
    auto* const out = static_cast<std::uint8_t*>(p.out) +
                      ((item.first_token + t) * contract::out_stride(p) + item.first) * kBfloatSize;
    for (std::int64_t c = 0; c < item.count; c += kUnit) {
      const __m512 a = _mm512_load_ps(tile.sums[t] + c);
      const __m512 b = _mm512_load_ps(tile.sums[t] + c + kDotSums);
      for (const auto& [lanes, at] : {std::pair{low, c}, std::pair{high, c + kDotSums}}) {
        if (at >= item.count) break;
        const std::int64_t count = std::min(kDotSums, item.count - at);
        __m512 sums = _mm512_permutex2var_ps(a, lanes, b);
        if (p.bias != nullptr) sums = _mm512_add_ps(sums, load_bias(p, item.first + at, count));
        store_sums(sums, count, out + at * kBfloatSize);
      }
    }
  }
}

HWY_NOINLINE void multiply_dots_backward(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  DotBackwardTile tile;
  std::memset(tile.pairs, 0, sizeof tile.pairs);  // the columns beyond an item's are multiplied, too
  const auto add_all = [&](const auto& rows, std::int64_t count, Item item, DotInputs in) QFUSE_DOT_ATTR {
    constexpr std::int64_t kRows = 2 * kPanelPairs;
    for (std::int64_t first = 0; first < count; first += kRows)
      add_row_pairs(rows, tile, item, first, std::min(kRows, count - first), in);
  };
  for (std::int64_t i = begin; i < end; ++i) {
    const Item item = item_of(p, kDotItems, i);
    std::fill_n(tile.sums[0], item.tokens * kDotItems.cols, 0.0F);
    add_all(DotWeight{p.weight}, p.weight.rows, item, inputs_of(p.in, contract::in_stride(p), item));
    add_all(DotArray{p.lora_weight, p.weight.cols}, p.lora_rank, item, inputs_of(p.lora_in, p.lora_rank, item));
    write_item_backward(p, tile, item);
  }
}

inline void multiply_bf16_dot(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  contract::is_forward(p) ? multiply_dots_forward(p, begin, end) : multiply_dots_backward(p, begin, end);
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#undef QFUSE_DOT_ATTR
#undef QFUSE_DOT_TARGET

#else  // other targets lack the instruction

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

inline bool has_bf16_dot() { return false; }
inline void multiply_bf16_dot(const contract::Matmul4bit& /*p*/, std::int64_t /*begin*/, std::int64_t /*end*/) {}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AVX-512

#endif  // per-target guard
