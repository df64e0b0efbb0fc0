// Cases of dequantize_blockwise, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_DEQUANTIZE_BLOCKWISE_H
#define QFUSE_TESTS_CASES_DEQUANTIZE_BLOCKWISE_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/dequantize_blockwise.h"

namespace qfuse::tests {

struct DequantizeBlockwiseCase {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize = 256;
};

inline constexpr std::array kDequantizeBlockwiseCases = {
    DequantizeBlockwiseCase{"one value", 1},
    DequantizeBlockwiseCase{"short last block", 256 * 9 + 77},
    DequantizeBlockwiseCase{"blocks of one", 301, 1},
    DequantizeBlockwiseCase{"blocks of 4096", 4096 * 3 + 300, 4096},
    DequantizeBlockwiseCase{"one block beyond all values", 5000, 1 << 30},
    DequantizeBlockwiseCase{"several threads", 64 * 9000 + 3, 64},
};

// The arrays of a case, from a fixed seed: scales that include values no layer should have, and the default code.
struct DequantizeBlockwiseInput {
  std::vector<std::uint8_t> codes;
  std::vector<float> absmax;
  std::vector<float> quant_map;
};

inline DequantizeBlockwiseInput make_input(const DequantizeBlockwiseCase& c) {
  constexpr std::array kOdd = {NAN, INFINITY, -0.0F, std::numeric_limits<float>::max(), 1e-39F, -1e-44F};
  std::mt19937 random(13);
  DequantizeBlockwiseInput in;
  in.codes.resize(static_cast<std::size_t>(c.n));
  for (auto& code : in.codes) code = static_cast<std::uint8_t>(random());
  in.absmax.resize(static_cast<std::size_t>(qfuse_block_count(c.n, c.blocksize)));
  for (float& scale : in.absmax) scale = random() % 9 == 0 ? kOdd[random() % kOdd.size()] : 0.37F;
  in.quant_map.resize(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(in.quant_map.data());
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::DequantizeBlockwise make_params(const DequantizeBlockwiseCase& c, const DequantizeBlockwiseInput& in) {
  contract::DequantizeBlockwise p{};
  p.n = c.n;
  p.blocksize = c.blocksize;
  p.codes = in.codes.data();
  p.absmax = in.absmax.data();
  p.quant_map = in.quant_map.data();
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_DEQUANTIZE_BLOCKWISE_H
