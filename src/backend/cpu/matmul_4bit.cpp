// in:     in [m, terms] fp32, fp16 or bf16, rows in_stride apart; a 4-bit weight [rows, cols]; bias [outputs] or none;
//         lora_in [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any alignment
// out:    [m, outputs], rows out_stride apart, any alignment
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum as `sum` says
// cost:   cols/2 bytes read per row of W for every 16 tokens; bound by the look-up of codes if m is small, else by one
//         multiplication and one addition per term
// oracle: reference/matmul_4bit.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/matmul_4bit.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "backend/cpu/amx-inl.h"
#include "backend/cpu/bf16_dot-inl.h"
#include "backend/cpu/few_tokens-inl.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/matmul_items.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/weights-inl.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/matrix_step.h"

// Definitions that do not depend on the target, although this file is included once per target.
#ifndef QFUSE_BACKEND_CPU_MATMUL_4BIT_POLICY
#define QFUSE_BACKEND_CPU_MATMUL_4BIT_POLICY
namespace qfuse::cpu {

// Tokens that share decoded weights: decoding a code costs as much as three or four terms of a sum.
inline constexpr std::int64_t kTokens = 16;

// Rows of W whose outputs are one work item, forward. Each item converts `in` to fp32 again, unless it has the same
// inputs as the item before. The sums take 64 KiB of the stack, and the inputs twice 128 KiB.
inline constexpr std::int64_t kItemRows = 32;

// Columns of W whose outputs are one work item, backward.
inline constexpr std::int64_t kItemCols = 512;

}  // namespace qfuse::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kSums = format::kFp32Sums;
constexpr std::int64_t kRows = 4;  // of W, decoded together: all use each loaded value of `in`
static_assert(kItemRows == kPartRows);

using Floats = hn::CappedTag<float, kSums>;
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));

// Rows ahead for which codes are prefetched, backward. On Zen 4, 14336 x 4096, one token took twice as long without.
constexpr std::int64_t kRowsAhead = 16;

// Zeros that stand in for rows beyond the last, backward.
alignas(64) constexpr float kNoWeights[kItemCols] = {};

struct Tokens {
  std::int64_t first;
  std::int64_t count;  // kTokens, or fewer at the end
};

HWY_INLINE Tokens tokens_of(const contract::Matmul4bit& p, std::int64_t tile) {
  const std::int64_t first = tile * kTokens;
  return {first, std::min(kTokens, p.m - first)};
}

// ---- steps ----

// Not fused, because the contract rounds the product and the sum.
HWY_INLINE hn::Vec<Floats> add_product(hn::Vec<Floats> sum, hn::Vec<Floats> a, hn::Vec<Floats> b) {
  return hn::Add(sum, hn::Mul(a, b));
}

// Reduces a vector of sums to one, by halves; the last four as scalars.
#if HWY_TARGET == HWY_SCALAR
template <class D>
HWY_INLINE float add_halves(D /*d*/, hn::Vec<D> sums) {
  return hn::GetLane(sums);
}
#else
template <class D>
HWY_INLINE float add_halves(D d, hn::Vec<D> sums) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return add_halves(half, hn::Add(hn::LowerHalf(half, sums), hn::UpperHalf(half, sums)));
  } else {
    alignas(16) float last[4];
    hn::Store(sums, d, last);
    return (last[0] + last[2]) + (last[1] + last[3]);
  }
}
#endif

// Reduces 32 sums to one, by halves.
HWY_INLINE float add_halves(float* sums) {
  for (std::int64_t half = kSums / 2; half >= kLanes; half /= 2)
    for (std::int64_t s = 0; s < half; s += kLanes)
      hn::Store(hn::Add(hn::Load(Floats(), sums + s), hn::Load(Floats(), sums + s + half)), Floats(), sums + s);
  return add_halves(Floats(), hn::Load(Floats(), sums));
}

// Converts `count` elements from `first` on to fp32, zero-padded to a multiple of 32. The padding adds 0 to sums, which
// changes none: a sum that begins as +0 is never -0.
template <qfuse_dtype kDtype>
HWY_INLINE void widen_row(const void* from, std::int64_t first, std::int64_t count, float* to) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  const auto* const bytes = static_cast<const std::uint8_t*>(from) + first * kSize;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(load_as_float<kDtype>(Floats(), bytes + i * kSize), Floats(), to + i);
  for (; i < count; ++i) to[i] = format::load_as_float(bytes, i, kDtype);
  std::fill(to + count, to + format::ceil_div(count, kSums) * kSums, 0.0F);
}

// ---- sources of rows of weights ----

// A range of columns of W.
struct Span {
  std::int64_t first;
  std::int64_t count;
};

// Source of rows: elements of W from `first` on, decoded to fp32 and zero-padded to a multiple of 32.
template <qfuse_dtype kDtype>
struct WeightRows {
  const contract::Matmul4bit& p;
  std::int64_t cols = p.weight.cols;
  const float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    return decode_stretch<kDtype>(p.weight, first, count, stretch);
  }
  // Backward, the parts of two rows in an item are a whole row apart, so that the hardware prefetcher sees no stream.
  void prefetch(std::int64_t row, Span columns) const {
    constexpr std::int64_t kLine = 64;
    if (row >= p.weight.rows) return;
    const std::int64_t first = row * cols + columns.first;
    for (std::int64_t byte = first / 2; byte < (first + columns.count) / 2; byte += kLine)
      hwy::Prefetch(p.weight.packed + byte);
  }
};

// Source of rows: LoRA's weight, in fp32.
template <qfuse_dtype kDtype>
struct LoraRows {
  const contract::Matmul4bit& p;
  std::int64_t cols = contract::is_forward(p) ? p.lora_rank : p.weight.cols;
  const float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    widen_row<kDtype>(p.lora_weight, first, count, stretch.values);
    return stretch.values;
  }
  void prefetch(std::int64_t /*row*/, Span /*columns*/) const {}
};

// Rows of `in`, or of lora_in.
struct InputRows {
  const void* values;
  std::int64_t stride;
};

// ---- kernel, forward: 32 rows of W with 16 tokens ----

struct ForwardTile {
  alignas(64) float in[kPartInputs + kTokens * kLanes];  // fp32, one row per token, in_stride apart
  alignas(64) float sums[kItemRows][kTokens][kSums];     //
  alignas(64) Stretch weights[kRows];
  Few few;
  std::int64_t in_stride;
};

// Adds a stretch of columns to the sums of 4 rows with kCount tokens. It takes one vector out of each 32 columns at a
// time, so that the sums of all these rows and tokens stay in registers.
template <std::int64_t kCount>
HWY_INLINE void add_columns(const float* const (&rows)[kRows], const float* in, std::int64_t in_stride,
                            std::int64_t columns, float* sums) {
  constexpr std::int64_t kRowSums = kTokens * kSums;
  for (std::int64_t v = 0; v < kSums; v += kLanes) {
    hn::Vec<Floats> sum[kRows][kCount];
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t t = 0; t < kCount; ++t) sum[r][t] = hn::Load(Floats(), sums + r * kRowSums + t * kSums + v);
    for (std::int64_t c = v; c < columns; c += kSums) {
      hn::Vec<Floats> weight[kRows];
      for (std::int64_t r = 0; r < kRows; ++r) weight[r] = hn::LoadU(Floats(), rows[r] + c);
      for (std::int64_t t = 0; t < kCount; ++t) {
        const auto x = hn::Load(Floats(), in + t * in_stride + c);
        for (std::int64_t r = 0; r < kRows; ++r) sum[r][t] = add_product(sum[r][t], x, weight[r]);
      }
    }
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t t = 0; t < kCount; ++t) hn::Store(sum[r][t], Floats(), sums + r * kRowSums + t * kSums + v);
  }
}

// Adds the columns that tile.in holds, for 4 rows or as many as are left. The first row stands in for missing ones,
// whose sums nobody reads.
template <class Rows>
HWY_INLINE void add_four_rows(const Rows& rows, ForwardTile& tile, const Part& part, std::int64_t tokens, float* sums) {
  for (std::int64_t c = 0; c < part.columns; c += kStretch) {
    const std::int64_t columns = std::min(kStretch, part.columns - c);
    const float* weights[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) {
      const std::int64_t first = (part.first_row + r) * rows.cols + part.first_column + c;
      weights[r] = r < part.rows ? rows.load(first, columns, tile.weights[r]) : weights[0];
    }
    std::int64_t t = 0;
    for (; t + kTokensAtOnce <= tokens; t += kTokensAtOnce)
      add_columns<kTokensAtOnce>(weights, tile.in + t * tile.in_stride + c, tile.in_stride, columns, sums + t * kSums);
    for (; t < tokens; ++t)
      add_columns<1>(weights, tile.in + t * tile.in_stride + c, tile.in_stride, columns, sums + t * kSums);
  }
}

template <class Rows>
HWY_INLINE void add_part(const Rows& rows, ForwardTile& tile, const Part& part, std::int64_t tokens) {
  for (std::int64_t r = 0; r < part.rows; r += kRows)
    add_four_rows(rows, tile, {part.first_row + r, std::min(kRows, part.rows - r), part.first_column, part.columns},
                  tokens, &tile.sums[r][0][0]);
}

template <qfuse_dtype kDtype>
HWY_INLINE void write_outputs_forward(const contract::Matmul4bit& p, ForwardTile& tile, Tokens tokens,
                                      std::int64_t first_row, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t o = first_row + r;
    for (std::int64_t t = 0; t < tokens.count; ++t) {
      float sum = add_halves(tile.sums[r][t]);
      if (p.bias != nullptr) sum = sum + format::load_as_float(p.bias, o, kDtype);
      format::store_rounded(p.out, (tokens.first + t) * contract::out_stride(p) + o, kDtype, sum);
    }
  }
}

// Converts the inputs of a part's columns to fp32.
template <qfuse_dtype kDtype>
HWY_INLINE void widen_inputs(InputRows in, ForwardTile& tile, Tokens tokens, const Part& part) {
  for (std::int64_t t = 0; t < tokens.count; ++t)
    widen_row<kDtype>(in.values, (tokens.first + t) * in.stride + part.first_column, part.columns,
                      tile.in + t * tile.in_stride);
}

// Prepares the converted inputs for add_few; returns whether it can use them.
template <qfuse_dtype kDtype>
HWY_INLINE bool prepare_few(const contract::Matmul4bit& p, ForwardTile& tile, Tokens tokens, const Part& part) {
  return are_few(p, tokens.count) &&
         take_inputs<kDtype>(p.weight, {tile.in, tile.in_stride, tokens.count}, part.columns, tile.few);
}

// Adds the LoRA terms to the sums of an item.
template <qfuse_dtype kDtype>
HWY_NOINLINE void add_lora(const contract::Matmul4bit& p, ForwardTile& tile, Tokens tokens, Part part,
                           std::int64_t most) {
  for (part.first_column = 0; part.first_column < p.lora_rank; part.first_column += most) {
    part.columns = std::min(most, p.lora_rank - part.first_column);
    widen_inputs<kDtype>({p.lora_in, p.lora_rank}, tile, tokens, part);
    add_part(LoraRows<kDtype>{p}, tile, part, tokens.count);
  }
}

template <qfuse_dtype kDtype>
HWY_NOINLINE void multiply_forward(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t tiles = format::ceil_div(p.m, kTokens);
  ForwardTile tile;
  bool are_ready = false;
  for (std::int64_t i = begin; i < end; ++i) {
    const Tokens tokens = tokens_of(p, i % tiles);
    Part part = {i / tiles * kItemRows, std::min(kItemRows, p.weight.rows - i / tiles * kItemRows), 0, 0};
    const std::int64_t most = std::min(kPartColumns, kPartInputs / tokens.count / kStretch * kStretch);
    // Whether the item before left the same inputs in the tile.
    const bool are_held = i > begin && tiles == 1 && p.weight.cols <= most && p.lora_rank == 0;
    tile.in_stride = most + kLanes;
    for (auto& sums : tile.sums) std::fill_n(&sums[0][0], tokens.count * kSums, 0.0F);
    for (; part.first_column < p.weight.cols; part.first_column += most) {
      part.columns = std::min(most, p.weight.cols - part.first_column);
      if (!are_held) {
        widen_inputs<kDtype>({p.in, contract::in_stride(p)}, tile, tokens, part);
        are_ready = prepare_few<kDtype>(p, tile, tokens, part);
      }
      if (are_ready && take_scales(p.weight, part, tile.few)) {
        add_few<kDtype>(p.weight, part, tile.few, &tile.sums[0][0][0], kTokens * kSums);
      } else {
        add_part(WeightRows<kDtype>{p}, tile, part, tokens.count);
      }
    }
    add_lora<kDtype>(p, tile, tokens, part, most);
    write_outputs_forward<kDtype>(p, tile, tokens, part.first_row, part.rows);
  }
}

// ---- kernel, backward: 512 columns of W with 16 tokens ----

struct BackwardTile {
  alignas(64) float sums[kTokens][kItemCols];
  alignas(64) Stretch weights[kRows];
};

// Adds 4 rows, in ascending order, to the sums of kCount tokens.
template <std::int64_t kCount>
HWY_INLINE void add_rows(const float* const (&rows)[kRows], const float (*factors)[kRows], std::int64_t columns,
                         float (*sums)[kItemCols]) {
  for (std::int64_t c = 0; c < columns; c += kLanes) {
    hn::Vec<Floats> weight[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) weight[r] = hn::LoadU(Floats(), rows[r] + c);
    for (std::int64_t t = 0; t < kCount; ++t) {
      auto sum = hn::Load(Floats(), sums[t] + c);
      for (std::int64_t r = 0; r < kRows; ++r) sum = add_product(sum, hn::Set(Floats(), factors[t][r]), weight[r]);
      hn::Store(sum, Floats(), sums[t] + c);
    }
  }
}

// Adds `count` rows, in ascending order, to the sums of some columns. `in` holds the factors of the rows. Rows beyond
// the last are zeros, which do not change the sums.
template <qfuse_dtype kDtype, class Rows>
HWY_INLINE void add_all_rows(const Rows& from, std::int64_t count, InputRows in, BackwardTile& tile, Tokens tokens,
                             Span columns) {
  for (std::int64_t row = 0; row < count; row += kRows) {
    const std::int64_t rows = std::min(kRows, count - row);
    const float* weights[kRows];
    for (std::int64_t r = 0; r < kRows; ++r) {
      const std::int64_t first = (row + r) * from.cols + columns.first;
      from.prefetch(row + r + kRowsAhead, columns);
      weights[r] = r < rows ? from.load(first, columns.count, tile.weights[r]) : kNoWeights;
    }
    float factors[kTokens][kRows] = {};
    for (std::int64_t t = 0; t < tokens.count; ++t)
      for (std::int64_t r = 0; r < rows; ++r)
        factors[t][r] = format::load_as_float(in.values, (tokens.first + t) * in.stride + row + r, kDtype);
    std::int64_t t = 0;
    for (; t + 2 <= tokens.count; t += 2) add_rows<2>(weights, factors + t, columns.count, tile.sums + t);
    if (t < tokens.count) add_rows<1>(weights, factors + t, columns.count, tile.sums + t);
  }
}

template <qfuse_dtype kDtype>
HWY_INLINE void write_outputs_backward(const contract::Matmul4bit& p, BackwardTile& tile, Tokens tokens, Span columns) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  alignas(64) float bias[kItemCols];
  if (p.bias != nullptr) widen_row<kDtype>(p.bias, columns.first, columns.count, bias);
  for (std::int64_t t = 0; t < tokens.count; ++t) {
    if (p.bias != nullptr)
      for (std::int64_t c = 0; c < columns.count; ++c) tile.sums[t][c] = tile.sums[t][c] + bias[c];
    auto* const out =
        static_cast<std::uint8_t*>(p.out) + ((tokens.first + t) * contract::out_stride(p) + columns.first) * kSize;
    std::int64_t c = 0;
    for (; c + kLanes <= columns.count; c += kLanes)
      store_rounded<kDtype>(Floats(), hn::Load(Floats(), tile.sums[t] + c), out + c * kSize);
    for (; c < columns.count; ++c) format::store_rounded(out, c, kDtype, tile.sums[t][c]);
  }
}

template <qfuse_dtype kDtype>
HWY_NOINLINE void multiply_backward(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t tiles = format::ceil_div(p.m, kTokens);
  BackwardTile tile;
  for (std::int64_t i = begin; i < end; ++i) {
    const Tokens tokens = tokens_of(p, i % tiles);
    const std::int64_t first = i / tiles * kItemCols;
    const Span columns = {first, std::min(kItemCols, p.weight.cols - first)};
    std::fill_n(tile.sums[0], tokens.count * kItemCols, 0.0F);
    add_all_rows<kDtype>(WeightRows<kDtype>{p}, p.weight.rows, {p.in, contract::in_stride(p)}, tile, tokens, columns);
    add_all_rows<kDtype>(LoraRows<kDtype>{p}, p.lora_rank, {p.lora_in, p.lora_rank}, tile, tokens, columns);
    write_outputs_backward<kDtype>(p, tile, tokens, columns);
  }
}

template <qfuse_dtype kDtype>
void multiply(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  contract::is_forward(p) ? multiply_forward<kDtype>(p, begin, end) : multiply_backward<kDtype>(p, begin, end);
}

void matmul_4bit_items(const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
  switch (p.dtype) {
    case QFUSE_FLOAT32: return multiply<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return multiply<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return multiply<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(has_bf16_amx);
HWY_EXPORT(multiply_bf16_amx);
HWY_EXPORT(has_bf16_dot);
HWY_EXPORT(multiply_bf16_dot);
HWY_EXPORT(matmul_4bit_items);

// How a product is divided into items for threads, and how an item is computed.
struct Multiplier {
  const char* name;
  std::int64_t (*items)(const contract::Matmul4bit& p);
  std::int64_t (*grain)(const contract::Matmul4bit& p);
  void (*multiply)(std::size_t target, const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end);
};

std::int64_t one_item(const contract::Matmul4bit& /*p*/) { return 1; }

// An item is 32 rows or 512 columns of W with 16 tokens: 10 us of work or more, enough for a hand-over to a thread.
// Items of the same part of W are consecutive, so that all but the first read its codes from a cache.
constexpr Multiplier kInFp32 = {
    "fp32",
    [](const contract::Matmul4bit& p) {
      const std::int64_t outputs = contract::is_forward(p) ? kItemRows : kItemCols;
      return format::ceil_div(contract::output_count(p), outputs) * format::ceil_div(p.m, kTokens);
    },
    one_item,
    [](std::size_t target, const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
      HWY_DISPATCH_TABLE(matmul_4bit_items)[target](p, begin, end);
    }};
constexpr Multiplier kByDots = {
    "bf16_dot", [](const contract::Matmul4bit& p) { return count_items(p, kDotItems); }, dot_grain,
    [](std::size_t target, const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
      HWY_DISPATCH_TABLE(multiply_bf16_dot)[target](p, begin, end);
    }};
constexpr Multiplier kByAmx = {
    "bf16_amx", [](const contract::Matmul4bit& p) { return count_items(p, kAmxItems); }, one_item,
    [](std::size_t target, const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end) {
      HWY_DISPATCH_TABLE(multiply_bf16_amx)[target](p, begin, end);
    }};

contract::Outcome missing(const contract::Matmul4bit& p, std::size_t target) {
  return contract::no_instructions(p, std::string(compiled_target(target)) + " on this processor and system");
}

contract::Outcome choose_multiplier(const contract::Matmul4bit& p, const qfuse_exec& exec, Multiplier& multiplier) {
  std::size_t target = 0;
  if (contract::Outcome o = choose_target(exec.cpu_target, target); !o.ok()) return o;
  const bool is_bf16 = p.dtype == QFUSE_BFLOAT16;  // only then is the system asked for AMX
  const bool has_dot = is_bf16 && HWY_DISPATCH_TABLE(has_bf16_dot)[target]();
  const bool has_amx = is_bf16 && HWY_DISPATCH_TABLE(has_bf16_amx)[target]();
  switch (sum_on_cpu(p, has_dot, has_amx)) {
    case QFUSE_SUM_BF16_DOT: multiplier = kByDots; return has_dot ? contract::Outcome() : missing(p, target);
    case QFUSE_SUM_BF16_AMX: multiplier = kByAmx; return has_amx ? contract::Outcome() : missing(p, target);
    default: multiplier = kInFp32; return {};
  }
}

}  // namespace

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p) {
  constexpr std::int64_t kRowsOfDots = 4;  // Emerald Rapids, 4096 -> 14336, 16 cores: 1 row takes 0.42 ms by dot
                                           // products and 0.92 by AMX tiles, 8 rows take 1.7 and 1.0
  std::size_t target = 0;
  const bool has_both =
      p.dtype == QFUSE_BFLOAT16 && choose_target(nullptr, target).ok() && HWY_DISPATCH_TABLE(has_bf16_amx)[target]();
  return {.few = has_both ? QFUSE_SUM_BF16_DOT : QFUSE_SUM_OF_DEVICE,
          .few_rows = has_both ? kRowsOfDots : 0,
          .fused_rows = std::numeric_limits<std::int64_t>::max()};
}

contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec) {
  Multiplier multiplier{};
  if (contract::Outcome o = choose_multiplier(p, exec, multiplier); !o.ok()) return o;
  return run(
      p, multiplier.items(p), multiplier.grain(p), exec,
      [&](std::size_t target, std::int64_t begin, std::int64_t end) { multiplier.multiply(target, p, begin, end); },
      multiplier.name);
}

// Runs the items of all experts, one expert after another.
contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& p, const qfuse_exec& exec) {
  if (contract::Outcome o = check_values(p); !o.ok()) return o;
  const contract::Matmul4bit any = any_product(p);
  Multiplier multiplier{};
  if (contract::Outcome o = choose_multiplier(any, exec, multiplier); !o.ok()) return o;
  // Calls body(product, items of earlier experts, own items) for every expert that has rows; returns the items of all.
  const auto for_each_share = [&](const auto& body) {
    std::int64_t before = 0;
    static_cast<void>(for_each_product(p, [&](const contract::Matmul4bit& product) {
      const std::int64_t items = multiplier.items(product);
      body(product, before, items);
      before += items;
      return contract::Outcome();
    }));
    return before;
  };
  const std::int64_t items = for_each_share([](const auto& /*product*/, std::int64_t /*before*/, std::int64_t) {});
  return run(
      p, items, multiplier.grain(any), exec,
      [&](std::size_t target, std::int64_t begin, std::int64_t end) {
        for_each_share([&](const contract::Matmul4bit& product, std::int64_t before, std::int64_t own) {
          const std::int64_t first = std::max(begin - before, std::int64_t{0});
          const std::int64_t last = std::min(end - before, own);
          if (first < last) multiplier.multiply(target, product, first, last);
        });
      },
      multiplier.name);
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
