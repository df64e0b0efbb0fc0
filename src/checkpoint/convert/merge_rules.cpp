#include "checkpoint/convert/merge_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "checkpoint/convert/linear.h"
#include "checkpoint/convert/tensor_names.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::string_view kBiasSuffix = ".bias";

using Shape = std::vector<std::int64_t>;

const Shape& shape_of(const StoredTensor& stored) { return stored.entry->shape; }

// Columns of a tensor seen as a matrix of its first dimension's rows: of a convolution's, all others.
std::int64_t columns_of(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_matrix(const StoredTensor& stored) { return shape_of(stored).size() >= 2; }

// Row by row, as it is stored.
Factor as_stored(const StoredTensor& stored) { return {stored, 0, 0, columns_of(shape_of(stored)), 1}; }

Factor turned(const Factor& factor) {
  Factor other = factor;
  std::swap(other.row_stride, other.column_stride);
  return other;
}

// What an adapter holds of one module.
struct Parts {
  const AdapterTensor* a = nullptr;
  const AdapterTensor* b = nullptr;
  const AdapterTensor* b_bias = nullptr;
  const AdapterTensor* magnitude = nullptr;
  const AdapterTensor* embedding_a = nullptr;
  const AdapterTensor* embedding_b = nullptr;
  const AdapterTensor* token_rows = nullptr;

  const AdapterTensor*& of(AdapterPart part) {
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
};

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

class RuleFinder {
 public:
  RuleFinder(const Model& model, std::span<const Tensor> tensors, const Families& families,
             const std::optional<Config>& config)
      : model_(model), tensors_(tensors), names_(tensors), families_(families), config_(config) {}

  void add(const WeightedAdapter& weighted) {
    adapter_ = weighted.adapter;
    weight_ = weighted.weight;
    added_.clear();
    std::map<std::string, Parts> modules;
    for (const AdapterTensor& tensor : adapter_->tensors())
      if (tensor.part == AdapterPart::whole)
        replace(tensor);
      else if (const AdapterTensor* other = std::exchange(modules[tensor.module].of(tensor.part), &tensor))
        fail(Status::invalid_data, "{}: is that of {} too", tensor.stored.where(), other->stored.where());
    for (const auto& [module, parts] : modules)
      if (parts.token_rows != nullptr) replace_rows(module, *parts.token_rows);
    for (const auto& [module, parts] : modules) add_module(module, parts);
  }

  MergeRules settle(Head tie) {
    settle_head(tie);
    return std::move(rules_);
  }

 private:
  [[nodiscard]] std::string where(const AdapterTensor& tensor) const { return tensor.stored.where(); }

  [[noreturn]] void refuse_unknown(const AdapterTensor& tensor, const std::string& name) const {
    fail(Status::invalid_data, "{}: {} has no tensor '{}': the adapter is of another model", where(tensor),
         model_.name(), printable(name));
  }

  // ---- the changes of one tensor ----

  TensorChange& change_of(const Tensor& tensor) { return change_of(tensor.name, tensor); }

  TensorChange& change_of(const std::string& name, const Tensor& base) {
    TensorChange& change = rules_.changes[name];
    if (change.base == nullptr) {
      change.base = &base;
      change.shape = base.shape;
      set_shape(change);
    }
    return change;
  }

  static void set_shape(TensorChange& change) {
    if (change.shape.empty())
      fail(Status::unsupported, "tensor '{}': is a single number", printable(change.base->name));
    if (!is_countable(change.shape))
      fail(Status::unsupported, "tensor '{}': has the shape {}, which is too large", printable(change.base->name),
           printable(change.shape));
    change.merging.shape = {1, change.shape[0], columns_of(change.shape)};
  }

  // The head that is tied to the embedding is in no file.
  [[nodiscard]] bool is_head(const std::string& name) const {
    return name == "lm_head.weight" || name.ends_with(".lm_head.weight");
  }

  [[nodiscard]] static bool is_embedding(const std::string& name) {
    constexpr std::array<std::string_view, 6> kNames{"embed_tokens",   "wte",   "word_embeddings", "embed_in",
                                                     "tok_embeddings", "shared"};
    const std::string_view module = module_of(name);
    return name.ends_with(kWeightSuffix) && is_one_of(last_part(module), kNames);
  }

  // The only embedding of tokens of the model; NULL if there is none, or several.
  [[nodiscard]] const Tensor* input_embedding() const {
    const Tensor* found = nullptr;
    for (const Tensor& tensor : tensors_) {
      if (!is_embedding(tensor.name)) continue;
      if (found != nullptr) return nullptr;
      found = &tensor;
    }
    return found;
  }

  // The change of the tensor that an adapter calls `name`; of a head that is not there, because it is tied.
  TensorChange* find_change(const std::string& name, const AdapterTensor& tensor) {
    if (const Tensor* found = names_.find(name, where(tensor))) return &change_of(*found);
    if (!is_head(name) || (config_ && !config_->ties_embeddings())) return nullptr;
    const Tensor* embedding = input_embedding();
    if (embedding == nullptr) return nullptr;
    tied_head_ = name.substr(name.find("lm_head"));
    return &change_of(tied_head_, *embedding);
  }

  TensorChange& require_change(const std::string& name, const AdapterTensor& tensor) {
    TensorChange* change = find_change(name, tensor);
    if (change == nullptr) refuse_unknown(tensor, name);
    return *change;
  }

  // ---- what takes the place of the base's values ----

  void refuse_weight(const AdapterTensor& tensor) const {
    if (weight_ != 1.0)
      fail(Status::invalid_argument,
           "{}: replaces the base's values, which no weight (@{}) can be for: merge it with 1", where(tensor), weight_);
  }

  void refuse_second(const TensorChange& change, const AdapterTensor& tensor) const {
    if (change.replacement || !change.merging.token_rows.empty() || !change.merging.addends.empty())
      fail(Status::invalid_data, "{}: replaces what another adapter, or another tensor, has changed already",
           where(tensor));
  }

  void replace(const AdapterTensor& tensor) {
    TensorChange& change = require_change(tensor.module, tensor);
    const Shape& shape = shape_of(tensor.stored);
    if (!tensor.of_base) refuse_weight(tensor);
    refuse_second(change, tensor);
    const bool of_tokens = is_embedding(change.base->name) || is_head(change.base->name);
    const bool grown =
        of_tokens && shape.size() == 2 && change.shape.size() == 2 && shape[1] == change.shape[1] && shape[0] > 0;
    if (shape != change.shape && !grown)
      fail(Status::invalid_data, "{}: has the shape {}, and '{}' of the model has {}", where(tensor), printable(shape),
           printable(change.base->name), printable(change.shape));
    if (shape != change.shape) {
      rules_.old_vocabulary = change.shape[0];
      rules_.vocabulary = shape[0];
    }
    change.replacement = tensor.stored;
    change.shape = shape;
    set_shape(change);
    if (!tensor.of_base)
      change.rule = "replaced";
    else
      base_only_.insert(&change);
  }

  void replace_rows(const std::string& module, const AdapterTensor& tensor) {
    TensorChange& change = require_change(module + std::string(kWeightSuffix), tensor);
    refuse_weight(tensor);
    if (!change.merging.token_rows.empty() || !change.merging.addends.empty()) refuse_second(change, tensor);
    const std::vector<std::int64_t>& rows = token_indices(module, tensor);
    const Shape& shape = shape_of(tensor.stored);
    if (shape != Shape{std::ssize(rows), change.merging.shape.columns} || change.shape.size() != 2)
      fail(Status::invalid_data, "{}: has the shape {}, and needs {} rows of {}", where(tensor), printable(shape),
           rows.size(), change.merging.shape.columns);
    std::set<std::int64_t> known;
    for (const std::int64_t row : rows) {
      if (row >= change.merging.shape.rows)
        fail(Status::invalid_data, "{}: is for token {}, and the embedding has {}", where(tensor), row,
             change.merging.shape.rows);
      if (!known.insert(row).second)
        fail(Status::invalid_data, "{}: is for token {} twice: trainable_token_indices", where(tensor), row);
    }
    change.merging.token_rows.push_back({rows, tensor.stored});
    change.rule = "rows";
  }

  const std::vector<std::int64_t>& token_indices(const std::string& module, const AdapterTensor& tensor) const {
    const auto& indices = adapter_->config().token_indices();
    for (const auto& [name, rows] : indices)
      if (name.empty() || module == name || module.ends_with("." + name)) return rows;
    fail(Status::invalid_data, "{}: trainable_token_indices of {} do not say which rows it is for", where(tensor),
         adapter_->name());
  }

  // ---- what is added ----

  void add_module(const std::string& module, const Parts& parts) {
    const auto refuse_alone = [&](const AdapterTensor* one, const AdapterTensor* other, const char* missing) {
      if (one != nullptr && other == nullptr) fail(Status::invalid_data, "{}: its {} is missing", where(*one), missing);
    };
    refuse_alone(parts.a, parts.b, "lora_B");
    refuse_alone(parts.b, parts.a, "lora_A");
    refuse_alone(parts.b_bias, parts.b, "lora_B.weight");
    refuse_alone(parts.embedding_a, parts.embedding_b, "lora_embedding_B");
    refuse_alone(parts.embedding_b, parts.embedding_a, "lora_embedding_A");
    if (parts.a == nullptr) refuse_alone(parts.magnitude, parts.embedding_a, "lora_A");
    if (parts.embedding_a != nullptr) add_embedding(module, parts);
    if (parts.a == nullptr) return;
    if (TensorChange* change = find_change(module + std::string(kWeightSuffix), *parts.a))
      add_linear(module, parts, *change);
    else
      add_experts(module, parts);
    if (parts.b_bias != nullptr) add_bias(module, *parts.b_bias);
  }

  // The rank that the config says, which the matrices must have: a has `copies` of it, and b too.
  std::int64_t checked_rank(const std::string& module, const AdapterTensor& a, const AdapterTensor& b,
                            std::int64_t rows_of_a, std::int64_t columns_of_b, std::int64_t copies = 1) const {
    const std::int64_t rank = adapter_->config().rank_of(module);
    if (rows_of_a != rank * copies || columns_of_b != rank * copies)
      fail(Status::invalid_data, "{} and {}: have the shapes {} and {}, and {} says rank {}{}", where(a),
           printable(b.stored.entry->name), printable(shape_of(a.stored)), printable(shape_of(b.stored)),
           kAdapterConfigFile, rank, copies == 1 ? "" : fmt::format(" for each of {} experts", copies));
    return rank;
  }

  void append(TensorChange& change, Addend addend, const std::string& module, const std::string& rule) {
    if (!added_.insert(&change).second)
      fail(Status::invalid_data, "{}: '{}' and another of its modules are both '{}' of {}", adapter_->name(),
           printable(module), printable(change.base->name), model_.name());
    const double scale = adapter_->config().scale_of(module) * weight_;
    if (!(std::abs(scale) <= static_cast<double>(std::numeric_limits<float>::max())))
      fail(Status::invalid_data, "{}: the scale of '{}' is {}, which is too large for fp32", adapter_->name(),
           printable(module), scale);
    addend.scale = static_cast<float>(scale);
    change.scale = scale;
    change.rank = addend.rank;
    change.rule = change.rule.empty() ? rule : change.rule + " + " + rule;
    change.merging.addends.push_back(addend);
  }

  // Whether the product is to be turned before it is added, as where a model keeps its matrix as [in, out].
  bool is_turned(const TensorChange& change, const Parts& parts) const {
    const Shape& a = shape_of(parts.a->stored);
    const Shape& b = shape_of(parts.b->stored);
    const MergedShape& to = change.merging.shape;
    const bool straight = b[0] == to.rows && columns_of(a) == to.columns;
    const bool across = change.shape.size() == 2 && columns_of(a) == to.rows && b[0] == to.columns;
    if (!straight && !across)
      fail(Status::invalid_data, "{} and {}: have the shapes {} and {}, whose product does not fit '{}', which is {}",
           where(*parts.a), printable(parts.b->stored.entry->name), printable(a), printable(b),
           printable(change.base->name), printable(change.shape));
    const bool family = families_.is_turned(change.base->name, change.base->shape);
    const bool known = config_.has_value() || !families_.name().empty();
    if (straight && across) return known ? family : adapter_->config().is_turned();
    if (across && !family && !adapter_->config().is_turned())
      fail(Status::invalid_data,
           "{} and {}: their product fits '{}' only turned, and neither the model's family nor {} says that it is",
           where(*parts.a), printable(parts.b->stored.entry->name), printable(change.base->name), kAdapterConfigFile);
    return across;
  }

  void add_linear(const std::string& module, const Parts& parts, TensorChange& change) {
    if (!is_matrix(parts.a->stored) || !is_matrix(parts.b->stored) ||
        columns_of(shape_of(parts.b->stored)) != shape_of(parts.b->stored)[1])
      fail(Status::invalid_data, "{} and {}: have the shapes {} and {}, which are not those of two matrices",
           where(*parts.a), printable(parts.b->stored.entry->name), printable(shape_of(parts.a->stored)),
           printable(shape_of(parts.b->stored)));
    const bool across = is_turned(change, parts);
    if (across && change.base->quantized_dtype())
      fail(Status::unsupported,
           "{}: '{}' of {} is stored turned where it is quantized; dequantize the base first, and merge onto that",
           where(*parts.a), printable(change.base->name), model_.name());
    Addend addend{as_stored(parts.b->stored), as_stored(parts.a->stored)};
    addend.rank = checked_rank(module, *parts.a, *parts.b, shape_of(parts.a->stored)[0], shape_of(parts.b->stored)[1]);
    if (across) addend = {turned(addend.a), turned(addend.b), addend.rank};
    add_magnitude(parts, across, change, addend);
    append(change, addend, module, parts.magnitude == nullptr ? "lora" : "dora");
  }

  // DoRA's lengths: of what the layer gives, so of columns where it is stored turned.
  void add_magnitude(const Parts& parts, bool of_columns, const TensorChange& change, Addend& addend) const {
    const AdapterTensor& any = parts.a != nullptr ? *parts.a : *parts.embedding_a;
    if (adapter_->config().is_dora() && parts.magnitude == nullptr)
      fail(Status::invalid_data, "{}: its lora_magnitude_vector is missing, and {} says use_dora", where(any),
           kAdapterConfigFile);
    if (parts.magnitude == nullptr) return;
    const StoredTensor& magnitude = parts.magnitude->stored;
    if (!adapter_->config().is_dora())
      fail(Status::invalid_data, "{}: is DoRA's, and {} does not say use_dora", where(*parts.magnitude),
           kAdapterConfigFile);
    if (!change.merging.addends.empty())
      fail(Status::unsupported,
           "{}: is DoRA's, and '{}' has got another adapter before: the length that it is to have would be that of the "
           "sum; give the DoRA adapter first, or merge them one by one",
           where(*parts.magnitude), printable(change.base->name));
    const std::int64_t lengths = of_columns ? change.merging.shape.columns : change.merging.shape.rows;
    if (element_count(shape_of(magnitude)) != lengths)
      fail(Status::invalid_data, "{}: has the shape {}, and needs {} values for '{}', which is {}",
           where(*parts.magnitude), printable(shape_of(magnitude)), lengths, printable(change.base->name),
           printable(change.shape));
    addend.magnitude = magnitude;
    addend.of_columns = of_columns;
  }

  void add_embedding(const std::string& module, const Parts& parts) {
    const AdapterTensor& a = *parts.embedding_a;
    const AdapterTensor& b = *parts.embedding_b;
    TensorChange& change = require_change(module + std::string(kWeightSuffix), a);
    const Shape& shape_a = shape_of(a.stored);
    const Shape& shape_b = shape_of(b.stored);
    if (shape_a.size() != 2 || shape_b.size() != 2 || change.shape != Shape{shape_a[1], shape_b[0]})
      fail(Status::invalid_data, "{} and {}: have the shapes {} and {}, which do not fit '{}', which is {}", where(a),
           printable(b.stored.entry->name), printable(shape_a), printable(shape_b), printable(change.base->name),
           printable(change.shape));
    Addend addend{turned(as_stored(a.stored)), turned(as_stored(b.stored))};
    addend.rank = checked_rank(module, a, b, shape_a[0], shape_b[1]);
    add_magnitude(parts, true, change, addend);
    append(change, addend, module, parts.magnitude == nullptr ? "lora" : "dora");
  }

  // lora_bias: the layer's own bias grows by scale * lora_B.bias.
  void add_bias(const std::string& module, const AdapterTensor& tensor) {
    TensorChange& change = require_change(module + std::string(kBiasSuffix), tensor);
    if (shape_of(tensor.stored) != change.shape)
      fail(Status::invalid_data, "{}: has the shape {}, and '{}' has {}", where(tensor),
           printable(shape_of(tensor.stored)), printable(change.base->name), printable(change.shape));
    Addend addend{as_stored(tensor.stored), {}};
    addend.b.row_stride = 1;
    addend.rank = 1;
    append(change, addend, module, "bias");
  }

  // ---- experts ----

  // The parameter of experts that a module's matrices are for. peft wraps the module once for each: the innermost
  // wrapper is for the first parameter that the module defines, and has the longest name.
  std::string expert_parameter(const std::string& module, const AdapterTensor& tensor) const {
    const auto [holder, depth] = unwrapped(module);
    std::vector<std::string> targets;
    for (const std::string_view parameter : kExpertParameters) {
      const std::string ending = fmt::format(".{}", parameter);
      const auto& named = adapter_->config().target_parameters();
      if (std::any_of(named.begin(), named.end(),
                      [&](const std::string& target) { return target == parameter || target.ends_with(ending); }))
        targets.emplace_back(parameter);
    }
    std::size_t depths = 0;
    for (const AdapterTensor& other : adapter_->tensors())
      if (other.part == AdapterPart::a && unwrapped(other.module).first == holder) ++depths;
    if (targets.empty()) return "";
    if (depths != targets.size() || depth >= depths)
      fail(Status::invalid_data,
           "{}: target_parameters of {} name {} parameters of experts, and {} are adapted here: which is which is "
           "unknown",
           where(tensor), adapter_->name(), targets.size(), depths);
    return targets[depths - 1 - depth];
  }

  static std::pair<std::string, std::size_t> unwrapped(std::string module) {
    constexpr std::string_view kWrapped = ".base_layer";
    std::size_t depth = 0;
    for (; module.ends_with(kWrapped); ++depth) module.resize(module.size() - kWrapped.size());
    return {module, depth};
  }

  void add_experts(const std::string& module, const Parts& parts) {
    const std::string parameter = expert_parameter(module, *parts.a);
    if (parameter.empty()) refuse_unknown(*parts.a, module + std::string(kWeightSuffix));
    if (parts.magnitude != nullptr || parts.b_bias != nullptr)
      fail(Status::unsupported, "{}: experts have neither DoRA nor a bias in lora_B", where(*parts.a));
    const std::string holder = unwrapped(module).first;
    if (shape_of(parts.a->stored).size() != 2 || shape_of(parts.b->stored).size() != 2)
      fail(Status::invalid_data, "{}: has the shape {}, which is no matrix's", where(*parts.a),
           printable(shape_of(parts.a->stored)));
    if (const Tensor* joined = names_.find(fmt::format("{}.{}", holder, parameter), where(*parts.a)))
      return add_joined_experts(fmt::format("{}.{}", holder, parameter), parts, change_of(*joined));
    for (const OneByOne& names : kOneByOne) {
      if (names.parameter != parameter) continue;
      const auto name = [&](std::int64_t expert, std::string_view part) {
        return fmt::format("{}.{}.{}{}", holder, expert, part, kWeightSuffix);
      };
      if (names_.find(name(0, names.names[0]), where(*parts.a)) == nullptr) continue;
      return add_single_experts(fmt::format("{}.{}", holder, parameter), parts, names, name);
    }
    refuse_unknown(*parts.a, fmt::format("{}.{}", holder, parameter));
  }

  // How the columns of lora_B follow each other: that of peft is [rank][expert]; unsloth's before September 2026 was
  // [expert][rank], and it says so in the config.
  struct ExpertMatrices {
    Factor b;  // [out, rank] of each expert
    Factor a;  // [rank, in]
    std::int64_t rank = 0;
    std::int64_t out = 0;
    std::int64_t in = 0;
  };

  ExpertMatrices expert_matrices(const std::string& parameter, const Parts& parts, std::int64_t experts) const {
    const Shape& a = shape_of(parts.a->stored);
    const Shape& b = shape_of(parts.b->stored);
    const std::string& layout = adapter_->config().b_layout();
    if (!layout.empty() && layout != "rank_major" && layout != "grouped_by_expert")
      fail(Status::unsupported, "{}: lora_B_layout is '{}', which is neither rank_major nor grouped_by_expert",
           adapter_->name(), printable(layout));
    ExpertMatrices m{as_stored(parts.b->stored), as_stored(parts.a->stored)};
    m.rank = checked_rank(parameter, *parts.a, *parts.b, a[0], b[1], experts);
    m.out = b[0];
    m.in = a[1];
    m.a.block_stride = m.rank * m.in;
    m.b.block_stride = layout == "grouped_by_expert" ? m.rank : 1;
    m.b.column_stride = layout == "grouped_by_expert" ? 1 : experts;
    return m;
  }

  void add_joined_experts(const std::string& parameter, const Parts& parts, TensorChange& change) {
    if (change.shape.size() == 2) {  // of biases: one matrix
      Addend addend{as_stored(parts.b->stored), as_stored(parts.a->stored)};
      addend.rank =
          checked_rank(parameter, *parts.a, *parts.b, shape_of(parts.a->stored)[0], shape_of(parts.b->stored)[1]);
      if (is_turned(change, parts)) addend = {turned(addend.a), turned(addend.b), addend.rank};
      return append(change, addend, parameter, "lora");
    }
    if (change.shape.size() != 3)
      fail(Status::invalid_data, "{}: '{}' has the shape {}, which is not that of experts", where(*parts.a),
           printable(change.base->name), printable(change.shape));
    const std::int64_t experts = change.shape[0];
    change.merging.shape = {experts, change.shape[1], change.shape[2]};
    const ExpertMatrices m = expert_matrices(parameter, parts, experts);
    append(change, oriented(m, change.shape[1], change.shape[2], parts), parameter, "lora of experts");
  }

  // For experts of [rows, columns]: peft gives the product as it is, or turned.
  [[nodiscard]] Addend oriented(const ExpertMatrices& m, std::int64_t rows, std::int64_t columns,
                                const Parts& parts) const {
    const bool straight = m.out == rows && m.in == columns;
    const bool across = m.in == rows && m.out == columns;
    if (!straight && !across)
      fail(Status::invalid_data, "{} and {}: have the shapes {} and {}, whose products do not fit experts of {} by {}",
           where(*parts.a), printable(parts.b->stored.entry->name), printable(shape_of(parts.a->stored)),
           printable(shape_of(parts.b->stored)), rows, columns);
    const bool turn = straight && across ? turns_square_experts(*parts.a) : across;
    return turn ? Addend{turned(m.a), turned(m.b), m.rank} : Addend{m.b, m.a, m.rank};
  }

  // Square ones fit both ways. peft before 0.19 took all for [experts, in, out].
  [[nodiscard]] bool turns_square_experts(const AdapterTensor& tensor) const {
    constexpr int kTurnsSince = 19;
    const std::optional<int> version = adapter_->config().peft_version();
    if (!version)
      fail(Status::unsupported,
           "{}: fits its square experts as it is and turned, and {} has no peft_version, which decides (0.19 turns "
           "them)",
           where(tensor), kAdapterConfigFile);
    if (!config_)
      fail(Status::unsupported, "{}: fits its square experts as it is and turned, and without {} it is unknown which",
           where(tensor), kConfigFile);
    const std::vector<std::string> types = config_->model_types();
    const bool family = std::any_of(types.begin(), types.end(),
                                    [](const std::string& type) { return is_one_of(type, kTurnedExperts); });
    return *version < kTurnsSince || family;
  }

  template <class Name>
  void add_single_experts(const std::string& parameter, const Parts& parts, const OneByOne& names, Name name) {
    std::int64_t experts = 0;
    while (names_.find(name(experts, names.names[0]), where(*parts.a)) != nullptr) ++experts;
    const ExpertMatrices m = expert_matrices(parameter, parts, experts);
    for (std::int64_t expert = 0; expert < experts; ++expert) {
      std::vector<TensorChange*> changes;  // which stand one below the other in the parameter in memory
      std::int64_t rows = 0;
      for (const std::string_view part : names.names) {
        if (part.empty()) continue;
        changes.push_back(&require_change(name(expert, part), *parts.a));
        rows += changes.back()->merging.shape.rows;
      }
      std::int64_t row = 0;
      for (TensorChange* change : changes) {
        Addend addend = oriented(m, rows, change->merging.shape.columns, parts);
        addend.b.offset = expert * addend.b.block_stride + row * addend.b.row_stride;
        addend.a.offset = expert * addend.a.block_stride;
        append(*change, addend, parameter, fmt::format("lora of expert {}", expert));
        row += change->merging.shape.rows;
      }
    }
  }

  // ---- a head that is tied to the embedding ----

  static bool same_bytes(const StoredTensor& a, const StoredTensor& b) {
    if (a.entry->type != b.entry->type || a.entry->shape != b.entry->shape) return false;
    constexpr std::int64_t kPiece = 4 << 20;
    std::vector<std::byte> bytes_a;
    std::vector<std::byte> bytes_b;
    for (std::int64_t at = 0; at < a.entry->bytes(); at += kPiece) {
      bytes_a.resize(static_cast<std::size_t>(std::min(kPiece, a.entry->bytes() - at)));
      bytes_b.resize(bytes_a.size());
      a.read(at, bytes_a);
      b.read(at, bytes_b);
      if (bytes_a != bytes_b) return false;
    }
    return true;
  }

  static bool same_rows(const TokenRows& a, const TokenRows& b) {
    return a.rows == b.rows && same_bytes(a.values, b.values);
  }

  // Whether an adapter made of the head what it made of the embedding.
  [[nodiscard]] static bool same_change(const TensorChange& embedding, const TensorChange& head) {
    const Merging& one = embedding.merging;
    const Merging& other = head.merging;
    if (embedding.replacement.has_value() != head.replacement.has_value()) return false;
    if (embedding.replacement && !same_bytes(*embedding.replacement, *head.replacement)) return false;
    const bool with_rows = !other.token_rows.empty();  // else peft has stored with the embedding what is of both
    if (with_rows && !std::equal(one.token_rows.begin(), one.token_rows.end(), other.token_rows.begin(),
                                 other.token_rows.end(), same_rows))
      return false;
    return std::equal(one.addends.begin(), one.addends.end(), other.addends.begin(), other.addends.end(),
                      [&](const Addend& a, const Addend& b) { return same_product(a, b, one.shape); });
  }

  // Without a config nobody knows, and models for other tasks have no head, or one of another name.
  [[nodiscard]] bool may_have_tied_head() const {
    constexpr std::array<std::string_view, 3> kWithHead{"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"};
    return config_ && config_->ties_embeddings() &&
           std::any_of(kWithHead.begin(), kWithHead.end(),
                       [&](std::string_view ending) { return config_->has_architecture(ending); });
  }

  void settle_head(Head tie) {
    const Tensor* embedding = input_embedding();
    const bool head_changes = !tied_head_.empty();
    const bool in_file =
        std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& t) { return is_head(t.name); });
    const bool tied =
        embedding != nullptr && !in_file && (head_changes || tie != Head::as_trained || may_have_tied_head());
    if (!tied) {
      if (tie != Head::as_trained)
        fail(Status::invalid_argument,
             "{}: its output head is not tied to its embedding, so --tie and --untie mean nothing", model_.name());
      return;
    }
    const bool embedding_changes = rules_.changes.contains(embedding->name);
    if (!embedding_changes && !head_changes && tie != Head::untie) return;
    if (!head_changes) tied_head_ = "lm_head.weight";
    TensorChange& of_embedding = change_of(*embedding);
    TensorChange& of_head = change_of(tied_head_, *embedding);
    // What peft stores because the vocabulary may have grown is the tied tensor's, not one side's.
    if (!of_head.replacement && base_only_.contains(&of_embedding)) share_base(of_embedding, of_head);
    if (!of_embedding.replacement && base_only_.contains(&of_head)) share_base(of_head, of_embedding);
    const bool trained_as_one = same_change(of_embedding, of_head);
    const bool one = tie == Head::tie || (tie == Head::as_trained && trained_as_one);
    if (!one) {
      of_head.rule = of_head.rule.empty() ? "untied" : "untied, " + of_head.rule;
      rules_.unties_head = true;
      return;
    }
    if (!trained_as_one) join(of_head, of_embedding);
    rules_.changes.erase(tied_head_);
  }

  static void share_base(const TensorChange& from, TensorChange& to) {
    to.replacement = from.replacement;
    to.shape = from.shape;
    to.merging.shape = from.merging.shape;
  }

  // --tie: the shared tensor gets what either has got.
  void join(const TensorChange& head, TensorChange& embedding) const {
    if (head.replacement && embedding.replacement && !same_bytes(*head.replacement, *embedding.replacement))
      fail(Status::invalid_data,
           "{}: the adapter has other values for the output head than for the embedding: they "
           "cannot stay tied",
           model_.name());
    if (!embedding.replacement && head.replacement) share_base(head, embedding);
    auto& to = embedding.merging;
    to.token_rows.insert(to.token_rows.end(), head.merging.token_rows.begin(), head.merging.token_rows.end());
    to.addends.insert(to.addends.end(), head.merging.addends.begin(), head.merging.addends.end());
    embedding.rule += (embedding.rule.empty() ? "" : " + ") + head.rule;
  }

  const Model& model_;
  std::span<const Tensor> tensors_;
  TensorNames names_;
  const Families& families_;
  const std::optional<Config>& config_;
  MergeRules rules_;
  std::set<const TensorChange*> base_only_;  // whose replacement was not trained
  std::string tied_head_;                    // that an adapter changes

  const Adapter* adapter_ = nullptr;  // that is being added
  double weight_ = 1.0;
  std::set<const TensorChange*> added_;  // to which it adds already
};

}  // namespace

MergeRules find_rules(const Model& model, std::span<const Tensor> tensors, std::span<const WeightedAdapter> adapters,
                      Head tie, const Families& families, const std::optional<Config>& config) {
  RuleFinder finder(model, tensors, families, config);
  for (const WeightedAdapter& weighted : adapters) finder.add(weighted);
  return finder.settle(tie);
}

}  // namespace qfuse::checkpoint
