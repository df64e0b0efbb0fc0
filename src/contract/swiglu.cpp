#include "contract/swiglu.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace qfuse::contract {
namespace {

constexpr std::int64_t kSmallGroup = QFUSE_SWIGLU_SMALL_GROUP_SIZE;

Outcome check_experts(const Swiglu& p) {
  if (Outcome o = check_ranges(expert_ends(p)); !o.ok()) return o;
  if (p.h > 0 && p.m > std::numeric_limits<std::int64_t>::max() / 16 / p.h - (p.experts.count + 1) * format::kGroupSize)
    return invalid_argument(
        fmt::format("m is {} with {} experts of {} channels, more than memory can hold", p.m, p.experts.count, p.h));
  return {};
}

Outcome check_enumerators(const Swiglu& p) {
  for (const Outcome& o : {
           check_enumerator("format.payload_type", p.format.payload_type, {"QFUSE_INT8", "QFUSE_E4M3"}),
           check_enumerator("format.scale_layout", p.format.scale_layout,
                            {"QFUSE_SCALES_ROW_MAJOR", "QFUSE_SCALES_MN_MAJOR"}),
           check_enumerator("experts.layout", p.experts.layout, {"QFUSE_EXPERTS_APART", "QFUSE_EXPERTS_SIDE_BY_SIDE"}),
           check_enumerator("format.scale_type", p.format.scale_type, {"QFUSE_SCALES_FLOAT32", "QFUSE_SCALES_UE8M0"}),
           check_enumerator("format.scale_rule", p.format.scale_rule,
                            {"QFUSE_SCALES_POWER_OF_TWO", "QFUSE_SCALES_TORCHAO"}),
           check_enumerator("format.zero_rule", p.format.zero_rule,
                            {"QFUSE_ZERO_AT_FLOOR", "QFUSE_ZERO_SCALE_ONE", "QFUSE_ZERO_SCALE_LEAST"}),
       })
    if (!o.ok()) return o;
  return {};
}

Outcome check_int8(const Swiglu& p) {
  for (const auto& [name, is_given] : {std::pair{"format.scale_type", p.format.scale_type != QFUSE_SCALES_FLOAT32},
                                       {"format.scale_rule", p.format.scale_rule != QFUSE_SCALES_POWER_OF_TWO},
                                       {"format.zero_rule", p.format.zero_rule != QFUSE_ZERO_AT_FLOOR},
                                       {"format.amax_floor", p.format.amax_floor != 0}})
    if (is_given)
      return invalid_argument(
          fmt::format("{} is given, but format.payload_type is QFUSE_INT8: it is of FP8 alone", name));
  return {};
}

Outcome check_fp8(const Swiglu& p) {
  constexpr float kLeastFloor = 1e-30F;
  constexpr float kMostFloor = 1e30F;
  if (p.format.amax_floor != 0 && !(p.format.amax_floor >= kLeastFloor && p.format.amax_floor <= kMostFloor))
    return invalid_argument(fmt::format("format.amax_floor is {}, it must be {} to {}, or 0", p.format.amax_floor,
                                        kLeastFloor, kMostFloor));
  if (p.format.scale_rule != QFUSE_SCALES_POWER_OF_TWO && p.format.scale_type == QFUSE_SCALES_UE8M0)
    return invalid_argument(
        "format.scale_type is QFUSE_SCALES_UE8M0: format.scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  if (p.format.zero_rule != QFUSE_ZERO_SCALE_LEAST) return {};
  if (p.format.scale_rule != QFUSE_SCALES_POWER_OF_TWO)
    return invalid_argument(
        "format.zero_rule is QFUSE_ZERO_SCALE_LEAST: format.scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  if (p.format.amax_floor != 0)
    return invalid_argument(
        "format.zero_rule is QFUSE_ZERO_SCALE_LEAST, which has no floor: format.amax_floor must be 0");
  return {};
}

Outcome check_format(const Swiglu& p) {
  if (Outcome o = check_enumerators(p); !o.ok()) return o;
  if (Outcome o = is_fp8(p) ? check_fp8(p) : check_int8(p); !o.ok()) return o;
  if (p.format.scale_type == QFUSE_SCALES_UE8M0 && p.format.scale_layout == QFUSE_SCALES_MN_MAJOR && has_experts(p) &&
      p.experts.layout == QFUSE_EXPERTS_APART && (wants_transposed(p) || wants_y_transposed(p)))
    return invalid_argument(
        "scales in UE8M0 and MN_MAJOR share words, which experts APART cannot: experts.layout must be SIDE_BY_SIDE");
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
    return invalid_argument("y is given together with a gradient: it is an output of the forward alone");
  if (wants_grad_weights(p) && !wants_gradients(p))
    return invalid_argument("grad_weights is given, but neither grad_input nor grad_input_t");
  if (!wants_gradients(p) && !wants_y_rows(p) && !wants_y_transposed(p))
    return invalid_argument("y, y_t, grad_input and grad_input_t are all NULL: at least one of them must be given");
  return {};
}

struct NamedFormat {
  std::string_view name;
  qfuse_group_format format;
};

constexpr qfuse_group_format e4m3(qfuse_scale_rule rule, qfuse_zero_rule zeros, float floor) {
  return {format::kGroupSize, QFUSE_E4M3, QFUSE_SCALES_FLOAT32, rule, zeros, floor, QFUSE_SCALES_ROW_MAJOR};
}

constexpr std::array kFormats = {
    NamedFormat{"int8",
                {format::kGroupSize, QFUSE_INT8, QFUSE_SCALES_FLOAT32, QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_AT_FLOOR,
                 0, QFUSE_SCALES_ROW_MAJOR}},
    NamedFormat{"deepseek", e4m3(QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_AT_FLOOR, 0)},
    NamedFormat{"transformer_engine", e4m3(QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_SCALE_ONE, 0)},
    NamedFormat{"torchao", e4m3(QFUSE_SCALES_TORCHAO, QFUSE_ZERO_AT_FLOOR, 1e-12F)},
    NamedFormat{"mx",
                {kSmallGroup, QFUSE_E4M3, QFUSE_SCALES_UE8M0, QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_SCALE_LEAST, 0,
                 QFUSE_SCALES_ROW_MAJOR}}};

}  // namespace

Outcome find_format(std::string_view name, qfuse_group_format& format) {
  std::string names;
  for (const NamedFormat& known : kFormats) {
    names += (names.empty() ? "" : ", ") + std::string(known.name);
    if (known.name != name) continue;
    format = known.format;
    return {};
  }
  return invalid_argument(fmt::format("the format is '{}', it must be one of {}", name, names));
}

Outcome check_sizes(const Swiglu& p) {
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  if (Outcome o = check_count("h", p.h); !o.ok()) return o;
  if (p.format.group_size != format::kGroupSize && p.format.group_size != kSmallGroup)
    return invalid_argument(fmt::format("format.group_size is {}, it must be {} or {}", p.format.group_size,
                                        format::kGroupSize, kSmallGroup));
  if (p.h % format::kGroupSize != 0)
    return invalid_argument(fmt::format("h is {}, it must be a multiple of {}", p.h, format::kGroupSize));
  if (Outcome o = check_rows("x_stride", p.x_stride, p.m, "2h", 2 * p.h); !o.ok()) return o;
  if (Outcome o = check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h); !o.ok()) return o;
  if (Outcome o = check_format(p); !o.ok()) return o;
  if (has_experts(p) || p.experts.ends != nullptr)
    if (Outcome o = check_experts(p); !o.ok()) return o;
  return check_activation(p);
}

Outcome check_ranges(const Swiglu& p) {
  if (Outcome o = check_sizes(p); !o.ok()) return o;
  return is_empty(p) ? Outcome{} : check_outputs(p);
}

Outcome check_values(const Swiglu& p) { return check_values(expert_ends(p), p.m); }

std::int64_t token_tiles(const Swiglu& p) {
  if (!has_experts(p)) return format::block_count(p.m, format::kGroupSize);
  std::int64_t tiles = 0;
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.experts.count; begin = expert_ends(p)[e++])
    tiles += format::block_count(expert_ends(p)[e] - begin, format::kGroupSize);
  return tiles;
}

format::TokenTile find_token_tile(const Swiglu& p, std::int64_t number) {
  if (!has_experts(p)) return format::tile_of(0, p.m, number, 0, p.m);
  std::int64_t tiles = 0;
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.experts.count; begin = expert_ends(p)[e++]) {
    const std::int64_t rows = expert_ends(p)[e] - begin;
    const std::int64_t own = format::block_count(rows, format::kGroupSize);
    if (number < tiles + own)
      return format::tile_of(begin, rows, number - tiles, tiles * format::kGroupSize, own * format::kGroupSize);
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
