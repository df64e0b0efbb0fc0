#include "checkpoint/convert/linear.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::string_view kOutputHead = "lm_head";

// The last part of a module's name, where it is an embedding for sure: transformers looks up rows of it.
constexpr std::array<std::string_view, 17> kEmbeddings{"embed_in",
                                                       "embed_positions",
                                                       "embed_tokens",
                                                       "embed_tokens_per_layer",
                                                       "embedding",
                                                       "embeddings",
                                                       "position_embedding",
                                                       "position_embeddings",
                                                       "relative_attention_bias",
                                                       "shared",
                                                       "tok_embeddings",
                                                       "token_embedding",
                                                       "token_type_embeddings",
                                                       "word_embedding",
                                                       "word_embeddings",
                                                       "wpe",
                                                       "wte"};

// The last part of a module's name, where it is an output head.
constexpr std::array<std::string_view, 3> kHeads{"head", "output", "output_layer"};

// Any part of a module's name: output heads, routers, and what carries images and sound. Quantizing these costs more
// accuracy than it saves bytes; transformers and Unsloth leave them out as well.
constexpr std::array<std::string_view, 17> kKept{"audio_tower",
                                                 "classifier",
                                                 "embed_audio",
                                                 "embed_out",
                                                 "embed_vision",
                                                 "gate",
                                                 "lm_head",
                                                 "mamba",
                                                 "merger",
                                                 "modality_projection",
                                                 "multi_modal_projector",
                                                 "qa_outputs",
                                                 "router",
                                                 "score",
                                                 "shared_expert_gate",
                                                 "vision_embedder",
                                                 "vision_tower"};

bool is_one_of(std::string_view part, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), part) != names.end();
}

std::string_view last_part(std::string_view module) { return module.substr(module.rfind('.') + 1); }

bool is_kept(std::string_view module) {
  const std::string_view last = last_part(module);
  if (is_one_of(last, kHeads) || last.find("embed") != last.npos || last.find("norm") != last.npos) return true;
  for (std::string_view rest = module;;) {
    const std::size_t dot = rest.find('.');
    if (is_one_of(rest.substr(0, dot), kKept)) return true;
    if (dot == rest.npos) return false;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string_view module_of(std::string_view name) {
  return name.ends_with(kWeightSuffix) ? name.substr(0, name.size() - kWeightSuffix.size()) : name;
}

Layer layer_of(const TensorEntry& entry) {
  if (!entry.name.ends_with(kWeightSuffix) || entry.shape.size() != 2 || !dtype_of(entry.type)) return Layer::other;
  const std::string_view module = module_of(entry.name);
  if (is_one_of(last_part(module), kEmbeddings)) return Layer::other;
  return is_kept(module) ? Layer::kept : Layer::linear;
}

void LinearLayers::add(const TensorEntry& entry, bool quantized) {
  const std::string_view module = module_of(entry.name);
  if (quantized && module == kOutputHead) head_is_quantized_ = true;
  if (!quantized && module != kOutputHead && layer_of(entry) != Layer::other) plain_.emplace_back(module);
}

std::optional<std::vector<std::string>> LinearLayers::modules_to_skip() const {
  if (plain_.empty() && !head_is_quantized_) return std::nullopt;
  std::vector<std::string> modules = plain_;
  if (!head_is_quantized_) modules.emplace_back(kOutputHead);
  std::sort(modules.begin(), modules.end());
  return modules;
}

bool is_encodable(const TensorEntry& entry) {
  return dtype_of(entry.type) && entry.shape.size() >= 2 && entry.bytes() > 0;
}

bool matches_any(const std::string& name, std::span<const std::string> patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

bool has_turned_matrices(std::string_view model_type) {
  constexpr std::array<std::string_view, 4> kModelTypes{"decision_transformer", "gpt2", "imagegpt", "openai-gpt"};
  return is_one_of(model_type, kModelTypes);
}

}  // namespace qfuse::checkpoint
