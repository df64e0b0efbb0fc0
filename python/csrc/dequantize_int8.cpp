#include "ops.h"

namespace qfuse::torch_ops {

Tensor dequantize_int8(const Tensor& codes, const Tensor& scb, ScalarType dtype) {
  const Call call(codes, "codes");
  if (codes.dim() != 2) refuse("codes has ", codes.dim(), " dimensions, it must be [rows, cols]");
  const std::int64_t rows = codes.size(0);
  const std::int64_t cols = codes.size(1);
  qfuse_dequantize_int8_params p{};
  p.out_dtype = dtype_of(dtype, "dtype");
  const Tensor out = call.empty({rows, cols}, dtype);
  p.rows = rows;
  p.cols = cols;
  p.in = static_cast<const std::int8_t*>(call.array(codes, "codes", ScalarType::Char, rows * cols));
  p.scb = static_cast<const float*>(call.array(scb, "scb", ScalarType::Float, rows));
  p.out = out.mutable_data_ptr();
  call.run(qfuse_dequantize_int8, p);
  return out;
}

}  // namespace qfuse::torch_ops
