#include "checkpoint/merge/merge_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/merge/merge_experts.h"
#include "checkpoint/merge/merge_layers.h"
#include "checkpoint/merge/merge_one_expert.h"
#include "checkpoint/merge/merge_state.h"
#include "checkpoint/merge/merge_tied.h"

namespace qfuse::checkpoint {
namespace {

// ---- replacing the base's values ----

void refuse_weight(const AddedAdapter& from, const AdapterTensor& tensor) {
  if (from.weight != 1.0)
    fail(Status::invalid_argument, "{}: replaces the base's values, which no weight (@{}) can be for: merge it with 1",
         tensor.where(), from.weight);
}

[[noreturn]] void refuse_second(const AdapterTensor& tensor) {
  fail(Status::invalid_data, "{}: replaces what another adapter, or another tensor, has changed already",
       tensor.where());
}

bool has_rows_or_sums(const TensorChange& change) {
  return !change.merging.token_rows.empty() || !change.merging.addends.empty();
}

// Whether it is an embedding, an output head or its bias like the base's, but for another number of tokens.
bool is_resized(const MergeState& state, const TensorChange& change, const std::vector<std::int64_t>& shape) {
  return state.vocabulary.has(*change.base) && !shape.empty() && shape.size() == change.shape.size() &&
         std::equal(shape.begin() + 1, shape.end(), change.shape.begin() + 1) && shape[0] > 0 && shape != change.shape;
}

// peft may store a tensor under two names: as trained, and as an embedding, because the vocabulary may have grown.
void mark_replaced(MergeState& state, TensorChange& change, bool is_trained) {
  if (!is_trained) {
    if (change.rule.empty()) state.base_only.insert(&change);
    return;
  }
  state.base_only.erase(&change);
  change.rule = "replaced";
}

// Whether it was trained: peft also stores untrained embeddings and heads, because the vocabulary may have grown.
bool is_trained_whole(const AddedAdapter& from, const AdapterTensor& tensor, const TensorChange& change) {
  return !tensor.of_base && (!from.state.vocabulary.has(*change.base) || from.adapter.config().saves(tensor.module));
}

// Whether it is a copy of the base's tensor in a file that names its trained tensors differently, except biases.
bool is_base_copy(const AddedAdapter& from, const AdapterTensor& tensor) {
  return tensor.is_copy && !(tensor.module.ends_with(kBiasSuffix) && from.adapter.config().trains_biases());
}

void require_same_as_base(const AddedAdapter& from, const AdapterTensor& tensor) {
  const Tensor* base = find_place(from.state, tensor.module, tensor).values;
  if (base == nullptr) refuse_unknown(from.state, tensor, tensor.module);
  const auto* stored = std::get_if<StoredTensor>(&base->storage);
  if (stored == nullptr || !same_bytes(*stored, tensor.stored))
    fail(
        Status::invalid_data,
        "{}: was not trained, by its name, but differs from '{}' of {}: merge onto the base that it was trained on, or "
        "save the adapter without its base, with peft's save_pretrained()",
        tensor.where(), printable(base->name), from.state.model.name());
}

// ---- a head that the base lacks: of a classifier or a reward model, trained on a causal model ----

// Returns the transformers class that loads a base with such a head.
std::string_view class_with_head(const AdapterConfig& config) {
  if (config.task() == "TOKEN_CLS") return "AutoModelForTokenClassification";
  return config.task() == "QUESTION_ANS" ? "AutoModelForQuestionAnswering" : "AutoModelForSequenceClassification";
}

// Whether it was trained and is outside of the layers, which have numbers in their names.
bool is_head(const AddedAdapter& from, const AdapterTensor& tensor) {
  const bool is_numbered = std::ranges::any_of(tensor.module, [](char c) { return c >= '0' && c <= '9'; });
  return from.adapter.config().saves(tensor.module) && !is_numbered;
}

[[noreturn]] void refuse_head(const AddedAdapter& from, const AdapterTensor& tensor) {
  const bool is_last_layer = std::ranges::count(tensor.module, '.') == 1 && !shape_of(tensor).empty();
  const std::string labels = is_last_layer ? fmt::format(", num_labels={}", shape_of(tensor).front()) : "";
  fail(
      Status::invalid_data,
      "{}: is of a head that was trained with the adapter, and that {} lacks{}: save the base with that head first, by "
      "transformers' {}.from_pretrained(BASE{}).save_pretrained(...), and merge onto what that wrote",
      tensor.where(), from.state.model.name(),
      from.state.config ? fmt::format(", which is a {}", printable(from.state.config->class_name())) : "",
      class_with_head(from.adapter.config()), labels);
}

void replace(AddedAdapter& from, const AdapterTensor& tensor) {
  if (is_base_copy(from, tensor)) return require_same_as_base(from, tensor);
  if (is_head(from, tensor) && find_place(from.state, tensor.module, tensor).values == nullptr)
    refuse_head(from, tensor);
  TensorChange& change = require_change(from.state, tensor.module, tensor);
  const bool is_trained = is_trained_whole(from, tensor, change);
  if (is_trained || change.shape.size() == 1) refuse_weight(from, tensor);
  const bool of_this_adapter = change.replacement && change.replacement->file == tensor.stored.file;
  if (of_this_adapter && same_bytes(*change.replacement, tensor.stored)) {
    mark_replaced(from.state, change, is_trained);
    return;
  }
  if (change.replacement || has_rows_or_sums(change)) refuse_second(tensor);
  if (is_resized(from.state, change, shape_of(tensor))) {
    from.state.rules.old_vocabulary = change.shape[0];
    from.state.rules.vocabulary = shape_of(tensor)[0];
  } else if (shape_of(tensor) != change.shape) {
    fail(Status::invalid_data, "{}: has the shape {}, and '{}' of the model has {}", tensor.where(),
         printable(shape_of(tensor)), printable(change.base->name), printable(change.shape));
  }
  change.replacement = tensor.stored;
  change.shape = shape_of(tensor);
  set_matrix(change);
  mark_replaced(from.state, change, is_trained);
}

const std::vector<std::int64_t>& token_indices(const AddedAdapter& from, const std::string& module,
                                               const AdapterTensor& tensor) {
  for (const auto& [name, rows] : from.adapter.config().token_indices())
    if (name.empty() || module == name || module.ends_with("." + name)) return rows;
  fail(Status::invalid_data, "{}: trainable_token_indices of {} do not say which rows it is for", tensor.where(),
       from.adapter.name());
}

void check_tokens(const std::vector<std::int64_t>& tokens, std::int64_t vocabulary, const AdapterTensor& tensor) {
  std::set<std::int64_t> known;
  for (const std::int64_t token : tokens) {
    if (token >= vocabulary)
      fail(Status::invalid_data, "{}: is for token {}, and the embedding has {}", tensor.where(), token, vocabulary);
    if (!known.insert(token).second)
      fail(Status::invalid_data, "{}: is for token {} twice: trainable_token_indices", tensor.where(), token);
  }
}

void replace_rows(AddedAdapter& from, const std::string& module, const AdapterTensor& tensor) {
  TensorChange& change = require_change(from.state, module + std::string(kWeightSuffix), tensor);
  refuse_weight(from, tensor);
  if (has_rows_or_sums(change)) refuse_second(tensor);
  const std::vector<std::int64_t>& tokens = token_indices(from, module, tensor);
  const std::int64_t columns = change.merging.shape.columns;
  if (shape_of(tensor) != std::vector<std::int64_t>{std::ssize(tokens), columns} || change.shape.size() != 2)
    fail(Status::invalid_data, "{}: has the shape {}, and needs {} rows of {}", tensor.where(),
         printable(shape_of(tensor)), tokens.size(), columns);
  check_tokens(tokens, change.merging.shape.rows, tensor);
  change.merging.token_rows.push_back({tokens, tensor.stored});
  change.rule = "rows";
}

// ---- adding products ----

void refuse_incomplete(const AdapterParts& parts) {
  const auto refuse_alone = [](const AdapterTensor* one, const AdapterTensor* other, const char* missing) {
    if (one != nullptr && other == nullptr) fail(Status::invalid_data, "{}: its {} is missing", one->where(), missing);
  };
  refuse_alone(parts.a, parts.b, "lora_B");
  refuse_alone(parts.b, parts.a, "lora_A");
  refuse_alone(parts.b_bias, parts.b, "lora_B.weight");
  refuse_alone(parts.embedding_a, parts.embedding_b, "lora_embedding_B");
  refuse_alone(parts.embedding_b, parts.embedding_a, "lora_embedding_A");
  if (parts.a == nullptr) refuse_alone(parts.magnitude, parts.embedding_a, "lora_A");
}

// For a module that the model lacks: "all-linear" also wraps layers that no forward pass uses.
void add_to_nothing(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  if (parts.b_bias != nullptr || parts.magnitude != nullptr || !is_zero(parts.b->stored))
    refuse_unknown(from.state, *parts.a, module + std::string(kWeightSuffix));
  from.idle.push_back(parts.a);
}

// Fails if nothing of the adapter was of use.
void note_idle(const AddedAdapter& from) {
  if (from.idle.empty()) return;
  const AdapterTensor& first = *from.idle.front();
  if (from.added.empty()) refuse_unknown(from.state, first, first.module + std::string(kWeightSuffix));
  from.state.rules.notes.push_back(fmt::format(
      "{}: layers that {} lacks, and to which it would add nothing, since their lora_B is zero: {}, as '{}'",
      from.adapter.name(), from.state.model.name(), from.idle.size(), printable(first.module)));
}

// Appends LoRAs for tensors of all experts to `loras`.
void add_module(AddedAdapter& from, const std::string& module, const AdapterParts& parts,
                std::vector<ExpertLora>& loras) {
  constexpr std::size_t kOfExperts = 3;  // dimensions; a convolution's lora_A has as many
  refuse_incomplete(parts);
  if (parts.embedding_a != nullptr) add_embedding(from, module, parts);
  if (parts.a == nullptr || add_attention_out(from, module, parts)) return;
  if (TensorChange* change = find_change(from.state, module + std::string(kWeightSuffix), *parts.a))
    change->shape.size() == kOfExperts&& shape_of(*parts.a).size() < kOfExperts
        ? add_stack(from, module, parts, *change)
        : add_linear(from, module, parts, *change);
  else if (TensorChange* in_proj = find_change(from.state, module + std::string(kInProjSuffix), *parts.a))
    add_linear(from, module, parts, *in_proj);
  else if (add_fused_part(from, module, parts) || add_one_expert(from, module, parts, loras))
    return;
  else if (!add_experts(from, module, parts))
    return add_to_nothing(from, module, parts);
  if (parts.b_bias != nullptr) add_bias(from, module, *parts.b_bias);
}

void add(AddedAdapter from) {
  std::map<std::string, AdapterParts> modules;
  for (const AdapterTensor& tensor : from.adapter.tensors())
    if (tensor.part == AdapterPart::whole)
      replace(from, tensor);
    else if (const AdapterTensor* other = std::exchange(modules[tensor.module].of(tensor.part), &tensor))
      fail(Status::invalid_data, "{}: is that of {} too", tensor.where(), other->where());
  for (const auto& [module, parts] : modules)
    if (parts.token_rows != nullptr) replace_rows(from, module, *parts.token_rows);
  std::vector<ExpertLora> loras;
  for (const auto& [module, parts] : modules) add_module(from, module, parts, loras);
  add_into_stacks(from, loras);
  note_idle(from);
}

}  // namespace

MergeRules find_rules(const Model& model, std::span<const Tensor> tensors, std::span<const WeightedAdapter> adapters,
                      const Said& said, const Families& families, const std::optional<Config>& config) {
  const std::string& prefix = said.prefix;
  const std::string beginning = prefix.empty() || prefix.ends_with('.') ? prefix : prefix + ".";
  if (std::ranges::none_of(tensors, [&](const Tensor& tensor) { return tensor.name.starts_with(beginning); }))
    fail(Status::invalid_argument, "{}: has no tensor under '{}', which `prefix` is", model.name(), printable(prefix));
  MergeState state{model,    tensors, beginning,          TensorNames(tensors, beginning),
                   families, config,  said.lora_b_layout, Vocabulary(config, TensorNames(tensors), tensors)};
  for (const WeightedAdapter& weighted : adapters) add({state, *weighted.adapter, weighted.weight});
  settle_tied(state, said.head);
  grow_vocabulary(state);
  for (const Tensor& tensor : tensors)
    if (state.vocabulary.has(tensor)) state.rules.of_vocabulary.insert(tensor.name);
  if (!state.vocabulary.groups().empty())
    if (const Tensor* embedding = state.vocabulary.groups().front().values;
        embedding != nullptr && embedding->shape.size() == 2)
      state.rules.tokens = state.rules.vocabulary.value_or(embedding->shape[0]);
  return std::move(state.rules);
}

}  // namespace qfuse::checkpoint
