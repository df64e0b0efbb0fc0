#include "checkpoint/merge/merge_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/names/fused_parts.h"

namespace qfuse::checkpoint {
namespace {

// Tensors with more dimensions belong to a convolution, whose lora_B has size 1 in all of these.
void require_matrices(const AdapterTensor& a, const AdapterTensor& b) {
  if (shape_of(a).size() < 2 || shape_of(b).size() < 2 || columns_of(shape_of(b)) != shape_of(b)[1])
    fail(Status::invalid_data, "{}, which are not those of two matrices{}", shapes_of(a, b),
         shape_of(a).size() == 1 ? ": FSDP leaves such parts where weights are saved without being gathered" : "");
}

// Returns the number of groups of a convolution for which peft made the factors; 0 if it is none, or has one group.
std::int64_t groups_of(const TensorChange& change, const AdapterParts& parts) {
  const std::vector<std::int64_t>& shape = change.shape;
  const std::vector<std::int64_t>& of_a = shape_of(*parts.a);
  if (shape.size() < 3 || of_a.size() != shape.size() || shape_of(*parts.b)[0] != shape[0] || shape[1] < 1) return 0;
  const bool same_kernel = std::equal(shape.begin() + 2, shape.end(), of_a.begin() + 2);
  return same_kernel && of_a[1] > shape[1] && of_a[1] % shape[1] == 0 ? of_a[1] / shape[1] : 0;
}

// Returns the number of parts if both factors are one of several parts of rows, as a process of FSDP has them; else 0.
std::int64_t sharded_by(const AddedAdapter& from, const TensorChange& change, const AdapterParts& parts) {
  const std::int64_t rank = from.adapter.config().rank_of(parts.a->module);
  const std::int64_t own = shape_of(*parts.a)[0];
  const std::int64_t rows = shape_of(*parts.b)[0];
  if (own < 1 || rows < 1 || own >= rank || rank % own != 0 || shape_of(*parts.b)[1] != rank) return 0;
  const bool same_share = change.merging.shape.rows % rows == 0 && change.merging.shape.rows / rows == rank / own;
  return same_share && columns_of(shape_of(*parts.a)) == change.merging.shape.columns ? rank / own : 0;
}

[[noreturn]] void refuse_product(const AddedAdapter& from, const TensorChange& change, const AdapterParts& parts) {
  std::string why = "the adapter is of another model";
  if (const std::int64_t groups = groups_of(change, parts); groups > 0)
    why = fmt::format(
        "it is a convolution in {} groups, which peft does not merge either: load base and adapter with peft, or train "
        "without this layer",
        groups);
  else if (const std::int64_t count = sharded_by(from, change, parts); count > 0)
    why = fmt::format(
        "the file has one of {} parts of each matrix, as one process of FSDP has them: save the adapter again, "
        "gathered from all",
        count);
  fail(Status::invalid_data, "{}, whose product does not fit '{}', which is {}: {}", shapes_of(*parts.a, *parts.b),
       printable(change.base->name), printable(change.shape), why);
}

// Checks that there is a magnitude exactly if the config says DoRA, and that then nothing was added before.
void check_dora(const AddedAdapter& from, const AdapterParts& parts, const TensorChange& change) {
  const AdapterTensor& any = parts.a != nullptr ? *parts.a : *parts.embedding_a;
  const bool says_dora = from.adapter.config().is_dora();
  if (says_dora && parts.magnitude == nullptr)
    fail(Status::invalid_data, "{}: its lora_magnitude_vector is missing, and {} says use_dora", any.where(),
         from.adapter.config().name());
  if (parts.magnitude == nullptr) return;
  if (!says_dora)
    fail(Status::invalid_data, "{}: is DoRA's, and {} does not say use_dora", parts.magnitude->where(),
         from.adapter.config().name());
  if (!change.merging.addends.empty())
    fail(Status::unsupported,
         "{}: is DoRA's, and '{}' has got another adapter before: the length that it is to have would be that of the "
         "sum; give the DoRA adapter first, or merge them one by one",
         parts.magnitude->where(), printable(change.base->name));
}

// Adds DoRA's lengths. They are per output of the layer, hence per column if the weight is stored transposed.
void add_magnitude(const AddedAdapter& from, const AdapterParts& parts, bool of_columns, const TensorChange& change,
                   Addend& addend) {
  check_dora(from, parts, change);
  if (parts.magnitude == nullptr) return;
  const std::int64_t lengths = of_columns ? change.merging.shape.columns : change.merging.shape.rows;
  if (element_count(shape_of(*parts.magnitude)) != lengths)
    fail(Status::invalid_data, "{}: has the shape {}, and needs {} values for '{}', which is {}",
         parts.magnitude->where(), printable(shape_of(*parts.magnitude)), lengths, printable(change.base->name),
         printable(change.shape));
  addend.magnitude = parts.magnitude->stored;
  addend.of_columns = of_columns;
}

[[noreturn]] void refuse_twice(const AddedAdapter& from, const TensorChange& change, const std::string& module) {
  fail(Status::invalid_data, "{}: '{}' and another of its modules are both '{}' of {}", from.adapter.name(),
       printable(module), printable(change.base->name), from.state.model.name());
}

// Returns the rows of the weight that `part` is; fails if the matrices do not fit them.
FusedRows checked_rows(const AddedAdapter& from, const FusedPart& part, const AdapterParts& parts,
                       const TensorChange& change) {
  const std::optional<FusedRows> rows = from.state.config ? rows_of(part, *from.state.config) : std::nullopt;
  if (!rows)
    fail(Status::unsupported, "{}: is for a part of the rows of '{}', and {} does not say which: it lacks {} and {}",
         parts.a->where(), printable(change.base->name), kConfigFile, part.heads, part.head_size);
  const MergedShape& to = change.merging.shape;
  const bool fits = change.shape.size() == 2 && rows->first <= to.rows && rows->count <= to.rows - rows->first &&
                    shape_of(*parts.a)[1] == to.columns && shape_of(*parts.b)[0] == rows->count;
  if (!fits || shape_of(*parts.a).size() != 2 || shape_of(*parts.b).size() != 2)
    fail(Status::invalid_data,
         "{}, whose product does not fit the {} rows from row {} of '{}', which is {}: the adapter is of another model",
         shapes_of(*parts.a, *parts.b), rows->count, rows->first, printable(change.base->name),
         printable(change.shape));
  return *rows;
}

const char* rule_of(const AdapterParts& parts) { return parts.magnitude == nullptr ? "lora" : "dora"; }

}  // namespace

void add_linear(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change) {
  require_matrices(*parts.a, *parts.b);
  const bool is_transposed = is_product_transposed(from, change, parts);
  if (is_transposed && change.base->quantized_dtype())
    fail(Status::unsupported,
         "{}: '{}' of {} is stored transposed where it is quantized; dequantize the base first, and merge onto that",
         parts.a->where(), printable(change.base->name), from.state.model.name());
  const std::int64_t rank = checked_rank(from, module, *parts.a, *parts.b);
  Addend addend = product_of(as_stored(parts.b->stored), as_stored(parts.a->stored), rank, is_transposed);
  add_magnitude(from, parts, is_transposed, change, addend);
  append(from, change, addend, module, rule_of(parts));
  change.is_linear = true;
}

// peft wraps nn.MultiheadAttention and, within it, out_proj. It uses the rank and scale of the attention's name for
// both, and adds to out_proj twice, in training and in merging (lora.MultiheadAttention.merge of 0.14 to 0.21).
bool add_attention_out(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  constexpr float kTimes = 2.0F;
  constexpr std::string_view kOutProj = ".out_proj";
  const std::string wrapped = std::string(kPeftWrapper) + std::string(kOutProj);
  if (!module.ends_with(wrapped)) return false;
  const std::string attention = module.substr(0, module.size() - wrapped.size());
  const std::string out_proj = attention + std::string(kOutProj);
  TensorChange& change = require_change(from.state, out_proj + std::string(kWeightSuffix), *parts.a);
  add_linear(from, attention, parts, change);
  change.merging.addends.back().scale *= kTimes;
  change.scale *= kTimes;
  if (parts.b_bias != nullptr)
    fail(Status::unsupported, "{}: an attention's out_proj has no bias of LoRA's", parts.b_bias->where());
  return true;
}

bool add_fused_part(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  const FusedPart* part = fused_part(module);
  if (part == nullptr) return false;
  TensorChange* change = find_change(from.state, fused_module(*part, module) + std::string(kWeightSuffix), *parts.a);
  if (change == nullptr) return false;
  if (parts.magnitude != nullptr || parts.b_bias != nullptr || from.adapter.config().is_dora())
    fail(Status::unsupported,
         "{}: is for a part of the rows of '{}', onto which only LoRA without DoRA and bias is merged",
         parts.a->where(), printable(change->base->name));
  require_matrices(*parts.a, *parts.b);
  const std::int64_t rank = checked_rank(from, module, *parts.a, *parts.b);
  const FusedRows rows = checked_rows(from, *part, parts, *change);
  Addend addend = product_of(as_stored(parts.b->stored), as_stored(parts.a->stored), rank, false);
  const PlacedFactor placed{.factor = addend.b, .first_row = rows.first, .rows = rows.count, .columns = rank};
  addend.b = {};
  addend.b.parts.push_back(placed);
  if (from.added_rows[change].empty()) claim(from, *change, module);
  if (!from.added_rows[change].insert(rows.first).second) refuse_twice(from, *change, module);
  append_scaled(*change, std::move(addend), checked_scale(from, module), "lora of rows");
  change->is_linear = true;
  return true;
}

void add_embedding(AddedAdapter& from, const std::string& module, const AdapterParts& parts) {
  const AdapterTensor& a = *parts.embedding_a;
  const AdapterTensor& b = *parts.embedding_b;
  TensorChange& change = require_change(from.state, module + std::string(kWeightSuffix), a);
  if (shape_of(a).size() != 2 || shape_of(b).size() != 2 ||
      change.shape != std::vector<std::int64_t>{shape_of(a)[1], shape_of(b)[0]})
    fail(Status::invalid_data, "{}, which do not fit '{}', which is {}: the adapter is of another model",
         shapes_of(a, b), printable(change.base->name), printable(change.shape));
  const std::int64_t rank = checked_rank(from, module, a, b);
  Addend addend = product_of(as_stored(b.stored), as_stored(a.stored), rank, true);
  add_magnitude(from, parts, true, change, addend);
  append(from, change, addend, module, rule_of(parts));
}

// lora_bias: adds scale * lora_B.bias to the layer's own bias.
void add_bias(AddedAdapter& from, const std::string& module, const AdapterTensor& tensor) {
  TensorChange& change = require_change(from.state, module + std::string(kBiasSuffix), tensor);
  if (shape_of(tensor) != change.shape)
    fail(Status::invalid_data, "{}: has the shape {}, and '{}' has {}", tensor.where(), printable(shape_of(tensor)),
         printable(change.base->name), printable(change.shape));
  Addend addend{as_stored(tensor.stored), {}};
  addend.b.row_stride = 1;
  addend.rank = 1;
  append(from, change, addend, module, "bias");
}

Factor as_stored(const StoredTensor& stored) { return {stored, 0, 0, columns_of(stored.entry->shape), 1, {}}; }

Factor transposed(const Factor& factor) {
  Factor other = factor;
  std::swap(other.row_stride, other.column_stride);
  return other;
}

Addend product_of(const Factor& b, const Factor& a, std::int64_t rank, bool is_transposed) {
  return is_transposed ? Addend{transposed(a), transposed(b), rank} : Addend{b, a, rank};
}

bool is_product_transposed(const AddedAdapter& from, const TensorChange& change, const AdapterParts& parts) {
  const std::int64_t rows = shape_of(*parts.b)[0];
  const std::int64_t columns = columns_of(shape_of(*parts.a));
  const MergedShape& to = change.merging.shape;
  const bool straight = rows == to.rows && columns == to.columns;
  const bool across = change.shape.size() == 2 && columns == to.rows && rows == to.columns;
  if (!straight && !across) refuse_product(from, change, parts);
  const MergeState& state = from.state;
  const bool family = state.families.is_transposed(change.base->name, change.base->shape);
  const bool known = state.config.has_value() || !state.families.name().empty();
  const bool says_transposed = from.adapter.config().is_transposed();
  if (straight && across) return known ? family : says_transposed;
  if (across && !family && !says_transposed)
    fail(Status::invalid_data,
         "{} and {}: their product fits '{}' only transposed, and neither the model's family nor {} says that it is",
         parts.a->where(), printable(parts.b->stored.entry->name), printable(change.base->name),
         from.adapter.config().name());
  return across;
}

std::int64_t checked_rank(const AddedAdapter& from, const std::string& module, const AdapterTensor& a,
                          const AdapterTensor& b, std::int64_t copies) {
  const std::int64_t rank = from.adapter.config().rank_of(module);
  if (shape_of(a)[0] != rank * copies || shape_of(b)[1] != rank * copies)
    fail(Status::invalid_data, "{}, and {} says rank {}{}", shapes_of(a, b), from.adapter.config().name(), rank,
         copies == 1 ? "" : fmt::format(" for each of {} experts", copies));
  return rank;
}

void append(AddedAdapter& from, TensorChange& change, Addend addend, const std::string& module,
            const std::string& rule) {
  claim(from, change, module);
  append_scaled(change, std::move(addend), checked_scale(from, module), rule);
}

void claim(AddedAdapter& from, const TensorChange& change, const std::string& module) {
  if (!from.added.insert(&change).second) refuse_twice(from, change, module);
}

double checked_scale(const AddedAdapter& from, const std::string& module) {
  const double own_scale = from.adapter.config().scale_of(module);
  if (own_scale == 0.0)
    fail(Status::invalid_data,
         "{}: the alpha of '{}' is 0, with which the adapter adds nothing: verl's older merger writes 0 into "
         "adapter_config.json; replace it by the alpha of the training",
         from.adapter.name(), printable(module));
  const double scale = own_scale * from.weight;
  if (!(std::abs(scale) <= static_cast<double>(std::numeric_limits<float>::max())))
    fail(Status::invalid_data, "{}: the scale of '{}' is {}, which is too large for fp32", from.adapter.name(),
         printable(module), scale);
  return scale;
}

void append_scaled(TensorChange& change, Addend addend, double scale, const std::string& rule) {
  addend.scale = static_cast<float>(scale);
  change.scale = scale;
  change.rank = addend.rank;
  change.rule = change.rule.empty() ? rule : change.rule + " + " + rule;
  change.merging.addends.push_back(std::move(addend));
}

}  // namespace qfuse::checkpoint
