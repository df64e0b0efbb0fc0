#include "checkpoint/files/layout.h"

#include <algorithm>
#include <array>
#include <qfuse/checkpoint.hpp>
#include <utility>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

struct LayoutRow {
  void (*claim)(Claims& claims);                                          // claims all weights in this layout
  void (*refuse_left)(const Claims& claims, const StoredTensor& stored);  // fails if it is only ever a part; or NULL
};

constexpr std::array kLayouts{
    LayoutRow{claim_bitsandbytes, refuse_left_of_bitsandbytes},
    LayoutRow{claim_compressed_tensors, refuse_left_of_compressed_tensors},
    LayoutRow{claim_mxfp4_stacks, refuse_left_of_mxfp4_stacks},
    LayoutRow{claim_modelopt, refuse_left_of_modelopt},
    LayoutRow{claim_deepseek_4bit, nullptr},
    LayoutRow{claim_gptq, refuse_left_of_gptq},
    LayoutRow{claim_fp8, refuse_left_of_fp8},  // last: FP8 tensors may be scales of the layouts above
};

}  // namespace

std::int64_t Tensor::elements() const { return element_count(shape).value(); }  // checked when it was read

bool Tensor::is_of_bitsandbytes() const {
  return std::holds_alternative<StoredWeight4bit>(storage) || std::holds_alternative<StoredWeightInt8>(storage);
}

bool Tensor::is_of_other_methods() const { return quantized_dtype() && !is_of_bitsandbytes(); }

std::optional<Dtype> Tensor::quantized_dtype() const {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&storage)) return weight->state.dtype;
  if (const auto* weight = std::get_if<StoredWeightInt8>(&storage)) return weight->dtype;
  if (const auto* weight = std::get_if<StoredWeightFp8>(&storage)) return weight->dtype;
  if (const auto* weight = std::get_if<StoredWeightGptq>(&storage)) return weight->dtype;
  if (const auto* weight = std::get_if<StoredWeightScaled4bit>(&storage)) return weight->dtype;
  return std::nullopt;
}

std::string_view Tensor::format() const {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&storage)) return name_of(weight->state.quant_type);
  if (std::holds_alternative<StoredWeightInt8>(storage)) return "int8";
  if (std::holds_alternative<StoredWeightFp8>(storage)) return "fp8";
  if (const auto* weight = std::get_if<StoredWeightGptq>(&storage)) return name_of(weight->packing);
  const auto* weight = std::get_if<StoredWeightScaled4bit>(&storage);
  if (weight == nullptr) return type_name(values().entry->type);
  if (weight->quant_type == QuantType::int4) return "int4";
  return weight->scales.entry->type == TensorType::f8_e4m3 ? "nvfp4" : "mxfp4";
}

const StoredTensor& Tensor::values() const {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&storage)) return weight->packed;
  if (const auto* weight = std::get_if<StoredWeightInt8>(&storage)) return weight->weight;
  if (const auto* weight = std::get_if<StoredWeightFp8>(&storage)) return weight->codes;
  if (const auto* weight = std::get_if<StoredWeightGptq>(&storage)) return weight->qweight;
  if (const auto* weight = std::get_if<StoredWeightScaled4bit>(&storage)) return weight->codes;
  return std::get<StoredTensor>(storage);
}

std::int64_t Tensor::stored_bytes() const {
  std::int64_t bytes = 0;
  for (const StoredTensor& part : parts) bytes += part.entry->bytes();
  return bytes;
}

TensorType Tensor::decoded_type(Dtype dtype) const { return quantized_dtype() ? type_of(dtype) : values().entry->type; }

std::int64_t Tensor::decoded_bytes(Dtype dtype) const {
  return quantized_dtype() ? elements() * static_cast<std::int64_t>(dtype_size(dtype)) : stored_bytes();
}

bool Layout::has_other_methods() const { return std::ranges::any_of(tensors, &Tensor::is_of_other_methods); }

bool Layout::has_gptq() const { return std::ranges::any_of(tensors, &Tensor::is_gptq); }

const StoredTensor* Claims::find(Tensor& weight, const std::string& name) {
  const StoredTensor* part = model_.find(name);
  if (part == nullptr) return nullptr;
  if (!parts_.insert(part->entry->name).second)
    fail(Status::invalid_data, "{}: is part of two quantized weights, one of them '{}'", part->where(),
         printable(weight.name));
  weight.parts.push_back(*part);
  return part;
}

const StoredTensor& Claims::get(Tensor& weight, const StoredTensor& because, const std::string& name) {
  const StoredTensor* part = find(weight, name);
  if (part == nullptr)
    fail(Status::invalid_data, "{}: needs tensor '{}', which is missing", because.where(), printable(name));
  return *part;
}

void Claims::add_activation_scale(const StoredTensor& scale) {
  parts_.insert(scale.entry->name);
  activation_scales_.push_back(scale);
}

void Claims::add(Tensor weight) {
  has_gptq_ = has_gptq_ || weight.is_gptq();
  const std::string_view values = weight.values().entry->name;
  if (const StoredTensor* other = weight.name == values ? nullptr : model_.find(weight.name))
    fail(Status::invalid_data, "{}: '{}' is this tensor too, quantized", other->where(), printable(values));
  has_other_methods_ = has_other_methods_ || weight.is_of_other_methods();
  names_.insert(weight.name);
  weights_.emplace(values, std::move(weight));
}

bool Claims::has_weight_within(const std::string& module) const {
  const auto first = names_.lower_bound(module + ".");
  return first != names_.end() && first->starts_with(module + ".");
}

Layout read_layout(const Model& model, const std::optional<Config>& config) {
  Claims claims(model, config);
  for (const LayoutRow& layout : kLayouts) layout.claim(claims);
  return claims.settled([&](const StoredTensor& stored) {
    for (const LayoutRow& layout : kLayouts)
      if (layout.refuse_left != nullptr) layout.refuse_left(claims, stored);
  });
}

void require_type(const StoredTensor& part, TensorType type) {
  if (part.entry->type != type)
    fail(Status::invalid_data, "{}: is {}, needs {}", part.where(), type_name(part.entry->type), type_name(type));
}

}  // namespace qfuse::checkpoint
