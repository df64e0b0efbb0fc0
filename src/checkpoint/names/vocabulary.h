// The tensors of a model that depend on the vocabulary size, and which of them are tied: facts about its class, which
// config.json names in `architectures`. tests/libraries/vocabularies.py extracts them from transformers.
#ifndef QFUSE_CHECKPOINT_NAMES_VOCABULARY_H
#define QFUSE_CHECKPOINT_NAMES_VOCABULARY_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/config.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/names/tensor_names.h"

namespace qfuse::checkpoint {

// Fields are lists of words separated by blanks.
struct VocabularyRow {
  std::string_view classes;
  // Groups of names, with = between names that are one tensor if tied; the one that transformers saves comes first.
  // Each is the name in memory, followed by > and the name in files if that differs.
  std::string_view tensors;
  std::string_view size_fields;  // dotted fields of config.json with the number of tokens
  std::string_view tie_fields;   // if any of them is true, the group is tied
  bool ties_by_default;          // value of an absent field, and of classes without such fields
  bool unties_by_field;          // whether false in all of them unties, without other effects
  bool shares_rows;              // whether peft trains token rows of tied tensors jointly
};

std::span<const VocabularyRow> vocabulary_table();

// A tensor with both of its names. `tensor`: the one in the file under either name; NULL if none.
struct VocabularyTensor {
  std::string in_memory;
  std::string in_file;
  const Tensor* tensor = nullptr;
};

enum class Tying { separate, tied, unknown };

// Names that may be one tensor. `values`: the stored tensor with their values; NULL if the file has none.
struct VocabularyGroup {
  std::vector<VocabularyTensor> members;
  Tying tying = Tying::separate;
  const Tensor* values = nullptr;
  bool shares_rows = true;

  // Whether a member is, or may be, the same tensor as the others; a stored one with other values is not.
  [[nodiscard]] bool is_shared(const VocabularyTensor& member) const;
};

class Vocabulary {
 public:
  // `names` and `tensors` belong to the model, and must outlive this.
  Vocabulary(const std::optional<Config>& config, const TensorNames& names, std::span<const Tensor> tensors);

  // The class in config.json; "" if there is none.
  [[nodiscard]] const std::string& class_name() const { return class_name_; }
  [[nodiscard]] std::span<const VocabularyGroup> groups() const { return groups_; }
  // Whether transformers supports another number of tokens, as far as is known.
  [[nodiscard]] bool can_grow() const { return !is_known_ || !size_fields_.empty(); }
  [[nodiscard]] const std::vector<std::string>& size_fields() const { return size_fields_; }
  // Fields that must be false when the groups are untied; empty if only the stored tensors show it.
  [[nodiscard]] const std::vector<std::string>& untie_fields() const { return untie_fields_; }

  // Config field for the decoder embedding's number of rows when untied from the encoder's; "" if there is none.
  [[nodiscard]] const std::string& decoder_size_field() const { return decoder_size_field_; }

  // Whether the tensor has a row per token.
  [[nodiscard]] bool has(const Tensor& tensor) const;

  struct Found {
    const VocabularyGroup* group = nullptr;
    const VocabularyTensor* member = nullptr;
  };
  // Finds the tensor with this name; the group is NULL if there is none.
  [[nodiscard]] Found find(const std::string& name) const;

 private:
  void add_known(const VocabularyRow& row, const Config& config, const TensorNames& names);
  void separate_encoder();
  void guess(const std::optional<Config>& config, std::span<const Tensor> tensors);

  std::string class_name_;
  bool is_known_ = false;
  std::vector<VocabularyGroup> groups_;
  std::vector<std::string> size_fields_;
  std::vector<std::string> untie_fields_;
  std::string decoder_size_field_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_VOCABULARY_H
