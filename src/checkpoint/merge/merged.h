// The values of a tensor after adapters are merged into it.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGED_H
#define QFUSE_CHECKPOINT_MERGE_MERGED_H

#include <cstdint>
#include <vector>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/model.h"
#include "checkpoint/merge/factor.h"
#include "checkpoint/merge/sum.h"

namespace qfuse::checkpoint {

// Rows that replace rows of the base.
struct TokenRows {
  std::vector<std::int64_t> rows;  // row i of `values` replaces row rows[i] of the tensor
  StoredTensor values;
};

// The changes of a tensor.
struct Merging {
  MergedShape shape;
  std::vector<TokenRows> token_rows;
  std::vector<Addend> addends;  // in the order of addition
};

// Adds the addends one after another in fp32; only the last sum is rounded, to `dtype`.
Source merged(const Source& base, const Merging& merging, Dtype dtype, AddProduct add = lora_merge);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGED_H
