// How matmul_4bit in bf16 dot products (bf16_dot-inl.h) and in AMX tiles (amx-inl.h) is divided among threads.
#ifndef QFUSE_BACKEND_CPU_MATMUL_ITEMS_H
#define QFUSE_BACKEND_CPU_MATMUL_ITEMS_H

#include <algorithm>
#include <cstdint>

#include "contract/matmul_4bit.h"
#include "format/layout.h"

namespace qfuse::cpu {

// Size of an item: its outputs, as rows of W forward or columns of W backward; its tokens, which share decoded weights.
struct ItemSizes {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t tokens;
};
inline constexpr ItemSizes kDotItems = {16, 512, 64};
inline constexpr ItemSizes kAmxItems = {32, 512, 64};

struct Item {
  std::int64_t first;  // the first output
  std::int64_t count;
  std::int64_t first_token;
  std::int64_t tokens;
};

inline std::int64_t item_outputs(const contract::Matmul4bit& p, const ItemSizes& sizes) {
  return contract::is_forward(p) ? sizes.rows : sizes.cols;
}

inline std::int64_t count_items(const contract::Matmul4bit& p, const ItemSizes& sizes) {
  return format::ceil_div(contract::output_count(p), item_outputs(p, sizes)) * format::ceil_div(p.m, sizes.tokens);
}

// Consecutive items have the same tokens, whose inputs then stay in the L2 cache.
inline Item item_of(const contract::Matmul4bit& p, const ItemSizes& sizes, std::int64_t i) {
  const std::int64_t outputs = item_outputs(p, sizes);
  const std::int64_t parts = format::ceil_div(contract::output_count(p), outputs);
  const std::int64_t first = i % parts * outputs;
  const std::int64_t token = i / parts * sizes.tokens;
  return {first, std::min(outputs, contract::output_count(p) - first), token, std::min(sizes.tokens, p.m - token)};
}

// Dot products: number of items that a thread gets at a time, so that they take about 10 us or more.
inline std::int64_t dot_grain(const contract::Matmul4bit& p) { return contract::is_forward(p) && p.m < 16 ? 4 : 1; }

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_MATMUL_ITEMS_H
