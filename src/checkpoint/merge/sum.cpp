#include "checkpoint/merge/sum.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace qfuse::checkpoint {
namespace {

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

// The sum of one tensor and one addend. One thread makes the pieces in order.
class Sum {
 public:
  Sum(Source base, const Addend& addend, const MergedShape& shape, Dtype dtype, std::size_t number, AddProduct add)
      : base_(std::move(base)), addend_(addend), shape_(shape), dtype_(dtype), number_(number), add_(add) {}

  void read(std::int64_t begin, std::span<std::byte> made, Piece& piece) {
    const std::int64_t first = begin / size_of(dtype_);
    const std::int64_t count = std::ssize(made) / size_of(dtype_);
    const std::int64_t in_size = size_of(base_.dtype);
    const std::size_t before = number_ % 2 == 0 ? array::kSums : array::kMoreSums;
    const std::span<const std::byte> in =
        read_to_device(base_, first * in_size, count * in_size, piece, number_ == 0 ? array::kBase : before);
    const std::vector<Tile> tiles = tiles_of(shape_, first, first + count);
    std::span<const float> factors = send_factors(tiles, piece);
    const auto part = [&](auto bytes, const Tile& tile, std::int64_t element) {
      return bytes.subspan(static_cast<std::size_t>((tile.begin - first) * element),
                           static_cast<std::size_t>(tile.elements() * element));
    };
    for (const Tile& tile : tiles)
      add_(part(in, tile, in_size), base_.dtype, tile.window.rows, tile.window.columns, next_product(tile, factors),
           part(made, tile, size_of(dtype_)), dtype_, piece.exec());
  }

 private:
  // Reads the addend's matrices for each tile, b before a, into memory that the device reads.
  std::span<const float> send_factors(const std::vector<Tile>& tiles, Piece& piece) {
    std::int64_t count = 0;
    for (const Tile& tile : tiles) count += addend_.rank * (tile.window.rows + tile.window.columns);
    return piece.input<float>(array::kFactors + number_, count, [&](std::span<std::byte> bytes) {
      std::span<float> rest = floats(bytes);
      const auto next = [&](std::int64_t size) {
        const std::span<float> part = rest.first(static_cast<std::size_t>(size));
        rest = rest.subspan(part.size());
        return part;
      };
      for (const Tile& tile : tiles) {
        const Window& window = tile.window;
        read_factor(addend_.b, tile.block, {window.first_row, window.rows, 0, addend_.rank},
                    next(addend_.rank * window.rows));
        const std::span<const float> whole = whole_a(tile.block);
        for (std::int64_t k = 0; k < addend_.rank; ++k)
          std::copy_n(whole.begin() + k * shape_.columns + window.first_column, window.columns,
                      next(window.columns).begin());
      }
    });
  }

  // Takes the tile's matrices off the front of `factors`.
  [[nodiscard]] LoraProduct next_product(const Tile& tile, std::span<const float>& factors) const {
    const auto b = factors.first(static_cast<std::size_t>(addend_.rank * tile.window.rows));
    const auto a = factors.subspan(b.size(), static_cast<std::size_t>(addend_.rank * tile.window.columns));
    factors = factors.subspan(b.size() + a.size());
    return {.a = a, .b = b, .rank = addend_.rank, .scale = addend_.scale};
  }

  // Returns a for all columns of a block; cached for later pieces.
  std::span<const float> whole_a(std::int64_t block) {
    if (block_of_a_ != block) {
      whole_a_.resize(static_cast<std::size_t>(addend_.rank * shape_.columns));
      read_factor(addend_.a, block, {0, addend_.rank, 0, shape_.columns}, whole_a_);
      block_of_a_ = block;
    }
    return whole_a_;
  }

  Source base_;
  Addend addend_;
  MergedShape shape_;
  Dtype dtype_;
  std::size_t number_;
  AddProduct add_;
  std::int64_t block_of_a_ = -1;
  std::vector<float> whole_a_;
};

}  // namespace

void require_mergeable(Pipeline& pipeline) {
  Piece& piece = pipeline.next();
  const auto zero = [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{}); };
  const auto base = piece.input<std::byte>(array::kBase, sizeof(float), zero);
  const auto factors = piece.input<float>(array::kFactors, 2, zero);
  const std::span<std::byte> sum = piece.host(array::kWritten, sizeof(float));
  lora_merge(base, Dtype::float32, 1, 1, {.a = factors.first(1), .b = factors.last(1), .rank = 1},
             piece.output(array::kWritten, sum), Dtype::float32, piece.exec());
  piece.fetch(array::kWritten, sum);
  piece.complete();
}

std::vector<Tile> tiles_of(const MergedShape& shape, std::int64_t begin, std::int64_t end) {
  std::vector<Tile> tiles;
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t row = at / shape.columns;
    const std::int64_t column = at % shape.columns;
    const std::int64_t rows_left = shape.rows - row % shape.rows;
    const std::int64_t whole_rows = std::min((end - at) / shape.columns, rows_left);
    Tile tile{at, row / shape.rows, {row % shape.rows, 1, column, std::min(shape.columns - column, end - at)}};
    if (column == 0 && whole_rows > 0) tile.window = {row % shape.rows, whole_rows, 0, shape.columns};
    tiles.push_back(tile);
    at += tile.elements();
  }
  return tiles;
}

Source added(const Source& base, const Addend& addend, const MergedShape& shape, Dtype dtype, std::size_t number,
             AddProduct add) {
  const std::int64_t unit = base.unit_elements() * size_of(dtype);
  return {.dtype = dtype,
          .bytes = shape.elements() * size_of(dtype),
          .unit = unit,
          .piece = std::max(kPieceBytes, unit),
          .made = Made::on_device,
          .read = [sum = std::make_shared<Sum>(base, addend, shape, dtype, number, add)](
                      std::int64_t begin, std::span<std::byte> made, Piece& piece) { sum->read(begin, made, piece); }};
}

}  // namespace qfuse::checkpoint
