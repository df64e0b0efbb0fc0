// The contract of swiglu: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_SWIGLU_H
#define QFUSE_CONTRACT_SWIGLU_H

#include <limits>
#include <string_view>

#include "contract/arrays.h"
#include "contract/experts.h"
#include "contract/ranges.h"
#include "format/group_rules.h"
#include "format/layout.h"
#include "format/rounding.h"
#include "format/swiglu_layout.h"

namespace qfuse::contract {

struct Swiglu : qfuse_swiglu_params {
  static constexpr const char* kName = "swiglu";
};

inline bool is_empty(const Swiglu& p) { return p.m == 0 || p.h == 0; }
inline bool has_experts(const Swiglu& p) { return p.experts.count != 0; }
inline ExpertEnds expert_ends(const Swiglu& p) {
  return {"experts.count", "experts.ends", "experts.ends_type", p.experts.count, p.experts.ends, p.experts.ends_type};
}

// Which outputs the caller requests. One array of a pair requests both; the check refuses half a pair.
inline bool is_wanted(const qfuse_quantized& output) { return output.q != nullptr || output.s != nullptr; }
inline bool wants_rows(const Swiglu& p) { return is_wanted(p.grad_input); }
inline bool wants_transposed(const Swiglu& p) { return is_wanted(p.grad_input_t); }
inline bool wants_gradients(const Swiglu& p) { return wants_rows(p) || wants_transposed(p); }
inline bool wants_y_rows(const Swiglu& p) { return is_wanted(p.y); }
inline bool wants_y_transposed(const Swiglu& p) { return is_wanted(p.y_t); }
inline bool wants_grad_weights(const Swiglu& p) { return p.grad_weights != nullptr; }

// Elements from one row to the next.
inline std::int64_t x_stride(const Swiglu& p) { return p.x_stride != 0 ? p.x_stride : 2 * p.h; }
inline std::int64_t grad_y_stride(const Swiglu& p) { return p.grad_y_stride != 0 ? p.grad_y_stride : p.h; }

// One byte per value, for either payload type.
inline std::int8_t* payload(const qfuse_quantized& output) { return static_cast<std::int8_t*>(output.q); }

// ---- router weights and other activations ----

// A call with none of these runs specialized steps with fewer operations.
inline bool has_weights(const Swiglu& p) { return p.weights != nullptr || p.grad_weights != nullptr; }
inline bool has_activation(const Swiglu& p) {
  return p.limit != 0 || (p.alpha != 0 && p.alpha != 1) || p.up_offset != 0;
}
inline float alpha(const Swiglu& p) { return p.alpha != 0 ? p.alpha : 1.0F; }
inline float limit(const Swiglu& p) { return p.limit > 0 ? p.limit : std::numeric_limits<float>::infinity(); }
inline bool limit_is_bfloat16(const Swiglu& p) {
  return format::from_bfloat16(format::to_bfloat16(limit(p))) == limit(p);
}

// Bytes of workspace: partial sums of grad_weights over 128 channels each, [h/128, m] fp32.
inline std::int64_t workspace_size(const Swiglu& p) {
  if (is_empty(p) || !wants_grad_weights(p)) return 0;
  return p.m * (p.h / format::kGroupSize) * static_cast<std::int64_t>(sizeof(float));
}

// ---- formats ----

inline bool is_fp8(const Swiglu& p) { return p.format.payload_type != QFUSE_INT8; }

// Whether the format is neither of those with specialized steps: the published operator's INT8, DeepSeek's E4M3.
inline bool has_other_format(const Swiglu& p) {
  return p.format.group_size != format::kGroupSize || p.format.scale_type != QFUSE_SCALES_FLOAT32 ||
         p.format.scale_rule != QFUSE_SCALES_POWER_OF_TWO || p.format.zero_rule != QFUSE_ZERO_AT_FLOOR ||
         p.format.amax_floor != 0;
}
// Whether only the rules of the scales differ: E4M3 in groups of 128 with fp32 scales, but not DeepSeek's format.
inline bool has_other_scales_alone(const Swiglu& p) {
  return p.format.payload_type == QFUSE_E4M3 && p.format.group_size == format::kGroupSize &&
         p.format.scale_type == QFUSE_SCALES_FLOAT32 && has_other_format(p);
}

inline format::GroupRules group_rules(const Swiglu& p) {
  const bool has_floor = p.format.amax_floor != 0 || p.format.zero_rule != QFUSE_ZERO_AT_FLOOR;
  return {p.format.payload_type,
          p.format.scale_rule,
          p.format.zero_rule,
          has_floor ? p.format.amax_floor : format::kDeepSeekFloor,
          static_cast<int>(p.format.group_size),
          p.format.scale_type == QFUSE_SCALES_UE8M0};
}

// Finds a format by its name.
Outcome find_format(std::string_view name, qfuse_group_format& format);

// ---- scales ----

inline format::ScaleFormat scale_format(const Swiglu& p) {
  return {p.format.scale_layout, p.format.scale_type == QFUSE_SCALES_UE8M0, static_cast<int>(p.format.group_size)};
}

inline format::ScaleStrides row_scale_strides(const Swiglu& p) {
  return format::scale_strides(scale_format(p), p.m, 2 * p.h / p.format.group_size);
}
inline format::ScaleStrides y_scale_strides(const Swiglu& p) {
  return format::scale_strides(scale_format(p), p.m, p.h / p.format.group_size);
}

// ---- the transposed outputs: an expert's tokens are columns, padded to whole groups ----

// Upper bound on columns, for any split of the tokens among the experts.
inline std::int64_t all_columns(const Swiglu& p) {
  return has_experts(p) ? format::expert_columns(p.m, p.experts.count) : p.m;
}

inline format::ColumnLayout column_layout(const Swiglu& p) {
  return {all_columns(p), has_experts(p) && p.experts.layout == QFUSE_EXPERTS_APART, scale_format(p)};
}

// Upper bound on tiles. A GPU launches this many, because the host has not read the ends.
inline std::int64_t most_token_tiles(const Swiglu& p) {
  return format::block_count(all_columns(p), format::kGroupSize);
}

// These read the ends, which must be in host memory. The others take only ends that check_values() accepts.
Outcome check_values(const Swiglu& p);
std::int64_t token_tiles(const Swiglu& p);
format::TokenTile find_token_tile(const Swiglu& p, std::int64_t number);

// check_sizes() checks everything except the outputs, check_ranges() also the outputs.
Outcome check_sizes(const Swiglu& p);
Outcome check_ranges(const Swiglu& p);

// Bytes of bf16 rows, including gaps.
inline std::int64_t strided_size(std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return strided_count(rows, cols, stride) * format::dtype_size(QFUSE_BFLOAT16);
}

// Bytes of all outputs, whether requested or not.
inline qfuse_swiglu_sizes output_sizes(const Swiglu& p) {
  const std::int64_t columns = p.m == 0 ? 0 : all_columns(p);
  const auto size = [&](std::int64_t rows, std::int64_t values) {
    const std::int64_t groups = format::ceil_div(values, p.format.group_size);
    return qfuse_quantized_size{rows * values, p.m == 0 ? 0 : format::scales_size(scale_format(p), rows, groups)};
  };
  return {size(p.m, p.h), size(p.h, columns), size(p.m, 2 * p.h), size(2 * p.h, columns),
          is_empty(p) ? 0 : p.m * static_cast<std::int64_t>(sizeof(float))};
}

template <ParamsOf<Swiglu> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const qfuse_swiglu_sizes sizes = output_sizes(p);
  const auto visit_output = [&](const char* q, const char* s, auto& output, const qfuse_quantized_size& size) {
    visit(q, output.q, is_wanted(output) ? size.q : 0);
    visit(s, output.s, is_wanted(output) ? size.s : 0);
  };
  visit("x", p.x, strided_size(p.m, 2 * p.h, x_stride(p)));
  visit("grad_y", p.grad_y, wants_gradients(p) ? strided_size(p.m, p.h, grad_y_stride(p)) : 0);
  visit("experts.ends", p.experts.ends, is_empty(p) ? 0 : p.experts.count * index_size(p.experts.ends_type));
  visit_output("grad_input.q", "grad_input.s", p.grad_input, sizes.grad_input);
  visit_output("y_t.q", "y_t.s", p.y_t, sizes.y_t);
  visit_output("grad_input_t.q", "grad_input_t.s", p.grad_input_t, sizes.grad_input_t);
  visit_output("y.q", "y.s", p.y, sizes.y);
  visit("weights", p.weights, p.weights != nullptr ? sizes.grad_weights : 0);
  visit("grad_weights", p.grad_weights, wants_grad_weights(p) ? sizes.grad_weights : 0);
  visit("workspace", p.workspace, workspace_size(p), kWorkspace);
}

// Bytes that the op moves, without the gaps between strided rows, which are not read.
std::int64_t bytes(const Swiglu& p);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_SWIGLU_H
