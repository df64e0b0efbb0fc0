#include "ops.h"

namespace qfuse::torch_ops {
namespace {

qfuse_scale_type scale_type_of(ScalarType dtype) {
  if (dtype == ScalarType::Float) return QFUSE_SCALES_FLOAT32;
  if (dtype == ScalarType::Half) return QFUSE_SCALES_FLOAT16;
  if (dtype == ScalarType::BFloat16) return QFUSE_SCALES_BFLOAT16;
  if (dtype == ScalarType::Float8_e8m0fnu || dtype == ScalarType::Byte) return QFUSE_SCALES_UE8M0;
  refuse("scales is ", name_of(dtype), ", it can be float32, float16, bfloat16, float8_e8m0fnu or uint8");
}

std::int64_t block_count(std::int64_t n, std::int64_t size, const char* name) {
  if (size < 1) refuse(name, " is ", size, ", it must be positive");
  return qfuse_block_count(n, size);
}

// Compares shapes, because a transposed grid has as many elements. One row or column of scales may also be flat.
void check_scales(Shape shape, std::int64_t rows, std::int64_t cols) {
  const bool is_grid = shape.size() == 2 && shape[0] == rows && shape[1] == cols;
  const bool is_line = (rows == 1 || cols == 1) && elements_of(shape) == rows * cols;
  if (!is_grid && !is_line)
    refuse("scales has shape ", shape_text(shape), ", these blocks need (", rows, ", ", cols, ")");
}

}  // namespace

Tensor dequantize_fp8(const Tensor& codes, const Tensor& scales, std::int64_t block_rows, std::int64_t block_cols,
                      ScalarType dtype) {
  const TensorView view(codes);
  const TensorView scale_view(scales);
  const Call call(view, "codes");
  if (view.sizes.size() != 2) refuse("codes has ", view.sizes.size(), " dimensions, it must be [rows, cols]");
  if (view.dtype != ScalarType::Float8_e4m3fn && view.dtype != ScalarType::Byte)
    refuse("codes is ", name_of(view.dtype), ", it must be float8_e4m3fn, or uint8 with its bits");
  qfuse_dequantize_fp8_params p{};
  p.rows = view.sizes[0];
  p.cols = view.sizes[1];
  p.block_rows = block_rows;
  p.block_cols = block_cols;
  p.codes = static_cast<const std::uint8_t*>(call.bytes(view, "codes"));
  p.scales = call.bytes(scale_view, "scales");
  p.scale_type = scale_type_of(scale_view.dtype);
  check_scales(scale_view.sizes, block_count(p.rows, block_rows, "block_rows"),
               block_count(p.cols, block_cols, "block_cols"));
  p.out_dtype = dtype_of(dtype, "dtype");
  const Tensor out = call.empty({p.rows, p.cols}, dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_dequantize_fp8, p);
  return out;
}

}  // namespace qfuse::torch_ops
