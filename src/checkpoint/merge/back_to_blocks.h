// Writes merged weights back in the format that their checkpoint ships in: FP8, MXFP4, NVFP4 or INT4.
#ifndef QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H
#define QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H

#include "checkpoint/convert/encode_blocks.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Fails for a quantized base without weights of the format, and for a plain base unless the format is FP8.
void require_blocks(const MergedModel& base, BlockFormat format);

// Returns the tensors to write for the merged `tensor`, which is quantized: of the same names, types and sizes. Fails
// with unsupported if it cannot be encoded again. Uses only the options of scales.
BlockTensors blocks_of(const MergedModel& base, const Tensor& tensor, const MergeOptions& options);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H
