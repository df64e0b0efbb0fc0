// Finds a model's tensors by other names. Names in memory may differ from those in the file: in the order of parts, or
// by a missing prefix.
#ifndef QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/files/layout.h"
#include "checkpoint/names/kohya_names.h"

namespace qfuse::checkpoint {

// Returns a key for names that differ only in the order of their parts, or in `model` and `language_model`, which files
// and memory may include or omit.
std::string essential_parts(const std::string& name);

// Returns what files may call the tensor that has this name in memory or in an adapter.
std::vector<std::string> other_names(const std::string& name);

class TensorNames {
 public:
  // `tensors` must outlive this. With `prefix` (including its dot), uses only names with it, and removes it from them.
  explicit TensorNames(std::span<const Tensor> tensors, const std::string& prefix = "");

  // Returns the tensor that `name` means. In this order: the tensor with this name; the only one with the same parts in
  // another order (model.language_model.x, language_model.model.x), or that differs only in `model` and
  // `language_model`; the only one whose name ends with `name`, or is what follows wrapper prefixes in it (the `bert`
  // of bert.encoder.x); one of its other_names(), such as block_sparse_moe for Mixtral's mlp.
  // For names of kohya's scripts see kohya_names.h. Returns NULL if there is none; fails with
  // invalid_data, in a message that begins with `where`, if several match.
  [[nodiscard]] const Tensor* find(const std::string& name, const std::string& where) const;
  // Also returns NULL if several match.
  [[nodiscard]] const Tensor* only(const std::string& name) const;

 private:
  [[nodiscard]] std::vector<const Tensor*> candidates(const std::string& name) const;

  std::unordered_map<std::string, const Tensor*> by_name_;
  std::unordered_map<std::string, std::vector<const Tensor*>> by_parts_;  // sorted parts
  std::unordered_map<std::string, std::vector<const Tensor*>> by_essence_;
  std::unordered_map<std::string, std::vector<const Tensor*>> by_end_;  // every proper suffix of a name
  KohyaNames by_kohya_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H
