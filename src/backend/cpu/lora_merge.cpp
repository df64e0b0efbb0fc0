// in:     in [rows, cols] fp32, fp16 or bf16, or a 4-bit source; a [rank, cols] fp32, b [rows, rank] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address; perhaps a 4-bit target
// math:   out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//         fp32
// cost:   4 to 8 bytes read and written per element; from a rank of about 16 on, bound by the `rank` FMAs per element
// oracle: reference/lora_merge.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/lora_merge.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "format/elements.h"
#include "format/layout.h"

// Constants that do not depend on the target, guarded because this file is included once per target.
#ifndef QFUSE_BACKEND_CPU_LORA_MERGE_POLICY
#define QFUSE_BACKEND_CPU_LORA_MERGE_POLICY
namespace qfuse::cpu {

// Size of an item of a thread's range. It has enough rows that copying the item's part of `a` costs little compared to
// using it, and enough columns that rows of `in` and `out` are read and written in long pieces. The sums take 64 KiB of
// the stack, and the copy of `a` about as much.
inline constexpr std::int64_t kMergeRows = 32;
inline constexpr std::int64_t kMergeCols = 512;

// Terms (along the rank) whose part of `a` is copied at a time.
inline constexpr std::int64_t kMergeTerms = 32;

}  // namespace qfuse::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));

// Sums kept in registers: 4 rows of 4 vectors on targets with 32 registers, of 2 vectors on the others.
constexpr std::int64_t kRows = 4;
#if (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3) || HWY_TARGET == HWY_SCALAR
constexpr std::int64_t kVectors = 2;
#else
constexpr std::int64_t kVectors = 4;
#endif
constexpr std::int64_t kStrip = kVectors * kLanes;
static_assert(kMergeCols % kStrip == 0);

struct MergeTile {
  alignas(64) float sums[kMergeRows][kMergeCols];
  // Copy of a part of `a`. The padding keeps its rows from being a power of two apart, as they may be in memory: their
  // cache lines would then compete for a few sets.
  alignas(64) float panel[kMergeTerms][kMergeCols + 16];
};

// The columns of an item, and the terms that its panel holds.
struct Part {
  std::int64_t first_col;
  std::int64_t cols;
  std::int64_t first_term;
  std::int64_t terms;
};

// ---- kernel: 32 rows of 512 columns ----

// Copies the part of `a`, zero-padded to whole strips. The sums of the padding are never written out.
HWY_NOINLINE void load_panel(const contract::LoraMerge& p, MergeTile& tile, const Part& part) {
  const std::int64_t padded = format::ceil_div(part.cols, kStrip) * kStrip;
  for (std::int64_t k = 0; k < part.terms; ++k) {
    const std::int64_t from = (part.first_term + k) * p.cols + part.first_col;
    std::memcpy(tile.panel[k], reinterpret_cast<const std::uint8_t*>(p.a) + from * format::dtype_size(QFUSE_FLOAT32),
                static_cast<std::size_t>(part.cols) * sizeof(float));
    std::fill(tile.panel[k] + part.cols, tile.panel[k] + padded, 0.0F);
  }
}

// Adds the panel's terms, in ascending order, to the sums of kCount rows.
template <std::int64_t kCount>
HWY_NOINLINE void add_terms(const contract::LoraMerge& p, const MergeTile& tile, std::int64_t row, const Part& part,
                            float (*sums)[kMergeCols]) {
  const auto* const factors =
      reinterpret_cast<const std::uint8_t*>(p.b) + (row * p.rank + part.first_term) * format::dtype_size(QFUSE_FLOAT32);
  for (std::int64_t c = 0; c < part.cols; c += kStrip) {
    hn::Vec<Floats> sum[kCount][kVectors];
    for (std::int64_t r = 0; r < kCount; ++r)
      for (std::int64_t v = 0; v < kVectors; ++v)
        sum[r][v] = part.first_term == 0 ? hn::Zero(Floats()) : hn::Load(Floats(), sums[r] + c + v * kLanes);
    for (std::int64_t k = 0; k < part.terms; ++k) {
      hn::Vec<Floats> a[kVectors];
      for (std::int64_t v = 0; v < kVectors; ++v) a[v] = hn::Load(Floats(), tile.panel[k] + c + v * kLanes);
      for (std::int64_t r = 0; r < kCount; ++r) {
        const auto b = hn::Set(Floats(), format::load_unaligned<float>(factors, r * p.rank + k));
        for (std::int64_t v = 0; v < kVectors; ++v) sum[r][v] = mul_add(Floats(), a[v], b, sum[r][v]);
      }
    }
    for (std::int64_t r = 0; r < kCount; ++r)
      for (std::int64_t v = 0; v < kVectors; ++v) hn::Store(sum[r][v], Floats(), sums[r] + c + v * kLanes);
  }
}

template <qfuse_dtype kIn, qfuse_dtype kOut>
HWY_INLINE void write_row(const contract::LoraMerge& p, std::int64_t row, const Part& part, const float* sums) {
  const std::int64_t first = row * p.cols + part.first_col;
  const auto* const in = static_cast<const std::uint8_t*>(p.in) + first * format::dtype_size(kIn);
  auto* const out = static_cast<std::uint8_t*>(p.out) + first * format::dtype_size(kOut);
  const auto scale = hn::Set(Floats(), p.scale);
  std::int64_t c = 0;
  for (; c + kLanes <= part.cols; c += kLanes) {
    const auto weight = load_as_float<kIn>(Floats(), in + c * format::dtype_size(kIn));
    const auto merged = hn::Add(weight, hn::Mul(hn::Load(Floats(), sums + c), scale));
    store_rounded<kOut>(Floats(), merged, out + c * format::dtype_size(kOut));
  }
  for (; c < part.cols; ++c) format::store_rounded(out, c, kOut, format::load_as_float(in, c, kIn) + sums[c] * p.scale);
}

// Merges one tile. Each row is written as soon as its sums are complete, while they are in the L1 cache.
template <qfuse_dtype kIn, qfuse_dtype kOut>
HWY_INLINE void merge_tile(const contract::LoraMerge& p, MergeTile& tile, std::int64_t first_row, Part part) {
  const std::int64_t rows = std::min(kMergeRows, p.rows - first_row);
  do {
    part.terms = std::min(kMergeTerms, p.rank - part.first_term);
    const bool last = part.first_term + part.terms == p.rank;
    load_panel(p, tile, part);
    for (std::int64_t r = 0; r < rows;) {
      const std::int64_t count = rows - r >= kRows ? kRows : 1;
      count == kRows ? add_terms<kRows>(p, tile, first_row + r, part, tile.sums + r)
                     : add_terms<1>(p, tile, first_row + r, part, tile.sums + r);
      for (const std::int64_t end = r + count; r < end; ++r)
        if (last) write_row<kIn, kOut>(p, first_row + r, part, tile.sums[r]);
    }
    part.first_term += part.terms;
  } while (part.first_term < p.rank);
}

template <qfuse_dtype kIn, qfuse_dtype kOut>
HWY_NOINLINE void merge(const contract::LoraMerge& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t tiles = format::ceil_div(p.cols, kMergeCols);
  MergeTile tile;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first_col = i % tiles * kMergeCols;
    merge_tile<kIn, kOut>(p, tile, i / tiles * kMergeRows, {first_col, std::min(kMergeCols, p.cols - first_col), 0, 0});
  }
}

template <qfuse_dtype kIn>
void merge_from(const contract::LoraMerge& p, std::int64_t begin, std::int64_t end) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return merge<kIn, QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return merge<kIn, QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return merge<kIn, QFUSE_BFLOAT16>(p, begin, end);
  }
}

void lora_merge_items(const contract::LoraMerge& p, std::int64_t begin, std::int64_t end) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return merge_from<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return merge_from<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return merge_from<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(lora_merge_items);

contract::Outcome run_step(const contract::Dequantize4bit& step, const qfuse_exec& exec) {
  return dequantize_4bit(step, exec);
}
contract::Outcome run_step(const contract::Quantize4bit& step, const qfuse_exec& exec) {
  return quantize_4bit(step, exec);
}

// An item is about 5 us of work or more, so a range may be one item. Consecutive items have the same rows.
contract::Outcome run_step(const contract::LoraMerge& p, const qfuse_exec& exec) {
  const std::int64_t items = format::ceil_div(p.rows, kMergeRows) * format::ceil_div(p.cols, kMergeCols);
  return run(p, items, 1, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(lora_merge_items)[target](p, begin, end);
  });
}

}  // namespace

contract::Outcome lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec) {
  return contract::run_steps(p, [&](const auto& step) { return run_step(step, exec); });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
