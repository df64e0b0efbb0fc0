#include "checkpoint/names/expert_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

struct LayerName {
  std::string_view name;
  ExpertLayer layer;
};

// Names of one expert's layers in transformers 4 and in files.
constexpr std::array kLayers{
    LayerName{"gate_proj", ExpertLayer::gate},       LayerName{"w1", ExpertLayer::gate},
    LayerName{"up_proj", ExpertLayer::up},           LayerName{"w3", ExpertLayer::up},
    LayerName{"down_proj", ExpertLayer::down},       LayerName{"w2", ExpertLayer::down},
    LayerName{"gate_up_proj", ExpertLayer::gate_up},
};

// Names in unsloth's loader of gpt-oss, followed by the number of the expert.
constexpr std::array kNumberedLayers{
    LayerName{"gate_up_projs", ExpertLayer::gate_up},
    LayerName{"down_projs", ExpertLayer::down},
};

// Name of a tensor with all experts: a suffix of the holder's name, or a replacement of its last part.
struct StackName {
  ExpertLayer layer;
  std::string_view ending;
  bool replaces_last_part = false;
  bool in_turns = false;
};
constexpr std::array kStackNames{
    StackName{ExpertLayer::gate_up, ".gate_up_proj"},
    StackName{ExpertLayer::gate_up, ".fc1.weight"},                 // Aria
    StackName{ExpertLayer::gate_up, ".input_linear.weight", true},  // Granite
    StackName{ExpertLayer::gate_up, ".w13_weight", false, true},    // Inkling
    StackName{ExpertLayer::gate, ".gate_proj"},
    StackName{ExpertLayer::gate, ".gate_proj.weight", true},  // Step 3.7
    StackName{ExpertLayer::up, ".up_proj"},
    StackName{ExpertLayer::up, ".up_proj.weight", true},
    StackName{ExpertLayer::down, ".down_proj"},
    StackName{ExpertLayer::down, ".fc2.weight"},
    StackName{ExpertLayer::down, ".output_linear.weight", true},
    StackName{ExpertLayer::down, ".w2_weight"},
    StackName{ExpertLayer::down, ".down_proj.weight", true},
};

constexpr std::array<std::string_view, 6> kTransposedInFiles{"aria",   "aria_text",   "gpt_oss",
                                                             "llama4", "llama4_text", "openai_privacy_filter"};
constexpr std::array<std::string_view, 1> kRowsInTurns{"gpt_oss"};

bool is_any_of(std::span<const std::string> model_types, std::span<const std::string_view> families) {
  return std::ranges::any_of(model_types, [&](const std::string& type) { return is_one_of(type, families); });
}

std::optional<std::int64_t> number_of(std::string_view part) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (error != std::errc() || end != part.data() + part.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<ExpertLayer> layer_in(std::span<const LayerName> names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &LayerName::name);
  return found == names.end() ? std::nullopt : std::optional(found->layer);
}

std::optional<ExpertStack> find_stack(const TensorNames& names, const std::string& holder, ExpertLayer layer,
                                      const std::string& where) {
  constexpr std::string_view kLastPart = ".experts";
  for (const StackName& stack : kStackNames) {
    if (stack.layer != layer || (stack.replaces_last_part && !holder.ends_with(kLastPart))) continue;
    const std::size_t kept = holder.size() - (stack.replaces_last_part ? kLastPart.size() : 0);
    const std::string name = holder.substr(0, kept) + std::string(stack.ending);
    const Tensor* found = names.find(name, where);
    if (found != nullptr && found->shape.size() == 3) return ExpertStack{found, layer, stack.in_turns};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExpertLayer> expert_layer(std::string_view name) { return layer_in(kLayers, name); }

std::optional<ExpertModule> expert_module(const std::string& module) {
  const std::string_view last = last_part(module);
  if (last.size() == module.size()) return std::nullopt;
  const std::string_view rest = std::string_view(module).substr(0, module.size() - last.size() - 1);
  const std::string_view before = last_part(rest);
  if (before.size() == rest.size()) return std::nullopt;
  const std::string holder(rest.substr(0, rest.size() - before.size() - 1));
  if (const std::optional<ExpertLayer> layer = expert_layer(last))
    if (const std::optional<std::int64_t> expert = number_of(before)) return ExpertModule{holder, *expert, *layer};
  if (const std::optional<ExpertLayer> layer = layer_in(kNumberedLayers, before))
    if (const std::optional<std::int64_t> expert = number_of(last)) return ExpertModule{holder, *expert, *layer};
  return std::nullopt;
}

std::vector<std::string> names_one_by_one(const ExpertModule& module) {
  std::vector<std::string> names;
  for (const LayerName& layer : kLayers)
    if (layer.layer == module.layer)
      names.push_back(fmt::format("{}.{}.{}.weight", module.holder, module.expert, layer.name));
  for (const LayerName& layer : kNumberedLayers)
    if (layer.layer == module.layer)
      names.push_back(fmt::format("{}.{}.{}.weight", module.holder, layer.name, module.expert));
  return names;
}

std::vector<ExpertStack> find_stacks(const TensorNames& names, const std::string& holder, ExpertLayer layer,
                                     const std::string& where) {
  if (const std::optional<ExpertStack> stack = find_stack(names, holder, layer, where)) return {*stack};
  if (layer == ExpertLayer::down) return {};
  if (layer != ExpertLayer::gate_up) {
    const std::optional<ExpertStack> both = find_stack(names, holder, ExpertLayer::gate_up, where);
    return both ? std::vector{*both} : std::vector<ExpertStack>{};
  }
  const std::optional<ExpertStack> gate = find_stack(names, holder, ExpertLayer::gate, where);
  const std::optional<ExpertStack> up = find_stack(names, holder, ExpertLayer::up, where);
  return gate && up ? std::vector{*gate, *up} : std::vector<ExpertStack>{};
}

bool are_experts_transposed(std::span<const std::string> model_types) {
  return is_any_of(model_types, kTransposedInFiles);
}

bool do_rows_take_turns(std::span<const std::string> model_types) { return is_any_of(model_types, kRowsInTurns); }

}  // namespace qfuse::checkpoint
