#include "checkpoint/merge/factor.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "checkpoint/files/adapter.h"

namespace qfuse::checkpoint {
namespace {

// Reads `count` elements, `stride` apart, including all between them, because experts' matrices are interleaved so.
void read_apart(const StoredTensor& stored, std::int64_t first, std::int64_t count, std::int64_t stride,
                std::vector<float>& buffer, float* out, std::int64_t out_stride) {
  buffer.resize(static_cast<std::size_t>((count - 1) * stride + 1));
  read_as_float(stored, first, buffer);
  for (std::int64_t i = 0; i < count; ++i) out[i * out_stride] = buffer[static_cast<std::size_t>(i * stride)];
}

// The hits of `count` numbers, `step` apart from `first` on, in the range [begin, begin + size): index of the first
// hit, number of hits, and position of the first hit in the range.
struct Hit {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t at = 0;
};
Hit hit(std::int64_t first, std::int64_t step, std::int64_t count, std::int64_t begin, std::int64_t size) {
  const auto below = [&](std::int64_t end) {  // how many are below `end`
    return std::clamp((end - first + step - 1) / step, std::int64_t{0}, count);
  };
  const std::int64_t from = below(std::max(begin, first));
  return {from, below(std::max(begin + size, first)) - from, first + from * step - begin};
}

void read_part(const PlacedFactor& part, std::int64_t block, const Window& window, std::span<float> out) {
  if (part.block && *part.block != block) return;
  const Hit rows = hit(part.first_row, part.row_step, part.rows, window.first_row, window.rows);
  const Hit columns = hit(part.first_column, part.column_step, part.columns, window.first_column, window.columns);
  if (rows.count <= 0 || columns.count <= 0) return;
  std::vector<float> values(static_cast<std::size_t>(rows.count * columns.count));
  read_factor(part.factor, block, {rows.first, rows.count, columns.first, columns.count}, values);
  for (std::int64_t row = 0; row < rows.count; ++row)
    for (std::int64_t column = 0; column < columns.count; ++column)
      out[static_cast<std::size_t>((rows.at + row * part.row_step) * window.columns + columns.at +
                                   column * part.column_step)] =
          values[static_cast<std::size_t>(row * columns.count + column)];
}

}  // namespace

// Reads along the axis with the smaller stride.
void read_factor(const Factor& factor, std::int64_t block, const Window& window, std::span<float> out) {
  if (!factor.parts.empty()) {
    std::ranges::fill(out, 0.0F);
    for (const PlacedFactor& part : factor.parts) read_part(part, block, window, out);
    return;
  }
  if (!factor.stored) return static_cast<void>(std::ranges::fill(out, 1.0F));
  if (window.rows == 0 || window.columns == 0) return;
  const std::int64_t first = factor.offset + block * factor.block_stride + window.first_row * factor.row_stride +
                             window.first_column * factor.column_stride;
  std::vector<float> buffer;
  if (factor.column_stride == 1 && factor.row_stride == window.columns)
    return read_as_float(*factor.stored, first, out);
  if (factor.column_stride <= factor.row_stride) {
    for (std::int64_t row = 0; row < window.rows; ++row)
      read_apart(*factor.stored, first + row * factor.row_stride, window.columns, factor.column_stride, buffer,
                 out.data() + row * window.columns, 1);
  } else {
    for (std::int64_t column = 0; column < window.columns; ++column)
      read_apart(*factor.stored, first + column * factor.column_stride, window.rows, factor.row_stride, buffer,
                 out.data() + column, window.columns);
  }
}

bool same_product(const Addend& one, const Addend& other, const MergedShape& shape) {
  if (one.rank != other.rank || one.scale != other.scale || one.magnitude || other.magnitude) return false;
  const auto same = [&](const Factor& a, const Factor& b, std::int64_t rows, std::int64_t columns) {
    if (rows == 0 || columns == 0) return true;
    std::vector<float> row_of_a(static_cast<std::size_t>(columns));
    std::vector<float> row_of_b(row_of_a.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      read_factor(a, 0, {row, 1, 0, columns}, row_of_a);
      read_factor(b, 0, {row, 1, 0, columns}, row_of_b);
      if (std::memcmp(row_of_a.data(), row_of_b.data(), row_of_a.size() * sizeof(float)) != 0) return false;
    }
    return true;
  };
  return same(one.b, other.b, shape.rows, one.rank) && same(one.a, other.a, one.rank, shape.columns);
}

}  // namespace qfuse::checkpoint
