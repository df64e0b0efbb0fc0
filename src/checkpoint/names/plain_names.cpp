#include "checkpoint/names/plain_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "checkpoint/files/adapter.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// A parameter with all experts: one expert's tensors are named before + its number + one of `behind`, in this order.
struct SplitRule {
  std::string_view model_type;
  std::string_view before;
  std::array<std::string_view, 2> behind;  // the second may be empty
  std::string_view joined;
  bool is_transposed;
};

// gpt-oss as in unsloth's loader, Llama 4 as quantized by transformers 4, and Aria-sequential_mlp.
constexpr std::array kRules{
    SplitRule{"gpt_oss", ".experts.gate_up_projs.", {".weight", ""}, ".experts.gate_up_proj", true},
    SplitRule{"gpt_oss", ".experts.gate_up_projs.", {".bias", ""}, ".experts.gate_up_proj_bias", false},
    SplitRule{"gpt_oss", ".experts.down_projs.", {".weight", ""}, ".experts.down_proj", true},
    SplitRule{"gpt_oss", ".experts.down_projs.", {".bias", ""}, ".experts.down_proj_bias", false},
    SplitRule{"llama4", ".experts.", {".gate_proj.weight", ".up_proj.weight"}, ".experts.gate_up_proj", true},
    SplitRule{"llama4", ".experts.", {".down_proj.weight", ""}, ".experts.down_proj", true},
    SplitRule{"aria", ".experts.experts.", {".gate_proj.weight", ".up_proj.weight"}, ".experts.fc1.weight", true},
    SplitRule{"aria", ".experts.experts.", {".down_proj.weight", ""}, ".experts.fc2.weight", true},
};

// A parameter with all experts whose parts hold all experts too, named by suffix: [experts, rows, columns] each, or
// [experts * rows, columns] if `sibling` is a parameter whose tensors have as many columns as an expert has rows.
struct StackRule {
  std::string_view model_type;
  std::array<std::string_view, 2> parts;  // the second may be empty
  std::string_view joined;
  bool by_columns;  // parts are concatenated along columns, else along rows
  std::string_view sibling;
};

// Llama 4 as unsloth published it, and Qwen3 with the layers of transformers-qwen3-moe-fused.
constexpr std::array kStacks{
    StackRule{"llama4",
              {".experts.gate_proj.weight", ".experts.up_proj.weight"},
              ".experts.gate_up_proj",
              true,
              ".experts.down_proj"},
    StackRule{"llama4", {".experts.down_proj.weight", ""}, ".experts.down_proj", true, ".experts.gate_up_proj"},
    StackRule{"qwen3_moe", {".mlp.gate_proj.weight", ".mlp.up_proj.weight"}, ".mlp.experts.gate_up_proj", false, ""},
    StackRule{"qwen3_moe", {".mlp.down_proj.weight", ""}, ".mlp.experts.down_proj", false, ""},
};

struct Renaming {
  std::string_view model_type;
  std::string_view split;
  std::string_view plain;
};
constexpr std::array kRenamed{Renaming{"gpt_oss", ".router.linear.", ".router."},
                              Renaming{"llama4", ".router.linear.", ".router."}};

// The family "llama4_text" counts as "llama4".
bool is_of(std::span<const std::string> model_types, std::string_view model_type) {
  return std::ranges::any_of(model_types, [&](const std::string& type) {
    return type == model_type || type == std::string(model_type) + "_text";
  });
}

struct Place {
  std::string joined;
  std::size_t expert = 0;
  std::size_t part = 0;
  std::size_t parts = 1;  // parts per expert, or for all experts
  bool is_transposed = false;
  const StackRule* stack = nullptr;
};

std::size_t count(const std::array<std::string_view, 2>& parts) { return parts[1].empty() ? 1 : 2; }

std::optional<Place> place_of(const SplitRule& rule, const Tensor& tensor) {
  const std::string& name = tensor.name;
  const std::size_t rank = tensor.shape.size();
  const std::size_t at = name.find(rule.before);
  if (at == name.npos || (rank != 2 && (rank != 1 || rule.is_transposed))) return std::nullopt;
  if (count(rule.behind) == 2 && tensor.elements() == 0) return std::nullopt;  // sizes of empty tensors may be huge
  const std::string_view rest = std::string_view(name).substr(at + rule.before.size());
  Place place{name.substr(0, at) + std::string(rule.joined), 0, 0, count(rule.behind), rule.is_transposed};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), place.expert);
  if (error != std::errc()) return std::nullopt;
  const std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  const auto found = std::ranges::find(rule.behind, behind);
  if (found == rule.behind.end() || behind.empty()) return std::nullopt;
  place.part = static_cast<std::size_t>(found - rule.behind.begin());
  return place;
}

std::optional<Place> place_of(const StackRule& rule, const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if ((rank != 3 && (rank != 2 || rule.sibling.empty())) || tensor.elements() == 0) return std::nullopt;
  for (std::size_t part = 0; part < rule.parts.size(); ++part)
    if (const std::string_view ending = rule.parts[part]; !ending.empty() && tensor.name.ends_with(ending))
      return Place{tensor.name.substr(0, tensor.name.size() - ending.size()) + std::string(rule.joined),
                   0,
                   part,
                   count(rule.parts),
                   false,
                   &rule};
  return std::nullopt;
}

std::optional<Place> place_of(std::span<const std::string> model_types, const Tensor& tensor) {
  for (const SplitRule& rule : kRules)
    if (is_of(model_types, rule.model_type))
      if (std::optional<Place> place = place_of(rule, tensor)) return place;
  for (const StackRule& rule : kStacks)
    if (is_of(model_types, rule.model_type))
      if (std::optional<Place> place = place_of(rule, tensor)) return place;
  return std::nullopt;
}

std::string renamed(std::span<const std::string> model_types, std::string name) {
  name = without_peft(std::move(name));
  for (const Renaming& renaming : kRenamed)
    if (const std::size_t at = name.find(renaming.split); is_of(model_types, renaming.model_type) && at != name.npos)
      name.replace(at, renaming.split.size(), renaming.plain);
  return name;
}

bool are_alike(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.quantized_dtype() == b.quantized_dtype() &&
         (a.quantized_dtype() || a.values().entry->type == b.values().entry->type);
}

// A tensor of the plain model while its parts are collected.
struct Gathered {
  std::size_t parts = 1;
  bool is_transposed = false;
  const StackRule* stack = nullptr;
  std::map<std::pair<std::size_t, std::size_t>, const Tensor*> tensors = {};  // by expert and part
};
using AllGathered = std::map<std::string, Gathered>;

[[noreturn]] void fail_missing(const std::string& name, const Gathered& gathered, std::size_t expert, std::size_t part,
                               const std::string& model) {
  if (gathered.stack != nullptr)
    fail(Status::invalid_data, "{}: of '{}', the tensor '*{}' is missing", model, printable(name),
         gathered.stack->parts[part]);
  fail(Status::invalid_data, "{}: of '{}', expert {} is missing, or not whole", model, printable(name), expert);
}

std::vector<std::vector<const Tensor*>> experts_of(const std::string& name, const Gathered& gathered,
                                                   const std::string& model) {
  std::vector<std::vector<const Tensor*>> experts;
  const Tensor& first = *gathered.tensors.begin()->second;
  std::size_t part = 0;
  for (const auto& [place, tensor] : gathered.tensors) {
    if (part == 0) experts.emplace_back();
    if (place != std::pair(experts.size() - 1, part)) fail_missing(name, gathered, experts.size() - 1, part, model);
    if (!are_alike(*tensor, first))
      fail(Status::invalid_data, "{}: '{}' and '{}' are to be parts of one tensor, and differ in shape or type", model,
           printable(tensor->name), printable(first.name));
    experts.back().push_back(tensor);
    part = (part + 1) % gathered.parts;
  }
  if (part != 0) fail_missing(name, gathered, experts.size() - 1, part, model);
  return experts;
}

// Returns the rows per expert in a tensor that concatenates the rows of all experts.
std::int64_t rows_of_one(const std::string& name, const Gathered& gathered, const AllGathered& all,
                         const std::string& model) {
  const Tensor& tensor = *gathered.tensors.begin()->second;
  const std::string sibling =
      name.substr(0, name.size() - gathered.stack->joined.size()) + std::string(gathered.stack->sibling);
  const auto found = all.find(sibling);
  if (found == all.end())
    fail(Status::invalid_data,
         "{}: '{}' has the rows of all experts, and '{}', which says how many one has, is missing", model,
         printable(tensor.name), printable(sibling));
  const Tensor& other = *found->second.tensors.begin()->second;
  if (tensor.shape[0] % other.shape.back() != 0)
    fail(Status::invalid_data, "{}: '{}' has {} rows of all experts, and '{}' says that one has {}", model,
         printable(tensor.name), tensor.shape[0], printable(other.name), other.shape.back());
  return other.shape.back();
}

JoinedTensor join(const std::string& name, const Gathered& gathered, const AllGathered& all, const std::string& model) {
  JoinedTensor joined{name, {}, experts_of(name, gathered, model), gathered.is_transposed};
  const auto parts = static_cast<std::int64_t>(gathered.parts);
  joined.shape = joined.experts.front().front()->shape;
  if (gathered.stack == nullptr) {
    joined.shape[0] *= parts;
    if (joined.is_transposed) std::ranges::reverse(joined.shape);
    joined.shape.insert(joined.shape.begin(), std::ssize(joined.experts));
    return joined;
  }
  if (joined.shape.size() == 2) {
    const std::int64_t rows = rows_of_one(name, gathered, all, model);
    joined.shape = {joined.shape[0] / rows, rows, joined.shape[1]};
  }
  joined.stretches = joined.shape[0] * (gathered.stack->by_columns ? joined.shape[1] : 1);
  joined.shape[gathered.stack->by_columns ? 2 : 1] *= parts;
  return joined;
}

}  // namespace

std::string without_peft(std::string name) {
  if (name.starts_with(kPeftPrefix)) name.erase(0, kPeftPrefix.size());
  const std::string wrapped = std::string(kPeftWrapper) + ".";
  for (std::size_t at = name.find(wrapped); at != name.npos; at = name.find(wrapped))
    name.erase(at, kPeftWrapper.size());
  return name;
}

bool PlainNames::are_other_names() const {
  return !joined.empty() || std::ranges::any_of(others, [](const auto& it) { return it.first->name != it.second; });
}

PlainNames plain_names(std::span<const std::string> model_types, std::span<const Tensor> tensors,
                       const std::string& model) {
  PlainNames names;
  AllGathered gathered;
  for (const Tensor& tensor : tensors) {
    const std::optional<Place> place = place_of(model_types, tensor);
    if (!place) {
      names.others.emplace_back(&tensor, renamed(model_types, tensor.name));
      continue;
    }
    Gathered& one =
        gathered.try_emplace(place->joined, Gathered{place->parts, place->is_transposed, place->stack}).first->second;
    if (one.stack != place->stack || !one.tensors.emplace(std::pair(place->expert, place->part), &tensor).second)
      fail(Status::invalid_data, "{}: '{}' is a part of '{}', and so is another tensor", model, printable(tensor.name),
           printable(place->joined));
  }
  for (const auto& [name, one] : gathered) names.joined.push_back(join(name, one, gathered, model));
  std::set<std::string> all;
  for (const JoinedTensor& one : names.joined) all.insert(one.name);
  for (const auto& [tensor, name] : names.others)
    if (!all.insert(name).second)
      fail(Status::invalid_data, "{}: '{}' would have the name '{}', and so has another tensor", model,
           printable(tensor->name), printable(name));
  return names;
}

}  // namespace qfuse::checkpoint
