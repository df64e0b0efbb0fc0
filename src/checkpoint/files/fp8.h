// FP8 checkpoints, read: a weight of F8_E4M3 beside its scales, which are factors, whatever their names say.
//   <name>                          F8_E4M3 [rows, columns], or [experts, rows, columns]
//   <name>_scale_inv, <name>_scale  of DeepSeek, Qwen, compressed-tensors and modelopt: <prefix>.weight_scale_inv
//   <prefix>.scale, .qscale_weight, .scale_weight  of DeepSeek-V4, Mistral's own files and ComfyUI, for <prefix>.weight
// Scales are F32, BF16, F16, F8_E8M0 or U8, which is E8M0 too: one for all, one a row, or one for each block of rows
// and columns. A block's size is config.json's or 128 x 128, never derived from how many scales there are: 576 rows
// have 5 rows of scales, and the last is of 64.
#ifndef QFUSE_CHECKPOINT_FILES_FP8_H
#define QFUSE_CHECKPOINT_FILES_FP8_H

#include <qfuse/qfuse.hpp>

#include <cstdint>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

class Claims;

struct StoredWeightFp8 {
  StoredTensor codes;   // [matrices, rows, columns], however many dimensions the file gives it
  StoredTensor scales;  // [matrices, ceil(rows / block_rows), ceil(columns / block_columns)], likewise
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t block_rows = 1;  // of a matrix; more than it has is fine
  std::int64_t block_columns = 1;
  Dtype dtype = Dtype::bfloat16;  // that it decodes to by default

  [[nodiscard]] std::int64_t scale_rows() const { return qfuse_block_count(rows, block_rows); }
  [[nodiscard]] std::int64_t scale_columns() const { return qfuse_block_count(columns, block_columns); }
};

// The weights of a model that are stored so, and scales of activations; and what is left of one whose other parts are
// missing, or are of another type (layout.h).
void claim_fp8(Claims& claims);
void refuse_left_of_fp8(const Claims& claims, const StoredTensor& stored);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FP8_H
