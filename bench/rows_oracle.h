// Weights of E2M1 and INT4 codes with row-wise scales and of FP8 codes, on the host, and their values decoded by the
// oracle.
#ifndef QFUSE_BENCH_ROWS_ORACLE_H
#define QFUSE_BENCH_ROWS_ORACLE_H

#include <array>
#include <cstdint>

#include "contract/ops.h"
#include "nf4_oracle.h"
#include "report.h"

namespace qfuse::bench {

struct RowsFormat {
  const char* name;
  qfuse_quant_type quant_type;
  qfuse_scale_type scale_type;
  std::int64_t blocksize;
  bool divisor;
  bool zero_points;
};

inline constexpr std::array kRowsFormats = {
    RowsFormat{"MXFP4", QFUSE_E2M1, QFUSE_SCALES_UE8M0, 32, false, false},
    RowsFormat{"NVFP4", QFUSE_E2M1, QFUSE_SCALES_E4M3, 16, true, false},
    RowsFormat{"INT4 in groups of 128", QFUSE_INT4, QFUSE_SCALES_BFLOAT16, 128, false, false},
    RowsFormat{"INT4 in groups of 32, zero points", QFUSE_INT4, QFUSE_SCALES_FLOAT16, 32, false, true}};

struct Fp8Format {
  const char* name;
  std::int64_t block_rows;
  std::int64_t block_cols;  // may exceed the columns
};

inline constexpr std::array kFp8Formats = {Fp8Format{"FP8 in blocks of 128 x 128", 128, 128},
                                           Fp8Format{"FP8, a scale per row", 1, INT64_MAX}};

struct RowsCodes {
  Bytes packed;
  Bytes scales;
  Bytes global;  // an fp32 divisor, or empty
  Bytes zero_points;
};

// Random codes, with scales like those of trained weights.
RowsCodes rows_codes(const RowsFormat& format, Shape shape);
RowsCodes rows_codes(const Fp8Format& format, Shape shape);

// `arrays`: packed, scales, global divisor, zero points. The format decides whether the last two are used.
contract::Dequantize4bit rows_params(const RowsFormat& format, Shape shape, qfuse_dtype dtype,
                                     const std::array<const void*, 4>& arrays, void* out);
contract::DequantizeFp8 rows_params(const Fp8Format& format, Shape shape, qfuse_dtype dtype,
                                    const std::array<const void*, 4>& arrays, void* out);

Bytes decode_rows_by_oracle(const RowsFormat& format, Shape shape, qfuse_dtype dtype, const RowsCodes& codes);
Bytes decode_rows_by_oracle(const Fp8Format& format, Shape shape, qfuse_dtype dtype, const RowsCodes& codes);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_ROWS_ORACLE_H
