// How matmul_4bit in tiles of AMX is divided among threads: amx-inl.h.
#ifndef QFUSE_BACKEND_CPU_AMX_ITEMS_H
#define QFUSE_BACKEND_CPU_AMX_ITEMS_H

#include <cstdint>

#include "backend/cpu/bf16_dot_items.h"
#include "contract/matmul_4bit.h"
#include "format/layout.h"

namespace qfuse::cpu {

// Outputs of an item: rows of W, or columns; and tokens, which share what is decoded.
inline constexpr std::int64_t kAmxItemRows = 32;
inline constexpr std::int64_t kAmxItemCols = 512;
inline constexpr std::int64_t kAmxItemTokens = 64;

inline std::int64_t amx_item_outputs(const contract::Matmul4bit& p) {
  return contract::is_forward(p) ? kAmxItemRows : kAmxItemCols;
}

inline std::int64_t amx_items(const contract::Matmul4bit& p) {
  return format::ceil_div(contract::output_count(p), amx_item_outputs(p)) * format::ceil_div(p.m, kAmxItemTokens);
}

inline DotItem amx_item(const contract::Matmul4bit& p, std::int64_t i) {
  return item_of(p, i, amx_item_outputs(p), kAmxItemTokens);
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_AMX_ITEMS_H
