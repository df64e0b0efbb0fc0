// A model's tensors by what somebody else calls them. In memory a model may have other names than in its file: parts of
// a name in another order, or left out at its beginning.
#ifndef QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/files/layout.h"
#include "checkpoint/names/kohya_names.h"

namespace qfuse::checkpoint {

// A key for names that differ in the order of their parts, or in `model` and `language_model`, which files and memory
// put into a name or leave out.
std::string essential_parts(const std::string& name);

class TensorNames {
 public:
  // `tensors` outlive this. With `prefix`, which has its dot behind it, only those whose names begin so, without it.
  explicit TensorNames(std::span<const Tensor> tensors, const std::string& prefix = "");

  // The tensor that `name` means: that of the name; or the only one with the same parts in another order
  // (model.language_model.x, language_model.model.x), or but for `model` and `language_model`; or the only one whose
  // name has `name` as its end, or is what follows wrappers in it, as the `bert` of bert.encoder.x; or that of the name
  // before transformers renamed a mixture's layers on loading (mlp for Mixtral's block_sparse_moe). A name of kohya's
  // scripts means a tensor as kohya_names.h says. NULL: none. invalid_data, beginning with `where`, where several would
  // do.
  [[nodiscard]] const Tensor* find(const std::string& name, const std::string& where) const;
  // NULL also where several would do.
  [[nodiscard]] const Tensor* only(const std::string& name) const;

 private:
  [[nodiscard]] std::vector<const Tensor*> candidates(const std::string& name) const;

  std::unordered_map<std::string, const Tensor*> by_name_;
  std::unordered_map<std::string, std::vector<const Tensor*>> by_parts_;  // sorted
  std::unordered_map<std::string, std::vector<const Tensor*>> by_essence_;
  std::unordered_map<std::string, std::vector<const Tensor*>> by_end_;  // every end of a name, but the whole
  KohyaNames by_kohya_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_TENSOR_NAMES_H
