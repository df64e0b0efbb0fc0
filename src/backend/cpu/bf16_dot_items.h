// How matmul_4bit in bf16 dot products is divided among threads: bf16_dot-inl.h.
#ifndef QFUSE_BACKEND_CPU_BF16_DOT_ITEMS_H
#define QFUSE_BACKEND_CPU_BF16_DOT_ITEMS_H

#include <algorithm>
#include <cstdint>

#include "contract/matmul_4bit.h"
#include "format/layout.h"

namespace qfuse::cpu {

// Outputs of an item: rows of W, or columns; and tokens, which share what is decoded.
inline constexpr std::int64_t kDotItemRows = 16;
inline constexpr std::int64_t kDotItemCols = 512;
inline constexpr std::int64_t kDotItemTokens = 64;

struct DotItem {
  std::int64_t first;  // output
  std::int64_t count;
  std::int64_t first_token;
  std::int64_t tokens;
};

inline std::int64_t dot_item_outputs(const contract::Matmul4bit& p) {
  return contract::is_forward(p) ? kDotItemRows : kDotItemCols;
}

inline std::int64_t dot_items(const contract::Matmul4bit& p) {
  return format::ceil_div(contract::output_count(p), dot_item_outputs(p)) * format::ceil_div(p.m, kDotItemTokens);
}

// Items that are handed to a thread together, so that they take some 10 us or more.
inline std::int64_t dot_grain(const contract::Matmul4bit& p) { return contract::is_forward(p) && p.m < 16 ? 4 : 1; }

// Items of the same tokens follow each other, so that these stay in the second cache.
inline DotItem item_of(const contract::Matmul4bit& p, std::int64_t i, std::int64_t outputs, std::int64_t tokens) {
  const std::int64_t parts = format::ceil_div(contract::output_count(p), outputs);
  const std::int64_t first = i % parts * outputs;
  const std::int64_t token = i / parts * tokens;
  return {first, std::min(outputs, contract::output_count(p) - first), token, std::min(tokens, p.m - token)};
}

inline DotItem dot_item(const contract::Matmul4bit& p, std::int64_t i) {
  return item_of(p, i, dot_item_outputs(p), kDotItemTokens);
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_BF16_DOT_ITEMS_H
