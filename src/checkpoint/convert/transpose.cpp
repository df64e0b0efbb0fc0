#include "checkpoint/convert/transpose.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace qfuse::checkpoint {
namespace {

// Stores those elements of row `row` of the matrix that belong to `out`. `out` begins at element `first` of the
// transpose; `strip` holds the row's elements from column `column` of the matrix on.
template <class Bits>
void place_row(const std::vector<std::byte>& strip, std::int64_t row, std::int64_t rows, std::int64_t column,
               std::int64_t first, std::span<std::byte> out) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Bits));
  const std::int64_t count = std::ssize(out) / kBytes;
  const std::int64_t columns = std::ssize(strip) / kBytes;
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t place = (column + c) * rows + row - first;
    if (place < 0 || place >= count) continue;  // `out` may have only a part of its first and last column
    std::memcpy(&out[static_cast<std::size_t>(place * kBytes)], &strip[static_cast<std::size_t>(c * kBytes)],
                sizeof(Bits));
  }
}

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t element = 0;  // bytes per element: 2 or 4
  [[nodiscard]] std::int64_t bytes() const { return rows * columns * element; }
};

// Reads bytes of a transpose, from `begin` on. The matrix begins at byte `place` of `source`.
void read_transposed(const Source& source, std::int64_t place, const MatrixShape& matrix, std::int64_t begin,
                     std::span<std::byte> out, Piece& piece) {
  const std::int64_t first = begin / matrix.element;
  const std::int64_t last = first + std::ssize(out) / matrix.element - 1;
  const std::int64_t column = first / matrix.rows;
  const std::int64_t columns = last / matrix.rows - column + 1;
  std::vector<std::byte> strip(static_cast<std::size_t>(columns * matrix.element));
  const std::int64_t first_row = columns == 1 ? first % matrix.rows : 0;  // `out` may be a part of one column
  const std::int64_t end_row = columns == 1 ? last % matrix.rows + 1 : matrix.rows;
  for (std::int64_t row = first_row; row < end_row; ++row) {
    source.read(place + (row * matrix.columns + column) * matrix.element, strip, piece);
    if (matrix.element == 2)
      place_row<std::uint16_t>(strip, row, matrix.rows, column, first, out);
    else
      place_row<std::uint32_t>(strip, row, matrix.rows, column, first, out);
  }
}

// Calls `visit` for each stretch of `bytes` bytes that overlaps `out`, which begins at byte `begin`. The arguments are
// the stretch's number, where in the stretch the overlap begins, and that part of `out`.
template <class Visit>
void for_each_stretch(std::int64_t bytes, std::int64_t begin, std::span<std::byte> out, Visit visit) {
  for (std::int64_t size = 0; !out.empty(); begin += size, out = out.subspan(static_cast<std::size_t>(size))) {
    size = std::min(std::ssize(out), bytes - begin % bytes);
    visit(begin / bytes, begin % bytes, out.first(static_cast<std::size_t>(size)));
  }
}

}  // namespace

Source transposed(const Source& source, std::int64_t rows, std::int64_t columns) {
  if (rows == 1 || columns == 1) return source;  // the same bytes
  Source result = source;
  result.unit = size_of(source.dtype);
  result.piece = kPieceBytes;
  result.read = [source, matrix = MatrixShape{rows, columns, size_of(source.dtype)}](
                    std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    for_each_stretch(matrix.bytes(), begin, out, [&](std::int64_t number, std::int64_t from, auto part) {
      read_transposed(source, number * matrix.bytes(), matrix, from, part, piece);
    });
  };
  return result;
}

Source interleaved(const Source& source, std::int64_t parts, std::int64_t stretches) {
  const std::int64_t part_bytes = source.bytes / parts;
  Source other = source;
  other.read = [source, parts, part_bytes, bytes = part_bytes / stretches](std::int64_t begin, std::span<std::byte> out,
                                                                           Piece& piece) {
    for_each_stretch(bytes, begin, out, [&](std::int64_t number, std::int64_t from, std::span<std::byte> to) {
      source.read(number % parts * part_bytes + number / parts * bytes + from, to, piece);
    });
  };
  return other;
}

}  // namespace qfuse::checkpoint
