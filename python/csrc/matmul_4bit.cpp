#include <torch/csrc/stable/ops.h>

#include <array>
#include <cstddef>
#include <stdexcept>

#include "extras.h"
#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// "split" selects the device's summation order for few rows.
qfuse_sum sum_of(const Call& call, const std::string& name, qfuse_dtype dtype) {
  if (name == "plain") return QFUSE_SUM_OF_DEVICE;
  if (name == "split") return call.sum_of_few_rows(dtype);
  if (name == "factored") return QFUSE_SUM_FACTORED;
  refuse("order is '", name, "', it can be 'plain', 'split' or 'factored'");
}

void check_x(const TensorView& x, std::int64_t terms) {
  if (x.sizes.size() == 0 || x.sizes[x.sizes.size() - 1] != terms)
    refuse("x has shape ", shape_text(x.sizes), ", its last dimension must be ", terms);
}

// Shape of an output: that of x with `outputs` as the last dimension.
std::vector<std::int64_t> shape_of_output(const TensorView& x, std::int64_t outputs) {
  std::vector<std::int64_t> shape(x.sizes.begin(), x.sizes.end());
  shape.back() = outputs;
  return shape;
}
template <class Params>
void set_x(const TensorView& x, Params& p) {
  p.dtype = dtype_of(x.dtype, "x");
  p.m = elements_of(shape_of_output(x, 1));
  p.in_stride = x.numel() == 0 ? 0 : row_stride(x);
  p.in = x.data;
}

}  // namespace

bool has_rows(const TensorView& x) { return x.sizes.size() == 0 || x.numel() == 0 || row_stride(x) != 0; }

Tensor matmul_4bit(const Tensor& x, const Tensors& weight, const std::optional<Tensor>& bias,
                   const std::optional<Tensor>& lora_in, const std::optional<Tensor>& lora_weight,
                   const std::vector<std::int64_t>& shape, const std::string& quant_type, std::int64_t blocksize,
                   std::int64_t nested_blocksize, const std::string& direction, const std::string& order) {
  const Tensor rows = has_rows(TensorView(x)) ? x : torch::stable::contiguous(x);
  return matmul_4bit_views(
      {TensorView(rows), {weight.begin(), weight.end()}, view_of(bias), view_of(lora_in), view_of(lora_weight)}, shape,
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
  const bool forward = p.direction == QFUSE_FORWARD;
  const std::int64_t outputs = forward ? w.rows : w.cols;
  check_x(x, forward ? w.cols : w.rows);
  set_x(x, p);
  p.sum = sum_of(call, order, p.dtype);
  add_extras(call, {views.bias, views.lora_in, views.lora_weight, {}}, x.dtype, outputs, p);
  Tensor out = call.empty(shape_of_output(x, outputs), x.dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_matmul_4bit, p);
  return out;
}

Tensor matmul_4bit_grouped(const Tensor& x, const Tensors& weight, const Tensor& expert_ends,
                           const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction, const std::string& order) {
  const Tensor readable = has_rows(TensorView(x)) ? x : torch::stable::contiguous(x);
  const TensorView rows(readable);
  const TensorViews views(weight.begin(), weight.end());
  const Call call(rows, "x");
  if (shape.size() != 3) refuse("shape is ", shape_text(shape), ", it must be [experts, rows, cols]");
  if (rows.sizes.size() != 2) refuse("x has shape ", shape_text(rows.sizes), ", it must have 2 dimensions");
  const ExpertEnds ends = call.expert_ends(expert_ends);
  const std::int64_t experts = shape[0];
  if (ends.count != experts)
    refuse("expert_ends has ", ends.count, " elements, shape ", shape_text(shape), " is of ", experts, " experts");
  const std::int64_t parts = nested_parts(views, experts);
  const qfuse_weight_4bit w = weight_4bit(call, views, shape, quant_type, blocksize, nested_blocksize, parts);
  qfuse_matmul_4bit_grouped_params p{};
  p.weight = &w;
  p.direction = direction_of(direction);
  const bool forward = p.direction == QFUSE_FORWARD;
  const std::int64_t outputs = forward ? shape[1] : shape[2];
  check_x(rows, forward ? shape[2] : shape[1]);
  set_x(rows, p);
  p.sum = sum_of(call, order, p.dtype);
  p.experts = experts;
  p.expert_ends = ends.data;
  p.ends_type = ends.type;
  p.nested_each = parts > 1 ? 1 : 0;
  add_extras(call, {view_of(bias), view_of(lora_in), view_of(lora_weight), experts}, rows.dtype, outputs, p);
  Tensor out = call.empty(shape_of_output(rows, outputs), rows.dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_matmul_4bit_grouped, p);
  return out;
}

Tensors matmul_4bit_many(const Tensor& x, const Tensors& weights, const Tensors& biases,
                         const std::vector<std::int64_t>& rows, const std::string& quant_type, std::int64_t blocksize,
                         std::int64_t nested_blocksize, const std::string& order) {
  const Tensor readable = has_rows(TensorView(x)) ? x : torch::stable::contiguous(x);
  return matmul_4bit_many_views(
      {TensorView(readable), {weights.begin(), weights.end()}, {biases.begin(), biases.end()}}, rows, quant_type,
      blocksize, nested_blocksize, order);
}

Tensors matmul_4bit_many_views(const Matmul4bitManyViews& views, const std::vector<std::int64_t>& rows,
                               const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                               const std::string& order) {
  const TensorView& x = views.x;
  const TensorViews &weights = views.weights, &biases = views.biases;
  const Call call(x, "x");
  const std::size_t count = rows.size();
  if (count == 0 ? !weights.empty() : weights.size() % count != 0)
    refuse("weights has ", weights.size(), " tensors, rows ", count, " entries: there must be as many tensors of each");
  if (!biases.empty() && biases.size() != count)
    refuse("biases has ", biases.size(), " tensors, it must have ", count, ", or none");
  if (x.sizes.size() == 0) refuse("x has shape [], it must be [..., cols]");
  qfuse_matmul_4bit_many_params p{};
  set_x(x, p);
  p.sum = sum_of(call, order, p.dtype);
  std::vector<qfuse_weight_4bit> read(count);
  std::vector<qfuse_matmul_4bit_product> products(count);
  Tensors outs;
  const auto add = [&](std::size_t i) {
    const std::size_t each = weights.size() / count;
    const TensorViews weight(weights.begin() + static_cast<std::ptrdiff_t>(i * each),
                             weights.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
    const std::array shape = {rows[i], x.sizes[x.sizes.size() - 1]};
    read[i] = weight_4bit(call, weight, shape, quant_type, blocksize, nested_blocksize);
    products[i].weight = &read[i];
    if (!biases.empty()) products[i].bias = call.array(biases[i], "bias", x.dtype, rows[i]);
    products[i].out = outs.emplace_back(call.empty(shape_of_output(x, rows[i]), x.dtype)).mutable_data_ptr();
  };
  for (std::size_t i = 0; i < count; ++i) {
    try {
      add(i);
    } catch (const std::runtime_error& error) {
      refuse("products[", i, "]: ", error.what());
    }
  }
  p.count = static_cast<std::int64_t>(count);
  p.products = products.data();
  call.run(qfuse_matmul_4bit_many, p);
  return outs;
}

}  // namespace qfuse::torch_ops
