// DoRA: the rows of a sum get lengths that were trained.
#ifndef QFUSE_CHECKPOINT_MERGE_DORA_H
#define QFUSE_CHECKPOINT_MERGE_DORA_H

#include "checkpoint/convert/source.h"
#include "checkpoint/merge/factor.h"

namespace qfuse::checkpoint {

// `sum`, in fp32, with each row, or column, multiplied by the addend's magnitude / its norm, and rounded to `dtype`.
// The norm of a row is known only when all of it was summed, so that the sum is made once more, before its first piece.
// Behind another adapter it would be the norm of both; find_rules() lets none come there.
Source with_lengths(const Source& sum, const Addend& addend, const MergedShape& shape, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_DORA_H
