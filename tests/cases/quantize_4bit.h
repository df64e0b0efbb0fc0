// Cases of quantize_4bit, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_QUANTIZE_4BIT_H
#define QFUSE_TESTS_CASES_QUANTIZE_4BIT_H

#include <qfuse/qfuse.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/quantize_4bit.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "support/random.h"

namespace qfuse::tests {

enum class WeightKind { trained, zeros, zero_blocks, subnormal, huge, specials, nan_blocks, ties };

struct Quantize4bitCase {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  WeightKind weights = WeightKind::trained;
};

inline constexpr std::array kQuantize4bitCases = {
    Quantize4bitCase{"one element", 1},
    Quantize4bitCase{"odd count, short last block", 12345},
    Quantize4bitCase{"smallest blocks", 32 * 300 + 7, 32},
    Quantize4bitCase{"largest blocks, short last", 4096 * 5 + 33, 4096},
    Quantize4bitCase{"plain", 128 * 97, 128, QFUSE_NF4, 0},
    Quantize4bitCase{"fp4, nested", 64 * 1000, 64, QFUSE_FP4},
    Quantize4bitCase{"fp4, plain, odd", 64 * 10 + 1, 64, QFUSE_FP4, 0},
    Quantize4bitCase{"nested blocks of one block", 64 * 9, 64, QFUSE_NF4, 1},
    Quantize4bitCase{"nested blocks beyond all blocks", 64 * 900, 64, QFUSE_NF4, 1 << 20},
    Quantize4bitCase{"mean over several chunks, several threads", 64 * 4096 * 3 + 64 * 777 + 5, 64},
    Quantize4bitCase{"all zeros", 64 * 700 + 1, 64, QFUSE_NF4, 256, WeightKind::zeros},
    Quantize4bitCase{"some blocks of zeros", 64 * 700, 64, QFUSE_FP4, 256, WeightKind::zero_blocks},
    Quantize4bitCase{"subnormal weights", 64 * 700, 64, QFUSE_FP4, 256, WeightKind::subnormal},
    Quantize4bitCase{"reciprocal is subnormal", 64 * 700, 64, QFUSE_NF4, 256, WeightKind::huge},
    Quantize4bitCase{"NaN, infinities, extremes among numbers", 64 * 700 + 33, 64, QFUSE_NF4, 256,
                     WeightKind::specials},
    Quantize4bitCase{"the same in fp4", 64 * 700 + 33, 64, QFUSE_FP4, 0, WeightKind::specials},
    Quantize4bitCase{"blocks of NaN alone, short last", 64 * 40 + 10, 64, QFUSE_NF4, 16, WeightKind::nan_blocks},
    Quantize4bitCase{"exact ties at every threshold", 64 * 700, 64, QFUSE_NF4, 256, WeightKind::ties},
    Quantize4bitCase{"exact ties at every threshold of fp4", 64 * 700, 64, QFUSE_FP4, 256, WeightKind::ties},
};

inline float random_weight(const Quantize4bitCase& c, std::int64_t i, std::mt19937& random) {
  constexpr std::array kSpecials = {std::numeric_limits<float>::quiet_NaN(),
                                    std::numeric_limits<float>::infinity(),
                                    -std::numeric_limits<float>::infinity(),
                                    -0.0F,
                                    FLT_MAX,
                                    -FLT_MAX,
                                    FLT_MIN,
                                    -FLT_MIN};
  const float normal = 0.02F * random_normal(random);
  const bool rarely = random() % 50 == 0;
  switch (c.weights) {
    case WeightKind::trained: return normal;
    case WeightKind::zeros: return random() % 2 == 0 ? 0.0F : -0.0F;
    case WeightKind::zero_blocks: return i / c.blocksize % 3 == 0 ? 0.0F : normal;
    case WeightKind::subnormal: return std::ldexp(normal, -std::uniform_int_distribution(115, 150)(random));
    case WeightKind::huge: return std::ldexp(normal, 132);
    case WeightKind::specials: return rarely ? kSpecials[random() % kSpecials.size()] : normal;
    case WeightKind::nan_blocks: return i / c.blocksize % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : normal;
    case WeightKind::ties: break;
  }
  // The block's absmax is 1, so that the scaled weights are exactly the thresholds and their neighbors.
  if (i % c.blocksize == 0) return 1.0F;
  const auto& codebook = format::codebook4(c.quant_type);
  const float tie = codebook.used_thresholds()[random() % codebook.used_thresholds().size()];
  const float sign = codebook.signed_magnitude && random() % 2 == 0 ? -1.0F : 1.0F;
  return sign * std::nextafter(tie, std::array{-2.0F, tie, 2.0F}[random() % 3]);
}

// The weights of a case in `dtype`, from a fixed seed.
inline std::vector<std::uint8_t> make_weights(const Quantize4bitCase& c, qfuse_dtype dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.n + c.blocksize));
  std::vector<std::uint8_t> weights(static_cast<std::size_t>(c.n) * qfuse_dtype_size(dtype));
  for (std::int64_t i = 0; i < c.n; ++i) format::store_rounded(weights.data(), i, dtype, random_weight(c, i, random));
  return weights;
}

// Parameters over `weights`. The caller sets the outputs.
inline contract::Quantize4bit make_params(const Quantize4bitCase& c, const void* weights, qfuse_dtype dtype) {
  contract::Quantize4bit p{};
  p.in_dtype = dtype;
  p.in = weights;
  p.weight.rows = 1;
  p.weight.cols = c.n;
  p.weight.blocksize = c.blocksize;
  p.weight.quant_type = c.quant_type;
  p.weight.nested_blocksize = c.nested_blocksize;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_QUANTIZE_4BIT_H
