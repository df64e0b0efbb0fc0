// The matrices of adapters: views of their tensors, with strides of their own.
#ifndef QFUSE_CHECKPOINT_MERGE_FACTOR_H
#define QFUSE_CHECKPOINT_MERGE_FACTOR_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

struct PlacedFactor;

// A matrix as it lies in an adapter's tensor, or one of several: its element (row, column) of block e is the tensor's
// element offset + e * block_stride + row * row_stride + column * column_stride.
struct Factor {
  std::optional<StoredTensor> stored;  // none: every element is 1
  std::int64_t offset = 0;
  std::int64_t block_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::vector<PlacedFactor> parts;  // if there are any, the matrix is made of these, and is 0 elsewhere
};

// A matrix as a part of a larger one: its rows lie there from `first_row` on, `row_step` apart, and its columns
// likewise.
struct PlacedFactor {
  Factor factor;
  std::optional<std::int64_t> block = {};  // none: there is one in each block, its own
  std::int64_t first_row = 0;
  std::int64_t row_step = 1;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t column_step = 1;
  std::int64_t columns = 0;
};

// What one adapter adds to a tensor: scale * b · a, to each block of rows its own.
struct Addend {
  Factor b;  // [rows, rank]
  Factor a;  // [rank, columns]
  std::int64_t rank = 0;
  float scale = 1.0F;
  std::optional<StoredTensor> magnitude = {};  // DoRA: the lengths that the rows of the sum get, [rows]
  bool of_columns = false;                     // they are those of its columns, [columns]: the sum is stored transposed
};

// A tensor, seen as blocks of matrices.
struct MergedShape {
  std::int64_t blocks = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] std::int64_t elements() const { return blocks * rows * columns; }
};

struct Window {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
};

// That part of a factor's block, row by row.
void read_factor(const Factor& factor, std::int64_t block, const Window& window, std::span<float> out);

// Whether two adapters' products are of the same matrices, bit for bit, and scaled alike.
bool same_product(const Addend& one, const Addend& other, const MergedShape& shape);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FACTOR_H
