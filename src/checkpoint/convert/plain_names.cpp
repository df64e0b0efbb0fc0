#include "checkpoint/convert/plain_names.h"

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

// A parameter of all experts: an expert's tensors are called before + its number + one of `behind`, in this order.
struct Rule {
  std::string_view model_type;
  std::string_view before;
  std::array<std::string_view, 2> behind;  // the second may be empty
  std::string_view joined;
  bool is_turned;
};

// gpt-oss as unsloth's loader has it, and Llama 4 as transformers 4 quantizes it.
constexpr std::array kRules{
    Rule{"gpt_oss", ".experts.gate_up_projs.", {".weight", ""}, ".experts.gate_up_proj", true},
    Rule{"gpt_oss", ".experts.gate_up_projs.", {".bias", ""}, ".experts.gate_up_proj_bias", false},
    Rule{"gpt_oss", ".experts.down_projs.", {".weight", ""}, ".experts.down_proj", true},
    Rule{"gpt_oss", ".experts.down_projs.", {".bias", ""}, ".experts.down_proj_bias", false},
    Rule{"llama4", ".experts.", {".gate_proj.weight", ".up_proj.weight"}, ".experts.gate_up_proj", true},
    Rule{"llama4", ".experts.", {".down_proj.weight", ""}, ".experts.down_proj", true},
};

struct Renaming {
  std::string_view model_type;
  std::string_view split;
  std::string_view plain;
};
constexpr std::array kRenamed{Renaming{"gpt_oss", ".router.linear.", ".router."},
                              Renaming{"llama4", ".router.linear.", ".router."}};

// llama4_text is llama4 too.
bool is_of(std::span<const std::string> model_types, std::string_view model_type) {
  return std::ranges::any_of(model_types, [&](const std::string& type) {
    return type == model_type || type == std::string(model_type) + "_text";
  });
}

struct Place {
  std::string joined;
  std::size_t expert = 0;
  std::size_t part = 0;
  bool is_turned = false;
};

std::optional<Place> place_of(const Rule& rule, const std::string& name) {
  const std::size_t at = name.find(rule.before);
  if (at == name.npos) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(at + rule.before.size());
  Place place{name.substr(0, at) + std::string(rule.joined), 0, 0, rule.is_turned};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), place.expert);
  if (error != std::errc()) return std::nullopt;
  const std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  const auto found = std::ranges::find(rule.behind, behind);
  if (found == rule.behind.end() || behind.empty()) return std::nullopt;
  place.part = static_cast<std::size_t>(found - rule.behind.begin());
  return place;
}

std::optional<Place> place_of(std::span<const std::string> model_types, const std::string& name) {
  for (const Rule& rule : kRules)
    if (is_of(model_types, rule.model_type))
      if (std::optional<Place> place = place_of(rule, name)) return place;
  return std::nullopt;
}

std::string renamed(std::span<const std::string> model_types, std::string name) {
  if (name.starts_with(kPeftPrefix)) name.erase(0, kPeftPrefix.size());
  const std::string wrapped = std::string(kPeftWrapper) + ".";
  for (std::size_t at = name.find(wrapped); at != name.npos; at = name.find(wrapped))
    name.erase(at, kPeftWrapper.size());
  for (const Renaming& renaming : kRenamed)
    if (const std::size_t at = name.find(renaming.split); is_of(model_types, renaming.model_type) && at != name.npos)
      name.replace(at, renaming.split.size(), renaming.plain);
  return name;
}

bool are_alike(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.quantized_dtype() == b.quantized_dtype() &&
         (a.quantized_dtype() || a.values().entry->type == b.values().entry->type);
}

void require_whole(const JoinedTensor& joined, const std::string& model) {
  const std::vector<const Tensor*>& first = joined.experts.front();
  for (std::size_t e = 0; e < joined.experts.size(); ++e)
    for (std::size_t part = 0; part < first.size(); ++part) {
      const std::vector<const Tensor*>& expert = joined.experts[e];
      if (expert.size() != first.size() || expert[part] == nullptr || first[part] == nullptr)
        fail(Status::invalid_data, "{}: of '{}', expert {} is missing", model, printable(joined.name), e);
      if (!are_alike(*expert[part], *first[part]))
        fail(Status::invalid_data, "{}: '{}' and '{}' are to be parts of one tensor, and differ in shape or type",
             model, printable(expert[part]->name), printable(first[part]->name));
    }
}

}  // namespace

std::vector<std::int64_t> JoinedTensor::shape() const {
  std::vector<std::int64_t> shape = experts.front().front()->shape;
  shape[0] *= std::ssize(experts.front());
  if (is_turned) std::ranges::reverse(shape);
  shape.insert(shape.begin(), std::ssize(experts));
  return shape;
}

bool PlainNames::are_other_names() const {
  return !joined.empty() || std::ranges::any_of(others, [](const auto& it) { return it.first->name != it.second; });
}

PlainNames plain_names(std::span<const std::string> model_types, std::span<const Tensor> tensors,
                       const std::string& model) {
  PlainNames names;
  std::map<std::string, JoinedTensor> joined;
  for (const Tensor& tensor : tensors) {
    const std::optional<Place> place = place_of(model_types, tensor.name);
    const bool has_rows = tensor.shape.size() == 1 || tensor.shape.size() == 2;
    if (!place || !has_rows || (place->is_turned && tensor.shape.size() != 2)) {
      names.others.emplace_back(&tensor, renamed(model_types, tensor.name));
      continue;
    }
    if (place->expert >= tensors.size())
      fail(Status::invalid_data, "{}: '{}' is of expert {}, and there are only {} tensors", model,
           printable(tensor.name), place->expert, tensors.size());
    JoinedTensor& all =
        joined.try_emplace(place->joined, JoinedTensor{place->joined, {}, place->is_turned}).first->second;
    all.experts.resize(std::max(all.experts.size(), place->expert + 1));
    std::vector<const Tensor*>& parts = all.experts[place->expert];
    parts.resize(std::max(parts.size(), place->part + 1));
    parts[place->part] = &tensor;
  }
  for (auto& [name, all] : joined) {
    require_whole(all, model);
    names.joined.push_back(std::move(all));
  }
  std::set<std::string> all;
  for (const JoinedTensor& one : names.joined) all.insert(one.name);
  for (const auto& [tensor, name] : names.others)
    if (!all.insert(name).second)
      fail(Status::invalid_data, "{}: '{}' would have the name '{}', and so has another tensor", model,
           printable(tensor->name), printable(name));
  return names;
}

}  // namespace qfuse::checkpoint
