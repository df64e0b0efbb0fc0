// Texts about a merge: README.md and metadata of its output, and notes.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H

#include <optional>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Adds to the plan of a merge its metadata, notes, a README.md with `changes`, and the adapters' further files.
void describe(const MergedModel& base, const std::optional<QuantType>& base_as, const CardChanges& changes,
              ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
