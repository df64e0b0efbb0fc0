#include "checkpoint/merge/dora.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "checkpoint/files/adapter.h"
#include "checkpoint/merge/sum.h"

namespace qfuse::checkpoint {
namespace {

class Lengths {
 public:
  Lengths(Source sum, Addend addend, const MergedShape& shape, Dtype dtype)
      : sum_(std::move(sum)), addend_(std::move(addend)), shape_(shape), dtype_(dtype) {}

  void read(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    if (scales_.empty()) find_scales(piece);
    const std::int64_t first = begin / size_of(dtype_);
    const std::int64_t count = std::ssize(out) / size_of(dtype_);
    const std::span<float> sums = read_sums(first, count, piece);
    for (const Tile& tile : tiles_of(shape_, first, first + count))
      multiply(tile,
               sums.subspan(static_cast<std::size_t>(tile.begin - first), static_cast<std::size_t>(tile.elements())));
    round_to(dtype_, sums, out);
  }

 private:
  std::span<float> read_sums(std::int64_t first, std::int64_t count, Piece& piece) const {
    const auto bytes = piece.host(array::kNorms, static_cast<std::size_t>(count) * sizeof(float));
    read_now(sum_, first * size_of(sum_.dtype), bytes, piece, array::kNorms);
    return {reinterpret_cast<float*>(bytes.data()), static_cast<std::size_t>(count)};
  }

  void multiply(const Tile& tile, std::span<float> sums) const {
    const auto columns = static_cast<std::size_t>(tile.window.columns);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] *= scales_[addend_.of_columns ? static_cast<std::size_t>(tile.window.first_column) + i % columns
                                            : static_cast<std::size_t>(tile.window.first_row) + i / columns];
  }

  // Squares are exact in fp64, and are summed in fp64 in ascending order of index.
  void find_scales(Piece& piece) {
    const std::int64_t columns = shape_.columns;
    std::vector<double> squares(static_cast<std::size_t>(addend_.of_columns ? columns : shape_.rows));
    const std::int64_t most = sum_.piece / size_of(sum_.dtype);
    for (std::int64_t at = 0; at < sum_.elements(); at += most) {
      const std::span<const float> sums = read_sums(at, std::min(most, sum_.elements() - at), piece);
      for (std::int64_t i = 0; i < std::ssize(sums); ++i) {
        const double v = sums[static_cast<std::size_t>(i)];
        squares[static_cast<std::size_t>(addend_.of_columns ? (at + i) % columns : (at + i) / columns)] += v * v;
      }
    }
    scales_.resize(squares.size());
    read_as_float(*addend_.magnitude, 0, scales_);
    for (std::size_t i = 0; i < scales_.size(); ++i)
      scales_[i] = static_cast<float>(static_cast<double>(scales_[i]) / std::sqrt(squares[i]));
  }

  Source sum_;
  Addend addend_;
  MergedShape shape_;
  Dtype dtype_;
  std::vector<float> scales_;  // magnitude / norm, per row or column
};

}  // namespace

Source with_lengths(const Source& sum, const Addend& addend, const MergedShape& shape, Dtype dtype) {
  const std::int64_t unit = sum.unit_elements() * size_of(dtype);
  return {
      .dtype = dtype,
      .bytes = shape.elements() * size_of(dtype),
      .unit = unit,
      .piece = std::max(kPieceBytes, unit),
      .read = [lengths = std::make_shared<Lengths>(sum, addend, shape, dtype)](
                  std::int64_t begin, std::span<std::byte> out, Piece& piece) { lengths->read(begin, out, piece); }};
}

}  // namespace qfuse::checkpoint
