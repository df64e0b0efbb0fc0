#include "checkpoint/files/scaled_4bit.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::string_view kBlocks = "_blocks";
constexpr std::string_view kScales = "_scales";
constexpr std::string_view kScale = ".scale";
constexpr std::string_view kSecond = "_scale_2";
constexpr std::string_view kPreQuantScale = ".pre_quant_scale";
constexpr std::int64_t kMxBlock = 32;
constexpr std::int64_t kNvBlock = 16;

std::string without(const std::string& name, std::string_view ending) {
  return name.substr(0, name.size() - std::min(ending.size(), name.size()));
}

void require_shape(const StoredTensor& part, const Sizes& shape, const StoredTensor& codes) {
  if (part.entry->shape != shape)
    fail(Status::invalid_data, "{}: has shape {}; '{}', which is {}, needs {}", part.where(),
         printable(part.entry->shape), printable(codes.entry->name), printable(codes.entry->shape), printable(shape));
}

Sizes decoded_shape(const StoredWeightScaled4bit& weight) {
  Sizes shape{weight.rows, weight.columns};
  if (weight.is_transposed) std::swap(shape[0], shape[1]);
  if (weight.codes.entry->shape.size() > 2) shape.insert(shape.begin(), weight.matrices);
  return shape;
}

[[noreturn]] void refuse_part(const StoredTensor& part, const std::string& missing) {
  fail(Status::invalid_data, "{}: is part of a quantized weight, but '{}' is missing", part.where(),
       printable(missing));
}

}  // namespace

std::int64_t columns_of_bytes(const StoredTensor& codes, std::int64_t bytes, std::int64_t elements) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;  // bytes per row; only tensors without elements can have more
  if (bytes > kMost)
    fail(Status::invalid_data, "{}: its shape {} is beyond all sizes", codes.where(), printable(codes.entry->shape));
  return bytes * elements;
}

void require_scale_type(const StoredTensor& scales, std::initializer_list<TensorType> types) {
  if (std::ranges::find(types, scales.entry->type) != types.end()) return;
  std::string names;
  for (const TensorType type : types) names += (names.empty() ? "" : ", ") + std::string(type_name(type));
  fail(Status::unsupported, "{}: is {}, while scales of such a weight are {}", scales.where(),
       type_name(scales.entry->type), names);
}

void add_scaled_4bit(Claims& claims, Tensor tensor, StoredWeightScaled4bit weight) {
  Sizes scales{weight.rows, weight.blocks()};
  if (weight.codes.entry->shape.size() > 2) scales.insert(scales.begin(), weight.matrices);
  require_shape(weight.scales, scales, weight.codes);
  if (weight.global_scale) {
    require_type(*weight.global_scale, TensorType::f32);
    if (element_count(weight.global_scale->entry->shape) != 1)
      fail(Status::invalid_data, "{}: has shape {}, and is one number for the whole tensor",
           weight.global_scale->where(), printable(weight.global_scale->entry->shape));
  }
  if (weight.zero_points) {
    require_type(*weight.zero_points, TensorType::i32);
    require_shape(*weight.zero_points, {qfuse_block_count(weight.rows, 8), weight.blocks()}, weight.codes);
  }
  weight.dtype = unstated_dtype(claims.config());
  tensor.shape = decoded_shape(weight);
  if (!element_count(tensor.shape))
    fail(Status::invalid_data, "{}: the size of shape {} overflows", weight.codes.where(), printable(tensor.shape));
  tensor.storage = weight;
  claims.add(std::move(tensor));
}

// ---- transformers' stacks of MXFP4 ------------------------------------------------------------------------------

void claim_mxfp4_stacks(Claims& claims) {
  claims.for_each_stored([&](const StoredTensor& stored) {
    const std::string& name = stored.entry->name;
    const Sizes& shape = stored.entry->shape;
    const bool is_blocks = name.ends_with(kBlocks) && stored.entry->type == TensorType::u8 && shape.size() == 4;
    if (!is_blocks || shape[3] != kMxBlock / 2 || claims.is_claimed(stored)) return;
    Tensor tensor{without(name, kBlocks), {}, {}, {}};
    StoredWeightScaled4bit weight{.codes = *claims.find(tensor, name), .blocksize = kMxBlock, .is_transposed = true};
    weight.scales = claims.get(tensor, stored, tensor.name + std::string(kScales));
    require_scale_type(weight.scales, {TensorType::u8, TensorType::f8_e8m0});
    weight.matrices = shape[0];
    weight.rows = shape[1];
    weight.columns = columns_of_bytes(stored, shape[2], kMxBlock);
    weight.row_bytes = weight.columns / 2;
    add_scaled_4bit(claims, std::move(tensor), weight);
  });
}

void refuse_left_of_mxfp4_stacks(const Claims& claims, const StoredTensor& stored) {
  const std::string& name = stored.entry->name;
  if (!claims.has_other_methods() || stored.entry->type != TensorType::u8 || !name.ends_with(kScales)) return;
  refuse_part(stored, without(name, kScales) + std::string(kBlocks));
}

// ---- modelopt's NVFP4 -------------------------------------------------------------------------------------------

void claim_modelopt(Claims& claims) {
  claims.for_each_stored([&](const StoredTensor& stored) {
    const std::string& name = stored.entry->name;
    const Sizes& shape = stored.entry->shape;
    const StoredTensor* scales = claims.model().find(name + "_scale");
    const bool is_nvfp4 = stored.entry->type == TensorType::u8 && scales != nullptr && shape.size() == 2 &&
                          scales->entry->type == TensorType::f8_e4m3 && !claims.is_claimed(stored);
    if (!is_nvfp4) return;
    Tensor tensor{name, {}, {}, {}};
    StoredWeightScaled4bit weight{.codes = *claims.find(tensor, name), .is_zero_unsigned = true};
    weight.scales = claims.get(tensor, stored, name + "_scale");
    weight.global_scale = claims.get(tensor, stored, name + std::string(kSecond));
    weight.rows = shape[0];
    weight.row_bytes = shape[1];
    weight.columns = columns_of_bytes(stored, shape[1], 2);
    weight.blocksize = kNvBlock;
    add_scaled_4bit(claims, std::move(tensor), weight);
  });
}

void refuse_left_of_modelopt(const Claims& claims, const StoredTensor& stored) {
  const std::string& name = stored.entry->name;
  if (!claims.has_other_methods()) return;
  if (name.ends_with(kPreQuantScale))
    fail(Status::unsupported,
         "{}: multiplies the inputs of its layer, which a plain model does not do: export with a method that has no "
         "pre_quant_scale, which AWQ and SVDQuant have",
         stored.where());
  const std::string weight = without(name, kSecond);
  if (weight.ends_with(kWeightSuffix) && name.ends_with(kSecond) && claims.model().find(weight) == nullptr)
    refuse_part(stored, weight);
}

// ---- DeepSeek-V4's experts --------------------------------------------------------------------------------------

void claim_deepseek_4bit(Claims& claims) {
  claims.for_each_stored([&](const StoredTensor& stored) {
    const std::string& name = stored.entry->name;
    const Sizes& shape = stored.entry->shape;
    if (stored.entry->type != TensorType::i8 || shape.size() != 2 || !name.ends_with(kWeightSuffix)) return;
    const std::string scale_name = without(name, kWeightSuffix) + std::string(kScale);
    const StoredTensor* scales = claims.model().find(scale_name);
    const bool is_4bit = scales != nullptr && scales->entry->type == TensorType::f8_e8m0;
    if (!is_4bit || claims.is_claimed(stored)) return;
    Tensor tensor{name, {}, {}, {}};
    StoredWeightScaled4bit weight{.codes = *claims.find(tensor, name)};
    weight.scales = claims.get(tensor, stored, scale_name);
    weight.rows = shape[0];
    weight.row_bytes = shape[1];
    weight.columns = columns_of_bytes(stored, shape[1], 2);
    weight.blocksize = kMxBlock;
    add_scaled_4bit(claims, std::move(tensor), weight);
  });
}

}  // namespace qfuse::checkpoint
