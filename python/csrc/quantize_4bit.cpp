#include "ops.h"

#include <torch/csrc/stable/ops.h>

namespace qfuse::torch_ops {
namespace {

using Nested = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

template <class T>
T* data_of(const Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

// Outputs common to plain and nested absmax. The packed codes have bitsandbytes' shape, one column.
struct Encoded {
  Encoded(const Call& call, const Tensor& input, std::int64_t blocksize, const std::string& quant_type)
      : blocks{input.numel(), blocksize, "blocksize"},
        packed(call.empty({qfuse_packed_size(blocks.n), 1}, ScalarType::Byte)) {
    weight.struct_size = sizeof weight;
    weight.rows = 1;
    weight.cols = blocks.n;
    weight.blocksize = blocksize;
    weight.quant_type = quant_type_of(quant_type);
    weight.packed = data_of<std::uint8_t>(packed);
  }

  Blocks blocks;
  Tensor packed;
  qfuse_weight_4bit_out weight{};
};

// torch may reuse the workspace's memory only for later work on the same stream, because the op runs on that stream.
void encode(const Call& call, const Tensor& input, const qfuse_weight_4bit_out& weight, const std::string& reciprocal,
            const float* given_offset, const float* importance) {
  qfuse_quantize_4bit_params p{};
  p.in_dtype = dtype_of(input.scalar_type(), "input");
  p.in = call.bytes(input, "input");
  p.weight = &weight;
  p.given_offset = given_offset;
  p.reciprocal = reciprocal_of(reciprocal);
  p.importance = importance;
  p.workspace_size = call.workspace_size(qfuse_quantize_4bit_workspace_size, p);
  const Tensor workspace = call.empty({p.workspace_size}, ScalarType::Byte);
  p.workspace = workspace.mutable_data_ptr();
  call.run(qfuse_quantize_4bit, p);
}

// Gives the weight input's columns, for which the op needs one importance each.
const float* importance_of(const Call& call, const Tensor& input, const Tensor& importance,
                           qfuse_weight_4bit_out& weight) {
  if (input.dim() == 0) refuse("importance is given, and input has no dimensions: it must have columns");
  const std::int64_t cols = input.size(input.dim() - 1);
  const void* const data = call.array(importance, "importance", ScalarType::Float, cols);
  if (input.numel() == 0) return nullptr;
  weight.rows = input.numel() / cols;
  weight.cols = cols;
  return static_cast<const float*>(data);
}

// Result for an empty input. The op writes nothing then, but the map and the offset still have elements: they get the
// values for a single zero.
Nested nothing_nested(const Call& call, const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
                      std::int64_t nested_blocksize, const std::optional<Tensor>& given_offset,
                      const std::string& reciprocal) {
  const Tensor zero = torch::stable::new_zeros(input, {1});
  const Nested of_zero = quantize_4bit_nested(zero, blocksize, quant_type, nested_blocksize, given_offset, reciprocal);
  return {call.empty({0, 1}, ScalarType::Byte), call.empty({0}, ScalarType::Byte), call.empty({0}, ScalarType::Float),
          std::get<3>(of_zero), std::get<4>(of_zero)};
}

}  // namespace

std::tuple<Tensor, Tensor> quantize_4bit(const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
                                         const std::string& reciprocal, const std::optional<Tensor>& importance) {
  const Call call(input, "input");
  Encoded encoded(call, input, blocksize, quant_type);
  const Tensor absmax = call.empty({encoded.blocks.count()}, ScalarType::Float);
  encoded.weight.absmax = data_of<float>(absmax);
  const float* const of_columns = importance ? importance_of(call, input, *importance, encoded.weight) : nullptr;
  encode(call, input, encoded.weight, reciprocal, nullptr, of_columns);
  return {encoded.packed, absmax};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> quantize_4bit_nested(const Tensor& input, std::int64_t blocksize,
                                                                        const std::string& quant_type,
                                                                        std::int64_t nested_blocksize,
                                                                        const std::optional<Tensor>& given_offset,
                                                                        const std::string& reciprocal) {
  const Call call(input, "input");
  if (input.numel() == 0)
    return nothing_nested(call, input, blocksize, quant_type, nested_blocksize, given_offset, reciprocal);
  Encoded encoded(call, input, blocksize, quant_type);
  const Blocks nested{encoded.blocks.count(), nested_blocksize, "nested_blocksize"};
  const Tensor absmax_8bit = call.empty({nested.n}, ScalarType::Byte);
  const Tensor nested_absmax = call.empty({nested.count()}, ScalarType::Float);
  const Tensor nested_quant_map = call.empty({QFUSE_QUANT_MAP_SIZE}, ScalarType::Float);
  const Tensor nested_offset = call.empty({}, ScalarType::Float);
  encoded.weight.absmax_8bit = data_of<std::uint8_t>(absmax_8bit);
  encoded.weight.nested_absmax = data_of<float>(nested_absmax);
  encoded.weight.nested_quant_map = data_of<float>(nested_quant_map);
  encoded.weight.nested_offset = data_of<float>(nested_offset);
  encoded.weight.nested_blocksize = nested_blocksize;
  const void* given =
      given_offset ? call.array(*given_offset, "given_offset", ScalarType::Float, std::int64_t{1}) : nullptr;
  encode(call, input, encoded.weight, reciprocal, static_cast<const float*>(given), nullptr);
  return {encoded.packed, absmax_8bit, nested_absmax, nested_quant_map, nested_offset};
}

Tensor quantize_4bit_kept(const Tensor& input, const Tensors& weight, const std::string& quant_type,
                          std::int64_t blocksize, std::int64_t nested_blocksize) {
  const Call call(input, "input");
  const Encoded encoded(call, input, blocksize, quant_type);
  if (encoded.blocks.n == 0) return encoded.packed;
  const TensorViews views(weight.begin(), weight.end());
  const std::vector<std::int64_t> shape{1, encoded.blocks.n};
  const qfuse_weight_4bit kept = weight_4bit(call, views, shape, quant_type, blocksize, nested_blocksize);
  qfuse_quantize_4bit_params p{};
  p.in_dtype = dtype_of(input.scalar_type(), "input");
  p.in = call.bytes(input, "input");
  p.weight = &encoded.weight;
  p.kept = &kept;
  call.run(qfuse_quantize_4bit, p);
  return encoded.packed;
}

}  // namespace qfuse::torch_ops
