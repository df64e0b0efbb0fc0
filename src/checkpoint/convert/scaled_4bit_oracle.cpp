#include "checkpoint/convert/scaled_4bit_oracle.h"

#include <algorithm>
#include <array>
#include <vector>

#include "checkpoint/convert/source.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// The same range of bytes from each of several rows of a stored matrix.
class StoredRows {
 public:
  StoredRows(const StoredTensor& stored, std::int64_t row_bytes, std::int64_t rows, std::int64_t first_row,
             std::int64_t first_byte, std::int64_t length)
      : first_row_(first_row), first_byte_(first_byte), length_(length) {
    bytes_.resize(static_cast<std::size_t>(rows * length));
    for (std::int64_t row = 0; row < rows; ++row)
      stored.read((first_row + row) * row_bytes + first_byte,
                  std::span(bytes_).subspan(static_cast<std::size_t>(row * length), static_cast<std::size_t>(length)));
  }

  // `row` and `byte` count within the whole matrix.
  [[nodiscard]] const std::byte* at(std::int64_t row, std::int64_t byte) const {
    return &bytes_.at(static_cast<std::size_t>((row - first_row_) * length_ + byte - first_byte_));
  }

 private:
  std::int64_t first_row_;
  std::int64_t first_byte_;
  std::int64_t length_;
  std::vector<std::byte> bytes_;
};

float e2m1_of(unsigned nibble) {
  constexpr std::array<float, 8> kMagnitudes{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  return nibble < 8 ? kMagnitudes.at(nibble) : -kMagnitudes.at(nibble - 8);
}

// A range of rows and columns, where the rows of all matrices count as one sequence.
struct OracleWindow {
  std::int64_t first_row = 0;
  std::int64_t end_row = 0;
  std::int64_t first_column = 0;
  std::int64_t end_column = 0;
  [[nodiscard]] std::int64_t rows() const { return end_row - first_row; }
};

class WindowOracle {
 public:
  WindowOracle(const StoredWeightScaled4bit& weight, const OracleWindow& window)
      : weight_(weight),
        scale_bytes_(type_bits(weight.scales.entry->type) / 8),
        codes_(weight.codes, weight.row_bytes, window.rows(), window.first_row, window.first_column / 2,
               (window.end_column + 1) / 2 - window.first_column / 2),
        scales_(
            weight.scales, weight.blocks() * scale_bytes_, window.rows(), window.first_row,
            window.first_column / weight.blocksize * scale_bytes_,
            ((window.end_column - 1) / weight.blocksize + 1 - window.first_column / weight.blocksize) * scale_bytes_) {
    constexpr std::int64_t kWord = 4;
    if (weight.zero_points)
      zero_points_.emplace(*weight.zero_points, weight.blocks() * kWord,
                           (window.end_row - 1) / 8 + 1 - window.first_row / 8, window.first_row / 8, 0,
                           weight.blocks() * kWord);
    if (weight.global_scale) weight.global_scale->read(0, std::as_writable_bytes(std::span(&global_, 1)));
  }

  [[nodiscard]] float value(std::int64_t row, std::int64_t column) const {
    const std::int64_t block = column / weight_.blocksize;
    const auto byte = std::to_integer<unsigned>(*codes_.at(row, column / 2));
    const unsigned nibble = column % 2 == 0 ? byte % 16 : byte / 16;
    const auto scale_type = static_cast<qfuse_scale_type>(scale_type_of(weight_.scales.entry->type));
    float scale = format::load_scale(scales_.at(row, block * scale_bytes_), 0, scale_type);
    if (weight_.global_scale) scale = weight_.is_divisor ? scale / global_ : scale * global_;
    if (weight_.quant_type == QuantType::int4)
      return static_cast<float>(static_cast<int>(nibble) - zero(row, block)) * scale;
    return (weight_.is_zero_unsigned && nibble == 8 ? 0.0F : e2m1_of(nibble)) * scale;
  }

 private:
  // A word holds the zero points of eight rows, the first row's in its lowest nibble.
  [[nodiscard]] int zero(std::int64_t row, std::int64_t block) const {
    if (!zero_points_) return 8;
    const std::byte* const word = zero_points_->at(row / 8, block * 4);
    return static_cast<int>(format::load_unaligned<std::uint32_t>(word, 0) >> (row % 8 * 4) & 15U);
  }

  const StoredWeightScaled4bit& weight_;
  std::int64_t scale_bytes_;
  StoredRows codes_;
  StoredRows scales_;
  std::optional<StoredRows> zero_points_;
  float global_ = 1.0F;
};

}  // namespace

void decode_by_oracle(const StoredWeightScaled4bit& weight, Dtype dtype, std::int64_t first, std::span<std::byte> out) {
  const std::int64_t inner = weight.is_transposed ? weight.rows : weight.columns;
  const std::int64_t matrix = weight.rows * weight.columns;
  const std::int64_t end = first + std::ssize(out) / size_of(dtype);
  for (std::int64_t at = first; at < end;) {
    const std::int64_t stop = weight.is_transposed ? std::min(end, (at / matrix + 1) * matrix) : end;
    const std::int64_t begin_outer = at / inner;
    const std::int64_t end_outer = (stop - 1) / inner + 1;
    const bool is_one = end_outer == begin_outer + 1;
    OracleWindow window{begin_outer, end_outer, is_one ? at % inner : 0, is_one ? (stop - 1) % inner + 1 : inner};
    if (weight.is_transposed) {
      const std::int64_t above = at / matrix * weight.rows;  // rows of the matrices before this one
      window = {above + window.first_column, above + window.end_column, begin_outer - at / matrix * weight.columns,
                end_outer - at / matrix * weight.columns};
    }
    const WindowOracle oracle(weight, window);
    for (; at < stop; ++at) {
      const std::int64_t row = weight.is_transposed ? at / matrix * weight.rows + at % inner : at / inner;
      const std::int64_t column = weight.is_transposed ? at % matrix / inner : at % inner;
      format::store_rounded(out.data(), at - first, static_cast<qfuse_dtype>(dtype), oracle.value(row, column));
    }
  }
}

}  // namespace qfuse::checkpoint
