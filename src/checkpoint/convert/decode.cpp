#include "checkpoint/convert/decode.h"

#include <algorithm>
#include <cstring>

#include "checkpoint/convert/transpose.h"
#include "format/layout.h"

namespace qfuse::checkpoint {
namespace {

// The arrays of a piece.
constexpr std::size_t kCodes = 0;
constexpr std::size_t kAbsmax8bit = 1;
constexpr std::size_t kScales = 2;  // absmax, nested_absmax or SCB
constexpr std::size_t kQuantMap = 3;
constexpr std::size_t kNestedOffset = 4;
constexpr std::size_t kOut = 5;
constexpr std::size_t kDecoded = 6;  // on its way to a scratch file

// `count` elements of a stored tensor from element `first` on, where the device reads them.
template <class T>
std::span<const T> read_elements(const StoredTensor& stored, std::int64_t first, std::int64_t count, Piece& piece,
                                 std::size_t array) {
  return piece.input<T>(array, count, [&](std::span<std::byte> bytes) {
    stored.read(first * static_cast<std::int64_t>(sizeof(T)), bytes);
  });
}

std::int64_t bytes_of(Dtype dtype) { return static_cast<std::int64_t>(dtype_size(dtype)); }

// Adds the scales of the blocks of `to`, which are the weight's from `first_block` on, where the device reads them.
void read_absmax(const StoredWeight4bit& weight, std::int64_t first_block, std::int64_t blocks, Piece& piece,
                 Weight4bit& to) {
  if (!weight.state.nested) {
    to.absmax = read_elements<float>(weight.absmax, first_block, blocks, piece, kScales);
    return;
  }
  const NestedState& nested = *weight.state.nested;
  to.absmax_8bit = read_elements<std::uint8_t>(weight.absmax, first_block, blocks, piece, kAbsmax8bit);
  to.nested_absmax = read_elements<float>(weight.nested_absmax, first_block / nested.blocksize,
                                          qfuse_block_count(blocks, nested.blocksize), piece, kScales);
  to.nested_quant_map = read_elements<float>(weight.nested_quant_map, 0, format::kCodes8, piece, kQuantMap);
  to.nested_blocksize = nested.blocksize;
  to.nested_offset = piece
                         .input<float>(kNestedOffset, 1,
                                       [&](std::span<std::byte> bytes) {
                                         std::memcpy(bytes.data(), &nested.offset, sizeof nested.offset);
                                       })
                         .data();
}

void read_4bit(const StoredWeight4bit& weight, Dtype dtype, std::int64_t begin, std::span<std::byte> out,
               Piece& piece) {
  const std::int64_t first = begin / bytes_of(dtype);
  const std::int64_t count = std::ssize(out) / bytes_of(dtype);
  Weight4bit part{.cols = count, .blocksize = weight.state.blocksize, .quant_type = weight.state.quant_type};
  part.packed = read_elements<std::uint8_t>(weight.packed, first / 2, qfuse_packed_size(count), piece, kCodes);
  read_absmax(weight, first / part.blocksize, qfuse_block_count(count, part.blocksize), piece, part);
  dequantize_4bit(part, piece.output(kOut, out), dtype, piece.exec());
  piece.fetch(kOut, out);
}

// A read may begin and end within a row: a row cut short is decoded as a row of fewer columns.
void read_int8(const StoredWeightInt8& weight, Dtype dtype, std::int64_t begin, std::span<std::byte> out,
               Piece& piece) {
  const std::int64_t element = bytes_of(dtype);
  const std::int64_t columns = weight.weight.entry->shape[1];
  const std::int64_t first = begin / element;
  const std::int64_t end = first + std::ssize(out) / element;
  const std::int64_t first_row = first / columns;
  const std::int64_t end_row = (end - 1) / columns + 1;
  const auto codes = read_elements<std::int8_t>(weight.weight, first, end - first, piece, kCodes);
  const auto scales = read_elements<float>(weight.scb, first_row, end_row - first_row, piece, kScales);
  const std::span<std::byte> made = piece.output(kOut, out);
  const auto part = [](auto array, std::int64_t from, std::int64_t length) {
    return array.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
  };
  for (std::int64_t position = first; position < end;) {
    const std::int64_t row = position / columns;
    const std::int64_t left_in_row = (row + 1) * columns - position;
    const bool whole_rows = left_in_row == columns && end - position >= columns;
    const std::int64_t rows = whole_rows ? (end - position) / columns : 1;
    const std::int64_t count = whole_rows ? rows * columns : std::min(left_in_row, end - position);
    dequantize_int8(part(codes, position - first, count), part(scales, row - first_row, rows),
                    part(made, (position - first) * element, count * element), dtype, piece.exec());
    position += count;
  }
  piece.fetch(kOut, out);
}

// All of a tensor, piece by piece, each complete before the next.
void decode_to(ScratchFile& scratch, std::int64_t begin, const TensorReader& decoded, std::int64_t bytes,
               Piece& piece) {
  for (std::int64_t at = 0; at < bytes; at += decoded.piece_bytes) {
    const std::span<std::byte> out =
        piece.host(kDecoded, static_cast<std::size_t>(std::min(decoded.piece_bytes, bytes - at)));
    decoded.read(at, out, piece);
    piece.complete();
    scratch.write(begin + at, out);
  }
}

// Calls `visit` with each stretch of `bytes` that `out`, which begins at `begin`, has a part of: its number, where in it
// the part begins, and the part.
template <class Visit>
void for_each_stretch(std::int64_t bytes, std::int64_t begin, std::span<std::byte> out, Visit visit) {
  for (std::int64_t size = 0; !out.empty(); begin += size, out = out.subspan(static_cast<std::size_t>(size))) {
    size = std::min(std::ssize(out), bytes - begin % bytes);
    visit(begin / bytes, begin % bytes, out.first(static_cast<std::size_t>(size)));
  }
}

// `read` fills its `out` with so many bytes of an output.
template <class Read>
TensorReader reader(std::int64_t piece_bytes, Read read) {
  return {piece_bytes, [read](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            read(begin, out, piece);
            return std::ssize(out);
          }};
}

// `read` fills its `out` from a scratch file that has all of `parts`, which are alike, decoded one behind the other.
template <class Read>
TensorReader open_from_scratch(const std::vector<Tensor>& parts, Dtype dtype, ScratchFile& scratch,
                               std::int64_t piece_bytes, Read read) {
  std::vector<TensorReader> readers;
  readers.reserve(parts.size());
  for (const Tensor& part : parts) readers.push_back(open_decoded(part, dtype, piece_bytes));
  const std::int64_t part_bytes = parts.front().decoded_bytes(dtype);
  return reader(piece_bytes, [=, &scratch](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    if (begin == 0)
      for (std::size_t i = 0; i < readers.size(); ++i)
        decode_to(scratch, static_cast<std::int64_t>(i) * part_bytes, readers[i], part_bytes, piece);
    read(begin, out);
  });
}

}  // namespace

void require_decodable(Pipeline& pipeline) {
  const auto fill_with_ones = [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{1}); };
  Piece& piece = pipeline.next();
  const auto code = piece.input<std::int8_t>(kCodes, 1, fill_with_ones);
  const auto scale = piece.input<float>(kScales, 1, fill_with_ones);
  const std::span<std::byte> value = piece.host(kOut, sizeof(float));
  dequantize_int8(code, scale, piece.output(kOut, value), Dtype::float32, piece.exec());
  piece.fetch(kOut, value);
  piece.complete();
}

TensorReader open_stored(const StoredTensor& stored) {
  constexpr std::int64_t kCopied = kPieceBytes / 4;  // there is nothing to compute
  return reader(kCopied, [stored](std::int64_t begin, std::span<std::byte> out, Piece&) { stored.read(begin, out); });
}

TensorReader open_decoded(const Tensor& tensor, Dtype dtype, std::int64_t piece_bytes) {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage)) {
    const QuantState& state = weight->state;
    const std::int64_t unit = state.blocksize * (state.nested ? state.nested->blocksize : 1) * bytes_of(dtype);
    return reader(std::max(piece_bytes, unit),  // powers of two
                  [weight = *weight, dtype](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
                    read_4bit(weight, dtype, begin, out, piece);
                  });
  }
  if (const auto* weight = std::get_if<StoredWeightInt8>(&tensor.storage))
    return reader(std::max(piece_bytes, bytes_of(dtype)),
                  [weight = *weight, dtype](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
                    read_int8(weight, dtype, begin, out, piece);
                  });
  return open_stored(tensor.values());
}

TensorReader open_joined(const std::vector<std::vector<Tensor>>& matrices, bool transpose, Dtype dtype,
                         ScratchFile& scratch, std::int64_t piece_bytes) {
  std::vector<Tensor> parts;
  for (const std::vector<Tensor>& matrix : matrices) parts.insert(parts.end(), matrix.begin(), matrix.end());
  const Tensor& first = parts.front();
  const MatrixShape matrix{first.shape[0] * std::ssize(matrices.front()), first.shape.size() == 2 ? first.shape[1] : 1,
                           bytes_of(dtype)};
  return open_from_scratch(
      parts, dtype, scratch, piece_bytes, [=, &scratch](std::int64_t begin, std::span<std::byte> out) {
        if (!transpose) return scratch.read(begin, out);
        for_each_stretch(matrix.bytes(), begin, out, [&](std::int64_t number, std::int64_t from, auto to) {
          const auto read_one = [&](std::int64_t at, std::span<std::byte> bytes) {
            scratch.read(number * matrix.bytes() + at, bytes);
          };
          transposed(matrix, read_one)(from, to);
        });
      });
}

TensorReader open_interleaved(const std::vector<Tensor>& parts, std::int64_t stretches, Dtype dtype,
                              ScratchFile& scratch, std::int64_t piece_bytes) {
  const std::int64_t part_bytes = parts.front().decoded_bytes(dtype);
  const std::int64_t bytes = part_bytes / stretches;
  return open_from_scratch(
      parts, dtype, scratch, piece_bytes,
      [=, count = std::ssize(parts), &scratch](std::int64_t begin, std::span<std::byte> out) {
        for_each_stretch(bytes, begin, out, [&](std::int64_t number, std::int64_t from, std::span<std::byte> to) {
          scratch.read(number % count * part_bytes + number / count * bytes + from, to);
        });
      });
}

}  // namespace qfuse::checkpoint
