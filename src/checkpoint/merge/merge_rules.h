// Finds which tensors of a model an adapter changes, and how, from the adapter's names and shapes, before any tensor is
// made. Every tensor of an adapter is used exactly once, or the merge is refused.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_RULES_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_RULES_H

#include <cstdint>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/adapter.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"
#include "checkpoint/merge/merged.h"
#include "checkpoint/names/families.h"

namespace qfuse::checkpoint {

struct WeightedAdapter {
  const Adapter* adapter = nullptr;
  double weight = 1.0;  // factor for the adapter's scale
};

// The change of one tensor of the model.
struct TensorChange {
  const Tensor* base = nullptr;             // provides the base's values; for an untied head, the embedding
  std::optional<StoredTensor> replacement;  // if set, replaces the base's values
  std::vector<std::int64_t> shape;          // shape after the change
  Merging merging;
  bool is_linear = false;  // an adapter has factors for it as for a linear layer
  std::string rule;        // for display: "lora", "dora", "replaced", "lora of expert 3", ...
  double scale = 0.0;      // scale of the last addend; `rank` is its rank
  std::int64_t rank = 0;
};

struct MergeRules {
  std::map<std::string, TensorChange> changes;  // by tensor name; includes tied tensors that the model does not store
  bool unties = false;
  std::vector<std::string> untie_fields;   // config fields that have to say so
  std::string other_tied;                  // a stored tensor that is tied by the config, with other values; "": none
  std::string decoder_size_field;          // config field to set to `tokens`, too; "": none
  std::set<std::string> of_vocabulary;     // tensors whose size follows the vocabulary
  std::int64_t tokens = 0;                 // rows of the merged model's embedding; 0: unknown
  std::optional<std::int64_t> vocabulary;  // new number of embedding rows, if it changed
  std::int64_t old_vocabulary = 0;
  std::vector<std::string> notes;        // on parts of adapters that are left out
  std::vector<std::string> size_fields;  // config fields to set to the new number
};

// Information from the caller that is not in any file.
struct Said {
  std::string prefix;  // model module to which the adapters' names are relative; "": the whole model
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
};

// Fails with invalid_data or unsupported, naming the adapter's tensor, if one does not fit or is ambiguous.
MergeRules find_rules(const Model& model, std::span<const Tensor> tensors, std::span<const WeightedAdapter> adapters,
                      const Said& said, const Families& families, const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_RULES_H
