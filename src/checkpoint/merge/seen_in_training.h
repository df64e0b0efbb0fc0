// Which weights of a base an adapter saw in 4 bits when it was trained: those that transformers quantizes as it loads a
// model with a BitsAndBytesConfig, which are more than quantize() does.
#ifndef QFUSE_CHECKPOINT_MERGE_SEEN_IN_TRAINING_H
#define QFUSE_CHECKPOINT_MERGE_SEEN_IN_TRAINING_H

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/config.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"
#include "checkpoint/merge/merge_rules.h"
#include "checkpoint/names/families.h"

namespace qfuse::checkpoint {

struct TrainedBase {
  const Model& model;
  const std::vector<Tensor>& tensors;
  const Families& families;
  const MergeRules& rules;
  const std::optional<Config>& config;
};

// Every linear layer but output heads, tied embeddings and what the family keeps; or, where the config has a record of
// a quantization, but those that it names. `include` and `exclude`: shell patterns of tensors that were, and were not,
// whatever else is known; invalid_argument for one that matches nothing.
std::set<std::string> names_seen_in_4bit(const TrainedBase& base, const std::vector<std::string>& include,
                                         const std::vector<std::string>& exclude);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_SEEN_IN_TRAINING_H
