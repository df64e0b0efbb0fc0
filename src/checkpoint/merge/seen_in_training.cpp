#include "checkpoint/merge/seen_in_training.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "checkpoint/files/errors.h"
#include "checkpoint/names/linear.h"
#include "checkpoint/names/names.h"
#include "checkpoint/names/patterns.h"

namespace qfuse::checkpoint {
namespace {

// Last parts of names that look like embedding tables, but are linear layers in every family that has them.
constexpr std::array<std::string_view, 22> kLinear{"altup_unembed_projections",
                                                   "box_linear_embeddings",
                                                   "class_embed",
                                                   "decoder_embed",
                                                   "embed_action",
                                                   "embed_return",
                                                   "embed_state",
                                                   "embedder",
                                                   "embedding_hidden_mapping_in",
                                                   "embedding_proj_layer",
                                                   "embedding_projection",
                                                   "embedding_transformation",
                                                   "enc_out_class_embed",
                                                   "entity_embedding_dense",
                                                   "input_embedding",
                                                   "patch_embedding",
                                                   "patch_embedding_projection",
                                                   "predictor_embeddings",
                                                   "relative_pos_embeddings",
                                                   "token_embedding_projection",
                                                   "vision_embed_tokens",
                                                   "xpath_unitseq2_embeddings"};

// Heads that are left out as a model's last layer, if they have no bias; otherwise the bias is last.
constexpr std::array<std::string_view, 3> kLastLayers{"classifier", "qa_outputs", "score"};

// Whether it is a router: its weight is a parameter, not a linear layer, in all but a few families.
bool is_router(std::string_view module, std::string_view last) {
  return last == "gate" || last == "router" || (last == "layer" && module.ends_with("router.layer"));
}

// Whether an adapter has factors for it as a linear layer, which peft names differently from those of embeddings.
bool is_trained_as_linear(const TrainedBase& base, const std::string& tensor) {
  const auto found = base.rules.changes.find(tensor);
  return found != base.rules.changes.end() && found->second.is_linear;
}

// For a layer that quantize() keeps (heads, routers, image and audio towers, tables): whether it is linear in training.
bool is_linear_though_kept(const TrainedBase& base, const std::string& tensor) {
  const std::string_view module = module_of(tensor);
  const std::string_view last = last_part(without_number(module));
  if (is_router(module, last)) return false;
  if (is_called_as_table(last)) return is_one_of(last, kLinear) || is_trained_as_linear(base, tensor);
  const std::string bias = std::string(module) + ".bias";
  return !is_one_of(last, kLastLayers) || base.model.find(bias) != nullptr;
}

bool is_linear(const TrainedBase& base, const Tensor& tensor) {
  const Layer layer = layer_of(*tensor.values().entry);
  if (const std::optional<bool> known = base.families.is_4bit_in_training(tensor.name)) return *known;
  return layer == Layer::linear || (layer == Layer::kept && is_linear_though_kept(base, tensor.name));
}

// Returns the modules that a quantization record in the base's config excludes.
std::optional<SkipNames> recorded(const TrainedBase& base) {
  const auto modules = base.config ? base.config->skip_modules() : std::nullopt;
  if (!modules) return std::nullopt;
  return SkipNames({modules->begin(), modules->end()});
}

}  // namespace

std::set<std::string> names_seen_in_4bit(const TrainedBase& base, const std::vector<std::string>& include,
                                         const std::vector<std::string>& exclude) {
  check_patterns("include", include, base.model, base.tensors);
  check_patterns("exclude", exclude, base.model, base.tensors);
  const std::optional<SkipNames> skipped = recorded(base);
  const auto is_left_out = [&](const Tensor& tensor) {
    if (skipped) return skipped->leave_out(std::string(module_of(tensor.name)));
    return base.rules.of_vocabulary.contains(tensor.name) && !base.families.is_4bit_in_training(tensor.name);
  };
  std::set<std::string> names;
  for (const Tensor& tensor : base.tensors) {
    if (!is_encodable(*tensor.values().entry) || matches_any(tensor.name, exclude)) continue;
    if (matches_any(tensor.name, include) || (is_linear(base, tensor) && !is_left_out(tensor)))
      names.insert(tensor.name);
  }
  return names;
}

}  // namespace qfuse::checkpoint
