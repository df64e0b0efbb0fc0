#include "checkpoint/convert/decode.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "checkpoint/convert/decode_gptq.h"
#include "checkpoint/convert/decode_scaled_4bit.h"
#include "format/layout.h"

namespace qfuse::checkpoint {
namespace {

// Reads `count` elements of a stored tensor from element `first` on to where the device reads them.
template <class T>
std::span<const T> read_elements(const StoredTensor& stored, std::int64_t first, std::int64_t count, Piece& piece,
                                 std::size_t number) {
  return piece.input<T>(number, count, [&](std::span<std::byte> bytes) {
    stored.read(first * static_cast<std::int64_t>(sizeof(T)), bytes);
  });
}

template <class T>
std::span<T> cut(std::span<T> array, std::int64_t from, std::int64_t length) {
  return array.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
}

// Sets the scales of `to`: those of `blocks` blocks of the weight from `first_block` on, where the device reads them.
void read_absmax(const StoredWeight4bit& weight, std::int64_t first_block, std::int64_t blocks, Piece& piece,
                 Weight4bit& to) {
  if (!weight.state.nested) {
    to.absmax = read_elements<float>(weight.absmax, first_block, blocks, piece, array::kScales);
    return;
  }
  const NestedState& nested = *weight.state.nested;
  to.absmax_8bit = read_elements<std::uint8_t>(weight.absmax, first_block, blocks, piece, array::kAbsmax8bit);
  to.nested_absmax = read_elements<float>(weight.nested_absmax, first_block / nested.blocksize,
                                          qfuse_block_count(blocks, nested.blocksize), piece, array::kScales);
  to.nested_quant_map = read_elements<float>(weight.nested_quant_map, 0, format::kCodes8, piece, array::kQuantMap);
  to.nested_blocksize = nested.blocksize;
  to.nested_offset = piece
                         .input<float>(array::kNestedOffset, 1,
                                       [&](std::span<std::byte> bytes) {
                                         std::memcpy(bytes.data(), &nested.offset, sizeof nested.offset);
                                       })
                         .data();
}

void read_4bit(const StoredWeight4bit& weight, Dtype dtype, std::int64_t begin, std::span<std::byte> made,
               Piece& piece) {
  const std::int64_t first = begin / size_of(dtype);
  const std::int64_t count = std::ssize(made) / size_of(dtype);
  Weight4bit part{.cols = count, .blocksize = weight.state.blocksize, .quant_type = weight.state.quant_type};
  part.packed = read_elements<std::uint8_t>(weight.packed, first / 2, qfuse_packed_size(count), piece, array::kCodes);
  read_absmax(weight, first / part.blocksize, qfuse_block_count(count, part.blocksize), piece, part);
  dequantize_4bit(part, made, dtype, piece.exec());
}

// A read may begin and end within a row; a partial row is decoded as a row with fewer columns.
void read_int8(const StoredWeightInt8& weight, Dtype dtype, std::int64_t begin, std::span<std::byte> made,
               Piece& piece) {
  const std::int64_t element = size_of(dtype);
  const std::int64_t columns = weight.weight.entry->shape[1];
  const std::int64_t first = begin / element;
  const std::int64_t end = first + std::ssize(made) / element;
  const std::int64_t first_row = first / columns;
  const std::int64_t end_row = (end - 1) / columns + 1;
  const auto codes = read_elements<std::int8_t>(weight.weight, first, end - first, piece, array::kCodes);
  const auto scales = read_elements<float>(weight.scb, first_row, end_row - first_row, piece, array::kScales);
  for (std::int64_t position = first; position < end;) {
    const std::int64_t row = position / columns;
    const std::int64_t left_in_row = (row + 1) * columns - position;
    const bool whole_rows = left_in_row == columns && end - position >= columns;
    const std::int64_t rows = whole_rows ? (end - position) / columns : 1;
    const std::int64_t count = whole_rows ? rows * columns : std::min(left_in_row, end - position);
    dequantize_int8(cut(codes, position - first, count), cut(scales, row - first_row, rows),
                    cut(made, (position - first) * element, count * element), dtype, piece.exec());
    position += count;
  }
}

// The part of an FP8 weight that one call decodes: whole rows of its matrices, or a part of one row. It spans more than
// one row of scales only if it begins at a block boundary.
struct Rectangle {
  std::int64_t begin = 0;  // first element, counted in the whole weight
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// Returns the largest rectangle from element `begin` to at most `end`. It may cut blocks only at its end.
Rectangle rectangle_at(const StoredWeightFp8& weight, std::int64_t begin, std::int64_t end) {
  const std::int64_t column = begin % weight.columns;
  const std::int64_t left_in_row = std::min(weight.columns - column, end - begin);
  if (const std::int64_t in_block = column % weight.block_columns; in_block != 0)
    return {begin, 1, std::min(left_in_row, weight.block_columns - in_block)};
  if (left_in_row < weight.columns) return {begin, 1, left_in_row};
  const std::int64_t row = begin / weight.columns % weight.rows;
  const std::int64_t in_block = row % weight.block_rows;
  const std::int64_t most =
      in_block == 0 ? weight.rows - row : std::min(weight.block_rows - in_block, weight.rows - row);
  return {begin, std::min(most, (end - begin) / weight.columns), weight.columns};
}

// Returns the index of the scale of the element at `begin`.
std::int64_t scale_index(const StoredWeightFp8& weight, std::int64_t begin) {
  const std::int64_t row = begin / weight.columns;
  const std::int64_t scale_row = row / weight.rows * weight.scale_rows() + row % weight.rows / weight.block_rows;
  return scale_row * weight.scale_columns() + begin % weight.columns / weight.block_columns;
}

void read_fp8(const StoredWeightFp8& weight, Dtype dtype, std::int64_t begin, std::span<std::byte> made, Piece& piece) {
  const std::int64_t first = begin / size_of(dtype);
  const std::int64_t end = first + std::ssize(made) / size_of(dtype);
  const std::int64_t scale_bytes = type_bits(weight.scales.entry->type) / 8;
  // Reads whole rows of scales, because the last weight row may end left of the column where the first one begins.
  const std::int64_t row_of_scales = weight.scale_columns();
  const std::int64_t first_scale = scale_index(weight, first) / row_of_scales * row_of_scales;
  const std::int64_t end_scale = (scale_index(weight, end - 1) / row_of_scales + 1) * row_of_scales;
  const auto codes = read_elements<std::uint8_t>(weight.codes, first, end - first, piece, array::kCodes);
  const auto scales = read_elements<std::byte>(weight.scales, first_scale * scale_bytes,
                                               (end_scale - first_scale) * scale_bytes, piece, array::kScales);
  for (std::int64_t at = first; at < end;) {
    const Rectangle part = rectangle_at(weight, at, end);
    const std::int64_t count = part.rows * part.columns;
    const std::int64_t scale_count =
        qfuse_block_count(part.rows, weight.block_rows) * qfuse_block_count(part.columns, weight.block_columns);
    dequantize_fp8(
        {.rows = part.rows,
         .cols = part.columns,
         .block_rows = weight.block_rows,
         .block_cols = weight.block_columns,
         .scale_type = scale_type_of(weight.scales.entry->type),
         .codes = cut(codes, at - first, count),
         .scales = cut(scales, (scale_index(weight, at) - first_scale) * scale_bytes, scale_count * scale_bytes)},
        cut(made, (at - first) * size_of(dtype), count * size_of(dtype)), dtype, piece.exec());
    at += count;
  }
}

}  // namespace

void require_decodable(Pipeline& pipeline) {
  const auto fill_with_ones = [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{1}); };
  Piece& piece = pipeline.next();
  const auto code = piece.input<std::int8_t>(array::kCodes, 1, fill_with_ones);
  const auto scale = piece.input<float>(array::kScales, 1, fill_with_ones);
  const std::span<std::byte> value = piece.host(array::kWritten, sizeof(float));
  dequantize_int8(code, scale, piece.output(array::kWritten, value), Dtype::float32, piece.exec());
  piece.fetch(array::kWritten, value);
  piece.complete();
}

Source decoded(const Tensor& tensor, Dtype dtype) {
  Source source{.dtype = dtype, .bytes = tensor.decoded_bytes(dtype), .unit = size_of(dtype), .made = Made::on_device};
  if (const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage)) {
    const QuantState& state = weight->state;
    source.unit *= state.blocksize * (state.nested ? state.nested->blocksize : 1);
    source.read = [weight = *weight, dtype](std::int64_t begin, std::span<std::byte> made, Piece& piece) {
      read_4bit(weight, dtype, begin, made, piece);
    };
  } else if (const auto* weight = std::get_if<StoredWeightInt8>(&tensor.storage)) {
    source.read = [weight = *weight, dtype](std::int64_t begin, std::span<std::byte> made, Piece& piece) {
      read_int8(weight, dtype, begin, made, piece);
    };
  } else if (const auto* weight = std::get_if<StoredWeightFp8>(&tensor.storage)) {
    source.read = [weight = *weight, dtype](std::int64_t begin, std::span<std::byte> made, Piece& piece) {
      read_fp8(weight, dtype, begin, made, piece);
    };
  } else if (const auto* weight = std::get_if<StoredWeightGptq>(&tensor.storage)) {
    return decoded_gptq(*weight, dtype);
  } else if (const auto* weight = std::get_if<StoredWeightScaled4bit>(&tensor.storage)) {
    source = decoded_scaled_4bit(*weight, dtype, std::move(source));
  } else {
    return stored(tensor.values());
  }
  source.piece = std::max(kPieceBytes, source.unit);
  return source;
}

}  // namespace qfuse::checkpoint
