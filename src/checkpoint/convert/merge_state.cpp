#include "checkpoint/convert/merge_state.h"

#include <functional>
#include <numeric>

#include "checkpoint/convert/linear.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

const AdapterTensor*& AdapterParts::of(AdapterPart part) {
  switch (part) {
    case AdapterPart::a: return a;
    case AdapterPart::b: return b;
    case AdapterPart::b_bias: return b_bias;
    case AdapterPart::magnitude: return magnitude;
    case AdapterPart::embedding_a: return embedding_a;
    case AdapterPart::embedding_b: return embedding_b;
    case AdapterPart::token_rows:
    case AdapterPart::whole: break;
  }
  return token_rows;
}

std::int64_t columns_of(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shapes_of(const AdapterTensor& one, const AdapterTensor& other) {
  return fmt::format("{} and {}: have the shapes {} and {}", one.where(), printable(other.stored.entry->name),
                     printable(shape_of(one)), printable(shape_of(other)));
}

TensorChange& change_of(MergeState& state, const std::string& name, const Tensor& base) {
  TensorChange& change = state.rules.changes[name];
  if (change.base == nullptr) {
    change.base = &base;
    change.shape = base.shape;
    set_matrix(change);
  }
  return change;
}

void set_matrix(TensorChange& change) {
  if (change.shape.empty()) fail(Status::unsupported, "tensor '{}': is a single number", printable(change.base->name));
  if (!is_countable(change.shape))
    fail(Status::unsupported, "tensor '{}': has the shape {}, which is too large", printable(change.base->name),
         printable(change.shape));
  change.merging.shape = {1, change.shape[0], columns_of(change.shape)};
}

TensorChange* find_change(MergeState& state, const std::string& name, const AdapterTensor& tensor) {
  const auto [group, member] = state.vocabulary.find(name);
  if (group != nullptr && member->tensor != nullptr) return &change_of(state, *member->tensor);
  if (const Tensor* found = state.names.find(name, tensor.where())) return &change_of(state, *found);
  if (group == nullptr || group->tying == Tying::separate || group->values == nullptr) return nullptr;
  return &change_of(state, member->in_file, *group->values);
}

TensorChange& require_change(MergeState& state, const std::string& name, const AdapterTensor& tensor) {
  TensorChange* change = find_change(state, name, tensor);
  if (change == nullptr) refuse_unknown(state, tensor, name);
  return *change;
}

void refuse_unknown(const MergeState& state, const AdapterTensor& tensor, const std::string& name) {
  fail(Status::invalid_data,
       "{}: {} has no tensor '{}': the adapter is of another model, or transformers renames the layer as it loads the "
       "file: then give the adapter's tensors the file's names, or merge with peft",
       tensor.where(), state.model.name(), printable(name));
}

}  // namespace qfuse::checkpoint
