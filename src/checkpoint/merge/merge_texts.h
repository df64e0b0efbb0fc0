// Texts about a merge: README.md and metadata of its output, and notes.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H

#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Adds to the plan of a merge its metadata, notes, a README.md with `changes`, and the adapters' further files.
void describe(const MergedModel& base, const MergeOptions& options, const CardChanges& changes, ConversionPlan& plan);

// Whether the only adapter was trained for this merge: then nothing of it gets lost.
bool is_trained_for(const MergedModel& base, const MergeOptions& options);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
