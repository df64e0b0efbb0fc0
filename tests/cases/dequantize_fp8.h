// Cases of dequantize_fp8, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_DEQUANTIZE_FP8_H
#define QFUSE_TESTS_CASES_DEQUANTIZE_FP8_H

#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/dequantize_fp8.h"
#include "format/elements.h"

namespace qfuse::tests {

struct DequantizeFp8Case {
  const char* risk;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t block_rows;
  std::int64_t block_cols;
};

inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

inline constexpr std::array kDequantizeFp8Cases = {
    DequantizeFp8Case{"one element", 1, 1, 128, 128},
    DequantizeFp8Case{"blocks of one element", 9, 40, 1, 1},
    DequantizeFp8Case{"last blocks short both ways", 161, 336, 128, 128},
    DequantizeFp8Case{"whole blocks", 256, 256, 128, 128},
    DequantizeFp8Case{"blocks that end within a vector", 70, 200, 32, 20},
    DequantizeFp8Case{"odd columns, so that rows begin anywhere", 37, 333, 8, 64},
    DequantizeFp8Case{"columns a multiple of 4 alone", 40, 332, 16, 64},
    DequantizeFp8Case{"blocks a multiple of 4 alone", 40, 336, 16, 68},
    DequantizeFp8Case{"a scale a row, several threads", 1000, 333, 1, 333},
    DequantizeFp8Case{"a scale a column", 33, 48, 33, 1},
    DequantizeFp8Case{"one scale, in a block without end", 65, 272, kEndless, kEndless},
    DequantizeFp8Case{"one long row, threads that begin within a block", 1, 200001, 1, 100},
    DequantizeFp8Case{"three rows of vectors", 3, 1600, 2, 128},
    DequantizeFp8Case{"one long column", 20001, 1, 128, 1},
};

inline constexpr std::array kFp8ScaleTypes = {QFUSE_SCALES_FLOAT32, QFUSE_SCALES_UE8M0, QFUSE_SCALES_FLOAT16,
                                              QFUSE_SCALES_BFLOAT16};

// The arrays of a case, from a fixed seed. Codes and scales are random bits, so that scales include NaN, subnormals and
// infinities.
struct DequantizeFp8Input {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
};

inline DequantizeFp8Input make_input(const DequantizeFp8Case& c, qfuse_scale_type type) {
  std::mt19937 random(11);
  DequantizeFp8Input in;
  in.codes.resize(static_cast<std::size_t>(c.rows * c.cols));
  for (auto& code : in.codes) code = static_cast<std::uint8_t>(random());
  const std::int64_t scales = format::ceil_div(c.rows, c.block_rows) * format::ceil_div(c.cols, c.block_cols);
  in.scales.resize(static_cast<std::size_t>(scales * format::scale_size(type)));
  for (auto& byte : in.scales) byte = static_cast<std::uint8_t>(random());
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::DequantizeFp8 make_params(const DequantizeFp8Case& c, qfuse_scale_type type,
                                           const DequantizeFp8Input& in) {
  contract::DequantizeFp8 p{};
  p.rows = c.rows;
  p.cols = c.cols;
  p.block_rows = c.block_rows;
  p.block_cols = c.block_cols;
  p.scale_type = type;
  p.codes = in.codes.data();
  p.scales = in.scales.data();
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_DEQUANTIZE_FP8_H
