#include "ops.h"

namespace qfuse::torch_ops {

void dequantize_blockwise_out(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map,
                              std::int64_t blocksize, ScalarType dtype, const Tensor& out) {
  const Call call(codes, "codes");
  const Blocks blocks{codes.numel(), blocksize, "blocksize"};
  qfuse_dequantize_blockwise_params p{};
  p.n = blocks.n;
  p.blocksize = blocksize;
  p.out_dtype = dtype_of(dtype, "dtype");
  p.codes = static_cast<const std::uint8_t*>(call.array(codes, "codes", ScalarType::Byte, blocks.n));
  p.absmax = static_cast<const float*>(call.array(absmax, "absmax", ScalarType::Float, blocks));
  p.quant_map = static_cast<const float*>(
      call.array(quant_map, "quant_map", ScalarType::Float, std::int64_t{QFUSE_QUANT_MAP_SIZE}));
  p.out = call.output(out, "out", dtype, codes.sizes());
  call.run(qfuse_dequantize_blockwise, p);
}

Tensor dequantize_blockwise(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map, std::int64_t blocksize,
                            ScalarType dtype) {
  dtype_of(dtype, "dtype");
  const Tensor out = Call(codes, "codes").empty(codes.sizes(), dtype);
  dequantize_blockwise_out(codes, absmax, quant_map, blocksize, dtype, out);
  return out;
}

}  // namespace qfuse::torch_ops
