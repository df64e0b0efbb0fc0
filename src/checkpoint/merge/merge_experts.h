// Adds to experts the adapters that have one pair of matrices per parameter for all experts, whether files store the
// experts as one tensor or one by one.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H

#include <string>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// For a module without a weight of its own. Returns false if the config names no parameter of it.
bool add_experts(AddedAdapter& from, const std::string& module, const AdapterParts& parts);

// For a module whose own weight holds all experts, like Granite's in transformers 4.
void add_stack(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H
