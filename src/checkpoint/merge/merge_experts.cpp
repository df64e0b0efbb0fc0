#include "checkpoint/merge/merge_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/convert/model_card.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/merge/merge_layers.h"
#include "checkpoint/names/expert_names.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

// In the order in which classes of experts define them; peft wraps them in this order.
constexpr std::array<std::string_view, 6> kExpertParameters{"gate_up_proj", "gate_up_proj_bias", "gate_proj",
                                                            "up_proj",      "down_proj",         "down_proj_bias"};

// A parameter for all experts that files store per expert: the names of one expert's tensors that share its rows.
struct OneByOne {
  std::string_view parameter;
  std::array<std::string_view, 2> names;  // the second may be empty
  bool number_behind = false;             // expert number after the name, else before it
};
constexpr std::array kOneByOne{
    OneByOne{"gate_up_proj", {"gate_proj", "up_proj"}},
    OneByOne{"gate_up_proj", {"w1", "w3"}},
    OneByOne{"gate_up_proj", {"fc1", "fc3"}},
    OneByOne{"gate_up_proj", {"gate_up_projs", ""}, true},  // unsloth's gpt-oss
    OneByOne{"up_proj", {"up_proj", ""}},
    OneByOne{"down_proj", {"down_proj", ""}},
    OneByOne{"down_proj", {"w2", ""}},
    OneByOne{"down_proj", {"fc2", ""}},
    OneByOne{"down_proj", {"down_projs", ""}, true},
};

// Families that declare their experts as [experts, in, out]: peft then does not transpose what it adds.
constexpr std::array<std::string_view, 4> kTurnedExperts{"gpt_oss", "aria", "aria_text", "openai_privacy_filter"};

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// ---- matching parameters ----

// A parameter of the experts of one module, with an adapter's matrices for it.
struct ExpertParameter {
  std::string holder;  // "model.layers.0.mlp.experts"
  std::string name;    // "down_proj"
  const AdapterParts& parts;

  // The name of the tensor with all experts, in adapters and files.
  [[nodiscard]] std::string joined() const { return fmt::format("{}.{}", holder, name); }
  // The name of one expert's tensor in files.
  [[nodiscard]] std::string single(const OneByOne& files, std::int64_t expert, std::string_view part) const {
    return files.number_behind ? fmt::format("{}.{}.{}{}", holder, part, expert, kWeightSuffix)
                               : fmt::format("{}.{}.{}{}", holder, expert, part, kWeightSuffix);
  }
};

// Returns the module's name without peft's wrappers, and the number of wrappers.
std::pair<std::string, std::size_t> unwrapped(std::string module) {
  std::size_t depth = 0;
  for (; module.ends_with(kPeftWrapper); ++depth) module.resize(module.size() - kPeftWrapper.size());
  return {module, depth};
}

// Returns this module's parameters that the adapter's config targets: matched by the end of the full name, as peft
// does, or, if the prefixes of the adapter's tensors have changed since, by the last part of the name.
std::vector<std::string> target_parameters(const AdapterConfig& config, const std::string& holder) {
  std::vector<std::string> targets;
  std::vector<std::string> by_last_part;
  for (const std::string_view parameter : kExpertParameters) {
    const std::string name = fmt::format(".{}.{}", holder, parameter);
    for (const std::string& target : config.target_parameters()) {
      if (name.ends_with("." + target) && !holds(targets, parameter)) targets.emplace_back(parameter);
      if (last_part(target) == parameter && !holds(by_last_part, parameter)) by_last_part.emplace_back(parameter);
    }
  }
  return targets.empty() ? by_last_part : targets;
}

// Returns the parameter to which a module's matrices belong; empty if the config names none. peft wraps the module once
// per parameter: the innermost wrapper, with the longest name, is for the first parameter of the module.
std::string parameter_of(const AddedAdapter& from, const std::string& module, const AdapterTensor& tensor) {
  const auto [holder, depth] = unwrapped(module);
  const std::vector<std::string> targets = target_parameters(from.adapter.config(), holder);
  if (targets.empty()) return "";
  std::size_t depths = 0;
  for (const AdapterTensor& other : from.adapter.tensors())
    if (other.part == AdapterPart::a && unwrapped(other.module).first == holder) ++depths;
  if (depths != targets.size() || depth >= depths)
    fail(Status::invalid_data,
         "{}: target_parameters of {} name {} parameters of experts, and {} are adapted here: which is which is "
         "unknown",
         tensor.where(), from.adapter.name(), targets.size(), depths);
  return targets[depths - 1 - depth];
}

// ---- the matrices of all experts ----

struct ExpertMatrices {
  Factor b;  // [out, rank] for each expert
  Factor a;  // [rank, in]
  std::int64_t rank = 0;
  std::int64_t out = 0;
  std::int64_t in = 0;
};

// Returns the evidence that unsloth made the adapter; "" if there is none.
std::string sign_of_unsloth(const Adapter& adapter) {
  const AdapterConfig& config = adapter.config();
  if (!config.unsloths_field().empty()) return fmt::format("{} has {}", config.name(), config.unsloths_field());
  std::string base = config.base_model();
  std::ranges::transform(base, base.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (base.find("unsloth") != base.npos) return fmt::format("its base is '{}'", printable(config.base_model()));
  return has_tag(adapter.path(), "unsloth") ? fmt::format("its {} has the tag unsloth", kCardFile) : "";
}

// Whether lora_B's columns are [expert][rank]. peft's are [rank][expert]; unsloth's were [expert][rank] until September
// 2026, and only since then does it store the order. The shapes are equal.
bool is_grouped_by_expert(const AddedAdapter& from, const AdapterTensor& b) {
  if (from.state.lora_b_layout != LoraBLayout::as_said)
    return from.state.lora_b_layout == LoraBLayout::grouped_by_expert;
  const std::string& layout = from.adapter.config().b_layout();
  if (!layout.empty() && layout != "rank_major" && layout != "grouped_by_expert")
    fail(Status::unsupported, "{}: lora_B_layout is '{}', which is neither rank_major nor grouped_by_expert",
         from.adapter.name(), printable(layout));
  if (layout.empty())
    if (const std::string sign = sign_of_unsloth(from.adapter); !sign.empty())
      fail(Status::unsupported,
           "{}: the columns of lora_B are [rank][expert] if peft trained these experts, and [expert][rank] if unsloth "
           "did before September 2026, which set no lora_B_layout; {}: `lora_b_layout` says which, peft or "
           "grouped_by_expert",
           b.where(), sign);
  return layout == "grouped_by_expert";
}

ExpertMatrices matrices_of(const AddedAdapter& from, const ExpertParameter& of, std::int64_t experts) {
  const AdapterTensor& a = *of.parts.a;
  const AdapterTensor& b = *of.parts.b;
  ExpertMatrices m{as_stored(b.stored), as_stored(a.stored)};
  m.rank = checked_rank(from, of.joined(), a, b, experts);
  m.out = shape_of(b)[0];
  m.in = shape_of(a)[1];
  const bool is_grouped = m.rank > 1 && experts > 1 && is_grouped_by_expert(from, b);
  m.a.block_stride = m.rank * m.in;
  m.b.block_stride = is_grouped ? m.rank : 1;
  m.b.column_stride = is_grouped ? 1 : experts;
  return m;
}

// Whether square experts, which fit either way, need the transpose. peft before 0.19 took all as [experts, in, out].
bool turns_square_experts(const AddedAdapter& from, const AdapterTensor& tensor) {
  constexpr int kTurnsSince = 19;
  const std::optional<int> version = from.adapter.config().peft_version();
  if (!version)
    fail(Status::unsupported,
         "{}: fits its square experts as it is and transposed, and {} has no peft_version, which decides (0.19 "
         "transposes "
         "them)",
         tensor.where(), from.adapter.config().name());
  if (!from.state.config)
    fail(Status::unsupported, "{}: fits its square experts as it is and transposed, and without {} it is unknown which",
         tensor.where(), kConfigFile);
  const std::vector<std::string> types = from.state.config->model_types();
  const bool family =
      std::any_of(types.begin(), types.end(), [](const std::string& type) { return is_one_of(type, kTurnedExperts); });
  return *version < kTurnsSince || family;
}

// Fits the product to experts of [rows, columns]: peft provides it as is, or transposed.
Addend oriented(const AddedAdapter& from, const ExpertMatrices& m, std::int64_t rows, std::int64_t columns,
                const AdapterParts& parts) {
  const bool straight = m.out == rows && m.in == columns;
  const bool across = m.in == rows && m.out == columns;
  if (!straight && !across)
    fail(Status::invalid_data, "{}, whose products do not fit experts of {} by {}", shapes_of(*parts.a, *parts.b), rows,
         columns);
  const bool is_transposed = straight && across ? turns_square_experts(from, *parts.a) : across;
  return product_of(m.b, m.a, m.rank, is_transposed);
}

// ---- applying to the stored tensors ----

// For biases of all experts in one 2-D tensor, as the rows of a matrix.
void add_biases(AddedAdapter& from, const ExpertParameter& to, TensorChange& change) {
  const AdapterParts& parts = to.parts;
  const std::int64_t rank = checked_rank(from, to.joined(), *parts.a, *parts.b);
  const bool is_transposed = is_product_transposed(from, change, parts);
  append(from, change, product_of(as_stored(parts.b->stored), as_stored(parts.a->stored), rank, is_transposed),
         to.joined(), "lora");
}

// Interleaves the rows of gate with those of up, which follow gate in `b`.
Factor in_turns(const Factor& b, std::int64_t rows, std::int64_t rank) {
  Factor all;
  for (const std::int64_t half : {0, 1}) {
    PlacedFactor part{.factor = b, .first_row = half, .row_step = 2, .rows = rows / 2, .columns = rank};
    part.factor.offset += half * part.rows * b.row_stride;
    all.parts.push_back(std::move(part));
  }
  return all;
}

// The rows of the parameter in memory are stored in one or two tensors.
void add_stacks(AddedAdapter& from, const ExpertParameter& to, const std::vector<ExpertStack>& stacks) {
  std::int64_t rows = 0;
  for (const ExpertStack& stack : stacks) rows += stack.tensor->shape[1];
  std::int64_t row = 0;
  for (const ExpertStack& stack : stacks) {
    TensorChange& change = change_of(from.state, *stack.tensor);
    change.merging.shape = {change.shape[0], change.shape[1], change.shape[2]};
    const ExpertMatrices m = matrices_of(from, to, change.shape[0]);
    Addend addend = oriented(from, m, rows, change.shape[2], to.parts);
    addend.b.offset += row * addend.b.row_stride;
    if (stack.in_turns) addend.b = in_turns(addend.b, change.shape[1], m.rank);
    append(from, change, std::move(addend), to.joined(), "lora of experts");
    row += change.shape[1];
  }
}

// The tensors of one expert follow each other in the rows of the parameter in memory. Those with the number after the
// name are nn.Linear layers where memory has [experts, in, out].
void add_single(AddedAdapter& from, const ExpertParameter& to, const OneByOne& files, const ExpertMatrices& m,
                std::int64_t expert) {
  std::vector<TensorChange*> changes;
  std::int64_t rows = 0;
  for (const std::string_view part : files.names) {
    if (part.empty()) continue;
    changes.push_back(&require_change(from.state, to.single(files, expert, part), *to.parts.a));
    rows += changes.back()->merging.shape.rows;
  }
  std::int64_t row = 0;
  for (TensorChange* change : changes) {
    const std::int64_t columns = change->merging.shape.columns;
    Addend addend =
        files.number_behind ? oriented(from, m, columns, rows, to.parts) : oriented(from, m, rows, columns, to.parts);
    if (files.number_behind) addend = product_of(transposed(addend.a), transposed(addend.b), addend.rank, false);
    addend.b.offset = expert * addend.b.block_stride + row * addend.b.row_stride;
    addend.a.offset = expert * addend.a.block_stride;
    append(from, *change, addend, to.joined(), fmt::format("lora of expert {}", expert));
    row += change->merging.shape.rows;
  }
}

void add_one_by_one(AddedAdapter& from, const ExpertParameter& to, const OneByOne& files) {
  std::int64_t experts = 0;
  while (from.state.names.find(to.single(files, experts, files.names[0]), to.parts.a->where()) != nullptr) ++experts;
  const ExpertMatrices m = matrices_of(from, to, experts);
  for (std::int64_t expert = 0; expert < experts; ++expert) add_single(from, to, files, m, expert);
}

// For a parameter that is not stored under its own name; returns false if no other form is stored either.
bool add_renamed(AddedAdapter& from, const ExpertParameter& to) {
  const std::string where = to.parts.a->where();
  if (const std::optional<ExpertLayer> layer = expert_layer(to.name)) {
    const std::vector<ExpertStack> stacks = find_stacks(from.state.names, to.holder, *layer, where);
    const bool are_whole = std::ranges::all_of(
        stacks, [&](const ExpertStack& stack) { return *layer == ExpertLayer::gate_up || stack.layer == *layer; });
    if (!stacks.empty() && are_whole) return add_stacks(from, to, stacks), true;
  }
  for (const OneByOne& files : kOneByOne)
    if (files.parameter == to.name && from.state.names.find(to.single(files, 0, files.names[0]), where) != nullptr)
      return add_one_by_one(from, to, files), true;
  return false;
}

}  // namespace

bool add_experts(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  const AdapterTensor& a = *parts.a;
  const std::string where = a.where();
  const ExpertParameter to{unwrapped(module).first, parameter_of(from, module, a), parts};
  if (to.name.empty()) return false;
  if (parts.magnitude != nullptr || parts.b_bias != nullptr)
    fail(Status::unsupported, "{}: experts have neither DoRA nor a bias in lora_B", where);
  if (shape_of(a).size() != 2 || shape_of(*parts.b).size() != 2)
    fail(Status::invalid_data, "{}: has the shape {}, which is no matrix's", where, printable(shape_of(a)));
  if (const Tensor* joined = from.state.names.find(to.joined(), where);
      joined != nullptr && joined->shape.size() != 3) {
    if (joined->shape.size() == 2) return add_biases(from, to, change_of(from.state, *joined)), true;
    fail(Status::invalid_data, "{}: '{}' has the shape {}, which is not that of experts", where,
         printable(joined->name), printable(joined->shape));
  }
  if (!add_renamed(from, to)) refuse_unknown(from.state, a, to.joined());
  return true;
}

void add_stack(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change) {
  if (parts.magnitude != nullptr || parts.b_bias != nullptr)
    fail(Status::unsupported, "{}: experts have neither DoRA nor a bias in lora_B", parts.a->where());
  const ExpertParameter to{module, "weight", parts};
  add_stacks(from, to, {{change.base}});
}

}  // namespace qfuse::checkpoint
