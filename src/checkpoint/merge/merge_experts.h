// What adapters add to experts: one pair of matrices for a parameter of all of them, whether the files hold them as one
// tensor or one by one.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H

#include <string>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// For a module that has no weight of its own; refuses one that is no module of experts either.
void add_experts(AddedAdapter& from, const std::string& module, const AdapterParts& parts);

// For a module whose own weight has all experts, as Granite's had under transformers 4.
void add_stack(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_EXPERTS_H
