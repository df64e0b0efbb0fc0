#include "checkpoint/merge/merge_one_expert.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/merge/merge_layers.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

// ---- the matrices of an adapter ----

ExpertLora lora_of(const AddedAdapter& from, const ExpertModule& to, const std::string& module,
                   const AdapterParts& parts) {
  ExpertLora lora{to, module, parts.a, as_stored(parts.b->stored), as_stored(parts.a->stored)};
  if (shape_of(*parts.a).size() != 2 || shape_of(*parts.b).size() != 2)
    fail(Status::invalid_data, "{}, which are not those of two matrices", shapes_of(*parts.a, *parts.b));
  lora.rank = checked_rank(from, module, *parts.a, *parts.b);
  lora.out = shape_of(*parts.b)[0];
  lora.in = shape_of(*parts.a)[1];
  return lora;
}

// Tinker stores [experts, rank, in] and [experts, out, rank] under one name for all experts; a matrix that all experts
// share has size 1 instead of `experts`.
std::vector<ExpertLora> loras_of_all(const AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  std::vector<ExpertLora> loras;
  const std::string_view last = last_part(module);
  const std::optional<ExpertLayer> layer = expert_layer(last);
  const std::vector<std::int64_t>& a = shape_of(*parts.a);
  const std::vector<std::int64_t>& b = shape_of(*parts.b);
  if (!layer || last.size() == module.size() || a.size() != 3 || b.size() != 3) return loras;
  const std::int64_t experts = std::max(a[0], b[0]);
  const std::int64_t rank = from.adapter.config().rank_of(module);
  if ((a[0] != experts && a[0] != 1) || (b[0] != experts && b[0] != 1) || a[1] != rank || b[2] != rank)
    fail(Status::invalid_data, "{}, and {} says rank {}", shapes_of(*parts.a, *parts.b), from.adapter.config().name(),
         rank);
  const std::string holder = module.substr(0, module.size() - last.size() - 1);
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    ExpertLora lora{{holder, expert, *layer}, module, parts.a, {}, {}, rank, b[1], a[2]};
    lora.b_matrix.stored = parts.b->stored;
    lora.a_matrix.stored = parts.a->stored;
    lora.b_matrix.row_stride = rank;
    lora.a_matrix.row_stride = lora.in;
    lora.b_matrix.column_stride = lora.a_matrix.column_stride = 1;
    lora.b_matrix.offset = b[0] == 1 ? 0 : expert * lora.out * rank;
    lora.a_matrix.offset = a[0] == 1 ? 0 : expert * rank * lora.in;
    loras.push_back(std::move(lora));
  }
  return loras;
}

// Experts without a gate, such as Nemotron's, have an up_proj, which Tinker calls w1.
TensorChange* find_other_name(AddedAdapter& from, const ExpertLora& lora) {
  std::vector<std::string> names = names_one_by_one(lora.to);
  if (last_part(lora.module) == "w1")
    std::ranges::copy(names_one_by_one({lora.to.holder, lora.to.expert, ExpertLayer::up}), std::back_inserter(names));
  for (const std::string& name : names)
    if (TensorChange* change = find_change(from.state, name, *lora.a)) return change;
  return nullptr;
}

void add_alone(AddedAdapter& from, const ExpertLora& lora, TensorChange& change) {
  const MergedShape& to = change.merging.shape;
  if (to.rows != lora.out || to.columns != lora.in)
    fail(Status::invalid_data, "{}: the product for expert {} is {} by {}, and '{}' is {}", lora.a->where(),
         lora.to.expert, lora.out, lora.in, printable(change.base->name), printable(change.shape));
  append(from, change, product_of(lora.b_matrix, lora.a_matrix, lora.rank, false), lora.module,
         fmt::format("lora of expert {}", lora.to.expert));
}

// ---- tensors with all experts ----

// Position of a layer's outputs in its expert's matrix within a stack; gate and up may share one matrix.
struct Region {
  bool is_transposed = false;  // the stack is [in, out]
  std::int64_t first = 0;
  std::int64_t step = 1;
  int half = 0;                    // 1: the second of two layers
  bool takes_turns_whole = false;  // gate and up as one layer, interleaved only in the file
};

bool fits(const ExpertStack& stack, std::int64_t out, std::int64_t in) {
  return stack.tensor->shape[1] == out && stack.tensor->shape[2] == in;
}

Region region_of(const AddedAdapter& from, const ExpertLora& lora, const ExpertStack& stack) {
  const std::vector<std::string> types =
      from.state.config ? from.state.config->model_types() : std::vector<std::string>{};
  const bool shares = stack.layer == ExpertLayer::gate_up && lora.to.layer != ExpertLayer::gate_up;
  const std::int64_t out = shares ? 2 * lora.out : lora.out;
  const bool straight = fits(stack, out, lora.in);
  const bool across = fits(stack, lora.in, out);
  if (!straight && !across)
    fail(Status::invalid_data, "{}: the product for expert {} is {} by {}, which does not fit '{}', which is {}",
         lora.a->where(), lora.to.expert, lora.out, lora.in, printable(stack.tensor->name),
         printable(stack.tensor->shape));
  if (straight && across && types.empty())
    fail(Status::unsupported, "{}: fits its square experts as it is and transposed, and without {} it is unknown which",
         lora.a->where(), kConfigFile);
  Region region{.is_transposed = straight && across ? are_experts_transposed(types) : across};
  region.half = shares && lora.to.layer == ExpertLayer::up ? 1 : 0;
  const bool take_turns = stack.in_turns || do_rows_take_turns(types);
  if (shares) region.step = take_turns ? 2 : 1;
  region.first = take_turns ? region.half : region.half * lora.out;
  region.takes_turns_whole = !shares && stack.layer == ExpertLayer::gate_up && stack.in_turns;
  return region;
}

// The products for one tensor with one scale: layers of experts, each in its expert's block. gate and up use separate
// ranges of the rank.
struct StackedLora {
  std::vector<std::pair<const ExpertLora*, Region>> loras;

  [[nodiscard]] Addend addend() const {
    std::int64_t ranks[2] = {0, 0};
    for (const auto& [lora, region] : loras) ranks[region.half] = std::max(ranks[region.half], lora->rank);
    Addend sum;
    sum.rank = ranks[0] + ranks[1];
    for (const auto& [lora, region] : loras) place(*lora, region, region.half == 0 ? 0 : ranks[0], sum);
    return sum;
  }

  static void place(const ExpertLora& lora, const Region& region, std::int64_t rank, Addend& sum) {
    PlacedFactor b{.factor = lora.b_matrix,
                   .block = lora.to.expert,
                   .first_row = region.first,
                   .row_step = region.step,
                   .rows = lora.out,
                   .first_column = rank,
                   .columns = lora.rank};
    PlacedFactor a{
        .factor = lora.a_matrix, .block = lora.to.expert, .first_row = rank, .rows = lora.rank, .columns = lora.in};
    std::vector<PlacedFactor> pieces{b};
    if (region.takes_turns_whole) {
      pieces[0].row_step = 2;
      pieces[0].rows = lora.out / 2;
      pieces.push_back(pieces[0]);
      pieces[1].first_row = 1;
      pieces[1].factor.offset += pieces[0].rows * b.factor.row_stride;
    }
    const auto add = [&](std::vector<PlacedFactor>& parts, PlacedFactor part) {
      parts.push_back(region.is_transposed ? transposed_part(part) : std::move(part));
    };
    for (const PlacedFactor& piece : pieces) add(region.is_transposed ? sum.a.parts : sum.b.parts, piece);
    add(region.is_transposed ? sum.b.parts : sum.a.parts, a);
  }

  static PlacedFactor transposed_part(const PlacedFactor& part) {
    return {transposed(part.factor), part.block,    part.first_column, part.column_step, part.columns,
            part.first_row,          part.row_step, part.rows};
  }
};

// Fails if the adapter already has another module for this layer.
void require_first(const AddedAdapter& from, const ExpertLora& lora, const ExpertStack& stack,
                   std::set<std::pair<std::int64_t, ExpertLayer>>& known) {
  if (lora.to.expert >= stack.tensor->shape[0])
    fail(Status::invalid_data, "{}: is for expert {}, and '{}' has {}", lora.a->where(), lora.to.expert,
         printable(stack.tensor->name), stack.tensor->shape[0]);
  std::vector<ExpertLayer> layers{lora.to.layer};
  if (lora.to.layer == ExpertLayer::gate_up) layers = {ExpertLayer::gate, ExpertLayer::up};
  for (const ExpertLayer layer : layers)
    if (!known.emplace(lora.to.expert, layer).second)
      fail(Status::invalid_data, "{}: '{}' and another of its modules are both for expert {} of '{}'",
           from.adapter.name(), printable(lora.module), lora.to.expert, printable(stack.tensor->name));
}

}  // namespace

bool add_one_expert(AddedAdapter& from, const std::string& module, const AdapterParts& parts,
                    std::vector<ExpertLora>& loras) {
  std::vector<ExpertLora> found = loras_of_all(from, module, parts);
  const bool is_single = found.empty();
  if (const std::optional<ExpertModule> to = is_single ? expert_module(module) : std::nullopt)
    found.push_back(lora_of(from, *to, module, parts));
  if (found.empty()) return false;
  if (parts.b_bias != nullptr)
    fail(Status::unsupported, "{}: is the bias of an expert's lora_B, for which {} has no tensor",
         parts.b_bias->where(), from.state.model.name());
  if (TensorChange* change = find_other_name(from, found.front()); change != nullptr && is_single)
    return add_linear(from, module, parts, *change), true;
  if (parts.magnitude != nullptr || from.adapter.config().is_dora())
    fail(Status::unsupported,
         "{}: is DoRA's for a single expert, and {} has all experts in one tensor: merge it onto a base whose experts "
         "are tensors of their own",
         parts.a->where(), from.state.model.name());
  for (ExpertLora& lora : found)
    if (TensorChange* change = find_other_name(from, lora))
      add_alone(from, lora, *change);
    else if (find_stacks(from.state.names, lora.to.holder, lora.to.layer, lora.a->where()).size() == 1)
      loras.push_back(std::move(lora));
    else
      return false;
  return true;
}

void add_into_stacks(AddedAdapter& from, const std::vector<ExpertLora>& loras) {
  std::map<const Tensor*, std::map<double, StackedLora>> all;
  std::map<const Tensor*, std::set<std::pair<std::int64_t, ExpertLayer>>> known;
  for (const ExpertLora& lora : loras) {
    const ExpertStack stack = find_stacks(from.state.names, lora.to.holder, lora.to.layer, lora.a->where()).front();
    require_first(from, lora, stack, known[stack.tensor]);
    all[stack.tensor][checked_scale(from, lora.module)].loras.emplace_back(&lora, region_of(from, lora, stack));
  }
  for (const auto& [tensor, by_scale] : all) {
    TensorChange& change = change_of(from.state, *tensor);
    change.merging.shape = {change.shape[0], change.shape[1], change.shape[2]};
    claim(from, change, by_scale.begin()->second.loras.front().first->module);
    for (const auto& [scale, stacked] : by_scale) append_scaled(change, stacked.addend(), scale, "lora of experts");
  }
}

}  // namespace qfuse::checkpoint
