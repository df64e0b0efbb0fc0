#include "checkpoint/convert/block_encoding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/errors.h"
#include "format/block_codes.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int32_t kMagnitude = 0x7fffffff;

std::int64_t bytes_of_scale(TensorType type) { return type_bits(type) / 8; }

void store_scale(std::byte* scales, std::int64_t i, TensorType type, float value) {
  if (const std::optional<Dtype> dtype = dtype_of(type))
    format::store_rounded(scales, i, static_cast<qfuse_dtype>(*dtype), value);
  else
    format::store_unaligned(scales, i, format::to_ue8m0(value));
}

float load_scale(const std::byte* scales, std::int64_t i, TensorType type) {
  return format::load_scale(scales, i, static_cast<qfuse_scale_type>(scale_type_of(type)));
}

// The larger of `absmax` and the magnitude of `value`, both as bits.
std::int32_t larger(std::int32_t absmax, float value) {
  return std::max(absmax, static_cast<std::int32_t>(format::bits_of(value)) & kMagnitude);
}

void pack(std::span<const std::uint8_t> nibbles, std::byte* codes) {
  for (std::size_t i = 0; i < nibbles.size() / 2; ++i)
    codes[i] = static_cast<std::byte>(nibbles[2 * i] | nibbles[2 * i + 1] << 4);
}

// The quotient, rounded to `dtype`, the dtype of both operands, if it has 16 bits.
float quotient_in(Dtype dtype, float value, float divisor) {
  const float quotient = value / divisor;
  return dtype == Dtype::bfloat16  ? format::from_bfloat16(format::to_bfloat16(quotient))
         : dtype == Dtype::float16 ? format::from_float16(format::to_float16(quotient))
                                   : quotient;
}

float epsilon_of(TensorType type) {
  return type == TensorType::bf16 ? 0x1p-7F : type == TensorType::f16 ? 0x1p-10F : 0x1p-23F;
}

constexpr auto kE4m3Values = [] {
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code)
    values[code] = format::from_e4m3(static_cast<std::uint8_t>(code));
  return values;
}();

float e2m1_at(const std::byte* codes, std::int64_t i) {
  const auto pair = static_cast<std::uint8_t>(codes[i / 2]);
  return format::kE2m1[i % 2 == 0 ? pair & 15U : pair >> 4U];
}

}  // namespace

// The rows of a stretch that are in one band: their values, and where their codes and scales are stored.
struct BlockEncoder::Band {
  std::int64_t rows = 0;
  const float* values = nullptr;
  std::byte* codes = nullptr;
  std::byte* scales = nullptr;
};

std::int64_t BlockEncoding::unit() const {
  const std::int64_t band = std::min(block_rows, rows);
  // Bands of a stack's later matrices begin at multiples of a band only if no matrix ends in a shorter band.
  const bool are_even = matrices == 1 || band == 0 || rows % band == 0;
  return std::max<std::int64_t>((are_even ? band : rows) * columns, 1);
}

std::int64_t BlockEncoding::code_bytes(std::int64_t row_count) const {
  return is_fp8() ? row_count * columns : row_count * columns / 2;
}

std::int64_t BlockEncoding::scale_bytes(std::int64_t row_count) const {
  if (rows == 0) return 0;
  const std::int64_t bands =
      row_count / rows * qfuse_block_count(rows, block_rows) + qfuse_block_count(row_count % rows, block_rows);
  return bands * qfuse_block_count(columns, block_columns) * bytes_of_scale(scale_type);
}

BlockEncoder::BlockEncoder(BlockEncoding encoding) : encoding_(std::move(encoding)) {
  if (encoding_.global_scale) encoding_.global_scale->read(0, std::as_writable_bytes(std::span(&global_, 1)));
}

// Calls `visit` with the first row of each band, counted within the stretch, and the band's number of rows.
template <class Visit>
void BlockEncoder::for_each_band(std::int64_t elements, const Visit& visit) const {
  const std::int64_t end = encoding_.columns == 0 ? 0 : elements / encoding_.columns;
  for (std::int64_t row = 0, count = 0; row < end; row += count) {
    count = std::min({encoding_.block_rows, encoding_.rows - row % encoding_.rows, end - row});
    visit(row, count);
  }
}

void BlockEncoder::encode(std::int64_t first, std::span<const std::byte> values, Dtype dtype,
                          std::span<std::byte> codes, std::span<std::byte> scales) {
  const std::int64_t first_row = encoding_.columns == 0 ? 0 : first / encoding_.columns;
  if (encoding_.scales) read_kept(first_row, scales);
  for_each_band(std::ssize(values) / size_of(dtype), [&](std::int64_t row, std::int64_t count) {
    const auto elements = static_cast<std::size_t>(count * encoding_.columns);
    const auto begin = static_cast<std::size_t>(row * encoding_.columns);
    const auto width = static_cast<std::size_t>(size_of(dtype));
    band_.resize(elements);
    widen(dtype, values.subspan(begin * width, elements * width), band_);
    encode_band(
        {count, band_.data(), codes.data() + encoding_.code_bytes(row), scales.data() + encoding_.scale_bytes(row)},
        dtype);
  });
}

// Reads the kept scales of the rows from `first_row` on into `scales`, in the order of bands.
void BlockEncoder::read_kept(std::int64_t first_row, std::span<std::byte> scales) {
  if (!encoding_.is_upright()) return encoding_.scales->read(encoding_.scale_bytes(first_row), scales);
  const std::int64_t columns = encoding_.columns;
  const std::int64_t bands = encoding_.rows / encoding_.block_rows;
  for (std::int64_t i = 0; i < std::ssize(scales); ++i) {
    const std::int64_t band = first_row / encoding_.block_rows + i / columns;
    if (band / bands != kept_matrix_) {
      kept_matrix_ = band / bands;
      kept_.resize(static_cast<std::size_t>(bands * columns));
      encoding_.scales->read(kept_matrix_ * bands * columns, kept_);
    }
    scales[static_cast<std::size_t>(i)] = kept_[static_cast<std::size_t>(i % columns * bands + band % bands)];
  }
}

void BlockEncoder::encode_band(const Band& band, Dtype dtype) {
  find_absmax(band);
  check_finite();
  if (encoding_.is_fp8()) return encode_fp8(band, dtype);
  encoding_.is_upright() ? encode_upright(band) : encode_rows(band);
}

void BlockEncoder::find_absmax(const Band& band) {
  const std::int64_t columns = encoding_.columns;
  const std::int64_t width = encoding_.block_columns;
  absmax_.assign(static_cast<std::size_t>(qfuse_block_count(columns, width)), 0);
  for (std::int64_t row = 0; row < band.rows; ++row) {
    const float* const values = band.values + row * columns;
    if (width == 1) {
      for (std::int64_t c = 0; c < columns; ++c)
        absmax_[static_cast<std::size_t>(c)] = larger(absmax_[static_cast<std::size_t>(c)], values[c]);
      continue;
    }
    for (std::int64_t c = 0, block = 0; c < columns; c += width, ++block) {
      std::int32_t most = absmax_[static_cast<std::size_t>(block)];
      for (std::int64_t i = c; i < std::min(c + width, columns); ++i) most = larger(most, values[i]);
      absmax_[static_cast<std::size_t>(block)] = most;
    }
  }
}

void BlockEncoder::check_finite() const {
  if (std::ranges::all_of(absmax_,
                          [](std::int32_t most) { return most < static_cast<std::int32_t>(format::kInfBits); }))
    return;
  fail(Status::invalid_data,
       "{}: with the adapters it has NaN or infinity, which codes with scales of blocks cannot hold: merge to 16 bits",
       encoding_.where);
}

// Sets the scale of an FP8 block unless it is kept. Returns the factor (fp8_divided: divisor) of its values.
float BlockEncoder::set_fp8_scale(const Band& band, std::int64_t block) {
  const TensorType type = encoding_.scale_type;
  const float absmax = format::float_of(static_cast<std::uint32_t>(absmax_[static_cast<std::size_t>(block)]));
  const bool is_divided = encoding_.rule == BlockRule::fp8_divided;
  if (encoding_.scales) {
    const float scale = load_scale(band.scales, block, type);
    return is_divided ? scale : scale == 0.0F ? 0.0F : 1.0F / scale;
  }
  if (is_divided) {
    store_scale(band.scales, block, type, format::fp8_divisor(absmax));
    if (load_scale(band.scales, block, type) == 0.0F) store_scale(band.scales, block, type, epsilon_of(type));
    return load_scale(band.scales, block, type);
  }
  const format::BlockScale made =
      encoding_.rule == BlockRule::fp8 ? format::fp8_block_scale(absmax) : format::fp8_power_scale(absmax);
  store_scale(band.scales, block, type, made.scale);
  return type == TensorType::f32 ? made.factor : 1.0F / load_scale(band.scales, block, type);
}

void BlockEncoder::encode_fp8(const Band& band, Dtype dtype) {
  factors_.resize(absmax_.size());
  for (std::size_t block = 0; block < absmax_.size(); ++block)
    factors_[block] = set_fp8_scale(band, static_cast<std::int64_t>(block));
  const bool is_divided = encoding_.rule == BlockRule::fp8_divided;
  const Dtype quotient = dtype_of(encoding_.scale_type) == dtype ? dtype : Dtype::float32;
  for (std::int64_t row = 0; row < band.rows; ++row)
    for (std::int64_t begin = 0; begin < encoding_.columns; begin += encoding_.block_columns) {
      const float factor = factors_[static_cast<std::size_t>(begin / encoding_.block_columns)];
      const float* const values = band.values + row * encoding_.columns;
      std::byte* const codes = band.codes + row * encoding_.columns;
      const std::int64_t end = std::min(begin + encoding_.block_columns, encoding_.columns);
      if (is_divided)
        for (std::int64_t i = begin; i < end; ++i)
          codes[i] = static_cast<std::byte>(format::number_to_e4m3(quotient_in(quotient, values[i], factor)));
      else
        for (std::int64_t i = begin; i < end; ++i)
          codes[i] = static_cast<std::byte>(format::number_to_e4m3(values[i] * factor));
    }
}

// Sets the exponent of an MXFP4 block unless it is kept, and the factor of its values.
void BlockEncoder::set_mx_scale(const Band& band, std::size_t block) {
  const float absmax = format::float_of(static_cast<std::uint32_t>(absmax_[block]));
  const bool is_nearest = encoding_.rule == BlockRule::mxfp4_nearest;
  if (!encoding_.scales)
    band.scales[block] = static_cast<std::byte>(is_nearest ? format::mx_exponent_of_nearest(absmax)
                                                           : format::mx_exponent_rounded_up(absmax));
  const auto exponent = static_cast<std::uint8_t>(band.scales[block]);
  factors_[block] = is_nearest ? 1.0F / format::from_ue8m0(exponent) : format::mx_factor(exponent);
}

float BlockEncoder::kept_scale(const std::byte* scales, std::int64_t block) const {
  const float scale = load_scale(scales, block, encoding_.scale_type);
  if (!encoding_.global_scale) return scale;
  return encoding_.is_divisor ? scale / global_ : scale * global_;
}

// Encodes one row, whose blocks are consecutive columns.
void BlockEncoder::encode_rows(const Band& band) {
  nibbles_.resize(static_cast<std::size_t>(encoding_.columns));
  factors_.resize(absmax_.size());
  for (std::size_t block = 0; block < absmax_.size(); ++block) {
    const auto begin = static_cast<std::int64_t>(block) * encoding_.block_columns;
    const std::int64_t end = std::min(begin + encoding_.block_columns, encoding_.columns);
    const float* const values = band.values;
    std::uint8_t* const nibbles = nibbles_.data();
    if (encoding_.rule == BlockRule::nvfp4_of_scale) {
      const float scale = kept_scale(band.scales, static_cast<std::int64_t>(block));
      const float divisor = scale == 0.0F ? format::float_of(format::kInfBits) : scale;  // infinity makes all codes 0
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_even(values[i] / divisor);
      continue;
    }
    set_mx_scale(band, block);
    const float factor = factors_[block];
    if (encoding_.rule == BlockRule::mxfp4)
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_up(values[i] * factor);
    else
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_even(values[i] * factor);
  }
  pack(nibbles_, band.codes);
}

// Encodes a band of MXFP4 whose blocks run along columns: two rows at a time, because their codes share bytes.
void BlockEncoder::encode_upright(const Band& band) {
  const auto columns = static_cast<std::size_t>(encoding_.columns);
  const auto pairs = static_cast<std::size_t>(band.rows / 2);
  factors_.resize(columns);
  for (std::size_t block = 0; block < columns; ++block) set_mx_scale(band, block);
  nibbles_.resize(pairs * columns);
  const float* const factors = factors_.data();  // a local: stores of bytes may alias the member
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const float* const low = band.values + 2 * pair * columns;
    const float* const high = low + columns;
    std::uint8_t* const bytes = nibbles_.data() + pair * columns;
    for (std::size_t c = 0; c < columns; ++c)
      bytes[c] = static_cast<std::uint8_t>(format::to_e2m1_up(low[c] * factors[c]) |
                                           format::to_e2m1_up(high[c] * factors[c]) << 4);
  }
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t pair = 0; pair < pairs; ++pair)
      band.codes[c * pairs + pair] = static_cast<std::byte>(nibbles_[pair * columns + c]);
}

// Decodes the codes of a band. `scales` has one scale per block.
void BlockEncoder::decode_band(const std::byte* codes, std::int64_t rows, std::span<const float> scales,
                               float* values) const {
  const std::int64_t columns = encoding_.columns;
  if (encoding_.is_upright()) {  // the codes of a column are consecutive
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t r = 0; r < rows; ++r)
        values[r * columns + c] = scales[static_cast<std::size_t>(c)] * e2m1_at(codes, c * rows + r);
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t begin = r * columns, block = 0; begin < (r + 1) * columns;
         begin += encoding_.block_columns, ++block) {
      const float scale = scales[static_cast<std::size_t>(block)];
      const std::int64_t end = std::min(begin + encoding_.block_columns, (r + 1) * columns);
      if (encoding_.is_fp8())
        for (std::int64_t i = begin; i < end; ++i) values[i] = scale * kE4m3Values[static_cast<std::uint8_t>(codes[i])];
      else
        for (std::int64_t i = begin; i < end; ++i) values[i] = scale * e2m1_at(codes, i);
    }
}

void BlockEncoder::decode(std::span<const std::byte> codes, std::span<const std::byte> scales,
                          std::span<float> values) const {
  std::vector<float> of_blocks(static_cast<std::size_t>(qfuse_block_count(encoding_.columns, encoding_.block_columns)));
  for_each_band(std::ssize(values), [&](std::int64_t row, std::int64_t count) {
    const std::byte* const stored_ones = scales.data() + encoding_.scale_bytes(row);
    for (std::size_t block = 0; block < of_blocks.size(); ++block)
      of_blocks[block] = kept_scale(stored_ones, static_cast<std::int64_t>(block));
    decode_band(codes.data() + encoding_.code_bytes(row), count, of_blocks, values.data() + row * encoding_.columns);
  });
}

}  // namespace qfuse::checkpoint
