#include "checkpoint/merge/merge_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <string_view>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/lora_file.h"
#include "checkpoint/names/linear.h"

namespace qfuse::checkpoint {

const AdapterTensor*& AdapterParts::of(AdapterPart part) {
  switch (part) {
    case AdapterPart::a: return a;
    case AdapterPart::b: return b;
    case AdapterPart::b_bias: return b_bias;
    case AdapterPart::magnitude: return magnitude;
    case AdapterPart::embedding_a: return embedding_a;
    case AdapterPart::embedding_b: return embedding_b;
    case AdapterPart::token_rows:
    case AdapterPart::whole: break;
  }
  return token_rows;
}

std::int64_t columns_of(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shapes_of(const AdapterTensor& one, const AdapterTensor& other) {
  return fmt::format("{} and {}: have the shapes {} and {}", one.where(), printable(other.stored.entry->name),
                     printable(shape_of(one)), printable(shape_of(other)));
}

TensorChange& change_of(MergeState& state, const std::string& name, const Tensor& base) {
  TensorChange& change = state.rules.changes[name];
  if (change.base == nullptr) {
    change.base = &base;
    change.shape = base.shape;
    set_matrix(change);
  }
  return change;
}

void set_matrix(TensorChange& change) {
  if (change.shape.empty()) fail(Status::unsupported, "tensor '{}': is a single number", printable(change.base->name));
  if (!is_countable(change.shape))
    fail(Status::unsupported, "tensor '{}': has the shape {}, which is too large", printable(change.base->name),
         printable(change.shape));
  change.merging.shape = {1, change.shape[0], columns_of(change.shape)};
}

TensorPlace find_place(const MergeState& state, const std::string& name, const AdapterTensor& tensor) {
  Vocabulary::Found found = state.vocabulary.find(state.prefix + name);
  if (found.group != nullptr && found.member->tensor != nullptr)
    return {found.member->tensor->name, found.member->tensor};
  if (const Tensor* stored = state.names.find(name, tensor.where())) return {stored->name, stored};
  for (const std::string& other : other_names(state.prefix + name))
    if (found.group == nullptr) found = state.vocabulary.find(other);
  if (found.group == nullptr || found.group->tying == Tying::separate) return {};
  return {found.member->in_file, found.group->values};
}

TensorChange* find_change(MergeState& state, const std::string& name, const AdapterTensor& tensor) {
  const TensorPlace place = find_place(state, name, tensor);
  return place.values == nullptr ? nullptr : &change_of(state, place.name, *place.values);
}

TensorChange& require_change(MergeState& state, const std::string& name, const AdapterTensor& tensor) {
  TensorChange* change = find_change(state, name, tensor);
  if (change == nullptr) refuse_unknown(state, tensor, name);
  return *change;
}

namespace {

// Replaces every number in a name by 0, because layers differ only in numbers.
std::string without_numbers(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (c < '0' || c > '9' || text.empty() || text.back() != '0') text += c >= '0' && c <= '9' ? '0' : c;
  return text;
}

std::size_t common_end(std::string_view a, std::string_view b) {
  const auto [one, other] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<std::size_t>(one - a.rbegin());
}

// Whether it is of a text layer that takes keys and values from an earlier one, as Gemma 3n's and 4's last ones do.
bool shares_keys(const MergeState& state, std::string_view name) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t at = name.rfind(kLayers);
  const bool is_of_keys = name.ends_with(".self_attn.k_proj.weight") || name.ends_with(".self_attn.v_proj.weight");
  if (!state.config || !is_of_keys || at == name.npos || name.find("_tower.") != name.npos) return false;
  const std::int64_t layers = state.config->number("text_config.num_hidden_layers").value_or(0);
  const std::int64_t shared = state.config->number("text_config.num_kv_shared_layers").value_or(0);
  std::int64_t layer = -1;
  std::from_chars(name.data() + at + kLayers.size(), name.data() + name.size(), layer);
  return shared > 0 && layer >= layers - shared && layer < layers;
}

// Returns the tensor whose name shares the longest suffix with `name`.
const Tensor* nearest_tensor(std::span<const Tensor> tensors, const std::string& name) {
  const Tensor* nearest = nullptr;
  std::size_t most = 0;
  for (const Tensor& tensor : tensors)
    if (const std::size_t common = common_end(tensor.name, name); common > most) {
      nearest = &tensor;
      most = common;
    }
  return nearest;
}

}  // namespace

void refuse_unknown(const MergeState& state, const AdapterTensor& tensor, const std::string& name) {
  const Tensor* nearest = nearest_tensor(state.tensors, name);
  const std::string nearest_said =
      nearest == nullptr ? "" : fmt::format(", the nearest is '{}'", printable(nearest->name));
  const bool is_deeper = nearest != nullptr && without_numbers(nearest->name) == without_numbers(name);
  std::string why = "the adapter is of another model, with other layers";
  if (const std::string_view advice = advice_on_names(tensor.stored.entry->name); !advice.empty())
    why = fmt::format("the LoRA is of another model, or in names that diffusers translates: {}", advice);
  else if (shares_keys(state, name))
    why =
        "the layer takes keys and values from an earlier one (num_kv_shared_layers), and this LoRA is not zero, so it "
        "was trained where it had its own: without the adapter's tensors for it, the rest can be merged";
  else if (!is_deeper && name.find(".experts.") != name.npos)
    why =
        "the adapter is of another model, or the file calls its experts in a way that is not known here: then give the "
        "adapter's tensors the file's names";
  else if (!is_deeper)
    why =
        "the adapter is of another model, or transformers renames the layer as it loads the file: then give the "
        "adapter's tensors the file's names, or merge with peft";
  fail(Status::invalid_data, "{}: {} has no tensor '{}'{}: {}", tensor.where(), state.model.name(), printable(name),
       nearest_said, why);
}

}  // namespace qfuse::checkpoint
