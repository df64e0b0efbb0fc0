// A list of what a checkpoint holds, from its headers alone.
#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/config.h"
#include "checkpoint/errors.h"
#include "checkpoint/model.h"

namespace qfuse::checkpoint {
namespace {

TensorInfo describe(const Tensor& tensor) {
  const StoredTensor& values = tensor.values();
  TensorInfo info;
  info.name = tensor.name;
  info.file = std::filesystem::path(values.file->name()).filename().native();
  info.shape = tensor.shape;
  info.bytes = tensor.stored_bytes;
  const Dtype dtype = tensor.quantized_dtype().value_or(Dtype::bfloat16);
  info.dtype = type_name(tensor.decoded_type(dtype));
  info.decoded_bytes = tensor.decoded_bytes(dtype);
  info.format = info.dtype;
  if (const auto* weight = std::get_if<Weight4bit>(&tensor.storage)) {
    info.format = weight->quant_type == QuantType::nf4 ? "nf4" : "fp4";
    info.blocksize = weight->blocksize;
    info.nested = weight->nested.has_value();
  } else if (std::holds_alternative<WeightInt8>(tensor.storage)) {
    info.format = "int8";
  }
  return info;
}

Inventory take_inventory(const std::filesystem::path& in) {
  const Model model(in);
  Inventory inventory;
  inventory.files = static_cast<std::int64_t>(model.files().size());
  inventory.bytes = model.data_bytes();
  for (const Tensor& tensor : read_layout(model, int8_dtype(read_config(model)))) {
    inventory.tensors.push_back(describe(tensor));
    inventory.decoded_bytes += inventory.tensors.back().decoded_bytes;
  }
  std::sort(inventory.tensors.begin(), inventory.tensors.end(),
            [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  return inventory;
}

}  // namespace

Inventory inspect(const std::filesystem::path& in) {
  return with_qfuse_errors([&] { return take_inventory(in); });
}

}  // namespace qfuse::checkpoint
