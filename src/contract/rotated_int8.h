// The contracts of the five ops of rotated_int8: their parameters, checks, and arrays.
#ifndef QFUSE_CONTRACT_ROTATED_INT8_H
#define QFUSE_CONTRACT_ROTATED_INT8_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "contract/weight_4bit.h"
#include "format/layout.h"
#include "format/rotated_int8.h"

namespace qfuse::contract {

// ---- quantizing x or dy ----

struct RotatedInt8Quantize : qfuse_rotated_int8_quantize_params {
  static constexpr const char* kName = "rotated_int8_quantize";
};

inline std::int64_t in_stride(const RotatedInt8Quantize& p) { return p.in_stride != 0 ? p.in_stride : p.cols; }
inline bool is_empty(const RotatedInt8Quantize& p) { return p.rows == 0 || p.cols == 0; }

Outcome check_ranges(const RotatedInt8Quantize& p);

template <ParamsOf<RotatedInt8Quantize> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  visit("in", p.in, strided_count(p.rows, p.cols, in_stride(p)) * format::dtype_size(p.in_dtype));
  visit("q", p.q, p.rows * p.cols);
  visit("scale", p.scale, is_empty(p) ? 0 : p.rows * kFloat);
}

// ---- quantizing a weight ----

struct RotatedInt8WeightScales : qfuse_rotated_int8_weight_scales_params {
  static constexpr const char* kName = "rotated_int8_weight_scales";
  qfuse_weight_4bit weight;  // by value: replaces the base struct's pointer
};

struct RotatedInt8Weight : qfuse_rotated_int8_weight_params {
  static constexpr const char* kName = "rotated_int8_weight";
  qfuse_weight_4bit weight;  // by value: replaces the base struct's pointer
};

template <class P>
concept RotatedWeight = ParamsOf<P, RotatedInt8WeightScales> || ParamsOf<P, RotatedInt8Weight>;

// Terms of a sum (K), along which the weight is rotated; and outputs (N), each of which has a scale.
std::int64_t term_count(const RotatedWeight auto& p) {
  return p.direction == QFUSE_FORWARD ? p.weight.cols : p.weight.rows;
}
std::int64_t output_count(const RotatedWeight auto& p) {
  return p.direction == QFUSE_FORWARD ? p.weight.rows : p.weight.cols;
}
bool is_empty(const RotatedWeight auto& p) { return element_count(p.weight) == 0; }

Outcome check_ranges(const RotatedInt8WeightScales& p);
Outcome check_ranges(const RotatedInt8Weight& p);

template <RotatedWeight P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  visit_arrays(p.weight, visit);
  visit("scale", p.scale, is_empty(p) ? 0 : output_count(p) * static_cast<std::int64_t>(sizeof(float)));
  if constexpr (ParamsOf<P, RotatedInt8Weight>) visit("q", p.q, element_count(p.weight));
}

// ---- the product ----

struct RotatedInt8Matmul : qfuse_rotated_int8_matmul_params {
  static constexpr const char* kName = "rotated_int8_matmul";
};

inline std::int64_t out_stride(const RotatedInt8Matmul& p) { return p.out_stride != 0 ? p.out_stride : p.n; }
inline bool is_empty(const RotatedInt8Matmul& p) { return p.m == 0 || p.n == 0; }

// Index in lora_weight of term j of output o.
inline std::int64_t lora_index(const RotatedInt8Matmul& p, std::int64_t o, std::int64_t j) {
  return p.direction == QFUSE_FORWARD ? o * p.lora_rank + j : j * p.n + o;
}

Outcome check_ranges(const RotatedInt8Matmul& p);

template <ParamsOf<RotatedInt8Matmul> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t size = format::dtype_size(p.dtype);
  const bool has_sums = !is_empty(p);
  visit("in_q", p.in_q, has_sums ? p.m * p.k : 0);
  visit("in_scale", p.in_scale, has_sums ? p.m * kFloat : 0);
  visit("weight_q", p.weight_q, has_sums ? p.n * p.k : 0);
  visit("weight_scale", p.weight_scale, has_sums ? p.n * kFloat : 0);
  visit("bias", p.bias, has_sums && p.bias != nullptr ? p.n * size : 0);
  visit("lora_in", p.lora_in, has_sums ? p.m * p.lora_rank * size : 0);
  visit("lora_weight", p.lora_weight, has_sums ? p.n * p.lora_rank * size : 0);
  visit("addend", p.addend, has_sums && p.addend != nullptr ? p.m * p.n * size : 0);
  visit("out", p.out, strided_count(p.m, p.n, out_stride(p)) * size);
}

// ---- quantizing the results of a SwiGLU block ----

struct RotatedInt8Swiglu : qfuse_rotated_int8_swiglu_params {
  static constexpr const char* kName = "rotated_int8_swiglu";
};

inline bool is_empty(const RotatedInt8Swiglu& p) { return p.m == 0 || p.h == 0; }

// Backward, the rows are those of d_gate followed by those of d_up; forward, those of y.
inline bool is_backward(const RotatedInt8Swiglu& p) { return p.direction == QFUSE_BACKWARD; }
inline std::int64_t row_count(const RotatedInt8Swiglu& p) { return is_backward(p) ? 2 * p.m : p.m; }

inline std::int64_t gate_stride(const RotatedInt8Swiglu& p) { return p.gate_stride != 0 ? p.gate_stride : p.h; }
inline std::int64_t up_stride(const RotatedInt8Swiglu& p) { return p.up_stride != 0 ? p.up_stride : p.h; }
inline std::int64_t grad_y_stride(const RotatedInt8Swiglu& p) { return p.grad_y_stride != 0 ? p.grad_y_stride : p.h; }

Outcome check_ranges(const RotatedInt8Swiglu& p);

template <ParamsOf<RotatedInt8Swiglu> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const std::int64_t size = format::dtype_size(QFUSE_BFLOAT16);
  const std::int64_t count = row_count(p) * p.h;
  visit("gate", p.gate, strided_count(p.m, p.h, gate_stride(p)) * size);
  visit("up", p.up, strided_count(p.m, p.h, up_stride(p)) * size);
  visit("grad_y", p.grad_y, is_backward(p) ? strided_count(p.m, p.h, grad_y_stride(p)) * size : 0);
  visit("q", p.q, count);
  visit("scale", p.scale, is_empty(p) ? 0 : row_count(p) * static_cast<std::int64_t>(sizeof(float)));
  visit("out", p.out, p.out != nullptr ? count * size : 0);
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_ROTATED_INT8_H
