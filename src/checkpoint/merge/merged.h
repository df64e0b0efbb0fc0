// The values of a tensor with adapters merged into it.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGED_H
#define QFUSE_CHECKPOINT_MERGE_MERGED_H

#include <cstdint>
#include <vector>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/model.h"
#include "checkpoint/merge/factor.h"
#include "checkpoint/merge/sum.h"

namespace qfuse::checkpoint {

// Rows that take the place of the base's.
struct TokenRows {
  std::vector<std::int64_t> rows;  // of the tensor; row i is that of the number rows[i]
  StoredTensor values;
};

// What becomes of a tensor.
struct Merging {
  MergedShape shape;
  std::vector<TokenRows> token_rows;
  std::vector<Addend> addends;  // in the order in which they are added
};

// Each addend's sum is in fp32 and the next one's base; only the last is rounded, to `dtype`.
Source merged(const Source& base, const Merging& merging, Dtype dtype, AddProduct add = lora_merge);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGED_H
