#include "ops.h"

namespace qfuse::torch_ops {

std::tuple<Tensor, Tensor> quantize_blockwise(const Tensor& input, std::int64_t blocksize, double offset,
                                              const std::string& reciprocal) {
  const Call call(input, "input");
  const Blocks blocks{input.numel(), blocksize, "blocksize"};
  const Tensor codes = call.empty(input.sizes(), ScalarType::Byte);
  const Tensor absmax = call.empty({blocks.count()}, ScalarType::Float);
  qfuse_quantize_blockwise_params p{};
  p.n = blocks.n;
  p.blocksize = blocksize;
  p.in_dtype = dtype_of(input.scalar_type(), "input");
  p.in = call.bytes(input, "input");
  p.offset = static_cast<float>(offset);
  p.codes = static_cast<std::uint8_t*>(codes.mutable_data_ptr());
  p.absmax = static_cast<float*>(absmax.mutable_data_ptr());
  p.reciprocal = reciprocal_of(reciprocal);
  call.run(qfuse_quantize_blockwise, p);
  return {codes, absmax};
}

}  // namespace qfuse::torch_ops
