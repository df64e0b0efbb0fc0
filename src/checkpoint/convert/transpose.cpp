#include "checkpoint/convert/transpose.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace qfuse::checkpoint {
namespace {

// The elements of `out`, which begins at the transpose's element `first`, that stand in row `row` of the matrix; `strip`
// holds that row from the matrix's column `column` on.
template <class Bits>
void place_row(const std::vector<std::byte>& strip, std::int64_t row, std::int64_t rows, std::int64_t column,
               std::int64_t first, std::span<std::byte> out) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Bits));
  const std::int64_t count = std::ssize(out) / kBytes;
  const std::int64_t columns = std::ssize(strip) / kBytes;
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t place = (column + c) * rows + row - first;
    if (place < 0 || place >= count) continue;  // in the first and the last column that `out` has a part of
    std::memcpy(&out[static_cast<std::size_t>(place * kBytes)], &strip[static_cast<std::size_t>(c * kBytes)],
                sizeof(Bits));
  }
}

void read_transposed(const MatrixShape& matrix, const ReadBytes& read, std::int64_t begin, std::span<std::byte> out) {
  if (out.empty()) return;
  const std::int64_t first = begin / matrix.element;
  const std::int64_t last = first + std::ssize(out) / matrix.element - 1;
  const std::int64_t column = first / matrix.rows;
  const std::int64_t columns = last / matrix.rows - column + 1;
  std::vector<std::byte> strip(static_cast<std::size_t>(columns * matrix.element));
  const std::int64_t first_row = columns == 1 ? first % matrix.rows : 0;  // of one column, `out` may have a part
  const std::int64_t end_row = columns == 1 ? last % matrix.rows + 1 : matrix.rows;
  for (std::int64_t row = first_row; row < end_row; ++row) {
    read((row * matrix.columns + column) * matrix.element, strip);
    if (matrix.element == 2)
      place_row<std::uint16_t>(strip, row, matrix.rows, column, first, out);
    else
      place_row<std::uint32_t>(strip, row, matrix.rows, column, first, out);
  }
}

}  // namespace

ReadBytes transposed(const MatrixShape& matrix, ReadBytes read) {
  if (matrix.rows == 1 || matrix.columns == 1) return read;  // the same bytes
  return [matrix, read = std::move(read)](std::int64_t begin, std::span<std::byte> out) {
    read_transposed(matrix, read, begin, out);
  };
}

}  // namespace qfuse::checkpoint
