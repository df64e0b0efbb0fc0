// Cases of dequantize_int8, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_DEQUANTIZE_INT8_H
#define QFUSE_TESTS_CASES_DEQUANTIZE_INT8_H

#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "contract/dequantize_int8.h"

namespace qfuse::tests {

struct DequantizeInt8Case {
  const char* risk;
  std::int64_t rows;
  std::int64_t cols;
};

inline constexpr std::array kDequantizeInt8Cases = {
    DequantizeInt8Case{"one element", 1, 1},
    DequantizeInt8Case{"rows of one element less than a vector", 3, 15},
    DequantizeInt8Case{"rows of one element more than a vector", 5, 17},
    DequantizeInt8Case{"odd rows, several threads", 1000, 333},
    DequantizeInt8Case{"one long row", 1, 300001},
    DequantizeInt8Case{"one long column", 300001, 1},
};

// The arrays of a case, from a fixed seed.
struct DequantizeInt8Input {
  std::vector<std::int8_t> in;
  std::vector<float> scb;
};

inline DequantizeInt8Input make_input(const DequantizeInt8Case& c) {
  std::mt19937 random(7);
  DequantizeInt8Input in;
  in.in.resize(static_cast<std::size_t>(c.rows * c.cols));
  for (auto& value : in.in) value = static_cast<std::int8_t>(random());
  in.scb.resize(static_cast<std::size_t>(c.rows));
  for (float& scale : in.scb) scale = std::uniform_real_distribution<float>(-3.0F, 90000.0F)(random);
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::DequantizeInt8 make_params(const DequantizeInt8Case& c, const DequantizeInt8Input& in) {
  contract::DequantizeInt8 p{};
  p.rows = c.rows;
  p.cols = c.cols;
  p.in = in.in.data();
  p.scb = in.scb.data();
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_DEQUANTIZE_INT8_H
