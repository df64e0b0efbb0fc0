// Cases of dequantize_4bit with row-wise scales, for correctness and the sanitizers. `risk` names what a case tests.
// Each shape is decoded in each format.
#ifndef QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_ROWS_H
#define QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_ROWS_H

#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/dequantize_4bit.h"

namespace qfuse::tests {

struct Rows4bitCase {
  const char* risk;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t blocksize;
};

inline constexpr std::array kRows4bitCases = {
    Rows4bitCase{"one element", 1, 1, 16},
    Rows4bitCase{"one column, a scale each", 9, 1, 1},
    Rows4bitCase{"odd columns, so that rows begin anywhere", 37, 333, 32},
    Rows4bitCase{"blocks of 16, the last one short", 21, 231, 16},
    Rows4bitCase{"blocks of 16, an odd number of them", 12, 304, 16},
    Rows4bitCase{"blocks of 32, whole", 24, 512, 32},
    Rows4bitCase{"last block of one element", 5, 129, 128},
    Rows4bitCase{"blocks of 48, in which units straddle", 11, 480, 48},
    Rows4bitCase{"groups of 128, columns a multiple of 4 alone", 19, 420, 128},
    Rows4bitCase{"columns a multiple of 2 alone", 19, 326, 32},
    Rows4bitCase{"a scale a row, several threads", 1000, 335, 335},
    Rows4bitCase{"a scale a row, in a block without end", 65, 272, std::numeric_limits<std::int64_t>::max()},
    Rows4bitCase{"a scale a row of 2^n elements, in tiles and a bit", 37, 256, 256},
    Rows4bitCase{"one long row, pieces that end within a block", 1, 200001, 48},
    Rows4bitCase{"one long row, of one scale", 1, 200001, 200001},
    Rows4bitCase{"pieces and a bit", 3, 2 * 4096 + 17, 16},
    Rows4bitCase{"many short rows", 20001, 3, 16},
};

enum class Global { none, factor, divisor };

struct Format4bitCase {
  const char* name;
  qfuse_quant_type quant_type;
  qfuse_scale_type scale_type;
  Global global = Global::none;
  bool zero_points = false;
};

inline constexpr std::array kFormats4bit = {
    Format4bitCase{"MXFP4", QFUSE_E2M1, QFUSE_SCALES_UE8M0},
    Format4bitCase{"NVFP4 of modelopt", QFUSE_E2M1, QFUSE_SCALES_E4M3, Global::factor},
    Format4bitCase{"NVFP4 of compressed-tensors", QFUSE_E2M1, QFUSE_SCALES_E4M3, Global::divisor},
    Format4bitCase{"INT4, bf16", QFUSE_INT4, QFUSE_SCALES_BFLOAT16},
    Format4bitCase{"INT4, fp16, zero points", QFUSE_INT4, QFUSE_SCALES_FLOAT16, Global::none, true},
    Format4bitCase{"INT4, E4M3, zero points", QFUSE_INT4, QFUSE_SCALES_E4M3, Global::none, true},
    Format4bitCase{"INT4, fp32, zero points, a factor", QFUSE_INT4, QFUSE_SCALES_FLOAT32, Global::factor, true},
};

// The arrays of a case, from a fixed seed. Codes, zero points and scales are random bits, so that scales include NaN,
// subnormals and infinities.
struct Rows4bitInput {
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> scales;
  std::vector<float> global;
  std::vector<std::uint8_t> zero_points;
};

inline Rows4bitInput make_input(const Rows4bitCase& c, const Format4bitCase& f) {
  std::mt19937 random(13);
  const auto bytes = [&](std::int64_t count) {
    std::vector<std::uint8_t> all(static_cast<std::size_t>(count));
    for (auto& byte : all) byte = static_cast<std::uint8_t>(random());
    return all;
  };
  const std::int64_t blocks = c.rows * format::ceil_div(c.cols, c.blocksize);
  Rows4bitInput in;
  in.packed = bytes(c.rows * format::packed_size(c.cols));
  in.scales = bytes(blocks * format::scale_size(f.scale_type));
  if (f.global != Global::none) in.global = {0.0117F};
  if (f.zero_points) in.zero_points = bytes(blocks);
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::Dequantize4bit make_params(const Rows4bitCase& c, const Format4bitCase& f, const Rows4bitInput& in) {
  contract::Dequantize4bit p{};
  qfuse_weight_4bit& w = p.weight;
  w.rows = c.rows;
  w.cols = c.cols;
  w.blocksize = c.blocksize;
  w.quant_type = f.quant_type;
  w.scale_type = f.scale_type;
  w.packed = in.packed.data();
  w.scales = in.scales.data();
  w.global_scale = f.global == Global::factor ? in.global.data() : nullptr;
  w.global_divisor = f.global == Global::divisor ? in.global.data() : nullptr;
  w.zero_points = f.zero_points ? in.zero_points.data() : nullptr;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_ROWS_H
