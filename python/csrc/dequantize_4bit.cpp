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

}  // namespace

void dequantize_4bit_out(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                         const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                         const Tensor& out) {
  const TensorViews views(weight.begin(), weight.end());
  const Call call(packed_of(views), "packed");
  const qfuse_weight_4bit w = weight_4bit(call, views, shape, quant_type, blocksize, nested_blocksize);
  decode(call, w, dtype, call.output(out, "out", dtype, shape));
}

Tensor dequantize_4bit(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                       const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize) {
  return dequantize_4bit_views({weight.begin(), weight.end()}, shape, dtype, quant_type, blocksize, nested_blocksize);
}

Tensor dequantize_4bit_views(const TensorViews& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                             const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize) {
  const Call call(packed_of(weight), "packed");
  const qfuse_weight_4bit w = weight_4bit(call, weight, shape, quant_type, blocksize, nested_blocksize);
  Tensor out = call.empty(shape, dtype);
  decode(call, w, dtype, out.mutable_data_ptr());
  return out;
}

}  // namespace qfuse::torch_ops
