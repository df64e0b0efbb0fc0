// Cases of quantize_blockwise, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_QUANTIZE_BLOCKWISE_H
#define QFUSE_TESTS_CASES_QUANTIZE_BLOCKWISE_H

#include <qfuse/qfuse.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/quantize_blockwise.h"
#include "format/elements.h"
#include "support/random.h"

namespace qfuse::tests {

struct QuantizeBlockwiseCase {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize = 256;
  float offset = 0.06F;
};

inline constexpr std::array kQuantizeBlockwiseCases = {
    QuantizeBlockwiseCase{"one value", 1},
    QuantizeBlockwiseCase{"short last block", 256 * 9 + 77},
    QuantizeBlockwiseCase{"blocks of one", 300, 1},
    QuantizeBlockwiseCase{"blocks smaller than a vector, no offset", 1001, 4, 0.0F},
    QuantizeBlockwiseCase{"blocks larger than a piece", 4096 * 3 + 300, 4096},
    QuantizeBlockwiseCase{"one block beyond all values", 5000, 1 << 30},
    QuantizeBlockwiseCase{"several threads", 256 * 1500},
};

// Values like a layer's absmax, with some that no layer should have, in `dtype`, from a fixed seed.
inline std::vector<std::uint8_t> make_values(const QuantizeBlockwiseCase& c, qfuse_dtype dtype) {
  constexpr std::array kOdd = {NAN, std::numeric_limits<float>::infinity(), -FLT_MAX, FLT_MIN / 4, -0.0F, 0.0F};
  std::mt19937 random(11);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(c.n) * qfuse_dtype_size(dtype));
  for (std::int64_t i = 0; i < c.n; ++i) {
    const float normal = 0.06F + 0.02F * random_normal(random);
    format::store_rounded(values.data(), i, dtype, random() % 700 == 0 ? kOdd[random() % kOdd.size()] : normal);
  }
  return values;
}

// Parameters over `values`. The caller sets the outputs.
inline contract::QuantizeBlockwise make_params(const QuantizeBlockwiseCase& c, const void* values, qfuse_dtype dtype) {
  contract::QuantizeBlockwise p{};
  p.n = c.n;
  p.blocksize = c.blocksize;
  p.in_dtype = dtype;
  p.in = values;
  p.offset = c.offset;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_QUANTIZE_BLOCKWISE_H
