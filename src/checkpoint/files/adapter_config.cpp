#include "checkpoint/files/adapter_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

using OrderedJson = nlohmann::ordered_json;  // ordered, because the first matching pattern counts

// Ignored fields: those that affect only training, loading or display (LoraConfig of peft 0.2 to 0.21 and of ms-swift),
// those that describe the base, and those that the tensors show anyway: bias, lora_bias and ensure_weight_tying.
constexpr std::array<std::string_view, 34> kPassedOver{"_name_or_path",
                                                       "architectures",
                                                       "auto_mapping",
                                                       "base_model_class",
                                                       "bias",
                                                       "dtype",
                                                       "ensure_weight_tying",
                                                       "eva_config",
                                                       "exclude_modules",
                                                       "inference_mode",
                                                       "layers_pattern",
                                                       "layers_to_transform",
                                                       "loftq_config",
                                                       "lora_bias",
                                                       "lora_dropout",
                                                       "lora_dtype",
                                                       "lorap_emb_lr",
                                                       "lorap_lr_ratio",
                                                       "megatron_config",
                                                       "megatron_core",
                                                       "merge_weights",
                                                       "model_type",
                                                       "parent_library",
                                                       "peft_type",
                                                       "peft_version",
                                                       "qalora_group_size",
                                                       "runtime_config",
                                                       "target_modules",
                                                       "task_type",
                                                       "torch_dtype",
                                                       "transformers_version",
                                                       "unsloth_fixed",
                                                       "unsloth_fused_expert_lora",
                                                       "unsloth_version"};

// Initializations that change the base's weights before training, so that a merge into the published base would be
// wrong. When peft saves with path_initial_model_for_weight_conversion, it converts the adapter and writes "true".
constexpr std::array<std::string_view, 6> kChangeTheBase{"pissa", "olora", "corda", "lora_ga", "loftq", "qalora"};

struct Refused {
  std::string_view field;
  std::string_view why;
};
constexpr std::array kRefused{
    Refused{"layer_replication", "its layers are not the base's: replicate them first"},
    Refused{"alora_invocation_tokens", "it acts from a token on (aLoRA), which no merged weight can"},
    Refused{"arrow_config", "it chooses among adapters while it runs (Arrow), which no merged weight can"},
    Refused{"use_qalora", "it pools its inputs (QALoRA): let peft merge it"},
    Refused{"use_bdlora", "its matrices are block-diagonal (BD-LoRA): let peft merge it"},
    Refused{"kasa_config", "it has singular values of its own (KaSA): let peft merge it"},
    Refused{"velora_config", "it is of a kind (VeLoRA) that is not known here: let peft merge it"},
    Refused{"monteclora_config", "it is of a kind (MonteCLoRA) that is not known here: let peft merge it"},
    Refused{"corda_config", "it took its beginning from the base's weights (CorDA): let peft convert it on saving"},
    Refused{"lora_ga_config", "it took its beginning from the base's weights (LoRA-GA): let peft convert it on saving"},
};

// Whether a field says "not used": null, false, 0 as a flag, "", [] or {}.
bool is_unused(const OrderedJson& value) {
  return value.is_null() || value == OrderedJson(false) || value == OrderedJson("") ||
         (value.is_structured() && value.empty());
}

class FieldReader {
 public:
  FieldReader(const OrderedJson& json, const std::string& where) : json_(json), where_(where) {}

  [[nodiscard]] const OrderedJson* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] bool flag(const char* key) const {
    const OrderedJson* value = find(key);
    if (value != nullptr && !value->is_boolean()) refuse(key, "true or false");
    return value != nullptr && value->get<bool>();
  }
  [[nodiscard]] std::string text(const char* key) const {
    const OrderedJson* value = find(key);
    if (value != nullptr && !value->is_string()) refuse(key, "a string");
    return value == nullptr ? "" : value->get<std::string>();
  }
  [[nodiscard]] double number(const char* key) const {
    const OrderedJson* value = find(key);
    if (value == nullptr) fail(Status::invalid_data, "{}: {} is missing", where_, key);
    return finite(key, *value);
  }
  [[nodiscard]] double finite(const char* key, const OrderedJson& value) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, "a number");
    return value.get<double>();
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    const OrderedJson* value = find(key);
    if (value == nullptr) return all;
    if (!value->is_array()) refuse(key, "strings");
    for (const OrderedJson& one : *value) {
      if (!one.is_string()) refuse(key, "strings");
      all.push_back(one.get<std::string>());
    }
    return all;
  }
  [[nodiscard]] std::vector<std::int64_t> indices(const char* key, const OrderedJson& value) const {
    std::vector<std::int64_t> all;
    if (!value.is_array()) refuse(key, "numbers of tokens");
    for (const OrderedJson& one : value) {
      if (!one.is_number_unsigned() || one.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        refuse(key, "numbers of tokens");
      all.push_back(one.get<std::int64_t>());
    }
    return all;
  }
  [[noreturn]] void refuse(const char* key, const std::string& needs) const {
    fail(Status::invalid_data, "{}: {} is {}, needs to be {}", where_, key,
         printable(restore_special_numbers(json_.at(key).dump())), needs);
  }

 private:
  const OrderedJson& json_;
  const std::string& where_;
};

void refuse_what_cannot_be_merged(const FieldReader& read, const std::string& where) {
  if (read.find("peft_type") == nullptr && read.find("lora_parameters") != nullptr)
    fail(Status::unsupported, "{}: is of an adapter of MLX, which mlx_lm.fuse merges", where);
  const std::string type = read.text("peft_type");
  if (type != "LORA")
    fail(Status::unsupported, "{}: peft_type is '{}', and only LORA adapters can be merged", where, printable(type));
  for (const Refused& refused : kRefused)
    if (const OrderedJson* value = read.find(std::string(refused.field).c_str());
        value != nullptr && !is_unused(*value))
      fail(Status::unsupported, "{}: {} is set: {}", where, refused.field, refused.why);
  const OrderedJson* init = read.find("init_lora_weights");
  if (init == nullptr || !init->is_string()) return;
  const std::string name = init->get<std::string>();
  for (const std::string_view beginning : kChangeTheBase)
    if (name.starts_with(beginning))
      fail(Status::unsupported,
           "{}: init_lora_weights is '{}', which changed the base's weights before training: merged onto the published "
           "base it would be wrong; let peft convert it, with save_pretrained(..., "
           "path_initial_model_for_weight_conversion=...)",
           where, printable(name));
  constexpr std::array<std::string_view, 4> kLeaveTheBase{"gaussian", "eva", "orthogonal", "mica"};
  if (std::find(kLeaveTheBase.begin(), kLeaveTheBase.end(), name) == kLeaveTheBase.end())
    fail(Status::unsupported, "{}: init_lora_weights is '{}', and whether that changed the base's weights is unknown",
         where, printable(name));
}

void refuse_unknown_bias(const FieldReader& read) {
  const std::string bias = read.text("bias");
  if (!bias.empty() && bias != "none" && bias != "all" && bias != "lora_only")
    read.refuse("bias", "none, all or lora_only");
}

void refuse_unknown_fields(const OrderedJson& json, const std::string& where) {
  constexpr std::array<std::string_view, 14> kRead{"alpha_pattern",
                                                   "base_model_name_or_path",
                                                   "fan_in_fan_out",
                                                   "init_lora_weights",
                                                   "lora_B_layout",
                                                   "lora_alpha",
                                                   "r",
                                                   "rank_pattern",
                                                   "revision",
                                                   "modules_to_save",
                                                   "target_parameters",
                                                   "trainable_token_indices",
                                                   "use_dora",
                                                   "use_rslora"};
  const auto is_one_of = [](const std::string& key, const auto& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const auto& field : json.items()) {
    const std::string& key = field.key();
    const OrderedJson& value = field.value();
    const bool refused =
        std::any_of(kRefused.begin(), kRefused.end(), [&](const Refused& r) { return r.field == key; });
    const bool is_known = refused || is_one_of(key, kRead) || is_one_of(key, kPassedOver);
    if (!is_unused(value) && !is_known)
      fail(Status::unsupported,
           "{}: {} is {}: no such field is known, and what it changes would be missing from the merged weights", where,
           printable(key), printable(restore_special_numbers(value.dump())));
  }
}

// Matches like peft's get_pattern_key (re.match): the whole name, or its end after a dot.
NamePattern compiled(const std::string& pattern, const std::string& where, const char* key) {
  return {fmt::format(R"((.*\.)?({})$)", pattern), fmt::format("{}: {} '{}'", where, key, printable(pattern))};
}

// Parses versions such as "0.18.1" and "0.18.1.dev0@abc".
std::optional<int> parse_version(const std::string& text) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str(), "%4d.%3d", &major, &minor) != 2) return std::nullopt;
  return major * 1000 + minor;
}

// Since 0.18 peft writes its version. It always writes all fields that it knows: qalora_group_size since 0.16,
// ensure_weight_tying since 0.18. Adapters of experts (target_parameters) exist since 0.17.
std::optional<int> version_of(const OrderedJson& json, const FieldReader& read) {
  constexpr int kLastWithoutVersion = 17;
  if (const std::string text = read.text("peft_version"); !text.empty()) return parse_version(text);
  if (json.contains("qalora_group_size") && !json.contains("ensure_weight_tying")) return kLastWithoutVersion;
  return std::nullopt;
}

std::optional<TrainedMerge> trained_merge(const OrderedJson& json, const std::string& where) {
  const auto mapping = json.find("auto_mapping");
  if (mapping == json.end() || !mapping->is_object()) return std::nullopt;
  const auto found = mapping->find("qfuse_merge");
  if (found == mapping->end()) return std::nullopt;
  if (!found->is_object()) FieldReader(*mapping, where).refuse("qfuse_merge", "an object");
  const FieldReader read(*found, where);
  return TrainedMerge{.to = read.text("to"),
                      .from_4bit = read.text("base") == "4-bit",
                      .blocksize = read.find("block_size") == nullptr ? 0 : read.number("block_size"),
                      .double_quant = read.flag("double_quant"),
                      .keep_scales = read.flag("keep_scales")};
}

// unsloth marks the models that it loads, and peft copies the mark into auto_mapping.
std::string field_of_unsloth(const OrderedJson& json) {
  const auto in = [](const OrderedJson& object, const std::string& before) -> std::string {
    for (const auto& field : object.items())
      if (field.key().starts_with("unsloth_") && !is_unused(field.value())) return before + field.key();
    return "";
  };
  const auto mapping = json.find("auto_mapping");
  const std::string inner = mapping != json.end() && mapping->is_object() ? in(*mapping, "auto_mapping.") : "";
  return inner.empty() ? in(json, "") : inner;
}

}  // namespace

AdapterConfig::AdapterConfig(std::string_view text, const std::string& where, std::string name)
    : name_(std::move(name)) {
  constexpr std::size_t kMostKeys = 65'536;
  const auto json = parse_json<OrderedJson>(text, where, kMostKeys);
  if (!json.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", where);
  const FieldReader read(json, where);
  refuse_what_cannot_be_merged(read, where);
  refuse_unknown_bias(read);
  refuse_unknown_fields(json, where);
  base_model_ = read.text("base_model_name_or_path");
  base_revision_ = read.text("revision");
  task_ = read.text("task_type");
  rank_ = read.number("r");
  alpha_ = read.number("lora_alpha");
  rslora_ = read.flag("use_rslora");
  fan_in_fan_out_ = read.flag("fan_in_fan_out");
  dora_ = read.flag("use_dora");
  trains_biases_ = !read.text("bias").empty() && read.text("bias") != "none";
  modules_to_save_ = read.texts("modules_to_save");
  target_parameters_ = read.texts("target_parameters");
  b_layout_ = read.text("lora_B_layout");
  unsloths_field_ = field_of_unsloth(json);
  trained_for_ = trained_merge(json, where);
  peft_version_ = version_of(json, read);
  const auto read_patterns = [&](const char* key, std::vector<Pattern>& patterns) {
    const OrderedJson* object = read.find(key);
    if (object == nullptr) return;
    if (!object->is_object()) read.refuse(key, "an object");
    for (const auto& [name, value] : object->items())
      patterns.push_back({compiled(name, where, key), read.finite(key, value)});
  };
  read_patterns("rank_pattern", ranks_);
  read_patterns("alpha_pattern", alphas_);
  const auto is_rank = [](double value) {
    return value >= 1.0 && value <= static_cast<double>(kLargestRank) && value == std::floor(value);
  };
  for (const Pattern& pattern : ranks_)
    if (!is_rank(pattern.value)) read.refuse("rank_pattern", "whole ranks from 1");
  if (!is_rank(rank_)) read.refuse("r", "a whole rank from 1");
  if (const OrderedJson* tokens = read.find("trainable_token_indices"); tokens != nullptr && !is_unused(*tokens)) {
    if (tokens->is_object())
      for (const auto& [module, indices] : tokens->items())
        token_indices_[module] = read.indices("trainable_token_indices", indices);
    else
      token_indices_[""] = read.indices("trainable_token_indices", *tokens);
  }
}

AdapterConfig::AdapterConfig(std::string name, std::map<std::string, ModuleScale> modules, bool dora)
    : name_(std::move(name)), modules_(std::move(modules)), dora_(dora) {}

double AdapterConfig::value_of(const std::vector<Pattern>& patterns, const std::string& module, double otherwise) {
  const auto found = std::find_if(patterns.begin(), patterns.end(),
                                  [&](const Pattern& pattern) { return pattern.name.fits_beginning_of(module); });
  return found == patterns.end() ? otherwise : found->value;
}

std::int64_t AdapterConfig::rank_of(const std::string& module) const {
  if (const auto found = modules_.find(module); found != modules_.end()) return found->second.rank;
  return static_cast<std::int64_t>(value_of(ranks_, module, rank_));
}

double AdapterConfig::scale_of(const std::string& module) const {
  const auto rank = static_cast<double>(rank_of(module));
  const auto found = modules_.find(module);
  const double alpha = found != modules_.end() ? found->second.alpha : value_of(alphas_, module, alpha_);
  return rslora_ ? alpha / std::sqrt(rank) : alpha / rank;
}

bool AdapterConfig::saves(std::string_view tensor) const {
  const std::string parts = fmt::format(".{}", tensor);
  return std::ranges::any_of(modules_to_save_, [&](const std::string& module) {
    return parts.find(fmt::format(".{}.", module)) != parts.npos;
  });
}

}  // namespace qfuse::checkpoint
