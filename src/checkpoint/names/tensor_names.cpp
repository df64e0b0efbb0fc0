#include "checkpoint/names/tensor_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/lora_file.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

// Real names have fewer than 20 parts. Suffixes of longer names are not stored, because they are all long.
constexpr std::size_t kMostParts = 32;

// A number belongs to the part before it, so that numbers of layers and experts cannot be swapped.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (is_number(part) && !parts.empty())
      parts.back().append(1, '.').append(part);
    else
      parts.emplace_back(part);
    if (dot == name.npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// Parts of names, and what files call them. Tried only if the file lacks a name; the changed name must exist there.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames{{
    // In memory: transformers 5 renames layers as it loads some files.
    {".mlp.", ".block_sparse_moe."},         // Mixtral and others
    {".mlp.", ".ffn."},                      // DeepSeek V4
    {".mlp.", ".moe."},                      // Step 3.7
    {".mlp.experts.", ".experts."},          // Mistral Large 4
    {"model.layers.", "backbone.layers."},   // Nemotron-H
    {"model.layers.", "model.llm.layers."},  // Inkling
    {"model.language_model.layers.", "model.llm.layers."},
    // In Tinker's adapters.
    {".attn.", ".self_attn."},  // gpt-oss
    {"model.unembed_tokens.", "lm_head."},
}};

std::string sorted(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  std::string text;
  for (const std::string& part : parts) text += part + '/';
  return text;
}

// Returns a key that does not depend on the order of parts. Memory and file differ only in the order of the first
// parts. A layer's parts are the same in both, so all parts may be sorted.
std::string sorted_parts(const std::string& name) { return sorted(parts_of(name)); }

bool is_of_many_parts(const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count(name, '.')) >= kMostParts;
}

template <class Use>
void for_each_end(const std::string& name, Use use) {
  if (is_of_many_parts(name)) return;
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) use(name.substr(dot + 1));
}

// Whether it is a prefix that the class of a whole model adds to the inner model's names (base_model_prefix in
// transformers), or that training adds. A module beside others, such as a vision tower, is not one.
bool is_wrapper(std::string_view part) {
  constexpr std::string_view kWrappers =
      " _fsdp_wrapped_module _orig_mod aimv2 albert align altclip base_model beit bert biogpt bit blip bros canine "
      "chinese_clip chmv2 clap clip convbert convnext convnextv2 cpmant cvt dac data2vec_text deberta "
      "decision_transformer deit depth_anything depth_pro dinat dinov2 dinov2_with_registers distilbert donut dpt "
      "edgetam efficientloftr efficientnet electra encodec eomt eomt_dinov3 ernie esm esmc esmfold2 "
      "fastspeech2_conformer flava fnet focalnet funnel git glpn gpt_neox gpt_neox_japanese groupvit gte hgnetv2 "
      "hiera hubert ibert ijepa language_model layoutlm layoutlmv2 layoutlmv3 led levit lightglue lilt longformer "
      "luke lw_detr_vit lxmert markuplm metaclip_2 mgp_str mimi mobilebert mobilenet_v1 mobilenet_v2 mobilevit "
      "mobilevitv2 model module mpnet mra neucodec nomic_bert nystromformer owlv2 owlvit perceiver pixio poolformer "
      "prompt_depth_anything prophetnet pvt pvt_v2 rag reformer regnet rembert resnet rf_detr_dinov2 roberta "
      "roberta_prelayernorm roc_bert roformer rwkv sam sam2 sam3 sam_hq seamless_m4t seamless_m4t_v2 segformer sew "
      "sew_d siglip siglip2 speecht5 splinter superglue superpoint swiftformer swin swin2sr swinv2 "
      "switch_transformers tapas text_model textnet timesformer transformer unispeech unispeech_sat vilt "
      "visual_bert vit vitdet vits vivit vjepa2 wav2vec2 wav2vec2_bert wav2vec2_conformer wavlm x_clip xcodec "
      "xcodec2 yoso zoedepth ";
  return !part.empty() && kWrappers.find(fmt::format(" {} ", part)) != kWrappers.npos;
}

}  // namespace

std::string essential_parts(const std::string& name) {
  std::vector<std::string> parts = parts_of(name);
  std::erase_if(parts, [](const std::string& part) { return part == "model" || part == "language_model"; });
  return sorted(std::move(parts));
}

std::vector<std::string> other_names(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [given, in_file] : kOtherNames)
    if (const std::size_t at = name.find(given); at != name.npos)
      names.push_back(std::string(name).replace(at, given.size(), in_file));
  return names;
}

TensorNames::TensorNames(std::span<const Tensor> tensors, const std::string& prefix) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    const std::string name = tensor.name.substr(prefix.size());
    by_parts_[sorted_parts(name)].push_back(&tensor);
    by_essence_[essential_parts(name)].push_back(&tensor);
    for_each_end(name, [&](std::string end) { by_end_[std::move(end)].push_back(&tensor); });
    by_kohya_.add(name, tensor);
    by_name_.emplace(name, &tensor);
  }
}

std::vector<const Tensor*> TensorNames::candidates(const std::string& name) const {
  if (is_kohya_name(name)) return by_kohya_.find(name);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return {found->second};
  if (const auto found = by_parts_.find(sorted_parts(name)); found != by_parts_.end()) return found->second;
  if (const auto found = by_essence_.find(essential_parts(name)); found != by_essence_.end()) return found->second;
  std::vector<const Tensor*> all;
  if (const auto found = by_end_.find(name); found != by_end_.end()) all = found->second;
  if (is_of_many_parts(name)) return all;
  std::string_view inner = name;
  for (std::size_t dot = inner.find('.'); dot != inner.npos && is_wrapper(inner.substr(0, dot));
       dot = inner.find('.')) {
    inner.remove_prefix(dot + 1);
    const auto found = by_name_.find(std::string(inner));
    if (found != by_name_.end() && inner.find('.') != inner.npos) all.push_back(found->second);
  }
  return all;
}

const Tensor* TensorNames::only(const std::string& name) const {
  const std::vector<const Tensor*> found = candidates(name);
  return found.size() == 1 ? found.front() : nullptr;
}

const Tensor* TensorNames::find(const std::string& name, const std::string& where) const {
  std::vector<const Tensor*> found = candidates(name);
  for (const std::string& other : other_names(name))
    if (found.empty()) found = candidates(other);
  if (found.size() > 1)
    fail(Status::invalid_data,
         "{}: its tensor '{}' may be '{}' or '{}' of the model, which has no such name: `prefix` says "
         "under which module its names lie",
         where, printable(name), printable(found[0]->name), printable(found[1]->name));
  return found.empty() ? nullptr : found.front();
}

}  // namespace qfuse::checkpoint
