// Lists the content of a checkpoint, from headers only.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/components.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {
namespace {

StoredArray locate(const StoredTensor& part) {
  const auto& [file, entry] = part;
  return {entry->name, file->file().path(), file->position(*entry), entry->bytes(), std::string(type_name(entry->type)),
          entry->shape};
}

TensorInfo describe(const Tensor& tensor) {
  const StoredTensor& values = tensor.values();
  TensorInfo info;
  info.name = tensor.name;
  info.file = values.file->file().path().filename().native();
  info.shape = tensor.shape;
  info.bytes = tensor.stored_bytes();
  const Dtype dtype = tensor.quantized_dtype().value_or(Dtype::bfloat16);
  info.dtype = type_name(tensor.decoded_type(dtype));
  info.decoded_bytes = tensor.decoded_bytes(dtype);
  info.format = tensor.format();
  if (const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage)) {
    info.blocksize = weight->state.blocksize;
    if (const std::optional<NestedState>& nested = weight->state.nested) {
      info.nested = true;
      info.nested_blocksize = nested->blocksize;
      info.nested_offset = nested->offset;
    }
  } else if (const auto* weight = std::get_if<StoredWeightFp8>(&tensor.storage)) {
    info.block = {weight->block_rows, weight->block_columns};
    info.scale_dtype = type_name(weight->scales.entry->type);
  } else if (const auto* weight = std::get_if<StoredWeightGptq>(&tensor.storage)) {
    info.block = {1, weight->group_size};
    info.scale_dtype = type_name(weight->scales.entry->type);
  } else if (const auto* weight = std::get_if<StoredWeightScaled4bit>(&tensor.storage)) {
    info.block = {1, weight->blocksize};
    if (weight->is_transposed) std::swap(info.block[0], info.block[1]);
    info.scale_dtype = type_name(weight->scales.entry->type);
  }
  for (const StoredTensor& part : tensor.parts) info.arrays.push_back(locate(part));
  return info;
}

// Describes an activation scale, which is not a tensor of the decoded model.
TensorInfo describe_activation_scale(const StoredTensor& scale) {
  TensorInfo info = describe({scale.entry->name, scale.entry->shape, scale, {scale}});
  info.format = "activation_scale";
  info.decoded_bytes = 0;
  return info;
}

void add_model(const Component& component, Inventory& inventory) {
  const Model model(component.path);
  const std::string prefix = name_prefix(component);
  inventory.files += static_cast<std::int64_t>(model.files().size());
  inventory.bytes += model.data_bytes();
  const std::optional<Config> config = read_config(model);
  const Layout layout = read_layout(model, config);
  for (const std::string& note : {foreign_method(model, config, layout.tensors), foreign_kind(model)})
    if (!note.empty()) inventory.notes.push_back(fmt::format("{}: {}", model.name(), note));
  const auto add = [&](TensorInfo info) {
    info.name = prefix + info.name;
    info.file = prefix + info.file;
    inventory.decoded_bytes += info.decoded_bytes;
    inventory.tensors.push_back(std::move(info));
  };
  for (const Tensor& tensor : layout.tensors) add(describe(tensor));
  for (const StoredTensor& scale : layout.activation_scales) add(describe_activation_scale(scale));
}

Inventory take_inventory(const std::filesystem::path& in) {
  Inventory inventory;
  for (const Component& component : models_in(located(in))) add_model(component, inventory);
  std::sort(inventory.tensors.begin(), inventory.tensors.end(),
            [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  return inventory;
}

std::string json_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string json_of(const StoredArray& array) {
  return fmt::format(R"({{"name": {}, "path": {}, "offset": {}, "bytes": {}, "dtype": {}, "shape": {}}})",
                     json_string(array.name), json_string(array.path.native()), array.offset, array.bytes,
                     json_string(array.dtype), json_of(array.shape));
}

std::string json_of(float number) {
  return std::isfinite(number) ? nlohmann::json(number).dump() : fmt::format("\"{}\"", number);
}

std::string json_of(const TensorInfo& tensor) {
  std::vector<std::string> arrays;
  for (const StoredArray& array : tensor.arrays) arrays.push_back(json_of(array));
  return fmt::format(
      R"({{"name": {}, "file": {}, "format": {}, "shape": {}, "dtype": {}, "blocksize": {}, "nested": {}, )"
      R"("bytes": {}, "decoded_bytes": {}, "nested_blocksize": {}, "nested_offset": {}, )"
      R"("block": {}, "scale_dtype": {}, "arrays": [{}]}})",
      json_string(tensor.name), json_string(tensor.file), json_string(tensor.format), json_of(tensor.shape),
      json_string(tensor.dtype), tensor.blocksize, tensor.nested, tensor.bytes, tensor.decoded_bytes,
      tensor.nested_blocksize, json_of(tensor.nested_offset), json_of(tensor.block), json_string(tensor.scale_dtype),
      fmt::join(arrays, ", "));
}

std::string json_of(const Inventory& inventory) {
  std::vector<std::string> tensors;
  for (const TensorInfo& tensor : inventory.tensors) tensors.push_back("\n  " + json_of(tensor));
  std::vector<std::string> notes;
  for (const std::string& note : inventory.notes) notes.push_back(json_string(note));
  return fmt::format("{{\"files\": {}, \"bytes\": {}, \"decoded_bytes\": {}, \"notes\": [{}], \"tensors\": [{}\n]}}",
                     inventory.files, inventory.bytes, inventory.decoded_bytes, fmt::join(notes, ", "),
                     fmt::join(tensors, ","));
}

}  // namespace

Inventory inspect(const std::filesystem::path& in) {
  return with_qfuse_errors([&] { return take_inventory(in); });
}

std::string to_json(const Inventory& inventory) {
  return with_qfuse_errors([&] { return json_of(inventory); });
}

}  // namespace qfuse::checkpoint
