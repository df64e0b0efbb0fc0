#include "checkpoint/names/linear.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/model.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::string_view kOutputHead = "lm_head";

// Display names for kinds of tensors that are not quantized.
constexpr std::string_view kExperts = "experts";
constexpr std::string_view kTables = "embeddings";
constexpr std::string_view kOutputHeads = "output heads";
constexpr std::string_view kRouters = "routers";
constexpr std::string_view kTowers = "vision and audio towers";
constexpr std::string_view kOtherKinds = "others";  // norms, biases and similar

// Last parts of names of modules that are certainly embeddings: transformers looks up rows of them.
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

// Last parts of names of output heads.
constexpr std::array<std::string_view, 5> kHeads{"head", "output", "output_layer", "output_projection",
                                                 "text_projection"};

// Suffixes of the last part: output heads, and tables indexed by a number.
constexpr std::array<std::string_view, 2> kHeadEnds{"lm_head", "lm_heads"};
constexpr std::array<std::string_view, 3> kTableEnds{"_emb", "_token", "_tokens"};

// Parts, anywhere in a module's name, of layers to keep: output heads, routers, image and audio towers, and the time
// embeddings of diffusion models, which diffusers often keeps in fp32. Quantizing these costs more accuracy than it
// saves bytes; transformers and Unsloth skip them too.
struct KeptPart {
  std::string_view name;
  std::string_view kind;
};
constexpr std::array kKept{KeptPart{"audio_tower", kTowers},
                           KeptPart{"classifier", kOutputHeads},
                           KeptPart{"embed_audio", kTowers},
                           KeptPart{"embed_out", kOutputHeads},
                           KeptPart{"embed_vision", kTowers},
                           KeptPart{"gate", kRouters},
                           KeptPart{"lm_head", kOutputHeads},
                           KeptPart{"mamba", kOtherKinds},
                           KeptPart{"merger", kTowers},
                           KeptPart{"modality_projection", kTowers},
                           KeptPart{"multi_modal_projector", kTowers},
                           KeptPart{"qa_outputs", kOutputHeads},
                           KeptPart{"router", kRouters},
                           KeptPart{"score", kOutputHeads},
                           KeptPart{"shared_expert_gate", kRouters},
                           KeptPart{"time_embedder", kOtherKinds},
                           KeptPart{"time_embeddings", kOtherKinds},
                           KeptPart{"vision_embedder", kTowers},
                           KeptPart{"vision_tower", kTowers}};

bool holds(std::string_view part, std::string_view lower_case) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(part.begin(), part.end(), lower_case.begin(), lower_case.end(), same) != part.end();
}

bool ends_as_one_of(std::string_view part, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return part.ends_with(end); });
}

// Returns the kind for which a module is kept plain, by its name; "" if it is not kept.
std::string_view kept_kind(std::string_view module) {
  const std::string_view last = last_part(without_number(module));
  for (std::string_view rest = module;;) {
    const std::size_t dot = rest.find('.');
    const auto* const kept = std::ranges::find(kKept, rest.substr(0, dot), &KeptPart::name);
    if (kept != kKept.end()) return kept->kind;
    if (dot == rest.npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (is_one_of(last, kHeads) || ends_as_one_of(last, kHeadEnds)) return kOutputHeads;
  if (holds(last, "norm")) return kOtherKinds;
  return is_called_as_table(last) ? kTables : "";
}

bool is_kept(std::string_view module) { return !kept_kind(module).empty(); }

// Returns the end of the module that holds single experts, "mlp.experts" in "mlp.experts.3.up_proj"; npos if none.
std::size_t end_of_experts(std::string_view module) {
  constexpr std::string_view kHolder = "experts.";
  for (std::size_t at = module.find(kHolder); at != module.npos; at = module.find(kHolder, at + 1)) {
    const std::string_view rest = module.substr(at + kHolder.size());
    if ((at == 0 || module[at - 1] == '.') && is_number(rest.substr(0, rest.find('.')))) return at + kHolder.size() - 1;
  }
  return module.npos;
}

// Whether it holds all experts: layers of a special class in Granite and JetMoE, else parameters in "experts".
bool is_stack(const TensorEntry& entry) {
  constexpr std::array<std::string_view, 2> kHolders{"experts", "shared_experts"};
  constexpr std::array<std::string_view, 2> kLinear{"input_linear", "output_linear"};
  if (entry.shape.size() != 3 || !dtype_of(entry.type)) return false;
  const std::string_view module = module_of(entry.name);
  if (is_kept(module)) return false;
  for (std::size_t begin = 0, dot = module.find('.'); dot != module.npos; dot = module.find('.', begin = dot + 1))
    if (is_one_of(module.substr(begin, dot - begin), kHolders)) return true;
  return is_one_of(last_part(module), kLinear);
}

}  // namespace

bool is_called_as_table(std::string_view part) {
  return holds(part, "embed") || holds(part, "norm") || ends_as_one_of(part, kTableEnds);
}

Layer layer_of(const TensorEntry& entry) {
  if (is_stack(entry)) return Layer::stack;
  if (!entry.name.ends_with(kWeightSuffix) || entry.shape.size() != 2 || !dtype_of(entry.type)) return Layer::other;
  const std::string_view module = module_of(entry.name);
  if (is_one_of(last_part(module), kEmbeddings)) return Layer::other;
  if (is_kept(module)) return Layer::kept;
  return end_of_experts(module) == module.npos ? Layer::linear : Layer::expert;
}

std::string_view kind_of(const TensorEntry& entry) {
  const std::string_view module = module_of(entry.name);
  if (is_stack(entry) || end_of_experts(module) != module.npos) return kExperts;
  if (entry.shape.size() < 2) return kOtherKinds;
  if (is_one_of(last_part(module), kEmbeddings)) return kTables;
  const std::string_view kind = kept_kind(module);
  return kind.empty() ? kOtherKinds : kind;
}

SkipNames::SkipNames(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find_first_of("\\(*") == name.npos) {
      names_.insert(name);
      continue;
    }
    try {
      patterns_.emplace_back("(?:" + name + ")(?=\\.|$)", "the module to skip '" + printable(name) + "'");
    } catch (const Error&) {  // not an expression: treated as a name
      names_.insert(name);
    }
  }
}

bool SkipNames::leave_out(const std::string& module) const {
  for (std::size_t at = 0; at < module.size(); ++at)
    if (names_.contains(module.substr(at)) || (module[at] == '.' && names_.contains(module.substr(0, at)))) return true;
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const NamePattern& pattern) { return pattern.fits_beginning_of(module); });
}

void LinearLayers::add(const TensorEntry& entry, bool quantized, bool asked) {
  const std::string module(module_of(entry.name));
  const Layer layer = layer_of(entry);
  if (quantized)
    quantized_[module] = {entry.name, asked};
  else if (layer == Layer::expert)
    experts_[module.substr(0, end_of_experts(module))].insert(module);
  else if (layer != Layer::other && layer != Layer::stack && module != kOutputHead)
    plain_.insert(module);
}

std::set<std::string> LinearLayers::settle() {
  for (bool changed = true; changed;) {
    changed = false;
    const SkipNames skipped(names());
    for (auto at = quantized_.begin(); at != quantized_.end();) {
      const std::string& module = at->first;
      if (!skipped.leave_out(module)) {
        ++at;
      } else if (at->second.asked) {
        const auto leaves_out = [&](const std::string& name) { return SkipNames({name}).leave_out(module); };
        if (std::erase_if(further_, leaves_out) > 0) changed = further_was_left_away_ = true;
        ++at;
      } else {
        plain_.insert(module);
        at = quantized_.erase(at);
        changed = true;
      }
    }
  }
  std::set<std::string> weights;
  for (const auto& [module, quantized] : quantized_) weights.insert(quantized.weight);
  return weights;
}

std::set<std::string> LinearLayers::names() const {
  std::set<std::string> names = plain_;
  for (const auto& [holder, experts] : experts_) {
    const auto next = quantized_.lower_bound(holder + ".");
    if (next != quantized_.end() && next->first.starts_with(holder + "."))
      names.insert(experts.begin(), experts.end());
    else
      names.insert(holder);
  }
  names.insert(further_.begin(), further_.end());
  if (!quantized_.contains(std::string(kOutputHead))) names.emplace(kOutputHead);
  return names;
}

std::optional<std::vector<std::string>> LinearLayers::modules_to_skip(bool leaves_out_head) const {
  const std::set<std::string> all = names();
  if (leaves_out_head && !further_was_left_away_ && all == std::set<std::string>{std::string(kOutputHead)})
    return std::nullopt;
  return std::vector<std::string>(all.begin(), all.end());
}

bool has_whole_blocks(const TensorEntry& stack, std::int64_t blocksize) {
  return element_count(stack.shape).value() / stack.shape[0] % blocksize == 0;
}

bool is_encodable(const TensorEntry& entry) {
  return dtype_of(entry.type) && entry.shape.size() >= 2 && entry.bytes() > 0;
}

}  // namespace qfuse::checkpoint
