// Reads FP8 checkpoints: a weight of F8_E4M3 with separate scales, which are factors even if named "inv".
//   <name>                          F8_E4M3 [rows, columns], or [experts, rows, columns]
//   <name>_scale_inv, <name>_scale  DeepSeek, Qwen, compressed-tensors and modelopt: <prefix>.weight_scale_inv
//   <prefix>.scale, .qscale_weight, .scale_weight  DeepSeek-V4, Mistral's own files and ComfyUI, for <prefix>.weight
// Scales are F32, BF16, F16, F8_E8M0 or U8 (also E8M0): one per tensor, per row, or per block of rows and columns. The
// block size is config.json's or 128 x 128, and never derived from the number of scales: 576 rows have 5 rows of
// scales, the last one for 64 rows.
#ifndef QFUSE_CHECKPOINT_FILES_FP8_H
#define QFUSE_CHECKPOINT_FILES_FP8_H

#include <qfuse/qfuse.hpp>

#include <cstdint>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

class Claims;

struct StoredWeightFp8 {
  StoredTensor codes;   // [matrices, rows, columns]; the file may have other dimensions
  StoredTensor scales;  // [matrices, ceil(rows / block_rows), ceil(columns / block_columns)], likewise
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t block_rows = 1;  // within a matrix; may exceed `rows`
  std::int64_t block_columns = 1;
  Dtype dtype = Dtype::bfloat16;  // default dtype to decode to

  [[nodiscard]] std::int64_t scale_rows() const { return qfuse_block_count(rows, block_rows); }
  [[nodiscard]] std::int64_t scale_columns() const { return qfuse_block_count(columns, block_columns); }
};

// Claims the model's weights in this layout and activation scales; fails for a leftover part of a weight whose other
// parts are missing or have another type (layout.h).
void claim_fp8(Claims& claims);
void refuse_left_of_fp8(const Claims& claims, const StoredTensor& stored);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FP8_H
