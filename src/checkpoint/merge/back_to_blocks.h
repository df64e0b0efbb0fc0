// Merged weights back in the format that their checkpoint ships in: FP8, MXFP4 or NVFP4.
#ifndef QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H
#define QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H

#include "checkpoint/convert/encode_blocks.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Refuses a quantized base that has no weight of the format, and a plain one but for FP8.
void require_blocks(const MergedModel& base, BlockFormat format);

// What the merged `tensor`, a quantized one, is written as: tensors of the same names, types and sizes. unsupported for
// what cannot be made anew. Of `options`, those of scales.
BlockTensors blocks_of(const MergedModel& base, const Tensor& tensor, const MergeOptions& options);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_BACK_TO_BLOCKS_H
