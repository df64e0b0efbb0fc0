#include "checkpoint/convert/decode_scaled_4bit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "checkpoint/convert/scaled_4bit_oracle.h"

namespace qfuse::checkpoint {
namespace {

using HostBytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

template <class T>
std::span<T> stretch_of(std::span<T> array, std::int64_t from, std::int64_t length) {
  return array.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
}

// The part of a weight that one call decodes: adjacent rows that start at a block boundary (rows of all matrices are
// numbered consecutively), or a part of one row within a block.
struct Part {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;

  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
  [[nodiscard]] std::int64_t row_bytes() const { return qfuse_packed_size(columns); }
  [[nodiscard]] std::int64_t code_bytes() const { return rows * row_bytes(); }
};

std::int64_t blocks_of(const StoredWeightScaled4bit& weight, const Part& part) {
  return qfuse_block_count(part.columns, weight.blocksize);  // 1 for a part within a block
}

// Splits the elements from `first` to `end` into as few rectangles as possible.
std::vector<Part> parts_of(const StoredWeightScaled4bit& weight, std::int64_t first, std::int64_t end) {
  std::vector<Part> parts;
  for (std::int64_t at = first; at < end; at += parts.back().elements()) {
    Part part{at / weight.columns, 1, at % weight.columns, 0};
    part.columns = std::min(weight.columns - part.column, end - at);
    if (const std::int64_t in_block = part.column % weight.blocksize; in_block != 0)
      part.columns = std::min(part.columns, weight.blocksize - in_block);
    else if (part.column == 0 && part.columns == weight.columns)
      part.rows = (end - at) / weight.columns;
    parts.push_back(part);
  }
  return parts;
}

// ---- reading from the file --------------------------------------------------------------------------------------

// Shifts the nibbles of a row that was read from an odd column, so that the first one is in the low half.
void move_down(HostBytes row) {
  for (std::size_t i = 0; i + 1 < row.size(); ++i) row[i] = (row[i] >> 4) | (row[i + 1] << 4);
  row.back() >>= 4;
}

// Reads bytes [begin, begin + length) of each row from `row` on to `out`, contiguously. A row has `row_bytes`.
void read_rows(const StoredTensor& stored, std::int64_t row_bytes, std::int64_t row, std::int64_t begin,
               std::int64_t length, HostBytes out) {
  constexpr std::int64_t kWasted = 4;  // reading up to 4 times the needed bytes costs less than one call per row
  const std::int64_t rows = std::ssize(out) / length;
  if (length == row_bytes) return stored.read(row * row_bytes, out);
  if (rows == 1 || length * kWasted < row_bytes) {
    for (std::int64_t r = 0; r < rows; ++r)
      stored.read((row + r) * row_bytes + begin, stretch_of(out, r * length, length));
    return;
  }
  std::vector<std::byte> whole(static_cast<std::size_t>(rows * row_bytes));
  stored.read(row * row_bytes, whole);
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(&out[static_cast<std::size_t>(r * length)], &whole[static_cast<std::size_t>(r * row_bytes + begin)],
                static_cast<std::size_t>(length));
}

// Reads rows of codes, each packed into the bytes that its columns need.
void read_nibbles(const StoredWeightScaled4bit& weight, const Part& part, HostBytes out) {
  const std::int64_t begin = part.column / 2;
  if (part.column % 2 == 0) return read_rows(weight.codes, weight.row_bytes, part.row, begin, part.row_bytes(), out);
  std::vector<std::byte> row(static_cast<std::size_t>(part.columns / 2 + 1));  // a part within a block has one row
  weight.codes.read(part.row * weight.row_bytes + begin, row);
  move_down(row);
  std::memcpy(out.data(), row.data(), out.size());
}

// For weights in which code 8 means +0 instead of -0: replaces it by code 0.
void clear_signs_of_zeros(HostBytes codes) {
  for (std::byte& byte : codes) {
    if ((byte & std::byte{0x0F}) == std::byte{0x08}) byte &= std::byte{0xF0};
    if ((byte & std::byte{0xF0}) == std::byte{0x80}) byte &= std::byte{0x0F};
  }
}

void read_scales(const StoredWeightScaled4bit& weight, const Part& part, HostBytes out) {
  const std::int64_t size = type_bits(weight.scales.entry->type) / 8;
  read_rows(weight.scales, weight.blocks() * size, part.row, part.column / weight.blocksize * size,
            blocks_of(weight, part) * size, out);
}

// Unpacks zero points to one byte each. A word in the file holds the zero points of eight rows.
void read_zero_points(const StoredWeightScaled4bit& weight, const Part& part, HostBytes out) {
  constexpr std::int64_t kRows = 8;
  constexpr std::int64_t kWord = 4;
  const std::int64_t all = weight.blocks();
  const std::int64_t blocks = blocks_of(weight, part);
  const std::int64_t first_word = part.row / kRows;
  const std::int64_t word_rows = (part.row + part.rows - 1) / kRows + 1 - first_word;
  std::vector<std::byte> words(static_cast<std::size_t>(word_rows * all * kWord));
  weight.zero_points->read(first_word * all * kWord, words);
  for (std::int64_t r = 0; r < part.rows; ++r)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t row = part.row + r;
      const std::int64_t word = (row / kRows - first_word) * all + part.column / weight.blocksize + b;
      const std::byte pair = words[static_cast<std::size_t>(word * kWord + row % kRows / 2)];
      out[static_cast<std::size_t>(r * blocks + b)] = row % 2 == 0 ? pair & std::byte{0x0F} : pair >> 4;
    }
}

// ---- decoding rectangles ----------------------------------------------------------------------------------------

// The arrays of several rectangles, one after another, in memory that the device of `exec` reads.
struct Arrays {
  ConstBytes codes;
  ConstBytes scales;
  ConstBytes zero_points;
  ConstBytes global;
};

// `input(number, size, fill)` returns `size` bytes of array `number`, filled by `fill`, where the device reads them.
template <class Input>
Arrays read_arrays(const StoredWeightScaled4bit& weight, const std::vector<Part>& parts, const Input& input) {
  const std::int64_t scale_bytes = type_bits(weight.scales.entry->type) / 8;
  // Reads the `bytes` of all rectangles by `read`.
  const auto all = [&](std::size_t number, const auto& bytes, const auto& read) -> ConstBytes {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += bytes(part);
    return input(number, sum, [&](HostBytes out) {
      for (const Part& part : parts) {
        read(weight, part, out.first(static_cast<std::size_t>(bytes(part))));
        out = out.subspan(static_cast<std::size_t>(bytes(part)));
      }
    });
  };
  const auto blocks = [&](const Part& part) { return part.rows * blocks_of(weight, part); };
  Arrays arrays;
  arrays.codes = all(
      array::kCodes, [](const Part& part) { return part.code_bytes(); },
      [](const StoredWeightScaled4bit& of, const Part& part, HostBytes out) {
        read_nibbles(of, part, out);
        if (of.is_zero_unsigned) clear_signs_of_zeros(out);
      });
  arrays.scales = all(
      array::kScales, [&](const Part& part) { return blocks(part) * scale_bytes; }, read_scales);
  if (weight.zero_points) arrays.zero_points = all(array::kZeroPoints, blocks, read_zero_points);
  if (weight.global_scale)
    arrays.global = input(array::kGlobalScale, std::int64_t{sizeof(float)},
                          [&](HostBytes out) { weight.global_scale->read(0, out); });
  return arrays;
}

template <class T>
std::span<const T> elements_as(ConstBytes bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

void decode_parts(const StoredWeightScaled4bit& weight, const std::vector<Part>& parts, Arrays arrays, Dtype dtype,
                  HostBytes out, const Exec& exec) {
  const std::int64_t scale_bytes = type_bits(weight.scales.entry->type) / 8;
  const auto take = [](auto& from, std::int64_t size) {
    const auto taken = from.first(static_cast<std::size_t>(size));
    from = from.subspan(static_cast<std::size_t>(size));
    return taken;
  };
  for (const Part& part : parts) {
    const std::int64_t blocks = part.rows * blocks_of(weight, part);
    Weight4bit of{.rows = part.rows, .cols = part.columns, .blocksize = weight.blocksize};
    of.quant_type = weight.quant_type;
    of.packed = elements_as<std::uint8_t>(take(arrays.codes, part.code_bytes()));
    of.scale_type = scale_type_of(weight.scales.entry->type);
    of.scales = take(arrays.scales, blocks * scale_bytes);
    if (weight.zero_points) of.zero_points = elements_as<std::uint8_t>(take(arrays.zero_points, blocks));
    (weight.is_divisor ? of.global_divisor : of.global_scale) = elements_as<float>(arrays.global);
    dequantize_4bit(of, take(out, part.elements() * size_of(dtype)), dtype, exec);
  }
}

void read_straight(const StoredWeightScaled4bit& weight, Dtype dtype, std::int64_t begin, HostBytes made,
                   Piece& piece) {
  const std::int64_t first = begin / size_of(dtype);
  const std::vector<Part> parts = parts_of(weight, first, first + std::ssize(made) / size_of(dtype));
  const Arrays arrays = read_arrays(weight, parts, [&](std::size_t number, std::int64_t size, const auto& fill) {
    return piece.input<std::byte>(number, size, fill);
  });
  decode_parts(weight, parts, arrays, dtype, made, piece.exec());
}

// ---- transposed weights -----------------------------------------------------------------------------------------

void decode_part(const StoredWeightScaled4bit& weight, const Part& part, Dtype dtype, HostBytes out, const Exec& exec) {
  std::array<std::vector<std::byte>, array::kNumbers> memory;
  const auto input = [&](std::size_t number, std::int64_t size, const auto& fill) -> ConstBytes {
    memory[number].resize(static_cast<std::size_t>(size));
    fill(HostBytes(memory[number]));
    return memory[number];
  };
  const std::vector<Part> parts{part};
  decode_parts(weight, parts, read_arrays(weight, parts, input), dtype, out, exec);
}

// Copies elements `first` to `end` of a transposed matrix to `out`, as far as they are in `part`: its rows are those of
// the matrix from `row` on, and its decoded values are in `strip`.
struct Placing {
  std::int64_t rows = 0;  // rows of the matrix
  std::int64_t first = 0;
  std::int64_t end = 0;
  HostBytes out = {};

  template <class Bits>
  void place(const Part& part, std::int64_t row, const std::vector<std::byte>& strip) const {
    constexpr std::int64_t kTile = 64;  // rows per tile: keeps both the reads and the writes local
    const std::int64_t from = std::max(part.column, first / rows);
    const std::int64_t to = std::min(part.column + part.columns, (end - 1) / rows + 1);
    for (std::int64_t tile = 0; tile < part.rows; tile += kTile)
      for (std::int64_t column = from; column < to; ++column)
        for (std::int64_t r = tile; r < std::min(tile + kTile, part.rows); ++r) {
          const std::int64_t place = column * rows + row + r;
          if (place < first || place >= end) continue;
          std::memcpy(&out[static_cast<std::size_t>(place - first) * sizeof(Bits)],
                      &strip[static_cast<std::size_t>(r * part.columns + column - part.column) * sizeof(Bits)],
                      sizeof(Bits));
        }
  }
};

void read_matrix_transposed(const StoredWeightScaled4bit& weight, std::int64_t matrix, Dtype dtype,
                            const Placing& placing, const Exec& exec) {
  constexpr std::int64_t kStrip = kPieceBytes / 16;  // elements
  const std::int64_t first_column = placing.first / weight.rows / weight.blocksize * weight.blocksize;
  const std::int64_t last_block = (placing.end - 1) / weight.rows / weight.blocksize;
  const std::int64_t columns = std::min((last_block + 1) * weight.blocksize, weight.columns) - first_column;
  const std::int64_t most = std::max<std::int64_t>(kStrip / columns, 1);
  std::vector<std::byte> strip;
  for (std::int64_t row = 0; row < weight.rows; row += most) {
    const Part part{matrix * weight.rows + row, std::min(most, weight.rows - row), first_column, columns};
    strip.resize(static_cast<std::size_t>(part.elements() * size_of(dtype)));
    decode_part(weight, part, dtype, strip, exec);
    size_of(dtype) == 2 ? placing.place<std::uint16_t>(part, row, strip)
                        : placing.place<std::uint32_t>(part, row, strip);
  }
}

void read_columns(const StoredWeightScaled4bit& weight, Dtype dtype, std::int64_t begin, HostBytes out,
                  const Exec& exec) {
  const std::int64_t all = weight.rows * weight.columns;
  std::int64_t first = begin / size_of(dtype);
  for (std::int64_t count = 0; !out.empty(); first += count) {
    const std::int64_t matrix = first / all;
    count = std::min(std::ssize(out) / size_of(dtype), (matrix + 1) * all - first);
    const HostBytes part = stretch_of(out, 0, count * size_of(dtype));
    read_matrix_transposed(weight, matrix, dtype,
                           {weight.rows, first - matrix * all, first - matrix * all + count, part}, exec);
    out = out.subspan(part.size());
  }
}

}  // namespace

Source decoded_scaled_4bit(const StoredWeightScaled4bit& weight, Dtype dtype, Source source) {
  if (weight.is_transposed) source.made = Made::on_host;
  source.read = [weight, dtype](std::int64_t begin, HostBytes made, Piece& piece) {
    if (piece.exec().device.type == QFUSE_REFERENCE)
      decode_by_oracle(weight, dtype, begin / size_of(dtype), made);
    else if (weight.is_transposed)
      read_columns(weight, dtype, begin, made, piece.host_exec());
    else
      read_straight(weight, dtype, begin, made, piece);
  };
  return source;
}

}  // namespace qfuse::checkpoint
