// adapter_config.json, which peft writes beside an adapter. Reads the fields that affect the merge and ignores those
// that affect only training; any other field that is set could change the result, so it is refused by name.
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

inline constexpr std::int64_t kLargestRank = 1 << 20;  // no matrix of a model has more rows

// Rank and alpha of a module, for files that state both for each module and nothing for others.
struct ModuleScale {
  std::int64_t rank = 1;
  double alpha = 1.0;
};

// The merge that an adapter was trained for, as qfuse.integrations.peft.merge_aware records it in auto_mapping.
struct TrainedMerge {
  std::string to;          // "nf4"
  bool from_4bit = false;  // the base
  double blocksize = 0;    // 0: the format has no choice of it
  bool double_quant = false;
  bool keep_scales = false;
};

class AdapterConfig {
 public:
  // Fails with invalid_data or unsupported if `text` is no config of a LoRA adapter, or of one that cannot be merged.
  // Messages begin with `where`.
  AdapterConfig(std::string_view text, const std::string& where, std::string name = kAdapterConfigFile);
  // For a file without a config.
  AdapterConfig(std::string name, std::map<std::string, ModuleScale> modules, bool dora);

  // Name of the file with these settings, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Rank of a module: the value of the first pattern that matches its name, else the default.
  [[nodiscard]] std::int64_t rank_of(const std::string& module) const;
  // Factor of the module's product B * A: alpha / r, with rslora alpha / sqrt(r) (peft, LoraLayer.update_layer).
  [[nodiscard]] double scale_of(const std::string& module) const;

  [[nodiscard]] const std::string& base_model() const { return base_model_; }
  [[nodiscard]] const std::string& base_revision() const { return base_revision_; }  // on the Hub; "": its main branch
  [[nodiscard]] const std::string& task() const { return task_; }  // in peft's words: "SEQ_CLS"; "": unknown
  // Whether peft treated the weights as stored [in, out], like GPT-2's.
  [[nodiscard]] bool is_transposed() const { return fan_in_fan_out_; }
  [[nodiscard]] bool is_dora() const { return dora_; }
  // Parameters that are not the weight of a layer, such as "experts.gate_up_proj".
  [[nodiscard]] const std::vector<std::string>& target_parameters() const { return target_parameters_; }
  // Trained rows of embeddings, by the end of the module's name. A single list for all is under "".
  [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>>& token_indices() const { return token_indices_; }
  // Whether modules_to_save names the tensor's module or a parent of it, which means that it was trained whole.
  [[nodiscard]] bool saves(std::string_view tensor) const;
  // Whether biases of the base were trained (`bias`).
  [[nodiscard]] bool trains_biases() const { return trains_biases_; }
  // Order of lora_B's columns for experts, in unsloth's words; "" if the file does not say.
  [[nodiscard]] const std::string& b_layout() const { return b_layout_; }
  // Name of a field that only unsloth writes, such as "auto_mapping.unsloth_fixed"; "" if there is none.
  [[nodiscard]] const std::string& unsloths_field() const { return unsloths_field_; }
  [[nodiscard]] const std::optional<TrainedMerge>& trained_for() const { return trained_for_; }
  // peft's version as major * 1000 + minor, so that 0.18 is 18; nullopt if the file does not show it. Files of 0.16
  // look like those of 0.17 and count as such.
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
  std::optional<TrainedMerge> trained_for_;
  std::string unsloths_field_;
  std::optional<int> peft_version_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_ADAPTER_CONFIG_H
