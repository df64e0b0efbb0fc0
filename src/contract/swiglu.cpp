#include "contract/swiglu.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace qfuse::contract {
namespace {

constexpr std::int64_t kSmallGroup = QFUSE_SWIGLU_SMALL_GROUP_SIZE;
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
  if (reinterpret_cast<std::uintptr_t>(p.expert_ends) % static_cast<std::uintptr_t>(index_size(p.expert_ends_type)) !=
      0)
    return invalid_argument(
        fmt::format("expert_ends must be aligned to its elements, {} bytes", index_size(p.expert_ends_type)));
  if (p.h > 0 && p.m > std::numeric_limits<std::int64_t>::max() / 16 / p.h - (p.expert_count + 1) * format::kGroupSize)
    return invalid_argument(
        fmt::format("m is {} with {} experts of {} channels, more than memory can hold", p.m, p.expert_count, p.h));
  return {};
}

// names: of all enumerators, from 0 on.
Outcome check_enumerator(const char* field, int value, std::initializer_list<const char*> names) {
  const auto count = static_cast<int>(names.size());
  if (value >= 0 && value < count) return {};
  std::string all;
  int i = 0;
  for (const char* name : names) {
    all += i == 0 ? "" : i == count - 1 ? " or " : ", ";
    all += fmt::format("{} ({})", name, i++);
  }
  return invalid_argument(fmt::format("{} is {}, it must be {}", field, value, all));
}

Outcome check_enumerators(const Swiglu& p) {
  for (const Outcome& o : {
           check_enumerator("payload_type", p.payload_type, {"QFUSE_INT8", "QFUSE_E4M3"}),
           check_enumerator("scale_layout", p.scale_layout, {"QFUSE_SCALES_ROW_MAJOR", "QFUSE_SCALES_MN_MAJOR"}),
           check_enumerator("expert_layout", p.expert_layout, {"QFUSE_EXPERTS_APART", "QFUSE_EXPERTS_SIDE_BY_SIDE"}),
           check_enumerator("scale_type", p.scale_type, {"QFUSE_SCALES_FLOAT32", "QFUSE_SCALES_UE8M0"}),
           check_enumerator("scale_rule", p.scale_rule, {"QFUSE_SCALES_POWER_OF_TWO", "QFUSE_SCALES_TORCHAO"}),
           check_enumerator("zero_rule", p.zero_rule,
                            {"QFUSE_ZERO_AT_FLOOR", "QFUSE_ZERO_SCALE_ONE", "QFUSE_ZERO_SCALE_LEAST"}),
       })
    if (!o.ok()) return o;
  return {};
}

Outcome check_int8(const Swiglu& p) {
  for (const auto& [name, is_given] : {std::pair{"scale_type", p.scale_type != QFUSE_SCALES_FLOAT32},
                                       {"scale_rule", p.scale_rule != QFUSE_SCALES_POWER_OF_TWO},
                                       {"zero_rule", p.zero_rule != QFUSE_ZERO_AT_FLOOR},
                                       {"amax_floor", p.amax_floor != 0}})
    if (is_given)
      return invalid_argument(fmt::format("{} is given, but payload_type is QFUSE_INT8: it is of FP8 alone", name));
  return {};
}

Outcome check_fp8(const Swiglu& p) {
  constexpr float kLeastFloor = 1e-30F;
  constexpr float kMostFloor = 1e30F;
  if (p.amax_floor != 0 && !(p.amax_floor >= kLeastFloor && p.amax_floor <= kMostFloor))
    return invalid_argument(
        fmt::format("amax_floor is {}, it must be {} to {}, or 0", p.amax_floor, kLeastFloor, kMostFloor));
  if (p.scale_rule != QFUSE_SCALES_POWER_OF_TWO && p.scale_type == QFUSE_SCALES_UE8M0)
    return invalid_argument("scale_type is QFUSE_SCALES_UE8M0: scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  if (p.zero_rule != QFUSE_ZERO_SCALE_LEAST) return {};
  if (p.scale_rule != QFUSE_SCALES_POWER_OF_TWO)
    return invalid_argument("zero_rule is QFUSE_ZERO_SCALE_LEAST: scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  if (p.amax_floor != 0)
    return invalid_argument("zero_rule is QFUSE_ZERO_SCALE_LEAST, which has no floor: amax_floor must be 0");
  return {};
}

Outcome check_format(const Swiglu& p) {
  if (Outcome o = check_enumerators(p); !o.ok()) return o;
  if (Outcome o = is_fp8(p) ? check_fp8(p) : check_int8(p); !o.ok()) return o;
  if (p.scale_type == QFUSE_SCALES_UE8M0 && p.scale_layout == QFUSE_SCALES_MN_MAJOR && has_experts(p) &&
      p.expert_layout == QFUSE_EXPERTS_APART && (wants_transposed(p) || wants_y_transposed(p)))
    return invalid_argument(
        "scales in UE8M0 and MN_MAJOR share words, which experts APART cannot: expert_layout must be SIDE_BY_SIDE");
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

struct Preset {
  std::string_view name;
  qfuse_payload payload_type;
  std::int64_t group_size;
  qfuse_scale_type scale_type;
  qfuse_scale_rule scale_rule;
  qfuse_zero_rule zero_rule;
  float amax_floor;
};

constexpr std::array kPresets = {
    Preset{"int8", QFUSE_INT8, format::kGroupSize, QFUSE_SCALES_FLOAT32, QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_AT_FLOOR,
           0},
    Preset{"deepseek", QFUSE_E4M3, format::kGroupSize, QFUSE_SCALES_FLOAT32, QFUSE_SCALES_POWER_OF_TWO,
           QFUSE_ZERO_AT_FLOOR, 0},
    Preset{"transformer_engine", QFUSE_E4M3, format::kGroupSize, QFUSE_SCALES_FLOAT32, QFUSE_SCALES_POWER_OF_TWO,
           QFUSE_ZERO_SCALE_ONE, 0},
    Preset{"torchao", QFUSE_E4M3, format::kGroupSize, QFUSE_SCALES_FLOAT32, QFUSE_SCALES_TORCHAO, QFUSE_ZERO_AT_FLOOR,
           1e-12F},
    Preset{"mx", QFUSE_E4M3, kSmallGroup, QFUSE_SCALES_UE8M0, QFUSE_SCALES_POWER_OF_TWO, QFUSE_ZERO_SCALE_LEAST, 0}};

}  // namespace

Outcome preset(const char* name, qfuse_swiglu_params& p) {
  std::string names;
  for (const Preset& preset : kPresets) {
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
    if (preset.name != name) continue;
    p.payload_type = preset.payload_type;
    p.group_size = preset.group_size;
    p.scale_type = preset.scale_type;
    p.scale_rule = preset.scale_rule;
    p.zero_rule = preset.zero_rule;
    p.amax_floor = preset.amax_floor;
    return {};
  }
  return invalid_argument(fmt::format("the preset is '{}', it must be one of {}", name, names));
}

Outcome check_ranges(const Swiglu& p) {
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  if (Outcome o = check_count("h", p.h); !o.ok()) return o;
  if (p.group_size != format::kGroupSize && p.group_size != kSmallGroup)
    return invalid_argument(
        fmt::format("group_size is {}, it must be {} or {}", p.group_size, format::kGroupSize, kSmallGroup));
  if (p.h % format::kGroupSize != 0)
    return invalid_argument(fmt::format("h is {}, it must be a multiple of {}", p.h, format::kGroupSize));
  if (Outcome o = check_rows("x_stride", p.x_stride, p.m, "2h", 2 * p.h); !o.ok()) return o;
  if (Outcome o = check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h); !o.ok()) return o;
  if (Outcome o = check_format(p); !o.ok()) return o;
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
