// in:     in [m, terms] fp32, fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA
//         lora_in [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; any address
// out:    [m, outputs], rows apart, any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//         lora_weight of (o, j) + bias[o]), both in one sum as `sum` says
// cost:   cols/2 bytes read a row of W for every 16 tokens; bound by the look-up of codes where m is small, else by a
//         multiplication and an addition a term
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

// What does not depend on the target; this file is included once for each.
#ifndef QFUSE_BACKEND_CPU_MATMUL_4BIT_POLICY
#define QFUSE_BACKEND_CPU_MATMUL_4BIT_POLICY
namespace qfuse::cpu {

// Tokens that share what is decoded: a code costs as much as three or four of their terms.
inline constexpr std::int64_t kTokens = 16;

// Rows of W whose outputs are one item of a thread's range, forward: each turns `in` to fp32 anew, but where it is the
// same. Their sums take 64 KiB of the stack, and the inputs twice 128.
inline constexpr std::int64_t kItemRows = 32;

// Columns of W whose outputs are one item, backward.
inline constexpr std::int64_t kItemCols = 512;

}  // namespace qfuse::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

constexpr std::int64_t kSums = format::kFp32Sums;
constexpr std::int64_t kRows = 4;  // of W, decoded together: each value of `in` that is loaded serves all of them
static_assert(kItemRows == kPartRows);

using Floats = hn::CappedTag<float, kSums>;
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));

// Rows that are fetched ahead, backward. On Zen 4, 14336 x 4096, one token took twice as long without them.
constexpr std::int64_t kRowsAhead = 16;

// What stands for rows beyond the last, backward.
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

// No fused multiplication and addition: the contract rounds both.
HWY_INLINE hn::Vec<Floats> add_product(hn::Vec<Floats> sum, hn::Vec<Floats> a, hn::Vec<Floats> b) {
  return hn::Add(sum, hn::Mul(a, b));
}

// A vector's sums to one, by halves; the last four one by one.
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

// 32 sums to one, by halves.
HWY_INLINE float add_halves(float* sums) {
  for (std::int64_t half = kSums / 2; half >= kLanes; half /= 2)
    for (std::int64_t s = 0; s < half; s += kLanes)
      hn::Store(hn::Add(hn::Load(Floats(), sums + s), hn::Load(Floats(), sums + s + half)), Floats(), sums + s);
  return add_halves(Floats(), hn::Load(Floats(), sums));
}

// A row of `in` from an element on, and zeros to a multiple of 32: they add 0 to a sum, which leaves it as it is, as no
// sum that begins as +0 ever is -0.
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

// ---- where rows of weights come from ----

// Columns of W.
struct Span {
  std::int64_t first;
  std::int64_t count;
};

// The weight's elements from one on, in fp32; zeros follow to a multiple of 32.
template <qfuse_dtype kDtype>
struct WeightRows {
  const contract::Matmul4bit& p;
  std::int64_t cols = p.weight.cols;
  const float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    return decode_stretch<kDtype>(p.weight, first, count, stretch);
  }
  // Two rows' parts of an item lie apart, backward, by what a whole row takes, where the processor's own prefetching
  // sees no stream.
  void prefetch(std::int64_t row, Span columns) const {
    constexpr std::int64_t kLine = 64;
    if (row >= p.weight.rows) return;
    const std::int64_t first = row * cols + columns.first;
    for (std::int64_t byte = first / 2; byte < (first + columns.count) / 2; byte += kLine)
      hwy::Prefetch(p.weight.packed + byte);
  }
};

// Those of LoRA's.
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
  alignas(64) float in[kPartInputs + kTokens * kLanes];  // fp32, a row per token, in_stride apart
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

// The columns that tile.in holds, with 4 rows, or what is left of them: then one stands in for the missing ones, whose
// sums nobody reads.
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

// Widens the columns that a part needs.
template <qfuse_dtype kDtype>
HWY_INLINE void widen_inputs(InputRows in, ForwardTile& tile, Tokens tokens, const Part& part) {
  for (std::int64_t t = 0; t < tokens.count; ++t)
    widen_row<kDtype>(in.values, (tokens.first + t) * in.stride + part.first_column, part.columns,
                      tile.in + t * tile.in_stride);
}

// Gives whether add_few can take what was widened.
template <qfuse_dtype kDtype>
HWY_INLINE bool prepare_few(const contract::Matmul4bit& p, ForwardTile& tile, Tokens tokens, const Part& part) {
  return are_few(p, tokens.count) &&
         take_inputs<kDtype>({tile.in, tile.in_stride, tokens.count}, part.columns, tile.few);
}

// The terms of LoRA, for the outputs of an item.
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
    // From the item before.
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

// Adds 4 rows, ascending, to the sums of kCount tokens.
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

// Adds `count` rows, ascending, to the sums of some columns. Rows beyond the last are zeros, which leave the sums as
// they are. `in` has the rows' factors.
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

// How a product is divided among threads, and multiplied.
struct Multiplier {
  const char* name;
  std::int64_t (*items)(const contract::Matmul4bit& p);
  std::int64_t (*grain)(const contract::Matmul4bit& p);
  void (*multiply)(std::size_t target, const contract::Matmul4bit& p, std::int64_t begin, std::int64_t end);
};

std::int64_t one_item(const contract::Matmul4bit& /*p*/) { return 1; }

// An item is 32 rows or 512 columns of W with 16 tokens, some 10 us of work or more, enough to be handed over by
// itself. Items of the same part of W follow each other, so that its codes come from a cache but for the first.
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

constexpr format::Ue8m0Absmax kUe8m0Absmax = format::make_ue8m0_absmax();

// The same product by a weight with absmax.
template <class Params>
Params with_absmax(Params p) {
  p.weight = contract::with_absmax(p.weight, kUe8m0Absmax);
  return p;
}

contract::Outcome missing(const contract::Matmul4bit& p, std::size_t target) {
  return contract::no_instructions(p, std::string(compiled_target(target)) + " on this processor and system");
}

contract::Outcome choose_multiplier(const contract::Matmul4bit& p, const qfuse_exec& exec, Multiplier& multiplier) {
  std::size_t target = 0;
  if (contract::Outcome o = choose_target(exec.cpu_target, target); !o.ok()) return o;
  const bool is_bf16 = p.dtype == QFUSE_BFLOAT16;  // for which alone the system is asked for AMX
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
  constexpr std::int64_t kRowsOfDots = 4;  // Emerald Rapids, 4096 -> 14336 on 16 cores: 1 row takes 0.42 and 0.92 ms in
                                           // dot products and in tiles of AMX, 8 rows take 1.7 and 1.0
  std::size_t target = 0;
  const bool has_both =
      p.dtype == QFUSE_BFLOAT16 && choose_target(nullptr, target).ok() && HWY_DISPATCH_TABLE(has_bf16_amx)[target]();
  return {.few = has_both ? QFUSE_SUM_BF16_DOT : QFUSE_SUM_OF_DEVICE,
          .few_rows = has_both ? kRowsOfDots : 0,
          .fused_rows = std::numeric_limits<std::int64_t>::max()};
}

contract::Outcome matmul_4bit(const contract::Matmul4bit& given, const qfuse_exec& exec) {
  const contract::Matmul4bit p = with_absmax(given);
  Multiplier multiplier{};
  if (contract::Outcome o = choose_multiplier(p, exec, multiplier); !o.ok()) return o;
  return run(
      p, multiplier.items(p), multiplier.grain(p), exec,
      [&](std::size_t target, std::int64_t begin, std::int64_t end) { multiplier.multiply(target, p, begin, end); },
      multiplier.name);
}

// The items of all experts, one expert's after another's.
contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& given, const qfuse_exec& exec) {
  const contract::Matmul4bitGrouped p = with_absmax(given);
  if (contract::Outcome o = check_values(p); !o.ok()) return o;
  const contract::Matmul4bit any = any_product(p);
  Multiplier multiplier{};
  if (contract::Outcome o = choose_multiplier(any, exec, multiplier); !o.ok()) return o;
  // Calls body(product, items before, items) of every expert that has rows.
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
