// The values of a tensor with adapters merged into it, made as they are asked for.
#ifndef QFUSE_CHECKPOINT_CONVERT_MERGED_WEIGHT_H
#define QFUSE_CHECKPOINT_CONVERT_MERGED_WEIGHT_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/tensor_reader.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// A matrix as it lies in an adapter's tensor, or one of several: its element (row, column) of block e is the tensor's
// element offset + e * block_stride + row * row_stride + column * column_stride.
struct Factor {
  std::optional<StoredTensor> stored;  // none: every element is 1
  std::int64_t offset = 0;
  std::int64_t block_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

// What one adapter adds to a tensor: scale * b · a, to each block of rows its own.
struct Addend {
  Factor b;  // [rows, rank]
  Factor a;  // [rank, columns]
  std::int64_t rank = 0;
  float scale = 1.0F;
  std::optional<StoredTensor> magnitude = {};  // DoRA: the lengths that the rows of the sum get, [rows]
  bool of_columns = false;                     // they are those of its columns, [columns]: the sum is stored turned
};

// Rows that take the place of the base's.
struct TokenRows {
  std::vector<std::int64_t> rows;  // of the tensor; row i is that of the number rows[i]
  StoredTensor values;
};

// A tensor, seen as blocks of matrices, and what becomes of it.
struct MergedShape {
  std::int64_t blocks = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] std::int64_t elements() const { return blocks * rows * columns; }
};

struct Merging {
  MergedShape shape;
  std::vector<TokenRows> token_rows;
  std::vector<Addend> addends;  // in the order in which they are added
};

// Throws unless sums can be made there; finds out by making one.
void require_mergeable(Pipeline& pipeline);

// The sums of a tensor's pieces, one after the other, in fp32 and rounded once, to `dtype`; on a GPU they are made there.
// Reads ask for whole elements and may begin anywhere.
TensorReader open_merged(const PlainWeight& base, const Merging& merging, Dtype dtype, std::int64_t piece_bytes);

// The same bytes, made on the CPU.
PlainWeight merged_weight(const PlainWeight& base, const Merging& merging, Dtype dtype, const Exec& exec);

// Whether two adapters' products are of the same matrices, bit for bit, and scaled alike.
bool same_product(const Addend& one, const Addend& other, const MergedShape& shape);

// A tensor of a model as a weight, decoded on the CPU to `dtype` if it is quantized.
PlainWeight decoded_weight(const Tensor& tensor, Dtype dtype, const Exec& exec);

// The first elements of `plain`, or, behind all of them, zeros.
PlainWeight resized_weight(const PlainWeight& plain, std::int64_t elements);

// `plain` as it is when bitsandbytes has encoded and decoded it. `scratch` keeps scales from `scratch_begin` on:
// absmax_bytes(state) of them.
PlainWeight weight_through_codes(const PlainWeight& plain, const QuantState& state, ScratchFile& scratch,
                                 std::int64_t scratch_begin, const Exec& exec);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MERGED_WEIGHT_H
