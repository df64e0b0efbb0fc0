// Tied tensors, such as an output head and its embedding: one tensor in the file, which adapters may change under
// either name.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H

#include <qfuse/checkpoint.hpp>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// Decides, after all adapters were added, whether tensors stay tied: then one change remains, else each has its own.
void settle_tied(MergeState& state, Head tie);

// If an adapter changed the vocabulary size, resizes the other tensors that have it: biases of new tokens are 0, as in
// transformers. Fails with invalid_data for a matrix whose new rows no adapter has.
void grow_vocabulary(MergeState& state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_TIED_H
