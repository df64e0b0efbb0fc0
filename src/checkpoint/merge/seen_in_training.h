// Weights of a base that an adapter saw in 4 bits during training: those that transformers quantizes when it loads a
// model with a BitsAndBytesConfig, which are more than those of quantize().
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

// Returns every linear layer except output heads, tied embeddings and what the family keeps; or except those that a
// quantization record in the config names. `include` and `exclude` are shell patterns of tensors that certainly were,
// or were not; a pattern without a match fails with invalid_argument.
std::set<std::string> names_seen_in_4bit(const TrainedBase& base, const std::vector<std::string>& include,
                                         const std::vector<std::string>& exclude);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_SEEN_IN_TRAINING_H
