#include "checkpoint/merge/merge_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/merge/merge_layers.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

// In the order in which the classes of experts define them, in which peft wraps one around the other.
constexpr std::array<std::string_view, 4> kExpertParameters{"gate_up_proj", "gate_up_proj_bias", "down_proj",
                                                            "down_proj_bias"};

// A parameter of all experts that files hold one by one: how the tensors of one expert are called, which share its rows.
struct OneByOne {
  std::string_view parameter;
  std::array<std::string_view, 2> names;  // the second may be empty
};
constexpr std::array kOneByOne{
    OneByOne{"gate_up_proj", {"gate_proj", "up_proj"}},
    OneByOne{"gate_up_proj", {"w1", "w3"}},
    OneByOne{"down_proj", {"down_proj", ""}},
    OneByOne{"down_proj", {"w2", ""}},
};

// Families whose experts' parameters are [experts, in, out], and say so: peft then does not turn what it adds.
constexpr std::array<std::string_view, 3> kTurnedExperts{"gpt_oss", "aria", "openai_privacy_filter"};

// ---- which parameter ----

// A parameter of the experts of one module, and the matrices that an adapter has for it.
struct ExpertParameter {
  std::string holder;  // "model.layers.0.mlp.experts"
  std::string name;    // "down_proj"
  const AdapterParts& parts;

  // As adapters and files call it where it is one tensor.
  [[nodiscard]] std::string joined() const { return fmt::format("{}.{}", holder, name); }
  // As files call a tensor of one expert.
  [[nodiscard]] std::string single(std::int64_t expert, std::string_view part) const {
    return fmt::format("{}.{}.{}{}", holder, expert, part, kWeightSuffix);
  }
};

// A module without what peft wraps around it, and how often that is.
std::pair<std::string, std::size_t> unwrapped(std::string module) {
  std::size_t depth = 0;
  for (; module.ends_with(kPeftWrapper); ++depth) module.resize(module.size() - kPeftWrapper.size());
  return {module, depth};
}

// Those of experts that the adapter's config names.
std::vector<std::string> target_parameters(const AdapterConfig& config) {
  std::vector<std::string> targets;
  for (const std::string_view parameter : kExpertParameters) {
    const std::string ending = fmt::format(".{}", parameter);
    const auto& named = config.target_parameters();
    if (std::any_of(named.begin(), named.end(),
                    [&](const std::string& target) { return target == parameter || target.ends_with(ending); }))
      targets.emplace_back(parameter);
  }
  return targets;
}

// The name of the parameter that a module's matrices are for; empty if the config names none. peft wraps the module once
// for each: the innermost wrapper is for the first parameter that the module defines, and has the longest name.
std::string parameter_of(const AddedAdapter& from, const std::string& module, const AdapterTensor& tensor) {
  const auto [holder, depth] = unwrapped(module);
  const std::vector<std::string> targets = target_parameters(from.adapter.config());
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
  Factor b;  // [out, rank] of each expert
  Factor a;  // [rank, in]
  std::int64_t rank = 0;
  std::int64_t out = 0;
  std::int64_t in = 0;
};

// How the columns of lora_B follow each other: that of peft is [rank][expert]; unsloth's before September 2026 was
// [expert][rank], and it says so in the config.
ExpertMatrices matrices_of(const AddedAdapter& from, const ExpertParameter& of, std::int64_t experts) {
  const AdapterTensor& a = *of.parts.a;
  const AdapterTensor& b = *of.parts.b;
  const std::string& layout = from.adapter.config().b_layout();
  if (!layout.empty() && layout != "rank_major" && layout != "grouped_by_expert")
    fail(Status::unsupported, "{}: lora_B_layout is '{}', which is neither rank_major nor grouped_by_expert",
         from.adapter.name(), printable(layout));
  ExpertMatrices m{as_stored(b.stored), as_stored(a.stored)};
  m.rank = checked_rank(from, of.joined(), a, b, experts);
  m.out = shape_of(b)[0];
  m.in = shape_of(a)[1];
  m.a.block_stride = m.rank * m.in;
  m.b.block_stride = layout == "grouped_by_expert" ? m.rank : 1;
  m.b.column_stride = layout == "grouped_by_expert" ? 1 : experts;
  return m;
}

// Square ones fit both ways. peft before 0.19 took all for [experts, in, out].
bool turns_square_experts(const AddedAdapter& from, const AdapterTensor& tensor) {
  constexpr int kTurnsSince = 19;
  const std::optional<int> version = from.adapter.config().peft_version();
  if (!version)
    fail(Status::unsupported,
         "{}: fits its square experts as it is and turned, and {} has no peft_version, which decides (0.19 turns "
         "them)",
         tensor.where(), from.adapter.config().name());
  if (!from.state.config)
    fail(Status::unsupported, "{}: fits its square experts as it is and turned, and without {} it is unknown which",
         tensor.where(), kConfigFile);
  const std::vector<std::string> types = from.state.config->model_types();
  const bool family =
      std::any_of(types.begin(), types.end(), [](const std::string& type) { return is_one_of(type, kTurnedExperts); });
  return *version < kTurnsSince || family;
}

// For experts of [rows, columns]: peft gives the product as it is, or turned.
Addend oriented(const AddedAdapter& from, const ExpertMatrices& m, std::int64_t rows, std::int64_t columns,
                const AdapterParts& parts) {
  const bool straight = m.out == rows && m.in == columns;
  const bool across = m.in == rows && m.out == columns;
  if (!straight && !across)
    fail(Status::invalid_data, "{}, whose products do not fit experts of {} by {}", shapes_of(*parts.a, *parts.b), rows,
         columns);
  const bool turn = straight && across ? turns_square_experts(from, *parts.a) : across;
  return product_of(m.b, m.a, m.rank, turn);
}

// ---- where the files hold them ----

// As one tensor; their biases are the rows of a matrix.
void add_joined(AddedAdapter& from, const ExpertParameter& to, TensorChange& change) {
  const AdapterParts& parts = to.parts;
  if (change.shape.size() == 2) {
    const std::int64_t rank = checked_rank(from, to.joined(), *parts.a, *parts.b);
    const bool turn = is_product_turned(from, change, parts);
    const Addend addend = product_of(as_stored(parts.b->stored), as_stored(parts.a->stored), rank, turn);
    return append(from, change, addend, to.joined(), "lora");
  }
  if (change.shape.size() != 3)
    fail(Status::invalid_data, "{}: '{}' has the shape {}, which is not that of experts", parts.a->where(),
         printable(change.base->name), printable(change.shape));
  change.merging.shape = {change.shape[0], change.shape[1], change.shape[2]};
  const ExpertMatrices m = matrices_of(from, to, change.shape[0]);
  append(from, change, oriented(from, m, change.shape[1], change.shape[2], parts), to.joined(), "lora of experts");
}

// The tensors of one expert stand one below the other in the parameter in memory.
void add_single(AddedAdapter& from, const ExpertParameter& to, const OneByOne& files, const ExpertMatrices& m,
                std::int64_t expert) {
  std::vector<TensorChange*> changes;
  std::int64_t rows = 0;
  for (const std::string_view part : files.names) {
    if (part.empty()) continue;
    changes.push_back(&require_change(from.state, to.single(expert, part), *to.parts.a));
    rows += changes.back()->merging.shape.rows;
  }
  std::int64_t row = 0;
  for (TensorChange* change : changes) {
    Addend addend = oriented(from, m, rows, change->merging.shape.columns, to.parts);
    addend.b.offset = expert * addend.b.block_stride + row * addend.b.row_stride;
    addend.a.offset = expert * addend.a.block_stride;
    append(from, *change, addend, to.joined(), fmt::format("lora of expert {}", expert));
    row += change->merging.shape.rows;
  }
}

void add_one_by_one(AddedAdapter& from, const ExpertParameter& to, const OneByOne& files) {
  std::int64_t experts = 0;
  while (from.state.names.find(to.single(experts, files.names[0]), to.parts.a->where()) != nullptr) ++experts;
  const ExpertMatrices m = matrices_of(from, to, experts);
  for (std::int64_t expert = 0; expert < experts; ++expert) add_single(from, to, files, m, expert);
}

}  // namespace

void add_experts(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  const AdapterTensor& a = *parts.a;
  const std::string where = a.where();
  const ExpertParameter to{unwrapped(module).first, parameter_of(from, module, a), parts};
  if (to.name.empty()) refuse_unknown(from.state, a, module + std::string(kWeightSuffix));
  if (parts.magnitude != nullptr || parts.b_bias != nullptr)
    fail(Status::unsupported, "{}: experts have neither DoRA nor a bias in lora_B", where);
  if (shape_of(a).size() != 2 || shape_of(*parts.b).size() != 2)
    fail(Status::invalid_data, "{}: has the shape {}, which is no matrix's", where, printable(shape_of(a)));
  if (const Tensor* joined = from.state.names.find(to.joined(), where))
    return add_joined(from, to, change_of(from.state, *joined));
  for (const OneByOne& files : kOneByOne)
    if (files.parameter == to.name && from.state.names.find(to.single(0, files.names[0]), where) != nullptr)
      return add_one_by_one(from, to, files);
  refuse_unknown(from.state, a, to.joined());
}

}  // namespace qfuse::checkpoint
