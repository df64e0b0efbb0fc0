// Working state of find_rules(): the model, the rules found so far, and the adapter being added. Only its parts
// (merge_layers.h, merge_experts.h, merge_tied.h) include this header.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H

#include <cstdint>
#include <map>
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
  std::string prefix;               // prefix of tensors that adapters can name, with its dot, or ""
  TensorNames names;                // names of these tensors, without the prefix
  const Families& families;
  const std::optional<Config>& config;
  LoraBLayout lora_b_layout;  // of experts, as the caller states
  Vocabulary vocabulary;

  MergeRules rules = {};
  std::set<const TensorChange*> base_only = {};  // changes with a replacement that was not trained
};

// An adapter while it is added to the rules.
struct AddedAdapter {
  MergeState& state;
  const Adapter& adapter;
  double weight = 1.0;
  std::set<const TensorChange*> added = {};                               // changes to which it was added already
  std::map<const TensorChange*, std::set<std::int64_t>> added_rows = {};  // first rows of the parts that were added
  std::vector<const AdapterTensor*> idle = {};  // lora_A of modules that the model lacks, whose lora_B is zero
};

// An adapter's tensors for one module.
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

// Number of columns when the first dimension is the rows: the product of all others, for a convolution too.
std::int64_t columns_of(std::span<const std::int64_t> shape);

// Begins a message about two tensors of an adapter: "...: have the shapes [4, 127] and [33, 4]".
std::string shapes_of(const AdapterTensor& one, const AdapterTensor& other);

// ---- the changes of a tensor ----

// Returns the change of tensor `name`, added if missing; it begins with the values of `base`.
TensorChange& change_of(MergeState& state, const std::string& name, const Tensor& base);
inline TensorChange& change_of(MergeState& state, const Tensor& tensor) {
  return change_of(state, tensor.name, tensor);
}

// Sets the merged shape to `change.shape` as a matrix.
void set_matrix(TensorChange& change);

// Finds the tensor that an adapter calls `name`: its name in the files, and the tensor with its values, which is
// another one if it is tied and not stored. NULL values: no such tensor.
struct TensorPlace {
  std::string name;
  const Tensor* values = nullptr;
};
TensorPlace find_place(const MergeState& state, const std::string& name, const AdapterTensor& tensor);

// Returns the change of the tensor that an adapter calls `name`, even if it is tied and not stored. If there is no such
// tensor, find_change() returns NULL and require_change() fails.
TensorChange* find_change(MergeState& state, const std::string& name, const AdapterTensor& tensor);
TensorChange& require_change(MergeState& state, const std::string& name, const AdapterTensor& tensor);

[[noreturn]] void refuse_unknown(const MergeState& state, const AdapterTensor& tensor, const std::string& name);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_STATE_H
