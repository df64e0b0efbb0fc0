// Tensors that are tied, such as an output head to its embedding: one tensor in the file, of which adapters may change
// either name.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H

#include <qfuse/checkpoint.hpp>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// Whether they stay tied, when all adapters are added: one change is left of all, or each gets one of its own.
void settle_tied(MergeState& state, Head tie);

// What else follows the vocabulary, where an adapter has made it larger or smaller: a bias of new tokens is 0, as
// transformers makes it. invalid_data for a matrix whose new rows are in no adapter.
void grow_vocabulary(MergeState& state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H
