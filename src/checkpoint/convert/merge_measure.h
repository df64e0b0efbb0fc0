// How much adapters change a tensor, and how much of it 4 bits would keep.
#ifndef QFUSE_CHECKPOINT_CONVERT_MERGE_MEASURE_H
#define QFUSE_CHECKPOINT_CONVERT_MERGE_MEASURE_H

#include <optional>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/merged_model.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

// `row` with its figures; `encoded`: what the result becomes, if that is 4-bit. Progress is in elements. `scratch` has
// room for what the task needs, and may be NULL where that is nothing.
MergedTensor measured(MergedTensor row, const MergeTask& task, const std::optional<QuantState>& encoded,
                      ScratchFile* scratch, ProgressMeter& meter);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MERGE_MEASURE_H
