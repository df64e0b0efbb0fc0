#include "checkpoint/names/fused_parts.h"

#include <algorithm>
#include <array>

namespace qfuse::checkpoint {
namespace {

// Tinker's names. Parts of one layer stand in the order of its rows.
constexpr std::array kParts{
    FusedPart{".linear_attn.in_proj_q", ".linear_attn.in_proj_qkv", "linear_num_key_heads", "linear_key_head_dim"},
    FusedPart{".linear_attn.in_proj_k", ".linear_attn.in_proj_qkv", "linear_num_key_heads", "linear_key_head_dim"},
    FusedPart{".linear_attn.in_proj_v", ".linear_attn.in_proj_qkv", "linear_num_value_heads", "linear_value_head_dim"},
    FusedPart{".mixer.gate_proj", ".mixer.in_proj", "mamba_num_heads", "mamba_head_dim"},  // Nemotron-H
    FusedPart{".mixer.x_proj", ".mixer.in_proj", "mamba_num_heads", "mamba_head_dim"},
};

std::optional<std::int64_t> number(const Config& config, std::string_view field) {
  return config.number("text_config." + std::string(field));
}

}  // namespace

const FusedPart* fused_part(std::string_view module) {
  const auto* const found =
      std::ranges::find_if(kParts, [&](const FusedPart& part) { return module.ends_with(part.part); });
  return found == kParts.end() ? nullptr : found;
}

std::string fused_module(const FusedPart& part, std::string_view module) {
  return std::string(module.substr(0, module.size() - part.part.size())).append(part.fused);
}

std::optional<FusedRows> rows_of(const FusedPart& part, const Config& config) {
  FusedRows rows;
  for (const FusedPart& other : kParts) {
    if (other.fused != part.fused) continue;
    const std::optional<std::int64_t> heads = number(config, other.heads);
    const std::optional<std::int64_t> size = number(config, other.head_size);
    if (!heads || !size || __builtin_add_overflow(rows.first, rows.count, &rows.first) ||
        __builtin_mul_overflow(*heads, *size, &rows.count))
      return std::nullopt;
    if (&other == &part) break;
  }
  return rows;
}

}  // namespace qfuse::checkpoint
