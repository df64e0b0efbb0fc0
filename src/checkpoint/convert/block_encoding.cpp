#include "checkpoint/convert/block_encoding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checkpoint/convert/element_loops.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/device/on_threads.h"
#include "checkpoint/files/errors.h"
#include "format/block_codes.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// Elements, at least, that are worth a thread, and at most those that it encodes at once if blocks are smaller.
constexpr std::int64_t kTileElements = 1 << 16;

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

float epsilon_of(TensorType type) {
  return type == TensorType::bf16 ? 0x1p-7F : type == TensorType::f16 ? 0x1p-10F : 0x1p-23F;
}

constexpr float kLeastFloat16 = 0x1p-24F;  // of the types that scales are rounded to, only F16 rounds them to zero

constexpr auto kE4m3Values = [] {
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code)
    values[code] = format::from_e4m3(static_cast<std::uint8_t>(code));
  return values;
}();

// The values of both codes in a byte.
using Pairs = std::array<float, 512>;
constexpr Pairs pairs_of(const std::array<float, 16>& values) {
  Pairs pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = values[i % 2 == 0 ? i / 2 & 15U : i / 2 >> 4U];
  return pairs;
}
constexpr Pairs kE2m1Pairs = pairs_of(format::kE2m1);
constexpr Pairs kInt4Pairs = pairs_of(format::kSignedNibbles);

// The values of codes i and i + 1. i is even.
const float* pair_at(const Pairs& pairs, const std::byte* codes, std::int64_t i) {
  return pairs.data() + std::size_t{2} * static_cast<std::uint8_t>(codes[i / 2]);
}

}  // namespace

// Whole blocks of one band: rows of a stretch, and columns.
struct BlockEncoder::Part {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;
};

// A part to encode: its values, where its codes and scales are stored, and memory to work in, which the next part of
// the thread uses again.
struct BlockEncoder::Work : Part {
  std::byte* codes = nullptr;
  std::byte* scales = nullptr;
  std::vector<float> values;
  std::vector<std::int32_t> absmax;   // per block, as bits, which order magnitudes as integers do
  std::vector<float> factors;         // per block: factor of its values, or divisor
  std::vector<std::uint8_t> nibbles;  // of some rows, one per byte
};

std::span<const float> BlockEncoder::row_of(const Work& work, std::int64_t row) {
  const auto columns = static_cast<std::size_t>(work.columns);
  return std::span(work.values).subspan(static_cast<std::size_t>(row) * columns, columns);
}

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

// Calls visit(part, room) for the parts of a stretch, from several threads. `room` is a thread's own.
template <class Room, class Visit>
void BlockEncoder::for_parts(std::int64_t elements, const Exec& exec, const Visit& visit) const {
  const BlockEncoding& of = encoding_;
  if (elements == 0) return;
  const std::int64_t end = elements / of.columns;
  const std::int64_t bands = qfuse_block_count(of.rows, of.block_rows);  // per matrix
  const std::int64_t all_bands = end / of.rows * bands + qfuse_block_count(end % of.rows, of.block_rows);
  const std::int64_t rows = std::min(of.block_rows, of.rows);
  const std::int64_t block = std::min(of.block_columns, of.columns);
  const std::int64_t width = std::min(std::max<std::int64_t>(kTileElements / rows / block, 1) * block, of.columns);
  const std::int64_t parts = qfuse_block_count(of.columns, width);  // per band
  const auto visit_all = [&](std::int64_t number, std::int64_t until) {
    for (Room room; number < until; ++number) {
      const std::int64_t band = number / parts;
      const std::int64_t within = band % bands * of.block_rows;
      const std::int64_t row = band / bands * of.rows + within;
      const std::int64_t column = number % parts * width;
      visit(Part{row, std::min({of.block_rows, of.rows - within, end - row}), column,
                 std::min(width, of.columns - column)},
            room);
    }
  };
  on_threads(exec, all_bands * parts, std::max<std::int64_t>(kTileElements / rows / width, 1), visit_all);
}

// Bytes of codes of a stretch before those of a part.
std::int64_t BlockEncoder::codes_before(const Part& part) const {
  if (encoding_.is_fp8()) return part.row * encoding_.columns + part.column;
  return encoding_.code_bytes(part.row) + part.column * (encoding_.is_upright() ? part.rows : 1) / 2;
}

std::int64_t BlockEncoder::scales_before(const Part& part) const {
  return encoding_.scale_bytes(part.row) + part.column / encoding_.block_columns * bytes_of_scale(encoding_.scale_type);
}

void BlockEncoder::encode(std::int64_t first, std::span<const std::byte> values, Dtype dtype,
                          std::span<std::byte> codes, std::span<std::byte> scales, const Exec& exec) {
  if (encoding_.scales) read_kept(encoding_.columns == 0 ? 0 : first / encoding_.columns, scales);
  const auto width = static_cast<std::size_t>(size_of(dtype));
  for_parts<Work>(std::ssize(values) / size_of(dtype), exec, [&](const Part& part, Work& work) {
    static_cast<Part&>(work) = part;
    work.codes = codes.data() + codes_before(part);
    work.scales = scales.data() + scales_before(part);
    const auto columns = static_cast<std::size_t>(part.columns);
    work.values.resize(static_cast<std::size_t>(part.rows) * columns);
    for (std::int64_t r = 0; r < part.rows; ++r) {
      const auto begin = static_cast<std::size_t>((part.row + r) * encoding_.columns + part.column);
      widen(dtype, values.subspan(begin * width, columns * width),
            std::span(work.values).subspan(static_cast<std::size_t>(r) * columns, columns));
    }
    encode_part(work, dtype);
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

void BlockEncoder::encode_part(Work& work, Dtype dtype) const {
  find_absmax(work);
  check_finite(work);
  if (encoding_.is_fp8()) return encode_fp8(work, dtype);
  encoding_.is_upright() ? encode_upright(work) : encode_rows(work, dtype);
}

void BlockEncoder::find_absmax(Work& work) const {
  const std::int64_t width = encoding_.block_columns;
  work.absmax.assign(static_cast<std::size_t>(qfuse_block_count(work.columns, width)), 0);
  for (std::int64_t row = 0; row < work.rows; ++row)
    element_loops().raise_absmax(row_of(work, row), width, work.absmax.data());
}

void BlockEncoder::check_finite(const Work& work) const {
  if (std::ranges::all_of(work.absmax,
                          [](std::int32_t most) { return most < static_cast<std::int32_t>(format::kInfBits); }))
    return;
  fail(Status::invalid_data,
       "{}: with the adapters it has NaN or infinity, which codes with scales of blocks cannot hold: merge to 16 bits",
       encoding_.where);
}

// Sets a scale that divides a block's values unless it is kept, so that the largest becomes `most`. Returns it as it is
// stored. Like compressed-tensors' calculate_qparams, it replaces zero by the type's epsilon.
float BlockEncoder::set_divisor(const Work& work, std::int64_t block, float most) const {
  const TensorType type = encoding_.scale_type;
  if (encoding_.scales) return load_scale(work.scales, block, type);
  const float absmax = format::float_of(static_cast<std::uint32_t>(work.absmax[static_cast<std::size_t>(block)]));
  store_scale(work.scales, block, type, absmax / most);
  if (load_scale(work.scales, block, type) == 0.0F) store_scale(work.scales, block, type, epsilon_of(type));
  return load_scale(work.scales, block, type);
}

// Sets the scale of an FP8 block unless it is kept. Returns the factor (fp8_divided: divisor) of its values.
float BlockEncoder::set_fp8_scale(const Work& work, std::int64_t block) const {
  const TensorType type = encoding_.scale_type;
  const float absmax = format::float_of(static_cast<std::uint32_t>(work.absmax[static_cast<std::size_t>(block)]));
  if (encoding_.rule == BlockRule::fp8_divided) return set_divisor(work, block, format::kE4m3Most);
  if (encoding_.scales) {
    const float scale = load_scale(work.scales, block, type);
    return scale == 0.0F ? 0.0F : 1.0F / scale;
  }
  const format::BlockScale made =
      encoding_.rule == BlockRule::fp8 ? format::fp8_block_scale(absmax) : format::fp8_power_scale(absmax);
  store_scale(work.scales, block, type, made.scale);
  if (type == TensorType::f32) return made.factor;
  if (load_scale(work.scales, block, type) == 0.0F) store_scale(work.scales, block, type, kLeastFloat16);
  return 1.0F / load_scale(work.scales, block, type);
}

// The dtype of a quotient of a value and a scale, as torch computes it.
Dtype BlockEncoder::quotient_dtype(Dtype values) const {
  return dtype_of(encoding_.scale_type) == values ? values : Dtype::float32;
}

void BlockEncoder::encode_fp8(Work& work, Dtype dtype) const {
  work.factors.resize(work.absmax.size());
  for (std::size_t block = 0; block < work.absmax.size(); ++block)
    work.factors[block] = set_fp8_scale(work, static_cast<std::int64_t>(block));
  for (std::int64_t row = 0; row < work.rows; ++row) {
    const ScaledBlocks blocks = {row_of(work, row), encoding_.block_columns, work.factors.data()};
    auto* const codes = reinterpret_cast<std::uint8_t*>(work.codes + row * encoding_.columns);
    if (encoding_.rule == BlockRule::fp8_divided)
      element_loops().encode_e4m3_divided(blocks, quotient_dtype(dtype), codes);
    else
      element_loops().encode_e4m3(blocks, codes);
  }
}

// Sets the exponent of an MXFP4 block unless it is kept, and the factor of its values.
void BlockEncoder::set_mx_scale(Work& work, std::size_t block) const {
  const bool is_nearest = encoding_.rule == BlockRule::mxfp4_nearest;
  if (!encoding_.scales)
    work.scales[block] =
        static_cast<std::byte>(format::mx_exponent(is_nearest, static_cast<std::uint32_t>(work.absmax[block])));
  work.factors[block] = format::mx_factor(is_nearest, static_cast<std::uint8_t>(work.scales[block]));
}

float BlockEncoder::kept_scale(const std::byte* scales, std::int64_t block) const {
  const float scale = load_scale(scales, block, encoding_.scale_type);
  if (!encoding_.global_scale) return scale;
  return encoding_.is_divisor ? scale / global_ : scale * global_;
}

// Sets the scale of a block of 4-bit codes unless it is kept, and the factor or divisor of its values.
void BlockEncoder::set_scale(Work& work, std::size_t block) const {
  const auto at = static_cast<std::int64_t>(block);
  const bool is_int4 = encoding_.rule == BlockRule::int4_divided;
  if (!is_int4 && encoding_.rule != BlockRule::nvfp4_of_scale) return set_mx_scale(work, block);
  const float scale = is_int4 ? set_divisor(work, at, format::kInt4Steps) : kept_scale(work.scales, at);
  work.factors[block] = scale == 0.0F ? format::float_of(format::kInfBits) : scale;  // infinity makes all codes 0
}

// Encodes a part of one row, whose blocks are consecutive columns.
void BlockEncoder::encode_rows(Work& work, Dtype dtype) const {
  work.nibbles.resize(static_cast<std::size_t>(work.columns));
  work.factors.resize(work.absmax.size());
  for (std::size_t block = 0; block < work.absmax.size(); ++block) set_scale(work, block);
  const ElementLoops& loops = element_loops();
  const ScaledBlocks blocks = {work.values, encoding_.block_columns, work.factors.data()};
  std::uint8_t* const codes = work.nibbles.data();
  switch (encoding_.rule) {
    case BlockRule::int4_divided: loops.encode_int4_divided(blocks, quotient_dtype(dtype), codes); break;
    case BlockRule::nvfp4_of_scale: loops.encode_e2m1_even_divided(blocks, codes); break;
    case BlockRule::mxfp4: loops.encode_e2m1_up(blocks, codes); break;
    default: loops.encode_e2m1_even(blocks, codes);
  }
  loops.pack(work.nibbles, work.codes);
}

// Encodes a part of MXFP4 whose blocks run along columns: a block is one column, so that each has its factor.
void BlockEncoder::encode_upright(Work& work) const {
  const auto columns = static_cast<std::size_t>(work.columns);
  const auto rows = static_cast<std::size_t>(work.rows);
  work.factors.resize(columns);
  for (std::size_t block = 0; block < columns; ++block) set_mx_scale(work, block);
  work.nibbles.resize(rows * columns);
  for (std::size_t row = 0; row < rows; ++row)
    element_loops().encode_e2m1_up({row_of(work, static_cast<std::int64_t>(row)), 1, work.factors.data()},
                                   work.nibbles.data() + row * columns);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t row = 0; row < rows; row += 2)
      work.codes[(c * rows + row) / 2] =
          static_cast<std::byte>(work.nibbles[row * columns + c] | work.nibbles[(row + 1) * columns + c] << 4);
}

// Decodes a part of the stretch with these codes. `scales` has one scale per block of the part.
void BlockEncoder::decode_part(const Part& part, const std::byte* codes, std::span<const float> scales,
                               float* values) const {
  const std::int64_t columns = encoding_.columns;
  const Pairs& pairs = encoding_.rule == BlockRule::int4_divided ? kInt4Pairs : kE2m1Pairs;
  values += part.row * columns + part.column;
  codes += codes_before(part);
  if (encoding_.is_upright()) {  // the codes of a column are consecutive
    for (std::int64_t c = 0; c < part.columns; ++c)
      for (std::int64_t r = 0; r < part.rows; r += 2)
        for (std::int64_t i = 0; i < 2; ++i)
          values[(r + i) * columns + c] =
              scales[static_cast<std::size_t>(c)] * pair_at(pairs, codes, c * part.rows + r)[i];
    return;
  }
  for (std::int64_t r = 0; r < part.rows; ++r)
    for (std::int64_t begin = r * columns, block = 0; begin < r * columns + part.columns;
         begin += encoding_.block_columns, ++block) {
      const float scale = scales[static_cast<std::size_t>(block)];
      const std::int64_t end = std::min(begin + encoding_.block_columns, r * columns + part.columns);
      if (encoding_.is_fp8())
        for (std::int64_t i = begin; i < end; ++i) values[i] = scale * kE4m3Values[static_cast<std::uint8_t>(codes[i])];
      else
        for (std::int64_t i = begin; i < end; i += 2)
          for (std::int64_t k = 0; k < 2; ++k) values[i + k] = scale * pair_at(pairs, codes, i)[k];
    }
}

void BlockEncoder::decode(std::span<const std::byte> codes, std::span<const std::byte> scales, std::span<float> values,
                          const Exec& exec) const {
  using Scales = std::vector<float>;
  for_parts<Scales>(std::ssize(values), exec, [&](const Part& part, Scales& of_blocks) {
    const std::byte* const stored_ones = scales.data() + scales_before(part);
    of_blocks.resize(static_cast<std::size_t>(qfuse_block_count(part.columns, encoding_.block_columns)));
    for (std::size_t block = 0; block < of_blocks.size(); ++block)
      of_blocks[block] = kept_scale(stored_ones, static_cast<std::int64_t>(block));
    decode_part(part, codes.data(), of_blocks, values.data());
  });
}

}  // namespace qfuse::checkpoint
