#include <torch/csrc/stable/ops.h>

#include <array>
#include <tuple>
#include <vector>

#include "extras.h"
#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// last_of returns the size of the last dimension, rows_of the sizes of the others.
std::int64_t last_of(const TensorView& x, const char* name) {
  if (x.sizes.size() == 0) refuse(name, " has shape (), it must be [..., terms]");
  return x.sizes[x.sizes.size() - 1];
}
std::vector<std::int64_t> rows_of(const TensorView& x) { return {x.sizes.begin(), x.sizes.end() - 1}; }

// A weight and its direction, with outputs (N, one scale each) and terms (K).
struct RotatedWeight {
  RotatedWeight(const Call& call, const TensorViews& weight, Shape shape, const std::string& quant_type,
                std::int64_t blocksize, std::int64_t nested_blocksize, const std::string& name)
      : direction(direction_of(name)) {
    if (shape.size() != 2) refuse("shape is ", shape_text(shape), ", it must be [rows, cols]");
    w = weight_4bit(call, weight, shape, quant_type, blocksize, nested_blocksize);
    outputs = direction == QFUSE_FORWARD ? w.rows : w.cols;
    terms = direction == QFUSE_FORWARD ? w.cols : w.rows;
  }
  qfuse_weight_4bit w{};
  qfuse_direction direction;
  std::int64_t outputs = 0;
  std::int64_t terms = 0;
};

}  // namespace

std::tuple<Tensor, Tensor> rotated_int8_quantize(const Tensor& x) {
  const Tensor readable = has_rows(TensorView(x)) ? x : torch::stable::contiguous(x);
  const TensorView rows(readable);
  const Call call(rows, "x");
  qfuse_rotated_int8_quantize_params p{};
  p.in_dtype = dtype_of(rows.dtype, "x");
  p.cols = last_of(rows, "x");
  p.rows = elements_of(rows_of(rows));
  p.in = rows.data;
  p.in_stride = rows.numel() == 0 ? 0 : row_stride(rows);
  const Tensor q = call.empty(rows.sizes, ScalarType::Char);
  const Tensor scale = call.empty(rows_of(rows), ScalarType::Float);
  p.q = static_cast<std::int8_t*>(q.mutable_data_ptr());
  p.scale = static_cast<float*>(scale.mutable_data_ptr());
  call.run(qfuse_rotated_int8_quantize, p);
  return {q, scale};
}

Tensor rotated_int8_weight_scales(const Tensors& weight, const std::vector<std::int64_t>& shape,
                                  const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                                  const std::string& direction) {
  const TensorViews views(weight.begin(), weight.end());
  const Call call(packed_of(views), "packed");
  const RotatedWeight of(call, views, shape, quant_type, blocksize, nested_blocksize, direction);
  const Tensor scale = call.empty({of.outputs}, ScalarType::Float);
  qfuse_rotated_int8_weight_scales_params p{};
  p.weight = &of.w;
  p.direction = of.direction;
  p.scale = static_cast<float*>(scale.mutable_data_ptr());
  call.run(qfuse_rotated_int8_weight_scales, p);
  return scale;
}

Tensor rotated_int8_weight(const Tensors& weight, const Tensor& scale, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction) {
  const TensorViews views(weight.begin(), weight.end());
  const Call call(packed_of(views), "packed");
  const RotatedWeight of(call, views, shape, quant_type, blocksize, nested_blocksize, direction);
  const Tensor q = call.empty({of.outputs, of.terms}, ScalarType::Char);
  qfuse_rotated_int8_weight_params p{};
  p.weight = &of.w;
  p.direction = of.direction;
  p.scale = static_cast<const float*>(call.array(scale, "scale", ScalarType::Float, of.outputs));
  p.q = static_cast<std::int8_t*>(q.mutable_data_ptr());
  call.run(qfuse_rotated_int8_weight, p);
  return q;
}

Tensor rotated_int8_matmul(const Tensor& x_q, const Tensor& x_scale, const Tensor& weight_q, const Tensor& weight_scale,
                           ScalarType dtype, const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::optional<Tensor>& addend,
                           const std::string& direction) {
  const TensorView x(x_q);
  const TensorView w(weight_q);
  const Call call(x, "x_q");
  if (w.sizes.size() != 2) refuse("weight_q has shape ", shape_text(w.sizes), ", it must be [outputs, terms]");
  qfuse_rotated_int8_matmul_params p{};
  p.dtype = dtype_of(dtype, "dtype");
  p.direction = direction_of(direction);
  p.n = w.sizes[0];
  p.k = w.sizes[1];
  if (last_of(x, "x_q") != p.k)
    refuse("x_q has shape ", shape_text(x.sizes), ", its last dimension must be ", p.k, ", as that of weight_q");
  std::vector<std::int64_t> shape = rows_of(x);
  p.m = elements_of(shape);
  p.in_q = static_cast<const std::int8_t*>(call.array(x, "x_q", ScalarType::Char, x.numel()));
  p.in_scale = static_cast<const float*>(call.array(x_scale, "x_scale", ScalarType::Float, p.m));
  p.weight_q = static_cast<const std::int8_t*>(call.array(w, "weight_q", ScalarType::Char, w.numel()));
  p.weight_scale = static_cast<const float*>(call.array(weight_scale, "weight_scale", ScalarType::Float, p.n));
  add_extras(call, {view_of(bias), view_of(lora_in), view_of(lora_weight), {}}, dtype, p.n, p);
  if (addend) p.addend = call.array(*addend, "addend", dtype, elements_of(std::array{p.m, p.n}));
  shape.push_back(p.n);
  const Tensor out = call.empty(shape, dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_rotated_int8_matmul, p);
  return out;
}

std::tuple<Tensor, Tensor, Tensor> rotated_int8_swiglu(const Tensor& gate, const Tensor& up,
                                                       const std::optional<Tensor>& grad_y) {
  const auto readable = [](const Tensor& x) { return has_rows(TensorView(x)) ? x : torch::stable::contiguous(x); };
  const Tensor kept[] = {readable(gate), readable(up), grad_y ? readable(*grad_y) : Tensor()};
  const TensorView rows(kept[0]);
  const Call call(rows, "gate");
  qfuse_rotated_int8_swiglu_params p{};
  p.h = last_of(rows, "gate");
  p.m = elements_of(rows_of(rows));
  p.direction = grad_y ? QFUSE_BACKWARD : QFUSE_FORWARD;
  const auto add = [&](const Tensor& tensor, const char* name, std::int64_t& stride) {
    return call.rows_anyhow(tensor, name, ScalarType::BFloat16, rows.sizes, stride);
  };
  p.gate = add(kept[0], "gate", p.gate_stride);
  p.up = add(kept[1], "up", p.up_stride);
  if (grad_y) p.grad_y = add(kept[2], "grad_y", p.grad_y_stride);
  std::vector<std::int64_t> shape(rows.sizes.begin(), rows.sizes.end());
  if (grad_y) shape.insert(shape.begin(), 2);
  const Tensor out = call.empty(shape, ScalarType::BFloat16);
  const Tensor q = call.empty(shape, ScalarType::Char);
  shape.pop_back();
  const Tensor scale = call.empty(shape, ScalarType::Float);
  p.out = out.mutable_data_ptr();
  p.q = static_cast<std::int8_t*>(q.mutable_data_ptr());
  p.scale = static_cast<float*>(scale.mutable_data_ptr());
  call.run(qfuse_rotated_int8_swiglu, p);
  return {out, q, scale};
}

}  // namespace qfuse::torch_ops
