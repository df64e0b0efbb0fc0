// GPTQ and AWQ checkpoints of 4 bits, read: of each linear layer <module> [rows, columns], transposed,
//   <module>.qweight  I32: of GPTQ [columns / 8, rows], eight columns of a row in each word, the first one lowest;
//                     of AWQ [columns, rows / 8], eight rows of a column, in the order 0 2 4 6 1 3 5 7
//   <module>.qzeros   I32 [groups, rows / 8]: a zero point for each group and row, GPTQ's in order, AWQ's as above
//   <module>.scales   F16, BF16 or F32 [groups, rows]
//   <module>.g_idx    of GPTQ, I32 [columns]: each column's group; without it, groups are neighbours
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
  std::optional<StoredTensor> g_idx = {};  // its numbers are not checked
  Packing packing = Packing::gptq;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t groups = 0;
  std::int64_t group_size = 0;    // columns; without g_idx, of all groups but the last one, which may be shorter
  Dtype dtype = Dtype::bfloat16;  // that it decodes to by default
};

// The weights of a model that are stored so; and what is left of one whose other parts are missing (layout.h).
void claim_gptq(Claims& claims);
void refuse_left_of_gptq(const Claims& claims, const StoredTensor& stored);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_GPTQ_H
