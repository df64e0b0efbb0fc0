// Matrices that a model keeps as [in, out], while bitsandbytes stores them as [out, in]: GPT-2's Conv1D.
#ifndef QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
#define QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace qfuse::checkpoint {

// Fills `out` with bytes of an array, from `begin` on.
using ReadBytes = std::function<void(std::int64_t begin, std::span<std::byte> out)>;

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t element = 0;  // bytes: 2 or 4
  [[nodiscard]] std::int64_t bytes() const { return rows * columns * element; }
};

// Reads the transpose of a matrix whose rows `read` gives: the result's element (c, r) is the matrix's (r, c). `begin`
// and the size of what is read are whole elements. Of each row only the part is read that is needed, so that memory
// is bounded by what the result asks for.
ReadBytes transposed(const MatrixShape& matrix, ReadBytes read);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
