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

// What quantization_config says of 4-bit weights by bitsandbytes.
struct QuantizationConfig {
  QuantType quant_type = QuantType::nf4;
  bool double_quant = true;
  Dtype compute_dtype = Dtype::bfloat16;
  // Linear layers that are not quantized, by module name; none: those that transformers leaves out by itself.
  std::optional<std::vector<std::string>> skip_modules;
};

// Rows and columns of a weight that share a scale.
struct ScaleBlock {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// What it says of FP8 weights in blocks.
struct Fp8Config {
  ScaleBlock block;
  bool ue8m0 = false;                                    // scales are F8_E8M0
  std::optional<std::vector<std::string>> skip_modules;  // as above
};

// Finds the dtype of most elements: the one that a config can name. Of equals, and of none, the first of kDtypes.
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
  // `where` begins the message of an invalid_data.
  Config(std::string_view text, const std::string& where);

  // The dtype that it states at its top level, or else in a part, of its text before others; none if it states none, or
  // ones that weights are not decoded to.
  [[nodiscard]] std::optional<Dtype> dtype() const;

  // The families that it names as `model_type`, at any depth: its own first, or what diffusers calls `_class_name`, or
  // "".
  [[nodiscard]] std::vector<std::string> model_types() const;
  // Whether diffusers wrote it, and loads the model.
  [[nodiscard]] bool is_of_diffusers() const;
  // Whether one of `architectures` ends so.
  [[nodiscard]] bool has_architecture(std::string_view ending) const;
  // The first of `architectures`; "" where there is none.
  [[nodiscard]] std::string class_name() const;
  [[nodiscard]] bool has(const std::string& field) const { return json_.contains(field); }  // at its top level
  // What a field says, with dots before those of parts; none if it is not there, or of another kind.
  [[nodiscard]] std::optional<bool> flag(const std::string& field) const;
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& field) const;
  // Of a number, or of a list of them; empty if it is neither.
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& field) const;
  // How many labels the model, or a part of it, tells apart, as transformers counts them. `part`: "", or with a dot at
  // its end.
  [[nodiscard]] std::int64_t labels(const std::string& part) const;
  // Of a field of a part, only where that has it: `model_type` of the model is not its parts'.
  [[nodiscard]] std::optional<std::string> word(const std::string& field) const;
  // Whether the model is loaded by code of its own (`auto_map`), whatever its class is called.
  [[nodiscard]] bool has_own_code() const;
  // Whether it says how the weights are quantized.
  [[nodiscard]] bool is_quantized() const;
  // The first `quant_method` of a quantization_config, at any depth, that is not "bitsandbytes"; "" if there is none.
  [[nodiscard]] std::string foreign_quant_method() const;

  // The linear layers that a quantization_config of bitsandbytes, at its top level, names as not quantized; none: it
  // has no such record.
  [[nodiscard]] std::optional<std::vector<std::string>> skip_modules() const;

  // The blocks of FP8 weights that have a scale each, as quantization_configs say, at any depth: `weight_block_size`
  // of fp8, and `block_structure` or `group_size` of compressed-tensors' groups. invalid_data for what is no such size.
  [[nodiscard]] std::vector<ScaleBlock> scale_blocks() const;
  // Those records, at any depth.
  [[nodiscard]] std::vector<nlohmann::ordered_json> quantization_records() const;
  // Patterns of modules that they say are not quantized.
  [[nodiscard]] std::vector<std::string> plain_modules() const;

  // The text of the decoded model's config: without `quantization_config`, at any depth; `dtype` and `torch_dtype`,
  // whichever it has (neither: `torch_dtype`), set to `dtype`, and so in parts that state the model's. Everything
  // else keeps its value and order. Formatted as transformers does: two spaces, a final newline.
  [[nodiscard]] std::string unquantized(Dtype dtype) const;

  // The text as it was read, but for what is given: another number of tokens in `fields`, or, if there are none,
  // wherever vocab_size is the old one; tie_word_embeddings false wherever it stands, and in `fields`.
  static constexpr std::string_view kTie = "tie_word_embeddings";
  struct Vocabulary {
    std::int64_t before = 0;
    std::int64_t now = 0;
  };
  void grow(const Vocabulary& vocabulary, std::span<const std::string> fields);
  void untie(std::span<const std::string> fields);
  // `dtype` and `torch_dtype`, as unquantized() sets them.
  void set_dtype(Dtype dtype);
  // Of a model whose weights are not quantized. Whether there was a record that they are, at any depth.
  bool drop_quantization();
  [[nodiscard]] std::string text() const { return changed_ ? print() : text_; }

  // The text of the quantized model's config: `quantization_config` as transformers' BitsAndBytesConfig writes it,
  // instead of any that stood there; where transformers sorts it to if the keys are sorted, else at the end.
  [[nodiscard]] std::string quantized(const QuantizationConfig& quantization) const;
  // The same of FP8, as transformers' FineGrainedFP8Config and DeepSeek write it.
  [[nodiscard]] std::string quantized_fp8(const Fp8Config& quantization) const;

 private:
  [[nodiscard]] std::string print() const;
  [[nodiscard]] std::string with_record(const nlohmann::ordered_json& record) const;

  std::string where_;
  std::string text_;
  nlohmann::ordered_json json_;
  bool changed_ = false;
};

// A number, or the numbers of a list; none of what is neither, or has others.
std::vector<std::int64_t> numbers_in(const nlohmann::ordered_json& value);

// None for a model that is a file, or a directory without config.json.
std::optional<Config> read_config(const Model& model);

// Of the directory that a model which is a file lies in; none where what lies there is something else of that name.
std::optional<Config> config_beside(const Model& model);

// The model_types of a model's config.json, of a file's that of the directory that it lies in; empty without one.
std::vector<std::string> read_model_types(const Model& model);

// The blocks that the config.json says which a model that is a file lies beside; none where it says none, or is none.
std::vector<ScaleBlock> scale_blocks_beside(const Model& model);

// What weights of a model with this config decode to whose files do not say, LLM.int8 and all that bitsandbytes did not
// quantize: its dtype, or bfloat16.
Dtype unstated_dtype(const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_CONFIG_H
