// The matrices of adapters, as strided views of their tensors.
#ifndef QFUSE_CHECKPOINT_MERGE_FACTOR_H
#define QFUSE_CHECKPOINT_MERGE_FACTOR_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

struct PlacedFactor;

// A matrix, or one per block, in an adapter's tensor: element (row, column) of block e is the tensor's element offset +
// e * block_stride + row * row_stride + column * column_stride.
struct Factor {
  std::optional<StoredTensor> stored;  // nullopt: every element is 1
  std::int64_t offset = 0;
  std::int64_t block_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::vector<PlacedFactor> parts;  // if not empty, the matrix consists of these, and of zeros elsewhere
};

// A matrix as part of a larger one: its rows are there from `first_row` on, `row_step` apart; its columns likewise.
struct PlacedFactor {
  Factor factor;
  std::optional<std::int64_t> block = {};  // the block that has it; nullopt: each block has its own
  std::int64_t first_row = 0;
  std::int64_t row_step = 1;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t column_step = 1;
  std::int64_t columns = 0;
};

// The product that one adapter adds to a tensor: scale * b * a, different for each block.
struct Addend {
  Factor b;  // [rows, rank]
  Factor a;  // [rank, columns]
  std::int64_t rank = 0;
  float scale = 1.0F;
  std::optional<StoredTensor> magnitude = {};  // DoRA: trained lengths of the sum's rows, [rows]
  bool of_columns = false;                     // whether they are of columns, [columns]: the sum is stored transposed
};

// A tensor as blocks of matrices.
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

// Reads a window of a factor's block, row by row.
void read_factor(const Factor& factor, std::int64_t block, const Window& window, std::span<float> out);

// Whether two adapters' products have bitwise equal matrices and the same scale.
bool same_product(const Addend& one, const Addend& other, const MergedShape& shape);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FACTOR_H
