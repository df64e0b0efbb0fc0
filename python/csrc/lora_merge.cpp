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

template <class T>
T* array_of(const Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

// The arrays of a weight that is written, in the order of Weight4bit's tensors, and the C struct over them.
struct Target {
  Target(const Call& call, Shape shape, const std::string& quant_type, std::int64_t blocksize,
         std::int64_t nested_blocksize, bool keeps_absmax, const std::string& mx_scales) {
    const Blocks blocks{shape[0] * shape[1], blocksize, "to_blocksize"};
    w.struct_size = sizeof w;
    w.rows = shape[0];
    w.cols = shape[1];
    w.blocksize = blocksize;
    const bool is_mx = quant_type == "mxfp4";
    w.quant_type = is_mx ? QFUSE_E2M1 : quant_type_of(quant_type);
    w.nested_blocksize = nested_blocksize;
    w.packed = array_of<std::uint8_t>(add(call.empty({qfuse_packed_size(blocks.n), 1}, ScalarType::Byte)));
    if (mx_scales != "up" && mx_scales != "nearest")
      refuse("mx_scales is '", mx_scales, "', it can be 'up' or 'nearest'");
    w.mx_scales = mx_scales == "up" ? QFUSE_MX_UP : QFUSE_MX_NEAREST;
    if (keeps_absmax) return;
    if (is_mx) {
      w.scales = array_of<std::uint8_t>(add(call.empty({blocks.count()}, ScalarType::Byte)));
      return;
    }
    if (nested_blocksize == 0) {
      w.absmax = array_of<float>(add(call.empty({blocks.count()}, ScalarType::Float)));
      return;
    }
    const Blocks nested{blocks.count(), nested_blocksize, "to_nested_blocksize"};
    w.absmax_8bit = array_of<std::uint8_t>(add(call.empty({nested.n}, ScalarType::Byte)));
    w.nested_absmax = array_of<float>(add(call.empty({nested.count()}, ScalarType::Float)));
    w.nested_quant_map = array_of<float>(add(call.empty({QFUSE_QUANT_MAP_SIZE}, ScalarType::Float)));
    w.nested_offset = array_of<float>(add(call.empty({}, ScalarType::Float)));
  }

  Tensors tensors;
  qfuse_weight_4bit_out w{};

 private:
  const Tensor& add(Tensor tensor) { return tensors.emplace_back(std::move(tensor)); }
};

// Result for a matrix without elements. The op writes nothing then, and the ops that encode know what a map and an
// offset are.
Tensors of_nothing(const Call& call, const Tensor& out, const std::string& to, std::int64_t blocksize,
                   std::int64_t nested_blocksize) {
  if (to == "mxfp4") return {out, call.empty({0, 1}, ScalarType::Byte), call.empty({0}, ScalarType::Byte)};
  if (nested_blocksize == 0) {
    const auto [packed, absmax] = quantize_4bit(out, blocksize, to, "ieee", std::nullopt);
    return {out, packed, absmax};
  }
  const auto [packed, absmax, nested_absmax, map, offset] =
      quantize_4bit_nested(out, blocksize, to, nested_blocksize, std::nullopt, "ieee");
  return {out, packed, absmax, nested_absmax, map, offset};
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

Tensors lora_merge_4bit(const Tensors& source, const Tensor& a, const Tensor& b, double scale,
                        const std::vector<std::int64_t>& shape, ScalarType dtype, const std::string& quant_type,
                        std::int64_t blocksize, std::int64_t nested_blocksize, const std::string& to,
                        std::int64_t to_blocksize, std::int64_t to_nested_blocksize, bool keep_absmax,
                        const std::string& mx_scales) {
  const TensorViews views(source.begin(), source.end());
  const TensorView a_view(a);
  const bool is_plain = views.size() == 1;
  const Call call(is_plain ? views[0] : packed_of(views), is_plain ? "source" : "packed");
  if (shape.size() != 2) refuse("shape is ", shape_text(shape), ", it must be [rows, cols]");
  if (elements_of(shape) == 0) {
    Tensors nothing = of_nothing(call, call.empty(shape, dtype), to, to_blocksize, to_nested_blocksize);
    if (keep_absmax) nothing.erase(nothing.begin() + 2, nothing.end());
    return nothing;
  }
  qfuse_lora_merge_params p{};
  p.rows = shape[0];
  p.cols = shape[1];
  p.rank = a_view.sizes.empty() ? 0 : a_view.sizes[0];
  p.scale = static_cast<float>(scale);
  p.in_dtype = p.out_dtype = dtype_of(dtype, "dtype");
  check_shape(a_view, "a", 1, p.rank, p.cols);
  check_shape(b, "b", 1, p.rows, p.rank);
  p.a = static_cast<const float*>(call.array(a_view, "a", ScalarType::Float, p.rank * p.cols));
  p.b = static_cast<const float*>(call.array(b, "b", ScalarType::Float, p.rows * p.rank));
  qfuse_weight_4bit weight{};
  if (is_plain) {
    p.in = call.array(views[0], "source", dtype, p.rows * p.cols);
  } else {
    weight = weight_4bit(call, views, shape, quant_type, blocksize, nested_blocksize);
    p.source = &weight;
  }
  p.keep_absmax = keep_absmax ? 1 : 0;
  Target target(call, shape, to, to_blocksize, to_nested_blocksize, keep_absmax, mx_scales);
  p.target = &target.w;
  p.workspace_size = call.workspace_size(qfuse_lora_merge_workspace_size, p);
  const Tensor workspace = call.empty({p.workspace_size}, ScalarType::Byte);
  p.workspace = workspace.mutable_data_ptr();
  Tensors made{call.empty(shape, dtype)};
  p.out = made[0].mutable_data_ptr();
  call.run(qfuse_lora_merge, p);
  made.insert(made.end(), target.tensors.begin(), target.tensors.end());
  return made;
}

}  // namespace qfuse::torch_ops
