#include "rows_oracle.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "backend/cpu/parallel_for.h"
#include "format/elements.h"
#include "format/layout.h"
#include "reference/reference.h"

namespace qfuse::bench {
namespace {

// Writes a scale of about 2^-7 as `type`.
void write_scale(std::uint8_t* to, qfuse_scale_type type, unsigned random) {
  switch (type) {
    case QFUSE_SCALES_UE8M0: *to = static_cast<std::uint8_t>(116 + random % 8); return;
    case QFUSE_SCALES_E4M3: *to = static_cast<std::uint8_t>(0x40 + random % 64); return;
    case QFUSE_SCALES_FLOAT16: format::store_rounded(to, 0, QFUSE_FLOAT16, 0x1p-7F + 0x1p-16F * (random % 999)); return;
    case QFUSE_SCALES_BFLOAT16:
      format::store_rounded(to, 0, QFUSE_BFLOAT16, 0x1p-7F + 0x1p-16F * (random % 999));
      return;
    case QFUSE_SCALES_FLOAT32: format::store_rounded(to, 0, QFUSE_FLOAT32, 0x1p-7F + 0x1p-16F * (random % 999)); return;
  }
}

}  // namespace

RowsCodes rows_codes(const RowsFormat& format, Shape shape) {
  std::mt19937 random(1);
  const std::int64_t blocks = shape.rows * format::ceil_div(shape.cols, format.blocksize);
  const std::int64_t size = format::scale_size(format.scale_type);
  RowsCodes codes{.packed = Bytes(static_cast<std::size_t>(shape.rows * format::packed_size(shape.cols))),
                  .scales = Bytes(static_cast<std::size_t>(blocks * size)),
                  .global = Bytes(format.divisor ? sizeof(float) : 0),
                  .zero_points = Bytes(static_cast<std::size_t>(format.zero_points ? blocks : 0))};
  std::ranges::generate(codes.packed, [&] { return static_cast<std::uint8_t>(random()); });
  std::ranges::generate(codes.zero_points, [&] { return static_cast<std::uint8_t>(random() % 16); });
  for (std::int64_t i = 0; i < blocks; ++i) write_scale(codes.scales.data() + i * size, format.scale_type, random());
  const float divisor = 2688.0F;
  if (format.divisor) std::memcpy(codes.global.data(), &divisor, sizeof divisor);
  return codes;
}

RowsCodes rows_codes(const Fp8Format& format, Shape shape) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(float));
  std::mt19937 random(1);
  const std::int64_t blocks =
      format::ceil_div(shape.rows, format.block_rows) * format::ceil_div(shape.cols, format.block_cols);
  RowsCodes codes{.packed = Bytes(static_cast<std::size_t>(shape.count())),
                  .scales = Bytes(static_cast<std::size_t>(blocks * kSize)),
                  .global = {},
                  .zero_points = {}};
  std::ranges::generate(codes.packed, [&] { return static_cast<std::uint8_t>(random()); });
  for (std::int64_t i = 0; i < blocks; ++i)
    write_scale(codes.scales.data() + i * kSize, QFUSE_SCALES_FLOAT32, random());
  return codes;
}

contract::Dequantize4bit rows_params(const RowsFormat& format, Shape shape, qfuse_dtype dtype,
                                     const std::array<const void*, 4>& arrays, void* out) {
  contract::Dequantize4bit p{};
  qfuse_weight_4bit& w = p.weight;
  w.struct_size = sizeof w;
  w.rows = shape.rows;
  w.cols = shape.cols;
  w.blocksize = format.blocksize;
  w.quant_type = format.quant_type;
  w.scale_type = format.scale_type;
  w.packed = static_cast<const std::uint8_t*>(arrays[0]);
  w.scales = arrays[1];
  if (format.divisor) w.global_divisor = static_cast<const float*>(arrays[2]);
  if (format.zero_points) w.zero_points = static_cast<const std::uint8_t*>(arrays[3]);
  p.out_dtype = dtype;
  p.out = out;
  return p;
}

contract::DequantizeFp8 rows_params(const Fp8Format& format, Shape shape, qfuse_dtype dtype,
                                    const std::array<const void*, 4>& arrays, void* out) {
  contract::DequantizeFp8 p{};
  p.struct_size = sizeof(qfuse_dequantize_fp8_params);
  p.rows = shape.rows;
  p.cols = shape.cols;
  p.block_rows = format.block_rows;
  p.block_cols = std::min(format.block_cols, shape.cols);
  p.scale_type = QFUSE_SCALES_FLOAT32;
  p.out_dtype = dtype;
  p.codes = static_cast<const std::uint8_t*>(arrays[0]);
  p.scales = arrays[1];
  p.out = out;
  return p;
}

// Decodes row by row. Each row is a weight of its own.
Bytes decode_rows_by_oracle(const RowsFormat& format, Shape shape, qfuse_dtype dtype, const RowsCodes& codes) {
  const std::int64_t row_bytes = format::packed_size(shape.cols);
  const std::int64_t row_blocks = format::ceil_div(shape.cols, format.blocksize);
  const std::int64_t row_out = shape.cols * format::dtype_size(dtype);
  Bytes out(static_cast<std::size_t>(shape.rows * row_out));
  cpu::parallel_for(shape.rows, 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t block = row * row_blocks;
      const std::uint8_t* const zero_points = format.zero_points ? codes.zero_points.data() + block : nullptr;
      reference::dequantize_4bit(rows_params(
          format, {1, shape.cols}, dtype,
          {codes.packed.data() + row * row_bytes, codes.scales.data() + block * format::scale_size(format.scale_type),
           codes.global.data(), zero_points},
          out.data() + row * row_out));
    }
  });
  return out;
}

// Decodes band by band. Each band of blocks is a weight of its own.
Bytes decode_rows_by_oracle(const Fp8Format& format, Shape shape, qfuse_dtype dtype, const RowsCodes& codes) {
  const std::int64_t row_out = shape.cols * format::dtype_size(dtype);
  const std::int64_t bands = format::ceil_div(shape.rows, format.block_rows);
  const std::int64_t band_scales = std::ssize(codes.scales) / bands;
  Bytes out(static_cast<std::size_t>(shape.rows * row_out));
  cpu::parallel_for(bands, 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t band = first; band < last; ++band) {
      const std::int64_t row = band * format.block_rows;
      reference::dequantize_fp8(
          rows_params(format, {std::min(format.block_rows, shape.rows - row), shape.cols}, dtype,
                      {codes.packed.data() + row * shape.cols, codes.scales.data() + band * band_scales},
                      out.data() + row * row_out));
    }
  });
  return out;
}

}  // namespace qfuse::bench
