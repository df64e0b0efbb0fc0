#include "checkpoint/convert/block_encoding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checkpoint/convert/source.h"
#include "checkpoint/device/on_threads.h"
#include "checkpoint/files/errors.h"
#include "format/block_codes.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int32_t kMagnitude = 0x7fffffff;

// Elements that are worth a thread.
constexpr std::int64_t kLeastElements = 1 << 16;

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

// The rows of a stretch that are in one band: their values, where their codes and scales are stored, and memory to work
// in, which the next band of the thread uses again.
struct BlockEncoder::Band {
  std::int64_t rows = 0;
  std::byte* codes = nullptr;
  std::byte* scales = nullptr;
  std::vector<float> values;
  std::vector<std::int32_t> absmax;   // per block, as bits, which order magnitudes as integers do
  std::vector<float> factors;         // per block: factor of its values, or divisor
  std::vector<std::uint8_t> nibbles;  // of some rows, one per byte
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

// Calls visit(row, count, room) with the first row of each band, counted within the stretch, and the band's
// number of rows, from several threads. `room` is a thread's own.
template <class Room, class Visit>
void BlockEncoder::for_bands(std::int64_t elements, const Exec& exec, const Visit& visit) const {
  const BlockEncoding& of = encoding_;
  if (elements == 0) return;
  const std::int64_t end = elements / of.columns;
  const std::int64_t each = qfuse_block_count(of.rows, of.block_rows);  // bands per matrix
  const std::int64_t bands = end / of.rows * each + qfuse_block_count(end % of.rows, of.block_rows);
  const std::int64_t of_a_band = std::min(of.block_rows, of.rows) * of.columns;
  on_threads(exec, bands, std::max<std::int64_t>(kLeastElements / of_a_band, 1),
             [&](std::int64_t band, std::int64_t until) {
               for (Room room; band < until; ++band) {
                 const std::int64_t within = band % each * of.block_rows;
                 const std::int64_t row = band / each * of.rows + within;
                 visit(row, std::min({of.block_rows, of.rows - within, end - row}), room);
               }
             });
}

void BlockEncoder::encode(std::int64_t first, std::span<const std::byte> values, Dtype dtype,
                          std::span<std::byte> codes, std::span<std::byte> scales, const Exec& exec) {
  if (encoding_.scales) read_kept(encoding_.columns == 0 ? 0 : first / encoding_.columns, scales);
  const std::int64_t row_bytes = encoding_.columns * size_of(dtype);
  for_bands<Band>(std::ssize(values) / size_of(dtype), exec, [&](std::int64_t row, std::int64_t count, Band& band) {
    band.rows = count;
    band.codes = codes.data() + encoding_.code_bytes(row);
    band.scales = scales.data() + encoding_.scale_bytes(row);
    band.values.resize(static_cast<std::size_t>(count * encoding_.columns));
    widen(dtype, values.subspan(static_cast<std::size_t>(row * row_bytes), static_cast<std::size_t>(count * row_bytes)),
          band.values);
    encode_band(band, dtype);
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

void BlockEncoder::encode_band(Band& band, Dtype dtype) const {
  find_absmax(band);
  check_finite(band);
  if (encoding_.is_fp8()) return encode_fp8(band, dtype);
  encoding_.is_upright() ? encode_upright(band) : encode_rows(band);
}

void BlockEncoder::find_absmax(Band& band) const {
  const std::int64_t columns = encoding_.columns;
  const std::int64_t width = encoding_.block_columns;
  band.absmax.assign(static_cast<std::size_t>(qfuse_block_count(columns, width)), 0);
  for (std::int64_t row = 0; row < band.rows; ++row) {
    const float* const values = band.values.data() + row * columns;
    if (width == 1) {
      for (std::int64_t c = 0; c < columns; ++c)
        band.absmax[static_cast<std::size_t>(c)] = larger(band.absmax[static_cast<std::size_t>(c)], values[c]);
      continue;
    }
    for (std::int64_t c = 0, block = 0; c < columns; c += width, ++block) {
      std::int32_t most = band.absmax[static_cast<std::size_t>(block)];
      for (std::int64_t i = c; i < std::min(c + width, columns); ++i) most = larger(most, values[i]);
      band.absmax[static_cast<std::size_t>(block)] = most;
    }
  }
}

void BlockEncoder::check_finite(const Band& band) const {
  if (std::ranges::all_of(band.absmax,
                          [](std::int32_t most) { return most < static_cast<std::int32_t>(format::kInfBits); }))
    return;
  fail(Status::invalid_data,
       "{}: with the adapters it has NaN or infinity, which codes with scales of blocks cannot hold: merge to 16 bits",
       encoding_.where);
}

// Sets the scale of an FP8 block unless it is kept. Returns the factor (fp8_divided: divisor) of its values.
float BlockEncoder::set_fp8_scale(const Band& band, std::int64_t block) const {
  const TensorType type = encoding_.scale_type;
  const float absmax = format::float_of(static_cast<std::uint32_t>(band.absmax[static_cast<std::size_t>(block)]));
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

void BlockEncoder::encode_fp8(Band& band, Dtype dtype) const {
  band.factors.resize(band.absmax.size());
  for (std::size_t block = 0; block < band.absmax.size(); ++block)
    band.factors[block] = set_fp8_scale(band, static_cast<std::int64_t>(block));
  const bool is_divided = encoding_.rule == BlockRule::fp8_divided;
  const Dtype quotient = dtype_of(encoding_.scale_type) == dtype ? dtype : Dtype::float32;
  for (std::int64_t row = 0; row < band.rows; ++row)
    for (std::int64_t begin = 0; begin < encoding_.columns; begin += encoding_.block_columns) {
      const float factor = band.factors[static_cast<std::size_t>(begin / encoding_.block_columns)];
      const float* const values = band.values.data() + row * encoding_.columns;
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
void BlockEncoder::set_mx_scale(Band& band, std::size_t block) const {
  const float absmax = format::float_of(static_cast<std::uint32_t>(band.absmax[block]));
  const bool is_nearest = encoding_.rule == BlockRule::mxfp4_nearest;
  if (!encoding_.scales)
    band.scales[block] = static_cast<std::byte>(is_nearest ? format::mx_exponent_of_nearest(absmax)
                                                           : format::mx_exponent_rounded_up(absmax));
  const auto exponent = static_cast<std::uint8_t>(band.scales[block]);
  band.factors[block] = is_nearest ? 1.0F / format::from_ue8m0(exponent) : format::mx_factor(exponent);
}

float BlockEncoder::kept_scale(const std::byte* scales, std::int64_t block) const {
  const float scale = load_scale(scales, block, encoding_.scale_type);
  if (!encoding_.global_scale) return scale;
  return encoding_.is_divisor ? scale / global_ : scale * global_;
}

// Encodes one row, whose blocks are consecutive columns.
void BlockEncoder::encode_rows(Band& band) const {
  band.nibbles.resize(static_cast<std::size_t>(encoding_.columns));
  band.factors.resize(band.absmax.size());
  for (std::size_t block = 0; block < band.absmax.size(); ++block) {
    const auto begin = static_cast<std::int64_t>(block) * encoding_.block_columns;
    const std::int64_t end = std::min(begin + encoding_.block_columns, encoding_.columns);
    const float* const values = band.values.data();
    std::uint8_t* const nibbles = band.nibbles.data();
    if (encoding_.rule == BlockRule::nvfp4_of_scale) {
      const float scale = kept_scale(band.scales, static_cast<std::int64_t>(block));
      const float divisor = scale == 0.0F ? format::float_of(format::kInfBits) : scale;  // infinity makes all codes 0
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_even(values[i] / divisor);
      continue;
    }
    set_mx_scale(band, block);
    const float factor = band.factors[block];
    if (encoding_.rule == BlockRule::mxfp4)
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_up(values[i] * factor);
    else
      for (std::int64_t i = begin; i < end; ++i) nibbles[i] = format::to_e2m1_even(values[i] * factor);
  }
  pack(band.nibbles, band.codes);
}

// Encodes a band of MXFP4 whose blocks run along columns: two rows at a time, because their codes share bytes.
void BlockEncoder::encode_upright(Band& band) const {
  const auto columns = static_cast<std::size_t>(encoding_.columns);
  const auto pairs = static_cast<std::size_t>(band.rows / 2);
  band.factors.resize(columns);
  for (std::size_t block = 0; block < columns; ++block) set_mx_scale(band, block);
  band.nibbles.resize(pairs * columns);
  const float* const factors = band.factors.data();  // a local: stores of bytes may alias the member
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const float* const low = band.values.data() + 2 * pair * columns;
    const float* const high = low + columns;
    std::uint8_t* const bytes = band.nibbles.data() + pair * columns;
    for (std::size_t c = 0; c < columns; ++c)
      bytes[c] = static_cast<std::uint8_t>(format::to_e2m1_up(low[c] * factors[c]) |
                                           format::to_e2m1_up(high[c] * factors[c]) << 4);
  }
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t pair = 0; pair < pairs; ++pair)
      band.codes[c * pairs + pair] = static_cast<std::byte>(band.nibbles[pair * columns + c]);
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

void BlockEncoder::decode(std::span<const std::byte> codes, std::span<const std::byte> scales, std::span<float> values,
                          const Exec& exec) const {
  const std::int64_t blocks = qfuse_block_count(encoding_.columns, encoding_.block_columns);
  for_bands<std::vector<float>>(std::ssize(values), exec,
                                [&](std::int64_t row, std::int64_t count, std::vector<float>& of_blocks) {
                                  of_blocks.resize(static_cast<std::size_t>(blocks));
                                  const std::byte* const stored_ones = scales.data() + encoding_.scale_bytes(row);
                                  for (std::int64_t block = 0; block < blocks; ++block)
                                    of_blocks[static_cast<std::size_t>(block)] = kept_scale(stored_ones, block);
                                  decode_band(codes.data() + encoding_.code_bytes(row), count, of_blocks,
                                              values.data() + row * encoding_.columns);
                                });
}

}  // namespace qfuse::checkpoint
