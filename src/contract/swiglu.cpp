#include "contract/swiglu.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace qfuse::contract {
namespace {

constexpr std::int64_t kMostExperts = std::int64_t{1} << 20;

Outcome check_experts(const Swiglu& p) {
  if (p.expert_count < 0 || p.expert_count > kMostExperts)
    return invalid_argument(fmt::format("expert_count is {}, it must be 0 to {}", p.expert_count, kMostExperts));
  if (p.expert_count == 0 && p.expert_ends != nullptr)
    return invalid_argument("expert_count is 0, but expert_ends is given");
  if (p.expert_ends_type != QFUSE_INDEX_INT32 && p.expert_ends_type != QFUSE_INDEX_INT64)
    return invalid_argument(
        fmt::format("expert_ends_type is {}, it must be QFUSE_INDEX_INT32 ({}) or QFUSE_INDEX_INT64 ({})",
                    static_cast<int>(p.expert_ends_type), static_cast<int>(QFUSE_INDEX_INT32),
                    static_cast<int>(QFUSE_INDEX_INT64)));
  if (p.expert_layout != QFUSE_EXPERTS_APART && p.expert_layout != QFUSE_EXPERTS_SIDE_BY_SIDE)
    return invalid_argument(
        fmt::format("expert_layout is {}, it must be QFUSE_EXPERTS_APART ({}) or QFUSE_EXPERTS_SIDE_BY_SIDE ({})",
                    static_cast<int>(p.expert_layout), static_cast<int>(QFUSE_EXPERTS_APART),
                    static_cast<int>(QFUSE_EXPERTS_SIDE_BY_SIDE)));
  if (reinterpret_cast<std::uintptr_t>(p.expert_ends) % static_cast<std::uintptr_t>(index_size(p.expert_ends_type)) !=
      0)
    return invalid_argument(
        fmt::format("expert_ends must be aligned to its elements, {} bytes", index_size(p.expert_ends_type)));
  if (p.h > 0 && p.m > std::numeric_limits<std::int64_t>::max() / 16 / p.h - (p.expert_count + 1) * format::kGroupSize)
    return invalid_argument(
        fmt::format("m is {} with {} experts of {} channels, more than memory can hold", p.m, p.expert_count, p.h));
  return {};
}

Outcome check_activation(const Swiglu& p) {
  if (!(p.limit >= 0) || std::isinf(p.limit))
    return invalid_argument(fmt::format("limit is {}, it must be finite and above 0, or 0 for none", p.limit));
  for (const auto& [name, value] : {std::pair{"alpha", p.alpha}, std::pair{"up_offset", p.up_offset}})
    if (!std::isfinite(value)) return invalid_argument(fmt::format("{} is {}, it must be finite", name, value));
  return {};
}

Outcome check_outputs(const Swiglu& p) {
  if (wants_y_rows(p) && wants_gradients(p))
    return invalid_argument("y_q or y_s is given together with a gradient: it is an output of the forward alone");
  if (wants_grad_weights(p) && !wants_gradients(p))
    return invalid_argument("grad_weights is given, but neither grad_input_q nor grad_input_q_t");
  if (!wants_gradients(p) && !wants_y_rows(p) && !wants_y_transposed(p))
    return invalid_argument(
        "grad_input_q, grad_input_q_t, y_q and y_q_t are all NULL: at least one pair of outputs must be given");
  return {};
}

}  // namespace

Outcome check_ranges(const Swiglu& p) {
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  if (Outcome o = check_count("h", p.h); !o.ok()) return o;
  if (p.group_size != format::kGroupSize)
    return invalid_argument(fmt::format("group_size is {}, it must be {}", p.group_size, format::kGroupSize));
  if (p.h % format::kGroupSize != 0)
    return invalid_argument(fmt::format("h is {}, it must be a multiple of group_size, {}", p.h, format::kGroupSize));
  if (Outcome o = check_rows("x_stride", p.x_stride, p.m, "2h", 2 * p.h); !o.ok()) return o;
  if (Outcome o = check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h); !o.ok()) return o;
  if (p.payload_type != QFUSE_INT8 && p.payload_type != QFUSE_E4M3)
    return invalid_argument(fmt::format("payload_type is {}, it must be QFUSE_INT8 ({}) or QFUSE_E4M3 ({})",
                                        static_cast<int>(p.payload_type), static_cast<int>(QFUSE_INT8),
                                        static_cast<int>(QFUSE_E4M3)));
  if (p.scale_layout != QFUSE_SCALES_ROW_MAJOR && p.scale_layout != QFUSE_SCALES_MN_MAJOR)
    return invalid_argument(
        fmt::format("scale_layout is {}, it must be QFUSE_SCALES_ROW_MAJOR ({}) or QFUSE_SCALES_MN_MAJOR ({})",
                    static_cast<int>(p.scale_layout), static_cast<int>(QFUSE_SCALES_ROW_MAJOR),
                    static_cast<int>(QFUSE_SCALES_MN_MAJOR)));
  if (has_experts(p) || p.expert_ends != nullptr)
    if (Outcome o = check_experts(p); !o.ok()) return o;
  if (Outcome o = check_activation(p); !o.ok()) return o;
  return is_empty(p) ? Outcome{} : check_outputs(p);
}

std::int64_t expert_end(const Swiglu& p, std::int64_t expert) {
  if (p.expert_ends_type == QFUSE_INDEX_INT64) return static_cast<const std::int64_t*>(p.expert_ends)[expert];
  return static_cast<const std::int32_t*>(p.expert_ends)[expert];
}

Outcome check_values(const Swiglu& p) {
  std::int64_t before = 0;
  for (std::int64_t e = 0; e < p.expert_count; ++e) {
    const std::int64_t end = expert_end(p, e);
    if (end < before || end > p.m)
      return invalid_argument(
          fmt::format("expert_ends[{}] is {}, it must be at least {}, where the expert begins, and at most m, {}", e,
                      end, before, p.m));
    before = end;
  }
  return {};
}

std::int64_t token_tiles(const Swiglu& p) {
  if (!has_experts(p)) return format::block_count(p.m, format::kGroupSize);
  std::int64_t tiles = 0;
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.expert_count; begin = expert_end(p, e++))
    tiles += format::block_count(expert_end(p, e) - begin, format::kGroupSize);
  return tiles;
}

TokenTile find_token_tile(const Swiglu& p, std::int64_t number) {
  if (!has_experts(p)) return tile_of(0, p.m, number, 0, p.m);
  std::int64_t tiles = 0;
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.expert_count; begin = expert_end(p, e++)) {
    const std::int64_t rows = expert_end(p, e) - begin;
    const std::int64_t own = format::block_count(rows, format::kGroupSize);
    if (number < tiles + own)
      return tile_of(begin, rows, number - tiles, tiles * format::kGroupSize, own * format::kGroupSize);
    tiles += own;
  }
  return {};
}

std::int64_t bytes(const Swiglu& p) {
  const std::int64_t x_gaps = strided_size(p.m, 2 * p.h, x_stride(p)) - strided_size(p.m, 2 * p.h, 2 * p.h);
  const std::int64_t grad_y_gaps =
      wants_gradients(p) ? strided_size(p.m, p.h, grad_y_stride(p)) - strided_size(p.m, p.h, p.h) : 0;
  return total_size(ArrayList(p)) - x_gaps - grad_y_gaps;
}

}  // namespace qfuse::contract
