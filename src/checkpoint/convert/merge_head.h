// An output head that is tied to the embedding: one tensor in the file, of which adapters may change either side.
#ifndef QFUSE_CHECKPOINT_CONVERT_MERGE_HEAD_H
#define QFUSE_CHECKPOINT_CONVERT_MERGE_HEAD_H

#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/merge_state.h"

namespace qfuse::checkpoint {

// Whether it stays tied, when all adapters are added: one change of the embedding is left of both, or the head gets one
// of its own.
void settle_head(MergeState& state, Head tie);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MERGE_HEAD_H
