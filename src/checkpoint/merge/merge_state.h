// What find_rules() works on: the model, what was found so far, and the adapter that is being added. Its parts
// (merge_layers.h, merge_experts.h, merge_tied.h) share this; nothing else includes it.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/adapter.h"
#include "checkpoint/merge/merge_rules.h"
#include "checkpoint/names/tensor_names.h"
#include "checkpoint/names/vocabulary.h"

namespace qfuse::checkpoint {

struct MergeState {
  const Model& model;
  std::span<const Tensor> tensors;  // of the model
  std::string prefix;               // of the names under which the adapters' tensors lie, with its dot, or ""
  TensorNames names;                // of these, without it
  const Families& families;
  const std::optional<Config>& config;
  LoraBLayout lora_b_layout;  // of experts, as the caller says
  Vocabulary vocabulary;

  MergeRules rules = {};
  std::set<const TensorChange*> base_only = {};  // whose replacement was not trained
};

// One adapter on its way into the rules.
struct AddedAdapter {
  MergeState& state;
  const Adapter& adapter;
  double weight = 1.0;
  std::set<const TensorChange*> added = {};  // to which it adds already
};

// What an adapter holds of one module.
struct AdapterParts {
  const AdapterTensor* a = nullptr;
  const AdapterTensor* b = nullptr;
  const AdapterTensor* b_bias = nullptr;
  const AdapterTensor* magnitude = nullptr;
  const AdapterTensor* embedding_a = nullptr;
  const AdapterTensor* embedding_b = nullptr;
  const AdapterTensor* token_rows = nullptr;

  const AdapterTensor*& of(AdapterPart part);
};

// ---- shapes ----

inline const std::vector<std::int64_t>& shape_of(const AdapterTensor& tensor) { return tensor.stored.entry->shape; }

// Columns of a tensor seen as a matrix of its first dimension's rows: of a convolution's, all others.
std::int64_t columns_of(std::span<const std::int64_t> shape);

// How a message about two tensors of an adapter begins: "...: have the shapes [4, 127] and [33, 4]".
std::string shapes_of(const AdapterTensor& one, const AdapterTensor& other);

// ---- the changes of a tensor ----

// That of the name, of a tensor that begins with the values of `base`.
TensorChange& change_of(MergeState& state, const std::string& name, const Tensor& base);
inline TensorChange& change_of(MergeState& state, const Tensor& tensor) {
  return change_of(state, tensor.name, tensor);
}

// Sees `change.shape` as a matrix.
void set_matrix(TensorChange& change);

// Where a tensor that an adapter calls `name` is: under which name of a file, and whose values it begins with; of one
// that is in no file because it is tied, another's. NULL: there is no such tensor.
struct TensorPlace {
  std::string name;
  const Tensor* values = nullptr;
};
TensorPlace find_place(const MergeState& state, const std::string& name, const AdapterTensor& tensor);

// The change of the tensor that an adapter calls `name`, also of one that is in no file because it is tied. NULL:
// there is no such tensor, which the second refuses.
TensorChange* find_change(MergeState& state, const std::string& name, const AdapterTensor& tensor);
TensorChange& require_change(MergeState& state, const std::string& name, const AdapterTensor& tensor);

[[noreturn]] void refuse_unknown(const MergeState& state, const AdapterTensor& tensor, const std::string& name);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H
