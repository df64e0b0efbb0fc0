#include "checkpoint/convert/decode_gptq.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "checkpoint/files/errors.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int64_t kStripBytes = 2 * kPieceBytes;
constexpr std::int64_t kReadBytes = kPieceBytes / 16;  // per read
constexpr std::int64_t kCodes = 16;
// For each row modulo 8: its nibble in an AWQ word.
constexpr std::array<std::uint32_t, kCodesInWord> kAwqNibbles{0, 4, 1, 5, 2, 6, 3, 7};

// Some adjacent columns of a stored matrix, in all of its rows.
class Strip {
 public:
  explicit Strip(const StoredTensor& stored) : stored_(stored), size_(type_bits(stored.entry->type) / 8) {}

  void load(std::int64_t first, std::int64_t count) {
    const std::int64_t all = stored_.entry->shape[1];
    const std::int64_t rows = stored_.entry->shape[0];
    row_bytes_ = count * size_;
    bytes_.resize(static_cast<std::size_t>(rows * row_bytes_));
    // One read of contiguous whole rows costs a disk less than many short reads, unless the rows are long.
    const bool whole = all * size_ <= kReadBytes;
    const std::int64_t step =
        whole ? std::max<std::int64_t>(kReadBytes / std::max<std::int64_t>(all * size_, 1), 1) : 1;
    const std::int64_t from = whole ? 0 : first * size_;
    const std::int64_t pitch = whole ? all * size_ : row_bytes_;
    for (std::int64_t row = 0; row < rows; row += step) {
      const std::int64_t count_now = std::min(step, rows - row);
      read_.resize(static_cast<std::size_t>(count_now * pitch));
      stored_.read(row * all * size_ + from, read_);
      for (std::int64_t i = 0; i < count_now; ++i)
        std::memcpy(&bytes_[static_cast<std::size_t>((row + i) * row_bytes_)],
                    &read_[static_cast<std::size_t>(i * pitch + first * size_ - from)],
                    static_cast<std::size_t>(row_bytes_));
    }
  }

  // Returns a row, starting at the strip's first column.
  [[nodiscard]] const std::byte* row(std::int64_t row) const {
    return &bytes_[static_cast<std::size_t>(row * row_bytes_)];
  }
  [[nodiscard]] std::uint32_t word(std::int64_t row_index, std::int64_t column) const {
    return format::load_unaligned<std::uint32_t>(row(row_index), column);
  }

 private:
  StoredTensor stored_;
  std::int64_t size_;  // bytes per element
  std::int64_t row_bytes_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> read_;
};

class GptqRows {
 public:
  GptqRows(const StoredWeightGptq& weight, Dtype dtype)
      : weight_(weight), dtype_(dtype), codes_(weight.qweight), zeros_(weight.qzeros), scales_(weight.scales) {
    read_groups();
    const std::int64_t row_bytes =
        weight.columns / 2 + weight.groups * (type_bits(weight.scales.entry->type) / 8 + 1) + 1;
    most_rows_ = std::max(kStripBytes / row_bytes / kCodesInWord * kCodesInWord, kCodesInWord);
    words_.resize(static_cast<std::size_t>(weight.qweight.entry->shape[0]));
    values_.resize(static_cast<std::size_t>(weight.groups * kCodes * size_of(dtype)));
  }

  // Decodes elements from `first` on.
  void read(std::int64_t first, std::span<std::byte> out) {
    const std::int64_t end = first + std::ssize(out) / size_of(dtype_);
    for (std::int64_t at = first; at < end;) {
      const std::int64_t column = at % weight_.columns;
      const std::int64_t count = std::min(weight_.columns - column, end - at);
      prepare(at / weight_.columns);
      std::byte* const to = &out[static_cast<std::size_t>((at - first) * size_of(dtype_))];
      if (dtype_ == Dtype::float32)
        look_up<std::uint32_t>(column, count, to);
      else
        look_up<std::uint16_t>(column, count, to);
      at += count;
    }
  }

  // Like read(), but decodes each element by itself, as docs/FORMAT.md specifies.
  void read_by_oracle(std::int64_t first, std::span<std::byte> out) {
    const std::int64_t end = first + std::ssize(out) / size_of(dtype_);
    for (std::int64_t at = first; at < end; ++at) {
      const std::int64_t row = at / weight_.columns;
      if (row < first_row_ || row >= end_row_) load(row);
      format::store_rounded(out.data(), at - first, static_cast<qfuse_dtype>(dtype_),
                            value_by_oracle(row - first_row_, at % weight_.columns));
    }
  }

 private:
  [[nodiscard]] bool is_awq() const { return weight_.packing == Packing::awq; }

  // Sets first_values_: for each column, the index in values_ where its group's 16 values begin.
  void read_groups() {
    std::vector<std::int32_t> groups(static_cast<std::size_t>(weight_.columns));
    if (weight_.g_idx)
      weight_.g_idx->read(0, std::as_writable_bytes(std::span(groups)));
    else
      for (std::size_t i = 0; i < groups.size(); ++i)
        groups[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / weight_.group_size);
    for (const std::int32_t group : groups) {
      if (group < 0 || group >= weight_.groups)
        fail(Status::invalid_data, "{}: has group {}, and '{}' has {}", weight_.g_idx->where(), group,
             printable(weight_.scales.entry->name), weight_.groups);
      first_values_.push_back(static_cast<std::uint32_t>(group * kCodes));
    }
  }

  // Loads the strip that holds `row`, and prepares the codes and values of that row.
  void prepare(std::int64_t row) {
    if (row == row_) return;
    if (row < first_row_ || row >= end_row_) load(row);
    row_ = row;
    gather_words(row - first_row_);
    make_values(row - first_row_);
  }

  void load(std::int64_t row) {
    first_row_ = row / kCodesInWord * kCodesInWord;
    end_row_ = std::min(first_row_ + most_rows_, weight_.rows);
    const std::int64_t first_word = first_row_ / kCodesInWord;
    const std::int64_t words = qfuse_block_count(end_row_, kCodesInWord) - first_word;
    is_awq() ? codes_.load(first_word, words) : codes_.load(first_row_, end_row_ - first_row_);
    zeros_.load(first_word, words);
    scales_.load(first_row_, end_row_ - first_row_);
    gathered_ = -1;
  }

  // The words with the codes of a row are in one column of the file's matrix.
  void gather_words(std::int64_t row) {
    const std::int64_t column = is_awq() ? row / kCodesInWord : row;
    if (column == gathered_) return;
    gathered_ = column;
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = codes_.word(static_cast<std::int64_t>(i), column);
  }

  [[nodiscard]] std::uint32_t shift_of(std::int64_t row) const {
    const auto place = static_cast<std::size_t>(row % kCodesInWord);
    return 4 * (is_awq() ? kAwqNibbles[place] : static_cast<std::uint32_t>(place));
  }

  // Computes the decoded value of each code in each group.
  void make_values(std::int64_t row) {
    // Version 1 stores zero points minus 1: adds 1 to all eight of a word at once, with carries, as gptqmodel does.
    const std::uint32_t stored_less = weight_.packing == Packing::gptq ? 0x11111111U : 0U;
    const auto scale_dtype = static_cast<qfuse_dtype>(*dtype_of(weight_.scales.entry->type));
    for (std::int64_t group = 0; group < weight_.groups; ++group) {
      const std::uint32_t word = zeros_.word(group, row / kCodesInWord) + stored_less;
      const auto zero = static_cast<std::int64_t>((word >> shift_of(row)) & 15U);
      const float scale = format::load_as_float(scales_.row(group), row, scale_dtype);
      for (std::int64_t code = 0; code < kCodes; ++code)
        format::store_rounded(values_.data(), group * kCodes + code, static_cast<qfuse_dtype>(dtype_),
                              static_cast<float>(code - zero) * scale);
    }
  }

  // Decodes one element; `row` counts within the strip.
  [[nodiscard]] float value_by_oracle(std::int64_t row, std::int64_t column) const {
    const std::int64_t group = first_values_[static_cast<std::size_t>(column)] / kCodes;
    const std::uint32_t word =
        is_awq() ? codes_.word(column, row / kCodesInWord) : codes_.word(column / kCodesInWord, row);
    const std::uint32_t zeros = zeros_.word(group, row / kCodesInWord);
    const auto nibble = [](std::uint32_t from, std::int64_t i) { return static_cast<int>((from >> (4 * i)) & 15U); };
    constexpr std::array<std::int64_t, kCodesInWord> kAwqRows{0, 2, 4, 6,
                                                              1, 3, 5, 7};  // rows of the nibbles, lowest nibble first
    std::int64_t place = row % kCodesInWord;
    if (is_awq()) place = std::ranges::find(kAwqRows, place) - kAwqRows.begin();
    int zero = nibble(zeros, place);
    for (std::int64_t i = 0, carry = 1; weight_.packing == Packing::gptq && i <= place; ++i) {
      const std::int64_t sum = nibble(zeros, i) + carry;
      zero = static_cast<int>(sum % kCodes);
      carry = 1 + sum / kCodes;
    }
    const int code = nibble(word, is_awq() ? place : column % kCodesInWord);
    const auto scale_dtype = static_cast<qfuse_dtype>(*dtype_of(weight_.scales.entry->type));
    return static_cast<float>(code - zero) * format::load_as_float(scales_.row(group), row, scale_dtype);
  }

  template <class Value>
  void look_up(std::int64_t column, std::int64_t count, std::byte* out) const {
    const std::uint32_t shift = shift_of(row_);
    if (is_awq())
      look_up_codes<Value>(column, count, out,
                           [&](std::int64_t i) { return words_[static_cast<std::size_t>(i)] >> shift; });
    else
      look_up_codes<Value>(column, count, out, [&](std::int64_t i) {
        return words_[static_cast<std::size_t>(i / kCodesInWord)] >>
               (4 * (static_cast<std::uint32_t>(i) % kCodesInWord));
      });
  }

  template <class Value, class Code>
  void look_up_codes(std::int64_t column, std::int64_t count, std::byte* out, Code code) const {
    const std::byte* const values = values_.data();
    const std::uint32_t* const first_values = first_values_.data() + column;
    for (std::int64_t i = 0; i < count; ++i)
      format::store_unaligned(out, i,
                              format::load_unaligned<Value>(values, first_values[i] + (code(column + i) & 15U)));
  }

  StoredWeightGptq weight_;
  Dtype dtype_;
  Strip codes_;
  Strip zeros_;
  Strip scales_;
  std::vector<std::uint32_t> first_values_;
  std::int64_t most_rows_ = 0;  // rows per strip, at most
  std::int64_t first_row_ = 0;  // of the loaded strip
  std::int64_t end_row_ = 0;
  std::int64_t row_ = -1;       // the row that is prepared
  std::int64_t gathered_ = -1;  // the column whose words are in words_
  std::vector<std::uint32_t> words_;
  std::vector<std::byte> values_;
};

}  // namespace

Source decoded_gptq(const StoredWeightGptq& weight, Dtype dtype) {
  const bool is_empty = weight.rows == 0 || weight.columns == 0;  // never read, whatever its other sizes
  const auto rows = is_empty ? nullptr : std::make_shared<GptqRows>(weight, dtype);
  return {.dtype = dtype,
          .bytes = weight.rows * weight.columns * size_of(dtype),
          .unit = size_of(dtype),
          .read = [rows, dtype](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            const bool by_oracle = piece.exec().device.type == QFUSE_REFERENCE;
            by_oracle ? rows->read_by_oracle(begin / size_of(dtype), out) : rows->read(begin / size_of(dtype), out);
          }};
}

}  // namespace qfuse::checkpoint
