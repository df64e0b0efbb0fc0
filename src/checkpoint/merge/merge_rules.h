// Which tensors of a model an adapter changes, and how: found from the adapter's names and shapes before anything is
// made, so that every tensor of an adapter is used exactly once, or the merge is refused.
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
  double weight = 1.0;  // that its scale is multiplied by
};

// What becomes of one tensor of the model.
struct TensorChange {
  const Tensor* base = nullptr;             // whose values the sum begins with; of an untied head, the embedding
  std::optional<StoredTensor> replacement;  // or with these
  std::vector<std::int64_t> shape;          // of what it becomes
  Merging merging;
  bool is_linear = false;  // an adapter has factors of it as of a linear layer
  std::string rule;        // for people: "lora", "dora", "replaced", "lora of expert 3", ...
  double scale = 0.0;      // of the last addend, and its rank
  std::int64_t rank = 0;
};

struct MergeRules {
  std::map<std::string, TensorChange> changes;  // by the tensor's name; one that the model has not was tied
  bool unties = false;
  std::vector<std::string> untie_fields;   // of the config, which have to say so
  std::string decoder_size_field;          // of the config, which then says `tokens` too; "": none
  std::set<std::string> of_vocabulary;     // the tensors that follow it
  std::int64_t tokens = 0;                 // rows of the model's embedding, when all is merged; 0: not known
  std::optional<std::int64_t> vocabulary;  // rows of embeddings, where that is another number now
  std::int64_t old_vocabulary = 0;
  std::vector<std::string> size_fields;  // of the config, likewise
};

// What a caller says that no file does.
struct Said {
  std::string prefix;  // of the model's module in which the adapters' names lie; "" for all of it
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
};

// invalid_data or unsupported, with the adapter's tensor, for what does not fit or fits in two ways.
MergeRules find_rules(const Model& model, std::span<const Tensor> tensors, std::span<const WeightedAdapter> adapters,
                      const Said& said, const Families& families, const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_RULES_H
