#include "ops.h"

namespace qfuse::torch_ops {
namespace {

void check_matrix(const Tensor& tensor, const char* name, const char* shape) {
  if (tensor.dim() != 2) refuse(name, " has ", tensor.dim(), " dimensions, it must be ", shape);
}

}  // namespace

void lora_merge_out(const Tensor& weight, const Tensor& lora_a, const Tensor& lora_b, double scale, const Tensor& out) {
  const Call call(weight, "weight");
  check_matrix(weight, "weight", "[rows, cols]");
  check_matrix(lora_a, "lora_a", "[rank, cols]");
  check_matrix(lora_b, "lora_b", "[rows, rank]");
  qfuse_lora_merge_params p{};
  p.in_dtype = dtype_of(weight.scalar_type(), "weight");
  p.out_dtype = dtype_of(out.scalar_type(), "out");
  p.rows = weight.size(0);
  p.cols = weight.size(1);
  p.rank = lora_a.size(0);
  if (lora_a.size(1) != p.cols)
    refuse("lora_a has shape ", shape_text(lora_a.sizes()), ", it must be [rank, ", p.cols, "]");
  if (lora_b.size(0) != p.rows || lora_b.size(1) != p.rank)
    refuse("lora_b has shape ", shape_text(lora_b.sizes()), ", it must be [", p.rows, ", ", p.rank, "]");
  p.scale = static_cast<float>(scale);
  p.in = call.bytes(weight, "weight");
  p.a = static_cast<const float*>(call.array(lora_a, "lora_a", ScalarType::Float, p.rank * p.cols));
  p.b = static_cast<const float*>(call.array(lora_b, "lora_b", ScalarType::Float, p.rows * p.rank));
  p.out = call.output(out, "out", out.scalar_type(), {p.rows, p.cols});
  call.run(qfuse_lora_merge, p);
}

Tensor lora_merge(const Tensor& weight, const Tensor& lora_a, const Tensor& lora_b, double scale, ScalarType dtype) {
  dtype_of(dtype, "dtype");
  const Tensor out = Call(weight, "weight").empty(weight.sizes(), dtype);
  lora_merge_out(weight, lora_a, lora_b, scale, out);
  return out;
}

}  // namespace qfuse::torch_ops
