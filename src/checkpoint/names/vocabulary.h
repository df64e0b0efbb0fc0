// Which tensors of a model follow the size of its vocabulary, and which of them are one, that is, tied: facts of its
// class, which config.json names as `architectures`. tests/libraries/vocabularies.py finds them in transformers.
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

// Words are separated by blanks.
struct VocabularyRow {
  std::string_view classes;
  // Groups of names, with = between those that are one tensor where they are tied, the one that transformers saves
  // first. A name as in memory, and, if files have another, > and that.
  std::string_view tensors;
  std::string_view size_fields;  // of config.json, with dots: they say how many tokens there are
  std::string_view tie_fields;   // any of them ties
  bool ties_by_default;          // what a field says that is absent, or, if there is none, what always is
  bool unties_by_field;          // whether false in all of them unties, and does nothing else
  bool shares_rows;              // whether peft trains tokens of tied tensors as one
};

std::span<const VocabularyRow> vocabulary_table();

// A tensor by both its names. `tensor`: what the file has under one of them; NULL if nothing.
struct VocabularyTensor {
  std::string in_memory;
  std::string in_file;
  const Tensor* tensor = nullptr;
};

enum class Tying { separate, tied, unknown };

// Names that may be one tensor. `values`: whose those are; NULL if the file has none.
struct VocabularyGroup {
  std::vector<VocabularyTensor> members;
  Tying tying = Tying::separate;
  const Tensor* values = nullptr;
  bool shares_rows = true;

  // Whether a member is, or may be, the same tensor as the others: one that the file has with other values is not.
  [[nodiscard]] bool is_shared(const VocabularyTensor& member) const;
};

class Vocabulary {
 public:
  // `names` and `tensors` are the model's, and outlive this.
  Vocabulary(const std::optional<Config>& config, const TensorNames& names, std::span<const Tensor> tensors);

  // The class that config.json names; "" if it names none.
  [[nodiscard]] const std::string& class_name() const { return class_name_; }
  [[nodiscard]] std::span<const VocabularyGroup> groups() const { return groups_; }
  // Whether transformers can have another number of tokens, as far as is known.
  [[nodiscard]] bool can_grow() const { return !is_known_ || !size_fields_.empty(); }
  [[nodiscard]] const std::vector<std::string>& size_fields() const { return size_fields_; }
  // Those that have to be false if the groups are no longer tied; none where the files' tensors alone say it.
  [[nodiscard]] const std::vector<std::string>& untie_fields() const { return untie_fields_; }

  // Says how many rows a decoder's embedding has, once it is no longer that of the encoder; "" where no field does.
  [[nodiscard]] const std::string& decoder_size_field() const { return decoder_size_field_; }

  // Whether a tensor has a row for each token.
  [[nodiscard]] bool has(const Tensor& tensor) const;

  struct Found {
    const VocabularyGroup* group = nullptr;
    const VocabularyTensor* member = nullptr;
  };
  // What somebody calls so; a group of NULL: nothing.
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
