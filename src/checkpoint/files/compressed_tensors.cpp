// 4-bit formats of compressed-tensors: reads layer groups from the config, and weights from their tensors.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kPacked = "_packed";
constexpr std::string_view kShape = "_shape";
constexpr std::string_view kZeroPoint = "_zero_point";
constexpr std::string_view kGlobalScale = "_global_scale";
constexpr std::string_view kGroupIndex = "_g_idx";
constexpr int kBits = 4;

// Formats that are read here or by another layout, and those that say nothing about a weight's bits.
constexpr std::array<std::string_view, 10> kFormats{
    "pack-quantized",  "nvfp4-pack-quantized", "mxfp4-pack-quantized", "float-quantized", "naive-quantized",
    "mxfp8-quantized", "int-quantized",        "mixed-precision",      "dense",           "fakequant"};

// The quantization scheme of a group of layers.
struct Scheme {
  std::int64_t bits = 0;
  bool is_float = false;
  std::int64_t group_size = 0;  // columns per scale; 0: one scale per row
  bool is_symmetric = true;
};

// ---- config.json ------------------------------------------------------------------------------------------------

std::string word_in(const OrderedJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t number_in(const OrderedJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

void require_format(const StoredTensor& packed, const std::string& format) {
  if (!format.empty() && std::ranges::find(kFormats, format) == kFormats.end())
    fail(Status::unsupported,
         "{}: config.json says format '{}', which qfuse does not read: load the model with compressed-tensors, and "
         "save it in 16 bits",
         packed.where(), printable(format));
}

// Fails if the config has an unknown format or any transform, which the tensors alone do not show.
void require_plain_record(const StoredTensor& packed, const OrderedJson& record) {
  require_format(packed, word_in(record, "format"));
  const auto sparsity = record.find("sparsity_config");
  if (sparsity != record.end() && sparsity->is_object()) require_format(packed, word_in(*sparsity, "format"));
  const auto transforms = record.find("transform_config");
  if (transforms != record.end() && transforms->is_object() && !transforms->empty() &&
      !transforms->value("config_groups", OrderedJson::object()).empty())
    fail(Status::unsupported,
         "{}: config.json has a transform_config: its layers rotate what they get, which a plain model does not do",
         packed.where());
}

std::vector<Scheme> schemes_of(const StoredTensor& packed, const std::optional<Config>& config) {
  std::vector<Scheme> schemes;
  if (!config) return schemes;
  for (const OrderedJson& record : config->quantization_records()) {
    const auto groups = record.find("config_groups");
    if (groups == record.end() || !groups->is_object()) continue;
    require_plain_record(packed, record);
    for (const auto& [name, group] : groups->items()) {
      if (!group.is_object()) continue;
      require_format(packed, word_in(group, "format"));
      const auto weights = group.find("weights");
      if (weights == group.end() || !weights->is_object()) continue;
      const auto symmetric = weights->find("symmetric");
      schemes.push_back({number_in(*weights, "num_bits"), word_in(*weights, "type") == "float",
                         std::max<std::int64_t>(number_in(*weights, "group_size"), 0),
                         symmetric == weights->end() || *symmetric != false});
    }
  }
  return schemes;
}

// The 4-bit schemes that are float (or integer); fails as unsupported if the config has schemes but none match.
std::vector<Scheme> schemes_4bit(const StoredTensor& packed, const std::vector<Scheme>& all, bool is_float) {
  std::vector<Scheme> some;
  for (const Scheme& scheme : all)
    if (scheme.is_float == is_float && scheme.bits == kBits) some.push_back(scheme);
  if (!some.empty() || all.empty()) return some;
  std::string others;
  for (const Scheme& scheme : all)
    others +=
        fmt::format("{}{} of {} bits", others.empty() ? "" : ", ", scheme.is_float ? "float" : "int", scheme.bits);
  fail(Status::unsupported, "{}: config.json says of the weights: {}; qfuse reads packed ones of 4 bits: {}",
       packed.where(), others, is_float ? "NVFP4 and MXFP4" : "int");
}

// ---- packed integers --------------------------------------------------------------------------------------------

// Returns [rows, columns]; the number of words per row does not determine the columns exactly.
std::pair<std::int64_t, std::int64_t> read_shape(const StoredTensor& shape) {
  const bool is_short = shape.entry->type == TensorType::i32;  // as in some Kimi checkpoints
  if (!is_short) require_type(shape, TensorType::i64);
  if (shape.entry->shape != std::vector<std::int64_t>{2})
    fail(Status::invalid_data, "{}: has shape {}, and must be the two sizes of a matrix", shape.where(),
         printable(shape.entry->shape));
  const auto read = [&](auto sizes) {
    shape.read(0, std::as_writable_bytes(std::span(sizes)));
    return std::pair<std::int64_t, std::int64_t>(sizes[0], sizes[1]);
  };
  return is_short ? read(std::array<std::int32_t, 2>{}) : read(std::array<std::int64_t, 2>{});
}

// Returns the bits per integer that would fill the words of a row, common sizes first; 0 if none would.
std::int64_t bits_of(std::int64_t columns, std::int64_t words) {
  for (const std::int64_t bits : {8, 2, 3, 6, 5, 7, 1})
    if (columns <= (std::int64_t{1} << 56) && qfuse_block_count(columns * bits, 32) == words) return bits;
  return 0;
}

void check_words(const StoredTensor& packed, const StoredTensor& shape, std::int64_t rows, std::int64_t columns) {
  const std::int64_t words = packed.entry->shape[1];
  const bool fits = rows == packed.entry->shape[0] && columns >= 0;
  if (fits && qfuse_block_count(columns, 8) == words) return;
  const std::int64_t bits = fits ? bits_of(columns, words) : 0;
  if (bits != 0)
    fail(Status::unsupported,
         "{}: has {} words a row, and {} columns: integers of {} bits, and qfuse reads those of {}", packed.where(),
         words, columns, bits, kBits);
  fail(Status::invalid_data, "{}: says {} x {}, and '{}' is {}: 8 columns are a word", shape.where(), rows, columns,
       printable(packed.entry->name), printable(packed.entry->shape));
}

// Returns the columns per scale: the group size from the config that matches the number of scales.
std::int64_t group_of(const StoredWeightScaled4bit& weight, const std::vector<Scheme>& schemes) {
  const std::vector<std::int64_t>& shape = weight.scales.entry->shape;
  const std::int64_t count = shape.size() == 2 ? shape[1] : 0;
  const std::int64_t row = std::max<std::int64_t>(weight.columns, 1);
  std::optional<std::int64_t> found;
  if (schemes.empty() && count == 1) return row;
  std::string said;
  for (const Scheme& scheme : schemes) {
    const std::int64_t size = scheme.group_size == 0 ? row : scheme.group_size;
    said += (said.empty() ? "" : ", ") + std::to_string(size);
    if (qfuse_block_count(weight.columns, size) != count) continue;
    if (found && std::min(*found, row) != std::min(size, row))
      fail(Status::invalid_data, "{}: config.json says groups of {} and of {} columns, and both fit {}",
           weight.scales.where(), *found, size, printable(shape));
    found = size;
  }
  if (!found)
    fail(Status::invalid_data,
         "{}: has shape {}, and config.json says {} columns for a scale of '{}', which has {} x {}",
         weight.scales.where(), printable(shape), said.empty() ? "not how many" : said,
         printable(weight.codes.entry->name), weight.rows, weight.columns);
  if (*found % 16 != 0 && *found < weight.columns)
    fail(Status::unsupported, "{}: is of groups of {} columns, and qfuse reads multiples of 16", weight.scales.where(),
         *found);
  return *found;
}

void check_symmetry(const StoredWeightScaled4bit& weight, const std::vector<Scheme>& schemes) {
  const bool has_zero_points = weight.zero_points.has_value();
  if (schemes.empty() ||
      std::ranges::any_of(schemes, [&](const Scheme& it) { return it.is_symmetric != has_zero_points; }))
    return;
  fail(Status::invalid_data, "{}: {}", weight.codes.where(),
       has_zero_points ? "has zero points, and config.json says `symmetric`"
                       : "config.json says that it is not `symmetric`, and 'weight_zero_point' is missing");
}

void add_packed_integers(Claims& claims, const StoredTensor& packed, const std::vector<Scheme>& all) {
  const std::vector<Scheme> schemes = schemes_4bit(packed, all, false);
  const std::string& name = packed.entry->name;
  const std::string base = name.substr(0, name.size() - kPacked.size());
  Tensor tensor{base, {}, {}, {}};
  StoredWeightScaled4bit weight{.quant_type = QuantType::int4, .codes = *claims.find(tensor, name)};
  if (const StoredTensor* index = claims.find(tensor, base + std::string(kGroupIndex)))
    fail(Status::unsupported,
         "{}: gives its columns to groups in an order of their own (actorder 'group'), which qfuse does not read: load "
         "the model with compressed-tensors, and save it in 16 bits",
         index->where());
  const StoredTensor& shape = claims.get(tensor, packed, base + std::string(kShape));
  weight.shape = shape;
  std::tie(weight.rows, weight.columns) = read_shape(shape);
  check_words(packed, shape, weight.rows, weight.columns);
  weight.row_bytes = packed.entry->shape[1] * 4;
  weight.scales = claims.get(tensor, packed, base + "_scale");
  require_scale_type(weight.scales, {TensorType::f32, TensorType::f16, TensorType::bf16});
  weight.blocksize = group_of(weight, schemes);
  if (const StoredTensor* zero_points = claims.find(tensor, base + std::string(kZeroPoint)))
    weight.zero_points = *zero_points;
  check_symmetry(weight, schemes);
  add_scaled_4bit(claims, std::move(tensor), weight);
}

// ---- packed floats ----------------------------------------------------------------------------------------------

void add_packed_floats(Claims& claims, const StoredTensor& packed, const std::vector<Scheme>& all) {
  const std::vector<Scheme> schemes = schemes_4bit(packed, all, true);
  const std::string& name = packed.entry->name;
  const std::string base = name.substr(0, name.size() - kPacked.size());
  Tensor tensor{base, {}, {}, {}};
  StoredWeightScaled4bit weight{.codes = *claims.find(tensor, name), .is_divisor = true};
  if (const StoredTensor* extra = claims.find(tensor, base + std::string(kZeroPoint)))
    fail(Status::unsupported, "{}: floats of 4 bits have no zero points", extra->where());
  weight.rows = packed.entry->shape[0];
  weight.row_bytes = packed.entry->shape[1];
  weight.columns = columns_of_bytes(packed, weight.row_bytes, 2);
  weight.scales = claims.get(tensor, packed, base + "_scale");
  require_scale_type(weight.scales, {TensorType::f8_e4m3, TensorType::u8, TensorType::f8_e8m0});
  const bool is_nvfp4 = weight.scales.entry->type == TensorType::f8_e4m3;
  weight.blocksize = is_nvfp4 ? 16 : 32;
  const std::string global = base + std::string(kGlobalScale);
  if (is_nvfp4)
    weight.global_scale = claims.get(tensor, packed, global);
  else if (const StoredTensor* extra = claims.find(tensor, global))
    fail(Status::invalid_data, "{}: is of NVFP4, and '{}' of MXFP4, by the type of its scales", extra->where(),
         printable(name));
  if (!schemes.empty() && std::ranges::find(schemes, weight.blocksize, &Scheme::group_size) == schemes.end())
    fail(Status::invalid_data, "{}: is {}, whose groups are of {} columns, and config.json says {}",
         weight.scales.where(), type_name(weight.scales.entry->type), weight.blocksize, schemes.front().group_size);
  add_scaled_4bit(claims, std::move(tensor), weight);
}

}  // namespace

void claim_compressed_tensors(Claims& claims) {
  std::optional<std::vector<Scheme>> schemes;
  claims.for_each_stored([&](const StoredTensor& stored) {
    const std::string& name = stored.entry->name;
    if (!name.ends_with(std::string(kWeightSuffix) + std::string(kPacked)) || claims.is_claimed(stored)) return;
    const bool are_words = stored.entry->type == TensorType::i32;
    if ((!are_words && stored.entry->type != TensorType::u8) || stored.entry->shape.size() != 2)
      fail(Status::unsupported, "{}: is {} {}, and qfuse reads packed weights that are matrices of I32 or U8",
           stored.where(), type_name(stored.entry->type), printable(stored.entry->shape));
    if (!schemes) schemes = schemes_of(stored, claims.config() ? claims.config() : config_beside(claims.model()));
    (are_words ? add_packed_integers : add_packed_floats)(claims, stored, *schemes);
  });
}

void refuse_left_of_compressed_tensors(const Claims& claims, const StoredTensor& stored) {
  const std::string& name = stored.entry->name;
  if (!claims.has_other_methods()) return;
  for (const std::string_view ending : {kShape, kZeroPoint, kGlobalScale, kGroupIndex}) {
    const std::string behind = std::string(kWeightSuffix) + std::string(ending);
    if (!name.ends_with(behind)) continue;
    const std::string weight = name.substr(0, name.size() - ending.size());
    if (claims.model().find(weight) == nullptr)  // otherwise one integer per byte, in another layout
      fail(Status::invalid_data, "{}: is part of a quantized weight, but '{}{}' is missing", stored.where(),
           printable(weight), kPacked);
  }
}

}  // namespace qfuse::checkpoint
