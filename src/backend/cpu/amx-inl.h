// matmul_4bit in bf16 tiles, for processors with AMX-BF16: one TDPBF16PS adds 32 terms (elements along K) of 16 tokens
// by 16 outputs to their sums.
//   has_bf16_amx()                      whether the processor has AMX-BF16 and the system lets this process use it
//   multiply_bf16_amx(p, begin, end)    computes items [begin, end) of count_items(p, kAmxItems)
// Terms come in pairs of bf16. A tile of W is 16 pairs by 16 outputs; a tile of inputs is 16 tokens by 16 pairs, as the
// inputs lie in memory. Forward and backward differ only in how they fill the tiles of W.
#if defined(QFUSE_BACKEND_CPU_AMX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QFUSE_BACKEND_CPU_AMX_INL_H
#undef QFUSE_BACKEND_CPU_AMX_INL_H
#else
#define QFUSE_BACKEND_CPU_AMX_INL_H
#endif

#include <hwy/highway.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/cpu/bf16_dot-inl.h"
#include "backend/cpu/matmul_items.h"
#include "contract/matmul_4bit.h"
#include "format/layout.h"

#if HWY_TARGET <= HWY_AVX3  // and the AVX-512 targets that later versions of Highway add, with lower numbers

#define QFUSE_AMX_TARGET HWY_TARGET_STR ",avx512bf16,amx-tile,amx-bf16"
HWY_PUSH_ATTRIBUTES(QFUSE_AMX_TARGET)
namespace qfuse::cpu::HWY_NAMESPACE {

inline bool has_bf16_amx() {
#ifdef __linux__
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  static const bool kIsThere = __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("amx-bf16") != 0 &&
                               syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return kIsThere;
#else
  return false;
#endif
}

constexpr std::int64_t kTileRows = 16;  // rows per tile, and 32-bit words per row: each a pair of terms, or a sum
constexpr std::int64_t kTileWords = kTileRows * kTileRows;
constexpr std::int64_t kTileStride = kTileRows * 4;  // bytes
constexpr std::int64_t kStepTerms = 2 * kTileRows;   // terms per instruction
constexpr std::int64_t kForwardTerms = 2048;         // terms per panel, forward
constexpr std::int64_t kBackwardTerms = 128;         // terms per panel, backward
constexpr std::int64_t kPanelTiles = 128;            // tiles per panel, in both directions
static_assert(kAmxItems.rows / kTileRows * (kForwardTerms / kStepTerms) == kPanelTiles &&
              kAmxItems.cols / kTileRows * (kBackwardTerms / kStepTerms) == kPanelTiles);

struct AmxPanel {
  alignas(64) std::uint32_t weights[kPanelTiles][kTileWords];    // [16 outputs][step]: tiles of 16 pairs x 16 outputs
  alignas(64) std::uint16_t rows[kTileRows][kForwardTerms];      // rows of W, decoded but not yet in tiles
  alignas(64) std::uint16_t tail[kAmxItems.tokens][kStepTerms];  // last step of the inputs, zero-padded
  alignas(64) float sums[kAmxItems.tokens][kAmxItems.cols];
};

// Transposes 16 vectors of 16 32-bit words and stores them.
HWY_INLINE void store_transposed(const __m512i (&rows)[16], std::uint32_t* to) {
  __m512i a[16];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    a[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  __m512i b[16];  // b[4 * q + c]: word c of each block of four words, from rows 4q to 4q + 3
  for (int q = 0; q < 16; q += 4) {
    b[q] = _mm512_unpacklo_epi64(a[q], a[q + 2]);
    b[q + 1] = _mm512_unpackhi_epi64(a[q], a[q + 2]);
    b[q + 2] = _mm512_unpacklo_epi64(a[q + 1], a[q + 3]);
    b[q + 3] = _mm512_unpackhi_epi64(a[q + 1], a[q + 3]);
  }
  for (int c = 0; c < 4; ++c) {
    const __m512i even_low = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);  // blocks 0, 2 of rows 0-3, 4-7
    const __m512i odd_low = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xdd);   // blocks 1, 3
    const __m512i even_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
    const __m512i odd_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xdd);
    _mm512_store_si512(to + (0 + c) * 16, _mm512_shuffle_i32x4(even_low, even_high, 0x88));
    _mm512_store_si512(to + (4 + c) * 16, _mm512_shuffle_i32x4(odd_low, odd_high, 0x88));
    _mm512_store_si512(to + (8 + c) * 16, _mm512_shuffle_i32x4(even_low, even_high, 0xdd));
    _mm512_store_si512(to + (12 + c) * 16, _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd));
  }
}

// ---- tiles of the weight ----

// Fills tiles with terms [first, first + terms) of the item's rows of W, its outputs. Rows past the end are zeros.
template <class Rows>
HWY_INLINE void fill_forward(const Rows& rows, AmxPanel& panel, Item item, std::int64_t first, std::int64_t terms) {
  const std::int64_t steps = format::ceil_div(terms, kStepTerms);
  for (std::int64_t group = 0; group < kAmxItems.rows / kTileRows; ++group) {
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const std::int64_t row = group * kTileRows + r;
      if (row < item.count)
        rows.load(item.first + row, first, terms, panel.rows[r]);
      else
        std::fill_n(panel.rows[r], steps * kStepTerms, 0);
    }
    for (std::int64_t step = 0; step < steps; ++step) {
      __m512i words[kTileRows];
      for (std::int64_t r = 0; r < kTileRows; ++r) words[r] = _mm512_load_si512(panel.rows[r] + step * kStepTerms);
      store_transposed(words, panel.weights[group * steps + step]);
    }
  }
}

// Fills tiles with rows [first, first + terms) of the item's columns of W, its outputs. Two rows make a row of pairs;
// rows past the end are zeros.
template <class Rows>
HWY_INLINE void fill_backward(const Rows& rows, AmxPanel& panel, Item item, std::int64_t first, std::int64_t terms) {
  const std::int64_t steps = format::ceil_div(terms, kStepTerms);
  // Indices for permutex2var: 0 to 15 select lanes of a, 16 to 31 lanes of b.
  const __m512i low = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (std::int64_t pair = 0; pair < steps * kTileRows; ++pair) {
    for (std::int64_t e = 0; e < 2; ++e) {
      if (2 * pair + e < terms)
        rows.load(first + 2 * pair + e, item.first, item.count, panel.rows[e]);
      else
        std::fill_n(panel.rows[e], kAmxItems.cols, 0);
    }
    for (std::int64_t c = 0; c < item.count; c += kUnit) {
      const __m512i even = _mm512_load_si512(panel.rows[0] + c);
      const __m512i odd = _mm512_load_si512(panel.rows[1] + c);
      const __m512i a = _mm512_unpacklo_epi16(even, odd);
      const __m512i b = _mm512_unpackhi_epi16(even, odd);
      const std::int64_t at = pair % kTileRows * kTileRows;
      const std::int64_t tile = c / kTileRows * steps + pair / kTileRows;
      _mm512_store_si512(panel.weights[tile] + at, _mm512_permutex2var_epi32(a, low, b));
      _mm512_store_si512(panel.weights[tile + steps] + at, _mm512_permutex2var_epi32(a, high, b));
    }
  }
}

// ---- multiplying ----

// Operand of ldtilecfg. Tiles 0 to 3: sums of two groups of tokens by two of outputs; 4 and 5: inputs; 6 and 7: W.
struct TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
HWY_INLINE void set_tiles(std::int64_t first_tokens, std::int64_t second_tokens) {
  alignas(64) TileShapes shapes;
  const auto set = [&](int tile, std::int64_t rows) {
    shapes.row_bytes[tile] = rows > 0 ? kTileStride : 0;
    shapes.rows[tile] = static_cast<std::uint8_t>(rows);
  };
  for (const int tile : {0, 1, 4}) set(tile, first_tokens);
  for (const int tile : {2, 3, 5}) set(tile, second_tokens);
  for (const int tile : {6, 7}) set(tile, kTileRows);
  asm volatile("ldtilecfg %0" : : "m"(shapes));
}

// Multiplies two groups of 16 outputs by up to 32 tokens. The asm tells compilers that the intrinsics access memory.
template <bool kHasSecond>
HWY_NOINLINE void multiply_tiles(const std::uint32_t (*first)[kTileWords], const std::uint32_t (*second)[kTileWords],
                                 std::int64_t steps, const std::uint8_t* in, std::int64_t stride, float* sums) {
  constexpr std::int64_t kSumStride = kAmxItems.cols * 4;
  float* const below = sums + kTileRows * kAmxItems.cols;
  asm volatile("" : : : "memory");
  _tile_loadd(0, sums, kSumStride);
  _tile_loadd(1, sums + kTileRows, kSumStride);
  if constexpr (kHasSecond) {
    _tile_loadd(2, below, kSumStride);
    _tile_loadd(3, below + kTileRows, kSumStride);
  }
  for (std::int64_t step = 0; step < steps; ++step, in += kTileStride) {
    _tile_loadd(6, first[step], kTileStride);
    _tile_loadd(7, second[step], kTileStride);
    _tile_loadd(4, in, stride);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kHasSecond) {
      _tile_loadd(5, in + kTileRows * stride, stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, kSumStride);
  _tile_stored(1, sums + kTileRows, kSumStride);
  if constexpr (kHasSecond) {
    _tile_stored(2, below, kSumStride);
    _tile_stored(3, below + kTileRows, kSumStride);
  }
  asm volatile("" : : : "memory");
}

// Multiplies all outputs of an item by all its tokens, over steps [first, first + steps) of a panel.
HWY_INLINE void multiply_steps(AmxPanel& panel, Item item, std::int64_t all_steps, std::int64_t first,
                               std::int64_t steps, const std::uint8_t* in, std::int64_t stride) {
  if (steps == 0) return;
  for (std::int64_t t = 0; t < item.tokens; t += 2 * kTileRows) {
    const std::int64_t second = std::clamp<std::int64_t>(item.tokens - t - kTileRows, 0, kTileRows);
    set_tiles(std::min(kTileRows, item.tokens - t), second);
    for (std::int64_t o = 0; o < item.count; o += 2 * kTileRows) {
      const auto* const weights = &panel.weights[o / kTileRows * all_steps + first];
      (second > 0 ? multiply_tiles<true> : multiply_tiles<false>)(weights, weights + all_steps, steps, in + t * stride,
                                                                  stride, panel.sums[t] + o);
    }
  }
}

// Multiplies `terms` elements of K from `in`; a partial last step is read from a zero-padded copy.
HWY_INLINE void multiply_panel(AmxPanel& panel, Item item, std::int64_t terms, const std::uint8_t* in,
                               std::int64_t stride) {
  const std::int64_t whole = terms / kStepTerms;
  const std::int64_t all = format::ceil_div(terms, kStepTerms);
  multiply_steps(panel, item, all, 0, whole, in, stride);
  if (whole == all) return;
  for (std::int64_t t = 0; t < item.tokens; ++t)
    _mm512_store_si512(panel.tail[t], load_words(in + t * stride + whole * kTileStride, terms - whole * kStepTerms));
  multiply_steps(panel, item, all, whole, 1, reinterpret_cast<const std::uint8_t*>(panel.tail), kTileStride);
}

HWY_INLINE void write_item(const contract::Matmul4bit& p, const AmxPanel& panel, Item item) {
  for (std::int64_t o = 0; o < item.count; o += kTileRows) {
    const std::int64_t count = std::min(kTileRows, item.count - o);
    const __m512 bias = load_bias(p, item.first + o, count);
    for (std::int64_t t = 0; t < item.tokens; ++t) {
      __m512 sums = _mm512_load_ps(panel.sums[t] + o);
      if (p.bias != nullptr) sums = _mm512_add_ps(sums, bias);
      const std::int64_t at = (item.first_token + t) * contract::out_stride(p) + item.first + o;
      store_sums(sums, count, static_cast<std::uint8_t*>(p.out) + at * kBfloatSize);
    }
  }
}

template <bool kForward, class Rows>
HWY_INLINE void add_terms_of(const Rows& rows, std::int64_t terms, AmxPanel& panel, Item item, DotInputs in) {
  constexpr std::int64_t kMost = kForward ? kForwardTerms : kBackwardTerms;
  for (std::int64_t first = 0; first < terms; first += kMost) {
    const std::int64_t count = std::min(kMost, terms - first);
    if constexpr (kForward)
      fill_forward(rows, panel, item, first, count);
    else
      fill_backward(rows, panel, item, first, count);
    multiply_panel(panel, item, count, in.first + first * kBfloatSize, in.stride);
  }
}

template <bool kForward>
HWY_NOINLINE void multiply_amx_items(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  AmxPanel panel;
  const std::int64_t lora_cols = kForward ? p.lora_rank : p.weight.cols;
  for (std::int64_t i = begin; i < end; ++i) {
    const Item item = item_of(p, kAmxItems, i);
    std::fill_n(panel.sums[0], item.tokens * kAmxItems.cols, 0.0F);
    add_terms_of<kForward>(DotWeight{p.weight}, contract::term_count(p), panel, item,
                           inputs_of(p.in, contract::in_stride(p), item));
    add_terms_of<kForward>(DotArray{p.lora_weight, lora_cols}, p.lora_rank, panel, item,
                           inputs_of(p.lora_in, p.lora_rank, item));
    write_item(p, panel, item);
  }
  _tile_release();
}

inline void multiply_bf16_amx(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  contract::is_forward(p) ? multiply_amx_items<true>(p, begin, end) : multiply_amx_items<false>(p, begin, end);
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#undef QFUSE_AMX_TARGET

#else  // other targets lack the instructions

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

inline bool has_bf16_amx() { return false; }
inline void multiply_bf16_amx(const contract::Matmul4bit& /*p*/, std::int64_t /*begin*/, std::int64_t /*end*/) {}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // AVX-512

#endif  // per-target guard
