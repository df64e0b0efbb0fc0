#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <array>

#include "ops.h"

namespace qfuse::torch_ops {
namespace {

qfuse_direction direction_of(const std::string& name) {
  if (name == "forward") return QFUSE_FORWARD;
  if (name == "backward") return QFUSE_BACKWARD;
  refuse("direction is '", name, "', it can be 'forward' or 'backward'");
}

qfuse_sum_order order_of(const std::string& name) {
  if (name == "plain") return QFUSE_ORDER_PLAIN;
  if (name == "split") return QFUSE_ORDER_SPLIT;
  refuse("order is '", name, "', it can be 'plain' or 'split'");
}

// The distance between rows, if all dimensions but the last can be taken for one: of contiguous tensors, and of slices
// that leave out columns. 0 where they have to be copied: rows that overlap or lie irregularly, columns apart.
std::int64_t row_stride(const TensorView& x) {
  const std::int64_t cols = x.sizes[x.sizes.size() - 1];
  if (cols > 1 && x.strides[x.strides.size() - 1] != 1) return 0;
  std::int64_t rows = 1, stride = cols;
  for (std::size_t i = x.sizes.size() - 1; i-- > 0;) {
    if (x.sizes[i] == 1) continue;
    if (rows == 1) stride = x.strides[i];
    if (x.strides[i] != stride * rows) return 0;
    rows *= x.sizes[i];
  }
  return stride < cols ? 0 : stride;
}

void check_x(const TensorView& x, std::int64_t terms) {
  if (x.sizes.size() == 0 || x.sizes[x.sizes.size() - 1] != terms)
    refuse("x has shape ", shape_text(x.sizes), ", its last dimension must be ", terms);
}

// lora_in has the rows of x, and lora_weight an output's values in a row, or backward in a column.
void add_lora(const Call& call, const TensorView& lora_in, const TensorView& lora_weight, ScalarType dtype,
              std::int64_t outputs, qfuse_matmul_4bit_params& p) {
  if (lora_in.sizes.size() == 0) refuse("lora_in has shape [], it must be [..., rank]");
  p.lora_rank = lora_in.sizes[lora_in.sizes.size() - 1];
  p.lora_in = call.array(lora_in, "lora_in", dtype, p.m * p.lora_rank);
  const bool forward = p.direction == QFUSE_FORWARD;
  const std::array shape = {forward ? outputs : p.lora_rank, forward ? p.lora_rank : outputs};
  if (!std::ranges::equal(lora_weight.sizes, shape))
    refuse("lora_weight has shape ", shape_text(lora_weight.sizes), ", it must be ", shape_text(shape));
  p.lora_weight = call.array(lora_weight, "lora_weight", dtype, outputs * p.lora_rank);
}

}  // namespace

bool has_rows(const TensorView& x) { return x.sizes.size() == 0 || x.numel() == 0 || row_stride(x) != 0; }

Tensor matmul_4bit(const Tensor& x, const Tensors& weight, const std::optional<Tensor>& bias,
                   const std::optional<Tensor>& lora_in, const std::optional<Tensor>& lora_weight,
                   const std::vector<std::int64_t>& shape, const std::string& quant_type, std::int64_t blocksize,
                   std::int64_t nested_blocksize, const std::string& direction, const std::string& order) {
  const Tensor rows = has_rows(TensorView(x)) ? x : torch::stable::contiguous(x);
  const auto view = [](const std::optional<Tensor>& tensor) { return tensor ? TensorView(*tensor) : TensorView(); };
  return matmul_4bit_views(
      {TensorView(rows), {weight.begin(), weight.end()}, view(bias), view(lora_in), view(lora_weight)}, shape,
      quant_type, blocksize, nested_blocksize, direction, order);
}

Tensor matmul_4bit_views(const Matmul4bitViews& views, const std::vector<std::int64_t>& shape,
                         const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                         const std::string& direction, const std::string& order) {
  const TensorView& x = views.x;
  const Call call(x, "x");
  if (shape.size() != 2) refuse("shape is ", shape_text(shape), ", it must be [rows, cols]");
  const qfuse_weight_4bit w = weight_4bit(call, views.weight, shape, quant_type, blocksize, nested_blocksize);
  qfuse_matmul_4bit_params p{};
  p.weight = &w;
  p.direction = direction_of(direction);
  p.order = order_of(order);
  p.dtype = dtype_of(x.dtype, "x");
  const bool forward = p.direction == QFUSE_FORWARD;
  const std::int64_t outputs = forward ? w.rows : w.cols;
  check_x(x, forward ? w.cols : w.rows);
  std::vector<std::int64_t> out_shape(x.sizes.begin(), x.sizes.end());
  out_shape.back() = 1;
  p.m = elements_of(out_shape);
  out_shape.back() = outputs;
  p.in_stride = x.numel() == 0 ? 0 : row_stride(x);
  p.in = x.data;
  if (views.bias.is_tensor()) p.bias = call.array(views.bias, "bias", x.dtype, outputs);
  if (views.lora_in.is_tensor() != views.lora_weight.is_tensor())
    refuse("lora_in and lora_weight are given together, or neither is");
  if (views.lora_in.is_tensor()) add_lora(call, views.lora_in, views.lora_weight, x.dtype, outputs, p);
  Tensor out = call.empty(out_shape, x.dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_matmul_4bit, p);
  return out;
}

}  // namespace qfuse::torch_ops
