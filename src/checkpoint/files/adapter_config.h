// adapter_config.json, which peft writes beside an adapter. What merging depends on is read; what only training depends
// on is passed over; what changes the sum in a way that is not known here is refused by its name.
#ifndef QFUSE_CHECKPOINT_FILES_ADAPTER_CONFIG_H
#define QFUSE_CHECKPOINT_FILES_ADAPTER_CONFIG_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/name_pattern.h"

namespace qfuse::checkpoint {

inline constexpr const char* kAdapterConfigFile = "adapter_config.json";

inline constexpr std::int64_t kLongestAdapterConfig = 16 << 20;  // bytes; real ones have a thousand

inline constexpr std::int64_t kLargestRank = 1 << 20;  // no matrix of a model has as many rows

// Of a module whose file says both of it, and nothing of others.
struct ModuleScale {
  std::int64_t rank = 1;
  double alpha = 1.0;
};

class AdapterConfig {
 public:
  // invalid_data or unsupported, the message beginning with `where`, for what is no config of a LoRA adapter, or of one
  // that cannot be merged.
  AdapterConfig(std::string_view text, const std::string& where, std::string name = kAdapterConfigFile);
  // Of a file that has no config.
  AdapterConfig(std::string name, std::map<std::string, ModuleScale> modules, bool dora);

  // Of what says all this, for messages: the file's.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Of a module: the value of the first pattern that fits its name, else that of all.
  [[nodiscard]] std::int64_t rank_of(const std::string& module) const;
  // What its product is multiplied by: alpha / r, or with rslora alpha / sqrt(r) (peft, LoraLayer.update_layer).
  [[nodiscard]] double scale_of(const std::string& module) const;

  [[nodiscard]] const std::string& base_model() const { return base_model_; }
  [[nodiscard]] const std::string& base_revision() const { return base_revision_; }  // on the Hub; "": its main branch
  [[nodiscard]] const std::string& task() const { return task_; }  // in peft's words: "SEQ_CLS"; "": not known
  // Whether peft took the weights to be stored as [in, out], as GPT-2's are.
  [[nodiscard]] bool is_transposed() const { return fan_in_fan_out_; }
  [[nodiscard]] bool is_dora() const { return dora_; }
  // "experts.gate_up_proj" and such: parameters that are no layer's weight.
  [[nodiscard]] const std::vector<std::string>& target_parameters() const { return target_parameters_; }
  // By the end of a module's name, the rows of its embedding that were trained. One list for all: under "".
  [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>>& token_indices() const { return token_indices_; }
  // Whether modules_to_save names the module of that tensor, or one that it is in: it was trained whole.
  [[nodiscard]] bool saves(std::string_view tensor) const;
  // Whether biases of the base were trained (`bias`).
  [[nodiscard]] bool trains_biases() const { return trains_biases_; }
  // How the columns of lora_B of experts are ordered, where the file says so, in unsloth's words; else "".
  [[nodiscard]] const std::string& b_layout() const { return b_layout_; }
  // The field that only unsloth writes, as in "auto_mapping.unsloth_fixed"; "": there is none.
  [[nodiscard]] const std::string& unsloths_field() const { return unsloths_field_; }
  // peft's version as major * 1000 + minor, 0.18 is 18; none where the file does not show it. What 0.16
  // wrote cannot be told from what 0.17 did, and is taken for it.
  [[nodiscard]] std::optional<int> peft_version() const { return peft_version_; }

 private:
  struct Pattern {
    NamePattern name;
    double value = 0.0;
  };
  static double value_of(const std::vector<Pattern>& patterns, const std::string& module, double otherwise);

  std::string name_;
  std::map<std::string, ModuleScale> modules_;
  std::string base_model_;
  std::string base_revision_;
  std::string task_;
  double rank_ = 0.0;
  double alpha_ = 0.0;
  bool rslora_ = false;
  bool fan_in_fan_out_ = false;
  bool dora_ = false;
  bool trains_biases_ = false;
  std::vector<Pattern> ranks_;
  std::vector<Pattern> alphas_;
  std::vector<std::string> modules_to_save_;
  std::vector<std::string> target_parameters_;
  std::map<std::string, std::vector<std::int64_t>> token_indices_;
  std::string b_layout_;
  std::string unsloths_field_;
  std::optional<int> peft_version_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_ADAPTER_CONFIG_H
