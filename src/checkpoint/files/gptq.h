// Reads 4-bit GPTQ and AWQ checkpoints. For each linear layer <module> of [rows, columns], the arrays are transposed:
//   <module>.qweight  I32; GPTQ: [columns / 8, rows], 8 columns of a row per word, the first in the lowest bits;
//                     AWQ: [columns, rows / 8], 8 rows of a column per word, in the order 0 2 4 6 1 3 5 7
//   <module>.qzeros   I32 [groups, rows / 8]: one zero point per group and row, GPTQ's in order, AWQ's as above
//   <module>.scales   F16, BF16 or F32 [groups, rows]
//   <module>.g_idx    only GPTQ, I32 [columns]: the group of each column; without it, groups are contiguous
// A weight is (code - zero point) * scale. The config says which packing it is (packing.h).
#ifndef QFUSE_CHECKPOINT_FILES_GPTQ_H
#define QFUSE_CHECKPOINT_FILES_GPTQ_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>

#include "checkpoint/files/model.h"
#include "checkpoint/files/packing.h"

namespace qfuse::checkpoint {

class Claims;

inline constexpr std::int64_t kCodesInWord = 8;

struct StoredWeightGptq {
  StoredTensor qweight;
  StoredTensor qzeros;
  StoredTensor scales;
  std::optional<StoredTensor> g_idx = {};  // its values are not checked here
  Packing packing = Packing::gptq;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t groups = 0;
  std::int64_t group_size = 0;    // columns; without g_idx exact for all groups but the last, which may be shorter
  Dtype dtype = Dtype::bfloat16;  // default dtype to decode to
};

// Claims the model's weights in this layout; fails for a leftover part of an incomplete weight (layout.h).
void claim_gptq(Claims& claims);
void refuse_left_of_gptq(const Claims& claims, const StoredTensor& stored);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_GPTQ_H
