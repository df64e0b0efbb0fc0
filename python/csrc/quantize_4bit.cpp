#include "ops.h"

namespace qfuse::torch_ops {
namespace {

struct Plain {
  qfuse_quantize_4bit_params params{};
  Blocks blocks{};
  Tensor packed, absmax;
};

// What both forms share. The packed codes get bitsandbytes' shape, a column.
Plain prepare(const Call& call, const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
              const std::string& reciprocal) {
  const std::int64_t n = input.numel();
  const Blocks blocks{n, blocksize, "blocksize"};
  Plain plain{{},
              blocks,
              call.empty({{qfuse_packed_size(n), 1}}, ScalarType::Byte),
              call.empty({{blocks.count()}}, ScalarType::Float)};
  qfuse_quantize_4bit_params& p = plain.params;
  p.n = n;
  p.blocksize = blocksize;
  p.quant_type = quant_type_of(quant_type);
  p.in_dtype = dtype_of(input.scalar_type(), "input");
  p.reciprocal = reciprocal_of(reciprocal);
  p.in = call.bytes(input, "input");
  p.packed = static_cast<std::uint8_t*>(plain.packed.mutable_data_ptr());
  p.absmax = static_cast<float*>(plain.absmax.mutable_data_ptr());
  return plain;
}

}  // namespace

std::tuple<Tensor, Tensor> quantize_4bit(const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
                                         const std::string& reciprocal) {
  const Call call(input, "input");
  const Plain plain = prepare(call, input, blocksize, quant_type, reciprocal);
  call.run(qfuse_quantize_4bit, plain.params);
  return {plain.packed, plain.absmax};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> quantize_4bit_nested(const Tensor& input, std::int64_t blocksize,
                                                                        const std::string& quant_type,
                                                                        std::int64_t nested_blocksize,
                                                                        const std::optional<Tensor>& given_offset,
                                                                        const std::string& reciprocal) {
  const Call call(input, "input");
  Plain plain = prepare(call, input, blocksize, quant_type, reciprocal);
  const std::int64_t count = plain.blocks.count();
  const Blocks nested{count, nested_blocksize, "nested_blocksize"};
  const Tensor absmax_8bit = call.empty({{count}}, ScalarType::Byte);
  const Tensor nested_absmax = call.empty({{nested.count()}}, ScalarType::Float);
  const Tensor nested_offset = call.empty({}, ScalarType::Float);
  qfuse_quantize_4bit_params& p = plain.params;
  p.nested_blocksize = nested_blocksize;
  p.absmax_8bit = static_cast<std::uint8_t*>(absmax_8bit.mutable_data_ptr());
  p.nested_absmax = static_cast<float*>(nested_absmax.mutable_data_ptr());
  p.nested_offset = static_cast<float*>(nested_offset.mutable_data_ptr());
  if (given_offset)
    p.given_offset = static_cast<const float*>(call.array(*given_offset, "given_offset", ScalarType::Float, 1));
  call.run(qfuse_quantize_4bit, p);
  return {plain.packed, absmax_8bit, nested_absmax, nested_offset, plain.absmax};
}

}  // namespace qfuse::torch_ops
