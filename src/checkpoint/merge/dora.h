// DoRA: rescales each row of a sum to a trained length.
#ifndef QFUSE_CHECKPOINT_MERGE_DORA_H
#define QFUSE_CHECKPOINT_MERGE_DORA_H

#include "checkpoint/convert/source.h"
#include "checkpoint/merge/factor.h"

namespace qfuse::checkpoint {

// Multiplies each row (or column) of `sum`, in fp32, by the addend's magnitude / its norm, and rounds to `dtype`. A
// norm needs the sum of a whole row, so the whole sum is made an extra time before the first piece. `sum` must not
// include another adapter, because the norm would be that of both; find_rules() ensures that.
Source with_lengths(const Source& sum, const Addend& addend, const MergedShape& shape, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_DORA_H
