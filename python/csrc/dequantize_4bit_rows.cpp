#include "ops.h"

namespace qfuse::torch_ops {
namespace {

qfuse_quant_type quant_type_of_rows(const std::string& name) {
  if (name == "e2m1") return QFUSE_E2M1;
  if (name == "int4") return QFUSE_INT4;
  refuse("quant_type is '", name, "', it can be 'e2m1' or 'int4'; 'nf4' and 'fp4' have dequantize_4bit");
}

qfuse_scale_type scale_type_of_rows(ScalarType dtype) {
  if (dtype == ScalarType::Float8_e4m3fn) return QFUSE_SCALES_E4M3;
  if (dtype == ScalarType::Float8_e8m0fnu || dtype == ScalarType::Byte) return QFUSE_SCALES_UE8M0;
  if (dtype == ScalarType::Float) return QFUSE_SCALES_FLOAT32;
  if (dtype == ScalarType::Half) return QFUSE_SCALES_FLOAT16;
  if (dtype == ScalarType::BFloat16) return QFUSE_SCALES_BFLOAT16;
  refuse("scales is ", name_of(dtype),
         ", it can be float8_e4m3fn, float8_e8m0fnu, uint8 with its bits, float32, float16 or bfloat16");
}

void check_shape(const TensorView& tensor, const char* name, std::int64_t rows, std::int64_t cols) {
  if (tensor.sizes.size() != 2 || tensor.sizes[0] != rows || tensor.sizes[1] != cols)
    refuse(name, " has shape ", shape_text(tensor.sizes), ", this weight needs (", rows, ", ", cols, ")");
}

const float* one_float(const Call& call, const std::optional<Tensor>& tensor, const char* name) {
  if (!tensor.has_value()) return nullptr;
  return static_cast<const float*>(call.array(*tensor, name, ScalarType::Float, 1));
}

}  // namespace

Tensor dequantize_4bit_rows(const Tensor& packed, const Tensor& scales, std::int64_t cols,
                            const std::string& quant_type, std::int64_t blocksize, ScalarType dtype,
                            const std::optional<Tensor>& global_scale, const std::optional<Tensor>& global_divisor,
                            const std::optional<Tensor>& zero_points) {
  const TensorView packed_view(packed);
  const TensorView scale_view(scales);
  const Call call(packed_view, "packed");
  if (packed_view.sizes.size() != 2)
    refuse("packed has ", packed_view.sizes.size(), " dimensions, it must be [rows, ceil(cols/2)]");
  if (packed_view.dtype != ScalarType::Byte)
    refuse("packed is ", name_of(packed_view.dtype), ", it must be uint8: its view as one has the same bytes");
  if (cols < 0) refuse("cols is ", cols, ", it must not be negative");
  if (blocksize < 1) refuse("blocksize is ", blocksize, ", it must be positive");
  qfuse_weight_4bit w{};
  w.struct_size = sizeof w;
  w.rows = packed_view.sizes[0];
  w.cols = cols;
  w.blocksize = blocksize;
  w.quant_type = quant_type_of_rows(quant_type);
  check_shape(packed_view, "packed", w.rows, qfuse_packed_size(cols));
  w.packed = static_cast<const std::uint8_t*>(call.bytes(packed_view, "packed"));
  w.scales = call.bytes(scale_view, "scales");
  w.scale_type = scale_type_of_rows(scale_view.dtype);
  const std::int64_t blocks = qfuse_block_count(cols, blocksize);
  check_shape(scale_view, "scales", w.rows, blocks);
  w.global_scale = one_float(call, global_scale, "global_scale");
  w.global_divisor = one_float(call, global_divisor, "global_divisor");
  if (zero_points.has_value()) {
    const TensorView view(*zero_points);
    w.zero_points =
        static_cast<const std::uint8_t*>(call.array(view, "zero_points", ScalarType::Byte, w.rows * blocks));
    check_shape(view, "zero_points", w.rows, blocks);
  }
  qfuse_dequantize_4bit_params p{};
  p.weight = &w;
  p.out_dtype = dtype_of(dtype, "dtype");
  const Tensor out = call.empty({w.rows, w.cols}, dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_dequantize_4bit, p);
  return out;
}

}  // namespace qfuse::torch_ops
