// What names alone do not say of a model's tensors, but its family does, which config.json calls model_type, and
// diffusers _class_name. The table was made, and is checked, by sweeps over every family that transformers and
// diffusers can build (tests/libraries/test_families.py and test_diffusers.py); docs/FAMILIES.md shows it.
#ifndef QFUSE_CHECKPOINT_NAMES_FAMILIES_H
#define QFUSE_CHECKPOINT_NAMES_FAMILIES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::checkpoint {

// The families of a model and of its parts: a model of images and text is several.
class Families {
 public:
  // The model's own first; none for a model without config.json.
  explicit Families(const std::vector<std::string>& model_types);

  // Whether the model keeps that matrix as [in, out], as GPT-2's Conv1D does. transformers transposes it when it
  // quantizes it, and so it stands in a quantized checkpoint.
  [[nodiscard]] bool is_transposed(const std::string& tensor, std::span<const std::int64_t> shape) const;

  // Whether transformers or diffusers does not load that matrix quantized: it is no layer of torch.nn.Linear's own
  // class, is divided or joined with others on loading, or is kept in fp32.
  [[nodiscard]] bool stays_plain(const std::string& tensor) const;

  // Whether transformers divides that matrix on loading, joins it with others or permutes it.
  [[nodiscard]] bool is_divided(const std::string& tensor) const;

  // Whether training with a BitsAndBytesConfig has that matrix in 4 bits; none where names tell it.
  [[nodiscard]] std::optional<bool> is_4bit_in_training(const std::string& tensor) const;

  // Layers that stay plain and that no tensor of the file names, as llm_int8_skip_modules has to name them: output
  // heads tied to an embedding, and what has another name in transformers than in the file.
  [[nodiscard]] const std::vector<std::string>& further_plain_modules() const { return further_plain_; }

  // Whether transformers can load such a model quantized as it is stored as a rule.
  [[nodiscard]] bool is_quantizable() const { return is_quantizable_; }

  // The model's own; empty if it has none.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Whether a model of this family was converted in both directions and loaded; true where there is no config.json.
  [[nodiscard]] bool is_checked() const;

 private:
  std::string name_;
  bool has_config_ = false;
  bool is_quantizable_ = true;
  std::vector<const char*> transposed_;  // patterns of tensors
  std::vector<const char*> plain_;
  std::vector<const char*> divided_;
  std::vector<const char*> plain_in_training_;
  std::vector<const char*> linear_in_training_;
  std::vector<std::string> further_plain_;
};

// Every family that was checked, sorted: of transformers, and of diffusers, where a family is a class.
std::span<const std::string_view> checked_families();
std::span<const std::string_view> checked_diffusers_classes();

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_FAMILIES_H
