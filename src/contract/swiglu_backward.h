// What swiglu_backward accepts.
#ifndef QFUSE_CONTRACT_SWIGLU_BACKWARD_H
#define QFUSE_CONTRACT_SWIGLU_BACKWARD_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct SwigluBackward : qfuse_swiglu_backward_params {
  static constexpr const char* kName = "swiglu_backward";
};

inline bool is_empty(const SwigluBackward& p) { return p.m == 0 || p.h == 0; }

// Which outputs are asked for. Whoever gives one array of a pair asks for both; the check refuses half a pair.
inline bool wants_rows(const SwigluBackward& p) { return p.grad_input_q != nullptr || p.grad_input_s != nullptr; }
inline bool wants_transposed(const SwigluBackward& p) {
  return p.grad_input_q_t != nullptr || p.grad_input_s_t != nullptr;
}
inline bool wants_gradients(const SwigluBackward& p) { return wants_rows(p) || wants_transposed(p); }
inline bool wants_y(const SwigluBackward& p) { return p.y_q_t != nullptr || p.y_s_t != nullptr; }

// Elements from one row to the next.
inline std::int64_t x_stride(const SwigluBackward& p) { return p.x_stride != 0 ? p.x_stride : 2 * p.h; }
inline std::int64_t grad_y_stride(const SwigluBackward& p) { return p.grad_y_stride != 0 ? p.grad_y_stride : p.h; }

// The payloads of the outputs: a byte each, of either type.
inline std::int8_t* grad_input_payload(const SwigluBackward& p) { return static_cast<std::int8_t*>(p.grad_input_q); }
inline std::int8_t* y_payload(const SwigluBackward& p) { return static_cast<std::int8_t*>(p.y_q_t); }
inline std::int8_t* grad_input_t_payload(const SwigluBackward& p) {
  return static_cast<std::int8_t*>(p.grad_input_q_t);
}

// Where a scale lies: row * ScaleStrides::row + group * ScaleStrides::group.
struct ScaleStrides {
  std::int64_t row;
  std::int64_t group;
};

// Rows of MN-major scales, as loads of 16 bytes want them.
inline std::int64_t mn_rows(std::int64_t rows) { return format::ceil_div(rows, std::int64_t{4}) * 4; }

inline ScaleStrides scale_strides(const SwigluBackward& p, std::int64_t rows, std::int64_t groups) {
  if (p.scale_layout == QFUSE_SCALES_MN_MAJOR) return {1, mn_rows(rows)};
  return {groups, 1};
}
inline ScaleStrides row_scale_strides(const SwigluBackward& p) {
  return scale_strides(p, p.m, 2 * p.h / format::kGroupSize);
}
// Of y, h rows, or of the transposed gradient, 2h.
inline ScaleStrides transposed_scale_strides(const SwigluBackward& p, std::int64_t rows) {
  return scale_strides(p, rows, format::block_count(p.m, format::kGroupSize));
}

Outcome check_ranges(const SwigluBackward& p);

// Bytes of rows of bf16, gaps included.
inline std::int64_t strided_size(std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return strided_count(rows, cols, stride) * format::dtype_size(QFUSE_BFLOAT16);
}

template <ParamsOf<SwigluBackward> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t gradients = wants_gradients(p) ? p.m * 2 * p.h : 0;
  const std::int64_t rows = wants_rows(p) ? gradients : 0;
  const std::int64_t transposed = wants_transposed(p) ? gradients : 0;
  const std::int64_t y = wants_y(p) ? p.m * p.h : 0;
  const std::int64_t token_groups = format::block_count(p.m, format::kGroupSize) * kFloat;
  const std::int64_t channel_groups = 2 * p.h / format::kGroupSize * kFloat;
  const std::int64_t tokens = p.scale_layout == QFUSE_SCALES_MN_MAJOR ? mn_rows(p.m) : p.m;
  visit("x", p.x, strided_size(p.m, 2 * p.h, x_stride(p)));
  visit("grad_y", p.grad_y, gradients > 0 ? strided_size(p.m, p.h, grad_y_stride(p)) : 0);
  visit("grad_input_q", p.grad_input_q, rows);
  visit("grad_input_s", p.grad_input_s, rows > 0 ? tokens * channel_groups : 0);
  visit("y_q_t", p.y_q_t, y);
  visit("y_s_t", p.y_s_t, y > 0 ? p.h * token_groups : 0);
  visit("grad_input_q_t", p.grad_input_q_t, transposed);
  visit("grad_input_s_t", p.grad_input_s_t, transposed > 0 ? 2 * p.h * token_groups : 0);
}

// Of the gaps between strided rows, nothing is read.
std::int64_t bytes(const SwigluBackward& p);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_SWIGLU_BACKWARD_H
