#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// The bytes of a storage dtype stand for themselves: FSDP wants a float one, and no value is ever converted.
const std::uint8_t* packed_bytes(const Call& call, const Tensor& packed, std::int64_t n) {
  const auto item = static_cast<std::int64_t>(packed.element_size());
  const std::int64_t has = packed.numel() * item, need = qfuse_packed_size(n);
  if (has < need || has >= need + item)
    refuse("packed has ", has, " bytes, ", n, " 4-bit codes need ", need,
           has < need && need < has + item ? ": what fills no whole element of its dtype was lost when they were stored"
                                           : "");
  return static_cast<const std::uint8_t*>(call.bytes(packed, "packed"));
}

void set_plain(const Call& call, qfuse_dequantize_4bit_params& p, const Tensor& absmax, const Blocks& blocks,
               bool nested_given) {
  p.absmax = static_cast<const float*>(call.array(absmax, "absmax", ScalarType::Float, blocks));
  if (nested_given) refuse("absmax is float32, nested_absmax, nested_quant_map and nested_offset go with uint8");
}

void set_nested(const Call& call, qfuse_dequantize_4bit_params& p, const Tensor& absmax, const Blocks& blocks,
                const Tensor& nested_absmax, const Tensor& quant_map, const Tensor& offset) {
  const Blocks nested{blocks.count(), p.nested_blocksize, "nested_blocksize"};
  p.absmax_8bit = static_cast<const std::uint8_t*>(call.array(absmax, "absmax", ScalarType::Byte, blocks));
  p.nested_absmax = static_cast<const float*>(call.array(nested_absmax, "nested_absmax", ScalarType::Float, nested));
  p.nested_quant_map = static_cast<const float*>(call.array(quant_map, "nested_quant_map", ScalarType::Float, 256));
  p.nested_offset_at = static_cast<const float*>(call.array(offset, "nested_offset", ScalarType::Float, 1));
}

// Everything but where to write.
qfuse_dequantize_4bit_params prepare(const Call& call, const Tensor& packed, const Tensor& absmax,
                                     std::int64_t blocksize, const std::string& quant_type,
                                     const std::vector<std::int64_t>& shape, ScalarType dtype,
                                     const std::optional<Tensor>& nested_absmax,
                                     const std::optional<Tensor>& nested_quant_map,
                                     const std::optional<Tensor>& nested_offset, std::int64_t nested_blocksize) {
  qfuse_dequantize_4bit_params p{};
  p.n = elements_of(shape);
  p.blocksize = blocksize;
  p.quant_type = quant_type_of(quant_type);
  p.out_dtype = dtype_of(dtype, "dtype");
  p.nested_blocksize = nested_blocksize;
  p.packed = packed_bytes(call, packed, p.n);
  const Blocks blocks{p.n, blocksize, "blocksize"};
  if (absmax.scalar_type() != ScalarType::Byte)
    set_plain(call, p, absmax, blocks, nested_absmax || nested_quant_map || nested_offset);
  else if (nested_absmax && nested_quant_map && nested_offset)
    set_nested(call, p, absmax, blocks, *nested_absmax, *nested_quant_map, *nested_offset);
  else
    refuse("absmax is uint8, so nested_absmax, nested_quant_map and nested_offset are needed, or absmax in float32");
  return p;
}

}  // namespace

void dequantize_4bit_out(const Tensor& packed, const Tensor& absmax, std::int64_t blocksize,
                         const std::string& quant_type, const std::vector<std::int64_t>& shape, ScalarType dtype,
                         const std::optional<Tensor>& nested_absmax, const std::optional<Tensor>& nested_quant_map,
                         const std::optional<Tensor>& nested_offset, std::int64_t nested_blocksize, const Tensor& out) {
  const Call call(packed, "packed");
  qfuse_dequantize_4bit_params p = prepare(call, packed, absmax, blocksize, quant_type, shape, dtype, nested_absmax,
                                           nested_quant_map, nested_offset, nested_blocksize);
  p.out = call.array(out, "out", dtype, shape);
  call.run(qfuse_dequantize_4bit, p);
}

Tensor dequantize_4bit(const Tensor& packed, const Tensor& absmax, std::int64_t blocksize,
                       const std::string& quant_type, const std::vector<std::int64_t>& shape, ScalarType dtype,
                       const std::optional<Tensor>& nested_absmax, const std::optional<Tensor>& nested_quant_map,
                       const std::optional<Tensor>& nested_offset, std::int64_t nested_blocksize) {
  const Call call(packed, "packed");
  qfuse_dequantize_4bit_params p = prepare(call, packed, absmax, blocksize, quant_type, shape, dtype, nested_absmax,
                                           nested_quant_map, nested_offset, nested_blocksize);
  Tensor out = call.empty(shape, dtype);
  p.out = out.mutable_data_ptr();
  call.run(qfuse_dequantize_4bit, p);
  return out;
}

}  // namespace qfuse::torch_ops
