// Facts about a model's tensors that depend on the family: model_type in config.json, _class_name in diffusers. The
// table was made, and is tested, by sweeps over every family that transformers and diffusers can build
// (tests/libraries/test_families.py and test_diffusers.py); docs/FAMILIES.md describes it.
#ifndef QFUSE_CHECKPOINT_NAMES_FAMILIES_H
#define QFUSE_CHECKPOINT_NAMES_FAMILIES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::checkpoint {

// The families of a model and of its parts: a model of images and text has several.
class Families {
 public:
  // `model_types`: the model's own type first; empty for a model without config.json.
  explicit Families(const std::vector<std::string>& model_types);

  // Whether the model stores this matrix as [in, out], like GPT-2's Conv1D. transformers transposes it when it
  // quantizes it, so a quantized checkpoint has it as [out, in].
  [[nodiscard]] bool is_transposed(const std::string& tensor, std::span<const std::int64_t> shape) const;

  // Whether transformers or diffusers cannot load this matrix quantized: its layer is not exactly torch.nn.Linear, it
  // is divided or joined with others on loading, or it is kept in fp32.
  [[nodiscard]] bool stays_plain(const std::string& tensor) const;

  // Whether transformers divides this matrix on loading, joins it with others or permutes it.
  [[nodiscard]] bool is_divided(const std::string& tensor) const;

  // Whether training with a BitsAndBytesConfig has this matrix in 4 bits; nullopt if its name decides.
  [[nodiscard]] std::optional<bool> is_4bit_in_training(const std::string& tensor) const;

  // Unquantized modules that the names of the file's tensors do not show, as llm_int8_skip_modules lists them: output
  // heads tied to an embedding, and modules that transformers names differently.
  [[nodiscard]] const std::vector<std::string>& further_plain_modules() const { return further_plain_; }

  // Whether transformers can load quantized models of these families as they are usually stored.
  [[nodiscard]] bool is_quantizable() const { return is_quantizable_; }

  // The model's own family; "" if it has none.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Whether models of this family were converted in both directions and loaded; true without a config.json.
  [[nodiscard]] bool is_checked() const;

 private:
  std::string name_;
  bool has_config_ = false;
  bool is_quantizable_ = true;
  std::vector<const char*> transposed_;  // patterns of tensor names
  std::vector<const char*> plain_;
  std::vector<const char*> divided_;
  std::vector<const char*> plain_in_training_;
  std::vector<const char*> linear_in_training_;
  std::vector<std::string> further_plain_;
};

// Every checked family, sorted: of transformers, and of diffusers, where a family is a class.
std::span<const std::string_view> checked_families();
std::span<const std::string_view> checked_diffusers_classes();

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_FAMILIES_H
