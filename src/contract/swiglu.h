// What swiglu accepts.
#ifndef QFUSE_CONTRACT_SWIGLU_H
#define QFUSE_CONTRACT_SWIGLU_H

#include <limits>

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/host_device.h"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::contract {

struct Swiglu : qfuse_swiglu_params {
  static constexpr const char* kName = "swiglu";
};

inline bool is_empty(const Swiglu& p) { return p.m == 0 || p.h == 0; }
inline bool has_experts(const Swiglu& p) { return p.expert_count != 0; }

// Which outputs are asked for. Whoever gives one array of a pair asks for both; the check refuses half a pair.
inline bool wants_rows(const Swiglu& p) { return p.grad_input_q != nullptr || p.grad_input_s != nullptr; }
inline bool wants_transposed(const Swiglu& p) { return p.grad_input_q_t != nullptr || p.grad_input_s_t != nullptr; }
inline bool wants_gradients(const Swiglu& p) { return wants_rows(p) || wants_transposed(p); }
inline bool wants_y_rows(const Swiglu& p) { return p.y_q != nullptr || p.y_s != nullptr; }
inline bool wants_y_transposed(const Swiglu& p) { return p.y_q_t != nullptr || p.y_s_t != nullptr; }
inline bool wants_grad_weights(const Swiglu& p) { return p.grad_weights != nullptr; }

// Elements from one row to the next.
inline std::int64_t x_stride(const Swiglu& p) { return p.x_stride != 0 ? p.x_stride : 2 * p.h; }
inline std::int64_t grad_y_stride(const Swiglu& p) { return p.grad_y_stride != 0 ? p.grad_y_stride : p.h; }

// The payloads of the outputs: a byte each, of either type.
inline std::int8_t* grad_input_payload(const Swiglu& p) { return static_cast<std::int8_t*>(p.grad_input_q); }
inline std::int8_t* y_payload(const Swiglu& p) { return static_cast<std::int8_t*>(p.y_q); }
inline std::int8_t* y_t_payload(const Swiglu& p) { return static_cast<std::int8_t*>(p.y_q_t); }
inline std::int8_t* grad_input_t_payload(const Swiglu& p) { return static_cast<std::int8_t*>(p.grad_input_q_t); }

// ---- router weights and other activations ----

// A call that has none of them takes steps of its own, with fewer operations.
inline bool has_weights(const Swiglu& p) { return p.weights != nullptr || p.grad_weights != nullptr; }
inline bool has_activation(const Swiglu& p) {
  return p.limit != 0 || (p.alpha != 0 && p.alpha != 1) || p.up_offset != 0;
}
inline float alpha(const Swiglu& p) { return p.alpha != 0 ? p.alpha : 1.0F; }
inline float limit(const Swiglu& p) { return p.limit > 0 ? p.limit : std::numeric_limits<float>::infinity(); }
inline bool limit_is_bfloat16(const Swiglu& p) {
  return format::from_bfloat16(format::to_bfloat16(limit(p))) == limit(p);
}

// The sums of grad_weights over 128 channels each, of all tokens one after another: [h/128, m].
inline std::int64_t workspace_size(const Swiglu& p) {
  if (is_empty(p) || !wants_grad_weights(p)) return 0;
  return p.m * (p.h / format::kGroupSize) * static_cast<std::int64_t>(sizeof(float));
}

// ---- scales ----

// Where a scale lies: row * ScaleStrides::row + group * ScaleStrides::group.
struct ScaleStrides {
  std::int64_t row;
  std::int64_t group;
};

// Rows of MN-major scales, as loads of 16 bytes want them.
QFUSE_HOST_DEVICE constexpr std::int64_t mn_rows(std::int64_t rows) {
  return format::ceil_div(rows, std::int64_t{4}) * 4;
}

QFUSE_HOST_DEVICE constexpr ScaleStrides scale_strides(qfuse_scale_layout layout, std::int64_t rows,
                                                       std::int64_t groups) {
  if (layout == QFUSE_SCALES_MN_MAJOR) return {1, mn_rows(rows)};
  return {groups, 1};
}
inline ScaleStrides row_scale_strides(const Swiglu& p) {
  return scale_strides(p.scale_layout, p.m, 2 * p.h / format::kGroupSize);
}
inline ScaleStrides y_scale_strides(const Swiglu& p) {
  return scale_strides(p.scale_layout, p.m, p.h / format::kGroupSize);
}

// ---- the transposed outputs, of which an expert's tokens are columns, filled up to whole groups ----

QFUSE_HOST_DEVICE constexpr std::int64_t whole_groups(std::int64_t tokens) {
  return format::ceil_div(tokens, format::kGroupSize) * format::kGroupSize;
}

// Columns that any share of the tokens among the experts finds room in.
inline std::int64_t all_columns(const Swiglu& p) {
  return has_experts(p) ? format::expert_columns(p.m, p.expert_count) : p.m;
}

struct ColumnLayout {
  std::int64_t all_columns;
  bool are_apart;  // each expert's rows are as long as its columns; else all experts' lie side by side in one row
  qfuse_scale_layout scales;
};

inline ColumnLayout column_layout(const Swiglu& p) {
  return {all_columns(p), has_experts(p) && p.expert_layout == QFUSE_EXPERTS_APART, p.scale_layout};
}

// Where an expert's part of an output lies: element (row, column) at first + row * stride + column; scales likewise.
struct ColumnPlace {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t first_scale;
  ScaleStrides scales;
};

// Of an output of `rows` rows. before: columns of the experts before this one; columns: its own.
QFUSE_HOST_DEVICE constexpr ColumnPlace place_columns(const ColumnLayout& layout, std::int64_t rows,
                                                      std::int64_t before, std::int64_t columns) {
  const std::int64_t groups_before = before / format::kGroupSize;
  if (layout.are_apart)
    return {rows * before, columns, rows * groups_before,
            scale_strides(layout.scales, rows, format::block_count(columns, format::kGroupSize))};
  const ScaleStrides scales =
      scale_strides(layout.scales, rows, format::block_count(layout.all_columns, format::kGroupSize));
  return {before, layout.all_columns, groups_before * scales.group, scales};
}

// ---- tiles of tokens: 128 of one expert, or of all where there are no experts ----

struct TokenTile {
  std::int64_t token;    // the first, of x
  std::int64_t count;    // of tokens: 128, or fewer in the last tile; 0 beyond the last tile
  std::int64_t column;   // the first, of the expert's
  std::int64_t before;   // columns of the experts before
  std::int64_t columns;  // of the expert
};

// Of `rows` tokens from `first` on, tile `index`.
QFUSE_HOST_DEVICE constexpr TokenTile tile_of(std::int64_t first, std::int64_t rows, std::int64_t index,
                                              std::int64_t before, std::int64_t columns) {
  const std::int64_t column = index * format::kGroupSize;
  const std::int64_t left = rows - column;
  return {first + column, left < format::kGroupSize ? left : format::kGroupSize, column, before, columns};
}

// Columns of a tile that are written: with experts whole groups, zeros where there is no token.
QFUSE_HOST_DEVICE constexpr std::int64_t columns_of(const TokenTile& tile) {
  const std::int64_t left = tile.columns - tile.column;
  return left < format::kGroupSize ? left : format::kGroupSize;
}

// Tiles by whose number a GPU, which has not read the ends, finds all that there may be.
inline std::int64_t most_token_tiles(const Swiglu& p) {
  return format::block_count(all_columns(p), format::kGroupSize);
}

// On the host, which has the ends; check_values says which it takes.
Outcome check_values(const Swiglu& p);
std::int64_t expert_end(const Swiglu& p, std::int64_t expert);
std::int64_t token_tiles(const Swiglu& p);
TokenTile find_token_tile(const Swiglu& p, std::int64_t number);

Outcome check_ranges(const Swiglu& p);

constexpr std::int64_t index_size(qfuse_index_type type) { return type == QFUSE_INDEX_INT64 ? 8 : 4; }

// Bytes of rows of bf16, gaps included.
inline std::int64_t strided_size(std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return strided_count(rows, cols, stride) * format::dtype_size(QFUSE_BFLOAT16);
}

template <ParamsOf<Swiglu> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t gradients = wants_gradients(p) ? p.m * 2 * p.h : 0;
  const std::int64_t rows = wants_rows(p) ? gradients : 0;
  const std::int64_t columns = p.m == 0 ? 0 : all_columns(p);
  const std::int64_t transposed = wants_transposed(p) ? columns * 2 * p.h : 0;
  const std::int64_t y = wants_y_rows(p) ? p.m * p.h : 0;
  const std::int64_t y_t = wants_y_transposed(p) ? columns * p.h : 0;
  const std::int64_t token_groups = format::block_count(columns, format::kGroupSize) * kFloat;
  const std::int64_t channel_groups = 2 * p.h / format::kGroupSize * kFloat;
  const std::int64_t tokens = p.scale_layout == QFUSE_SCALES_MN_MAJOR ? mn_rows(p.m) : p.m;
  visit("x", p.x, strided_size(p.m, 2 * p.h, x_stride(p)));
  visit("grad_y", p.grad_y, gradients > 0 ? strided_size(p.m, p.h, grad_y_stride(p)) : 0);
  visit("expert_ends", p.expert_ends, is_empty(p) ? 0 : p.expert_count * index_size(p.expert_ends_type));
  visit("grad_input_q", p.grad_input_q, rows);
  visit("grad_input_s", p.grad_input_s, rows > 0 ? tokens * channel_groups : 0);
  visit("y_q_t", p.y_q_t, y_t);
  visit("y_s_t", p.y_s_t, y_t > 0 ? p.h * token_groups : 0);
  visit("grad_input_q_t", p.grad_input_q_t, transposed);
  visit("grad_input_s_t", p.grad_input_s_t, transposed > 0 ? 2 * p.h * token_groups : 0);
  visit("y_q", p.y_q, y);
  visit("y_s", p.y_s, y > 0 ? tokens * channel_groups / 2 : 0);
  visit("weights", p.weights, p.weights != nullptr && !is_empty(p) ? p.m * kFloat : 0);
  visit("grad_weights", p.grad_weights, wants_grad_weights(p) && !is_empty(p) ? p.m * kFloat : 0);
  visit("workspace", p.workspace, workspace_size(p), kWorkspace);
}

// Of the gaps between strided rows, nothing is read.
std::int64_t bytes(const Swiglu& p);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_SWIGLU_H
