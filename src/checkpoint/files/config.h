// config.json of a model directory.
#ifndef QFUSE_CHECKPOINT_FILES_CONFIG_H
#define QFUSE_CHECKPOINT_FILES_CONFIG_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <qfuse/qfuse.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// The quantization_config of 4-bit weights by bitsandbytes.
struct QuantizationConfig {
  QuantType quant_type = QuantType::nf4;
  bool double_quant = true;
  Dtype compute_dtype = Dtype::bfloat16;
  // Names of linear layers that are not quantized; nullopt: those that transformers leaves out by default.
  std::optional<std::vector<std::string>> skip_modules;
};

// Rows and columns of a weight that share a scale.
struct ScaleBlock {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// The quantization_config of FP8 weights in blocks.
struct Fp8Config {
  ScaleBlock block;
  bool ue8m0 = false;                                    // scales are F8_E8M0
  std::optional<std::vector<std::string>> skip_modules;  // as above
};

// Finds the dtype of most elements, because a config can name only one. Ties go to the first in kDtypes.
class DtypeVote {
 public:
  void add(Dtype dtype, std::int64_t elements) {
    elements_[static_cast<std::size_t>(std::ranges::find(kDtypes, dtype) - kDtypes.begin())] += elements;
  }
  [[nodiscard]] Dtype most() const {
    return kDtypes[static_cast<std::size_t>(std::ranges::max_element(elements_) - elements_.begin())];
  }

 private:
  static constexpr std::array kDtypes{Dtype::bfloat16, Dtype::float16, Dtype::float32};
  std::array<std::int64_t, kDtypes.size()> elements_{};
};

class Config {
 public:
  // `where` begins the messages of invalid_data errors.
  Config(std::string_view text, const std::string& where);

  // The dtype stated at the top level, or else in a part; the text part is searched first. None if no dtype is stated,
  // or only ones that weights are not decoded to.
  [[nodiscard]] std::optional<Dtype> dtype() const;

  // The names of model families at any depth. The first is the top level's `model_type`, or else diffusers'
  // `_class_name`, or "". The others are the `model_type` of parts.
  [[nodiscard]] std::vector<std::string> model_types() const;
  // Whether diffusers wrote the config and loads the model.
  [[nodiscard]] bool is_of_diffusers() const;
  // Whether one of `architectures` ends with `ending`.
  [[nodiscard]] bool has_architecture(std::string_view ending) const;
  // The first of `architectures`, or "".
  [[nodiscard]] std::string class_name() const;
  [[nodiscard]] bool has(const std::string& field) const { return json_.contains(field); }  // at the top level
  // The value of a field, given with dots after the names of parts; none if it is missing or of another type.
  [[nodiscard]] std::optional<bool> flag(const std::string& field) const;
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& field) const;
  // The value of a field that is a number or a list of numbers; empty if it is neither.
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& field) const;
  // Number of labels of the model or of a part, counted as transformers does. `part` is "" or ends with a dot.
  [[nodiscard]] std::int64_t labels(const std::string& part) const;
  // The string in a field. A part's field is not looked up at the top level: its `model_type` is not the model's.
  [[nodiscard]] std::optional<std::string> word(const std::string& field) const;
  // Whether custom code loads the model (`auto_map`), whatever the name of its class.
  [[nodiscard]] bool has_own_code() const;
  // Whether the top level has a quantization_config.
  [[nodiscard]] bool is_quantized() const;
  // The first `quant_method` of a quantization_config, at any depth, that is not "bitsandbytes"; "" if there is none.
  [[nodiscard]] std::string foreign_quant_method() const;

  // Linear layers that bitsandbytes' quantization_config at the top level lists as not quantized; none without one.
  [[nodiscard]] std::optional<std::vector<std::string>> skip_modules() const;

  // Sizes of FP8 blocks that share a scale, from quantization_configs at any depth: fp8's `weight_block_size`, and
  // `block_structure` or `group_size` of compressed-tensors' groups. Fails with invalid_data for invalid sizes.
  [[nodiscard]] std::vector<ScaleBlock> scale_blocks() const;
  // The quantization_configs and compression_configs, at any depth.
  [[nodiscard]] std::vector<nlohmann::ordered_json> quantization_records() const;
  // Patterns of the modules that these records list as not quantized.
  [[nodiscard]] std::vector<std::string> plain_modules() const;

  // The text of the decoded model's config, without quantization records at any depth. `dtype` and `torch_dtype`, or
  // `torch_dtype` if it has neither, are set to `dtype`, also in parts that state the model's dtype. Everything else
  // keeps its value and order. Formatted as transformers does: two spaces, a final newline.
  [[nodiscard]] std::string unquantized(Dtype dtype) const;

  // text() returns the text as it was read, with these changes: grow() sets the number of tokens in `fields` or, if
  // empty, in every vocab_size that is the old one; untie() sets every tie_word_embeddings, and `fields`, to false.
  static constexpr std::string_view kTie = "tie_word_embeddings";
  struct Vocabulary {
    std::int64_t before = 0;
    std::int64_t now = 0;
  };
  void grow(const Vocabulary& vocabulary, std::span<const std::string> fields);
  void untie(std::span<const std::string> fields);
  // Sets `dtype` and `torch_dtype` as unquantized() does.
  void set_dtype(Dtype dtype);
  // Removes the quantization records, at any depth; returns whether there were any.
  bool drop_quantization();
  [[nodiscard]] std::string text() const { return changed_ ? print() : text_; }

  // The text of the quantized model's config. `quantization_config`, as transformers' BitsAndBytesConfig writes it,
  // replaces any that is there. It is placed in order if the keys are sorted, else at the end.
  [[nodiscard]] std::string quantized(const QuantizationConfig& quantization) const;
  // Like quantized(), for FP8, as transformers' FineGrainedFP8Config and DeepSeek write it.
  [[nodiscard]] std::string quantized_fp8(const Fp8Config& quantization) const;

 private:
  [[nodiscard]] std::string print() const;
  [[nodiscard]] std::string with_record(const nlohmann::ordered_json& record) const;

  std::string where_;
  std::string text_;
  nlohmann::ordered_json json_;
  bool changed_ = false;
};

// A number, or the numbers of a list; empty if the value is neither, or has other elements.
std::vector<std::int64_t> numbers_in(const nlohmann::ordered_json& value);

// Reads a model's config.json; none if the model is a file, or a directory without one.
std::optional<Config> read_config(const Model& model);

// Reads the config.json beside a model that is a file; none if it is missing or unrelated.
std::optional<Config> config_beside(const Model& model);

// The model_types of a model's config.json, which for a file is the one beside it; empty without one.
std::vector<std::string> read_model_types(const Model& model);

// The scale_blocks() of the config.json beside a model that is a file; empty if it is missing or unrelated.
std::vector<ScaleBlock> scale_blocks_beside(const Model& model);

// Output dtype of quantized weights whose files do not state it (LLM.int8, and formats other than bitsandbytes'): the
// config's dtype, or bfloat16.
Dtype unstated_dtype(const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_CONFIG_H
