#include "checkpoint/files/fp8.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::string_view kInverse = "_scale_inv";
constexpr std::array<std::string_view, 2> kBehindName{kInverse, "_scale"};
constexpr std::array<std::string_view, 3> kBehindModule{".scale", ".qscale_weight", ".scale_weight"};
constexpr std::array kScaleTypes{TensorType::f32, TensorType::bf16, TensorType::f16, TensorType::f8_e8m0,
                                 TensorType::u8};
constexpr ScaleBlock kDefaultBlock{128, 128};

// Suffixes after the name of a module or of a stack of experts.
constexpr std::array<std::string_view, 8> kActivationScales{
    ".input_scale", ".activation_scale", ".qscale_act",     ".scale_input",
    "_input_scale", "_activation_scale", ".input_scale_ub", ".input_global_scale"};
constexpr std::array<std::string_view, 2> kActivationZeroPoints{".input_zero_point", ".output_zero_point"};
// Suffixes after the name of an attention module or of one of its layers.
constexpr std::array<std::string_view, 6> kAttentionScales{".k_scale",      ".v_scale",  ".q_scale",
                                                           ".output_scale", ".kv_scale", ".prob_scale"};

// modelopt's, for attention that quantizes only keys and values.
constexpr std::array<std::string_view, 2> kCacheScales{".k_proj.k_scale", ".v_proj.v_scale"};

// ComfyUI's markers for models with FP8 weights.
constexpr std::array<std::string_view, 2> kMarkers{"scaled_fp8", ".comfy_quant"};

bool is_e4m3(const StoredTensor& stored) { return stored.entry->type == TensorType::f8_e4m3; }

template <class Endings>
bool ends_with_any(std::string_view name, const Endings& endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// Whether the tensor is named like scales: NVFP4 scales are F8_E4M3 too.
bool is_scale_name(std::string_view name) { return ends_with_any(name, kBehindName) || name.ends_with(".scale"); }

std::vector<std::string> scale_names(const std::string& weight) {
  std::vector<std::string> names;
  for (const std::string_view ending : kBehindName) names.push_back(weight + std::string(ending));
  if (weight.ends_with(kWeightSuffix))
    for (const std::string_view ending : kBehindModule)
      names.push_back(weight.substr(0, weight.size() - kWeightSuffix.size()) + std::string(ending));
  return names;
}

// Returns NULL if there are none.
const StoredTensor* scales_of(const Model& model, const StoredTensor& codes) {
  const StoredTensor* found = nullptr;
  for (const std::string& name : scale_names(codes.entry->name)) {
    const StoredTensor* one = model.find(name);
    if (one == nullptr) continue;
    if (found != nullptr)
      fail(Status::invalid_data, "{}: has two tensors of scales, '{}' and '{}'", codes.where(),
           printable(found->entry->name), printable(name));
    found = one;
  }
  return found;
}

// ---- which block each scale covers ------------------------------------------------------------------------------

// Whether a convolution's weight has one scale per output channel, as [channels, 1, 1, 1]. Its channels are rows then.
bool has_channels(const StoredTensor& codes, const StoredTensor& scales) {
  const Sizes& shape = codes.entry->shape;
  const Sizes& of_scales = scales.entry->shape;
  return shape.size() > 3 && shape.front() > 0 && of_scales.size() == shape.size() &&
         of_scales.front() == shape.front() && element_count(of_scales) == shape.front();
}

// Sets the sizes of a matrix or a 3-D stack. For any other rank, all dimensions but the last are rows.
StoredWeightFp8 shaped(const StoredTensor& codes, const StoredTensor& scales) {
  const Sizes& shape = codes.entry->shape;
  StoredWeightFp8 weight{.codes = codes, .scales = scales};
  weight.columns = shape.empty() ? 1 : shape.back();
  if (shape.size() == 3) weight.matrices = shape.front();
  const auto first = shape.begin() + (shape.size() == 3 ? 1 : 0);
  weight.rows = shape.empty() ? 1 : element_count(Sizes(first, shape.end() - 1)).value();  // overflow was ruled out
  if (has_channels(codes, scales)) {
    weight.columns *= weight.rows / shape.front();
    weight.rows = shape.front();
  }
  return weight;
}

StoredWeightFp8 with_block(StoredWeightFp8 weight, ScaleBlock block) {
  weight.block_rows = std::max<std::int64_t>(block.rows, 1);
  weight.block_columns = std::max<std::int64_t>(block.columns, 1);
  return weight;
}

// Returns the shapes that scales may have for a weight with these blocks.
std::vector<Sizes> scale_shapes(const StoredWeightFp8& weight) {
  const std::int64_t rows = weight.scale_rows();
  const std::int64_t columns = weight.scale_columns();
  std::vector<Sizes> shapes{{rows, columns}, {rows, 1, columns, 1}};  // the second is modelopt's
  if (columns == 1) shapes.push_back({rows});
  if (weight.codes.entry->shape.size() == 3) {
    for (Sizes& shape : shapes) shape.insert(shape.begin(), weight.matrices);
    if (rows == 1 && columns == 1) shapes.push_back({weight.matrices});
  }
  return shapes;
}

bool has_shape(const StoredWeightFp8& weight) {
  return std::ranges::count(scale_shapes(weight), weight.scales.entry->shape) > 0;
}

// Whether both, views of the same tensor, assign the same scale to every element.
bool same_scales(const StoredWeightFp8& a, const StoredWeightFp8& b) {
  const auto same = [](std::int64_t size, std::int64_t x, std::int64_t y) {
    return std::min(size, x) == std::min(size, y);
  };
  return same(a.rows, a.block_rows, b.block_rows) && same(a.columns, a.block_columns, b.block_columns);
}

[[noreturn]] void refuse_shape(const StoredWeightFp8& weight, std::span<const ScaleBlock> blocks) {
  std::string needs;
  for (const ScaleBlock& block : blocks)
    needs += fmt::format("{} in blocks of {} x {}, ", printable(scale_shapes(with_block(weight, block)).front()),
                         block.rows, block.columns);
  fail(Status::invalid_data,
       "{}: has shape {}; scales of '{}', which is {}, have {}or one for each row, or one for all",
       weight.scales.where(), printable(weight.scales.entry->shape), printable(weight.codes.entry->name),
       printable(weight.codes.entry->shape), needs);
}

// Returns the weight with the block of the config (or the default) that fits the scales' shape; nullopt if none does.
std::optional<StoredWeightFp8> in_blocks(const StoredWeightFp8& weight, std::span<const ScaleBlock> blocks) {
  std::optional<StoredWeightFp8> found;
  for (const ScaleBlock& block : blocks) {
    const StoredWeightFp8 one = with_block(weight, block);
    if (!has_shape(one)) continue;
    if (found && !same_scales(*found, one))
      fail(Status::invalid_data, "{}: config.json says blocks of {} x {} and of {} x {}, and both fit {}",
           weight.scales.where(), found->block_rows, found->block_columns, block.rows, block.columns,
           printable(weight.scales.entry->shape));
    found = one;
  }
  return found;
}

StoredWeightFp8 with_one_scale(StoredWeightFp8 weight) {
  weight.rows *= std::exchange(weight.matrices, 1);
  return with_block(weight, {weight.rows, weight.columns});
}

// Returns the weight with the block that each scale covers. `blocks`: block sizes stated in the config.
StoredWeightFp8 with_its_block(StoredWeightFp8 weight, std::vector<ScaleBlock> blocks) {
  const Sizes& shape = weight.scales.entry->shape;
  if (shape.size() < 2 && element_count(shape) == 1) return with_one_scale(weight);
  if (has_channels(weight.codes, weight.scales)) return with_block(weight, {1, weight.columns});
  if (blocks.empty()) blocks.push_back(kDefaultBlock);
  if (const std::optional<StoredWeightFp8> found = in_blocks(weight, blocks)) return *found;
  std::vector<ScaleBlock> others{{1, weight.columns}, {weight.rows, weight.columns}};
  if (weight.codes.entry->shape.size() == 3) others.push_back({weight.rows, 1});  // for Llama 4, which stores [in, out]
  for (const ScaleBlock& block : others)
    if (const StoredWeightFp8 one = with_block(weight, block); has_shape(one)) return one;
  if (element_count(shape) == 1) return with_one_scale(weight);
  refuse_shape(weight, blocks);
}

// ---- claims ----------------------------------------------------------------------------------------------------

void add_fp8(Claims& claims, const StoredTensor& codes, const StoredTensor& scales,
             const std::vector<ScaleBlock>& blocks) {
  if (std::ranges::find(kScaleTypes, scales.entry->type) == kScaleTypes.end())
    fail(Status::unsupported, "{}: is {}, while scales of FP8 weights are F32, BF16, F16, F8_E8M0 or U8",
         scales.where(), type_name(scales.entry->type));
  Tensor weight{codes.entry->name, codes.entry->shape, {}, {}};
  claims.find(weight, codes.entry->name);
  claims.find(weight, scales.entry->name);
  StoredWeightFp8 storage = with_its_block(shaped(codes, scales), blocks);
  storage.dtype = unstated_dtype(claims.config());
  weight.storage = storage;
  claims.add(std::move(weight));
}

// Last words of the names of weights that have a `_scale` tensor.
using LastWords = std::set<std::string_view>;

// Returns the last word of the name of a layer or a stack: "proj".
std::string_view last_word(std::string_view weight) {
  if (weight.ends_with(kWeightSuffix)) weight.remove_suffix(kWeightSuffix.size());
  return weight.substr(weight.find_last_of("._") + 1);  // npos + 1 is 0
}

// Whether it is a scale by which inputs of a layer, or keys and values of an attention, are divided when they are
// quantized; or a zero point or marker of that kind.
bool is_activation_scale(const Claims& claims, const StoredTensor& stored) {
  const std::string& name = stored.entry->name;
  if (ends_with_any(name, kMarkers)) return true;
  const std::string module = name.substr(0, std::min(name.rfind('.'), name.size()));
  if (ends_with_any(name, kActivationZeroPoints)) return claims.has_weight(module + std::string(kWeightSuffix));
  if (!dtype_of(stored.entry->type)) return false;
  for (const std::string_view ending : kActivationScales) {
    if (!name.ends_with(ending)) continue;
    const std::string owner = name.substr(0, name.size() - ending.size());
    return claims.has_weight(ending.front() == '.' ? owner + std::string(kWeightSuffix) : owner);
  }
  if (element_count(stored.entry->shape) != 1) return false;
  return ends_with_any(name, kCacheScales) ||
         (ends_with_any(name, kAttentionScales) && claims.has_weight_within(module));
}

[[noreturn]] void refuse_missing(const StoredTensor& scales, const std::string& weight) {
  fail(Status::invalid_data, "{}: has the scales of a quantized weight, but '{}' is missing", scales.where(),
       printable(weight));
}

// Fails for a scale whose stack is missing. Parameters such as `logit_scale` have similar names: the last word decides.
void refuse_scale_of_nothing(const Claims& claims, const LastWords& words, const StoredTensor& stored) {
  const std::string& name = stored.entry->name;
  if (!dtype_of(stored.entry->type) || !name.ends_with("_scale") || words.empty()) return;
  if (ends_with_any(name, kActivationScales) || ends_with_any(name, kAttentionScales)) return;
  const std::string weight = name.substr(0, name.size() - std::string_view("_scale").size());
  const std::string_view word = last_word(weight);
  if (claims.model().find(weight) == nullptr && (word == "proj" || words.contains(word)))
    refuse_missing(stored, weight);
}

// Returns the name of the weight that these scales belong to; "" if the name is not specific to scales.
std::string weight_of_scales(const StoredTensor& stored, bool is_quantized) {
  const std::string& name = stored.entry->name;
  const auto before = [&](std::string_view ending) { return name.substr(0, name.size() - ending.size()); };
  if (name.ends_with(kInverse)) return before(kInverse);
  if (!is_quantized) return "";
  if (name.ends_with(".weight_scale")) return before("_scale");
  for (const std::string_view ending : kBehindModule)
    if (name.ends_with(ending) && (ending != ".scale" || stored.entry->type == TensorType::f8_e8m0))
      return before(ending) + std::string(kWeightSuffix);
  return "";
}

}  // namespace

void claim_fp8(Claims& claims) {
  std::vector<StoredTensor> bare;
  std::optional<std::vector<ScaleBlock>> blocks;
  LastWords words;
  claims.for_each_stored([&](const StoredTensor& stored) {
    if (!is_e4m3(stored) || claims.is_claimed(stored)) return;
    const StoredTensor* scales = scales_of(claims.model(), stored);
    if (scales == nullptr) {
      if (!is_scale_name(stored.entry->name) && !ends_with_any(stored.entry->name, kMarkers)) bare.push_back(stored);
      return;
    }
    if (!blocks) blocks = claims.config() ? claims.config()->scale_blocks() : scale_blocks_beside(claims.model());
    add_fp8(claims, stored, *scales, *blocks);
    if (scales->entry->name.ends_with("_scale")) words.insert(last_word(stored.entry->name));
  });
  if (!claims.has_other_methods()) return;
  if (!bare.empty())
    fail(Status::invalid_data, "{}: is F8_E4M3, and the tensor of its scales is missing: '{}' or '{}'",
         bare.front().where(), printable(scale_names(bare.front().entry->name)[0]),
         printable(scale_names(bare.front().entry->name)[1]));
  claims.for_each_stored([&](const StoredTensor& stored) {
    if (claims.is_claimed(stored)) return;
    if (is_activation_scale(claims, stored)) return claims.add_activation_scale(stored);
    refuse_scale_of_nothing(claims, words, stored);
  });
}

// Refuses leftover scales of a missing or float weight, and inverse scales of any. Others may belong to a layout that
// is not read here (NVFP4).
void refuse_left_of_fp8(const Claims& claims, const StoredTensor& stored) {
  const std::string weight = weight_of_scales(stored, claims.has_other_methods());
  if (weight.empty()) return;
  const StoredTensor* values = claims.model().find(weight);
  if (values == nullptr) refuse_missing(stored, weight);
  const TensorType type = values->entry->type;
  if (dtype_of(type) || stored.entry->name.ends_with(kInverse))
    fail(dtype_of(type) ? Status::invalid_data : Status::unsupported,
         "{}: has the scales of '{}', which is {}: only F8_E4M3 can be scaled", stored.where(), printable(weight),
         type_name(type));
}

}  // namespace qfuse::checkpoint
