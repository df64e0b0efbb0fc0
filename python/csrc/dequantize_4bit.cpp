#include "ops.h"

namespace qfuse::torch_ops {
namespace {

void decode(const Call& call, const qfuse_weight_4bit& weight, ScalarType dtype, void* out) {
  qfuse_dequantize_4bit_params p{};
  p.weight = &weight;
  p.out_dtype = dtype_of(dtype, "dtype");
  p.out = out;
  call.run(qfuse_dequantize_4bit, p);
}

// The parts of a stack with a global scale each: the op has one.
std::int64_t parts_of(const TensorViews& weight, Shape shape) {
  constexpr std::size_t kGlobal = 3;
  return weight.size() == kGlobal && shape.size() == 3 ? nested_parts(weight, shape[0]) : 1;
}

void decode_parts(const Call& call, qfuse_weight_4bit w, std::int64_t parts, ScalarType dtype, void* out) {
  if (parts == 1) return decode(call, w, dtype, out);
  w.rows /= parts;
  const std::int64_t n = w.rows * w.cols;
  const std::int64_t blocks = qfuse_block_count(n, w.blocksize);
  for (std::int64_t i = 0; i < parts; ++i) {
    decode(call, w, dtype, out);
    out = static_cast<std::uint8_t*>(out) + n * static_cast<std::int64_t>(qfuse_dtype_size(dtype_of(dtype, "dtype")));
    w.packed += qfuse_packed_size(n);
    w.scales = static_cast<const std::uint8_t*>(w.scales) + blocks;  // in e4m3, as no other have global scales
    (w.global_scale != nullptr ? w.global_scale : w.global_divisor) += 1;
  }
}

}  // namespace

void dequantize_4bit_out(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                         const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                         const Tensor& out) {
  const TensorViews views(weight.begin(), weight.end());
  const Call call(packed_of(views), "packed");
  const std::int64_t parts = parts_of(views, shape);
  const qfuse_weight_4bit w = weight_4bit(call, views, shape, quant_type, blocksize, nested_blocksize, parts);
  decode_parts(call, w, parts, dtype, call.output(out, "out", dtype, shape));
}

Tensor dequantize_4bit(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                       const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize) {
  return dequantize_4bit_views({weight.begin(), weight.end()}, shape, dtype, quant_type, blocksize, nested_blocksize);
}

Tensor dequantize_4bit_views(const TensorViews& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                             const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize) {
  const Call call(packed_of(weight), "packed");
  const std::int64_t parts = parts_of(weight, shape);
  const qfuse_weight_4bit w = weight_4bit(call, weight, shape, quant_type, blocksize, nested_blocksize, parts);
  Tensor out = call.empty(shape, dtype);
  decode_parts(call, w, parts, dtype, out.mutable_data_ptr());
  return out;
}

}  // namespace qfuse::torch_ops
