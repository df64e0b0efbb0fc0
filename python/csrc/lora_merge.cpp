#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// Checks that a matrix, or one for each of `experts`, has this shape.
void check_shape(const TensorView& view, const char* name, std::int64_t experts, std::int64_t rows, std::int64_t cols) {
  const std::size_t n = view.sizes.size();
  const bool fits = n >= 2 && n <= 3 && view.sizes[n - 2] == rows && view.sizes[n - 1] == cols;
  if (!fits || (n == 3 ? view.sizes[0] : 1) != experts)
    refuse(name, " has shape ", shape_text(view.sizes), ", this weight needs (", rows, ", ", cols, ")",
           experts == 1 ? std::string() : " for each of " + std::to_string(experts) + " experts");
}

const char* moved(const void* array, std::int64_t bytes) { return static_cast<const char*>(array) + bytes; }

}  // namespace

void lora_merge_out(const Tensor& weight, const Tensor& a, const Tensor& b, double scale, const Tensor& out) {
  const TensorView in(weight);
  const TensorView a_view(a);
  const TensorView b_view(b);
  const Call call(in, "weight");
  const std::size_t n = in.sizes.size();
  if (n < 2 || n > 3) refuse("weight has ", n, " dimensions, it must be [rows, cols] or [experts, rows, cols]");
  if (a_view.sizes.size() != n) refuse("a has shape ", shape_text(a_view.sizes), ", it must have ", n, " dimensions");
  const std::int64_t experts = n == 3 ? in.sizes[0] : 1;
  qfuse_lora_merge_params p{};
  p.rows = in.sizes[n - 2];
  p.cols = in.sizes[n - 1];
  p.rank = a_view.sizes[n - 2];
  p.scale = static_cast<float>(scale);
  p.in_dtype = dtype_of(in.dtype, "weight");
  p.out_dtype = dtype_of(out.scalar_type(), "out");
  check_shape(a_view, "a", experts, p.rank, p.cols);
  check_shape(b_view, "b", experts, p.rows, p.rank);
  const void* values = call.bytes(in, "weight");
  const void* a_values = call.array(a_view, "a", ScalarType::Float, experts * p.rank * p.cols);
  const void* b_values = call.array(b_view, "b", ScalarType::Float, experts * p.rows * p.rank);
  auto* const results = static_cast<char*>(call.output(out, "out", out.scalar_type(), in.sizes));
  constexpr std::int64_t kFloat = sizeof(float);
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    const std::int64_t first = expert * p.rows * p.cols;
    p.in = moved(values, first * in.item_size);
    p.a = reinterpret_cast<const float*>(moved(a_values, expert * p.rank * p.cols * kFloat));
    p.b = reinterpret_cast<const float*>(moved(b_values, expert * p.rows * p.rank * kFloat));
    p.out = results + first * static_cast<std::int64_t>(out.element_size());
    call.run(qfuse_lora_merge, p);
  }
}

Tensor lora_merge(const Tensor& weight, const Tensor& a, const Tensor& b, double scale, ScalarType dtype) {
  dtype_of(dtype, "dtype");
  const Tensor out = Call(weight, "weight").empty(weight.sizes(), dtype);
  lora_merge_out(weight, a, b, scale, out);
  return out;
}

}  // namespace qfuse::torch_ops
