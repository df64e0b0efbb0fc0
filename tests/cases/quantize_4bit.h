// Cases of quantize_4bit, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_QUANTIZE_4BIT_H
#define QFUSE_TESTS_CASES_QUANTIZE_4BIT_H

#include <qfuse/qfuse.h>

#include <algorithm>
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

enum class WeightKind {
  trained,
  zeros,
  zero_blocks,
  subnormal,
  huge,
  specials,
  nan_blocks,
  ties,
  bounds,
  mirrored,
  halves,
  faint
};

struct Quantize4bitCase {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  WeightKind weights = WeightKind::trained;
  std::int64_t cols = 0;                    // entries of importance, which n is a multiple of; 0: none is given
  bool keeps = false;                       // the absmax of the same weights in reverse order
  qfuse_mx_scales mx_scales = QFUSE_MX_UP;  // of E2M1, which is MXFP4
};

constexpr Quantize4bitCase mx_case(const char* risk, qfuse_mx_scales mx_scales,
                                   WeightKind weights = WeightKind::trained, std::int64_t blocks = 701,
                                   bool keeps = false) {
  return {.risk = risk,
          .n = blocks * 32,
          .blocksize = 32,
          .quant_type = QFUSE_E2M1,
          .nested_blocksize = 0,
          .weights = weights,
          .keeps = keeps,
          .mx_scales = mx_scales};
}

constexpr Quantize4bitCase keeping(Quantize4bitCase c) {
  c.keeps = true;
  return c;
}

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
    Quantize4bitCase{"importance", 320 * 640, 64, QFUSE_NF4, 0, WeightKind::trained, 640},
    Quantize4bitCase{"importance, fp4, several threads", 1100 * 256, 128, QFUSE_FP4, 0, WeightKind::trained, 256},
    Quantize4bitCase{"importance, blocks across rows, short last", 133 * 77, 64, QFUSE_NF4, 0, WeightKind::trained, 77},
    Quantize4bitCase{"importance of one column, smallest blocks", 205, 32, QFUSE_NF4, 0, WeightKind::trained, 1},
    Quantize4bitCase{"importance, blocks of several warps", 19 * 333, 1024, QFUSE_NF4, 0, WeightKind::trained, 333},
    Quantize4bitCase{"importance, largest blocks, short last", 73 * 281, 4096, QFUSE_FP4, 0, WeightKind::trained, 281},
    Quantize4bitCase{"importance, zeros", 64 * 70, 64, QFUSE_NF4, 0, WeightKind::zero_blocks, 320},
    Quantize4bitCase{"importance, subnormal weights", 64 * 70, 64, QFUSE_FP4, 0, WeightKind::subnormal, 320},
    Quantize4bitCase{"importance, squares overflow", 64 * 70, 64, QFUSE_NF4, 0, WeightKind::huge, 320},
    Quantize4bitCase{"importance, specials", 64 * 700 + 32, 64, QFUSE_NF4, 0, WeightKind::specials, 14944},
    Quantize4bitCase{"importance, specials in fp4", 64 * 700 + 32, 64, QFUSE_FP4, 0, WeightKind::specials, 14944},
    Quantize4bitCase{"importance, blocks of NaN alone", 64 * 40 + 10, 64, QFUSE_NF4, 0, WeightKind::nan_blocks, 10},
    Quantize4bitCase{"importance, exact ties", 64 * 700, 64, QFUSE_NF4, 0, WeightKind::ties, 160},
    Quantize4bitCase{"importance, order of sums", 64 * 700, 64, QFUSE_NF4, 0, WeightKind::mirrored, 1},
    Quantize4bitCase{"importance, order of sums over warps", 64 * 2048, 2048, QFUSE_NF4, 0, WeightKind::mirrored, 1},
    Quantize4bitCase{"importance, subnormal errors", 64 * 700, 64, QFUSE_NF4, 0, WeightKind::faint, 320},
    Quantize4bitCase{"importance, about the bounds of the search", 64 * 700, 64, QFUSE_NF4, 0, WeightKind::bounds, 160},
    keeping({"kept, one element", 1}),
    keeping({"kept, plain, odd count, short last block", 12345, 64, QFUSE_NF4, 0}),
    keeping({"kept, nested, several threads", 64 * 4096 + 33}),
    keeping({"kept, smallest blocks, nested blocks of 16", 32 * 300 + 7, 32, QFUSE_NF4, 16}),
    keeping({"kept, largest blocks", 4096 * 5 + 33, 4096}),
    keeping({"kept, fp4, nested", 64 * 1000, 64, QFUSE_FP4}),
    keeping({"kept, some absmax are zero", 64 * 701, 64, QFUSE_NF4, 0, WeightKind::zero_blocks}),
    keeping({"kept, subnormal", 64 * 700, 64, QFUSE_FP4, 0, WeightKind::subnormal}),
    keeping({"kept, huge", 64 * 700, 64, QFUSE_NF4, 256, WeightKind::huge}),
    keeping({"kept, specials", 64 * 700 + 33, 64, QFUSE_NF4, 0, WeightKind::specials}),
    keeping({"kept, specials in nested fp4", 64 * 700 + 33, 64, QFUSE_FP4, 256, WeightKind::specials}),
    keeping({"kept, absmax of NaN alone", 64 * 40 + 10, 64, QFUSE_NF4, 0, WeightKind::nan_blocks}),
    mx_case("MXFP4", QFUSE_MX_UP),
    mx_case("MXFP4, to nearest", QFUSE_MX_NEAREST),
    mx_case("MXFP4, one block", QFUSE_MX_UP, WeightKind::trained, 1),
    mx_case("MXFP4, several threads", QFUSE_MX_NEAREST, WeightKind::trained, 4096),
    mx_case("MXFP4, blocks of zeros", QFUSE_MX_UP, WeightKind::zero_blocks),
    mx_case("MXFP4, blocks of zeros, to nearest", QFUSE_MX_NEAREST, WeightKind::zero_blocks),
    mx_case("MXFP4, subnormal", QFUSE_MX_UP, WeightKind::subnormal),
    mx_case("MXFP4, subnormal, to nearest", QFUSE_MX_NEAREST, WeightKind::subnormal),
    mx_case("MXFP4, huge", QFUSE_MX_UP, WeightKind::huge),
    mx_case("MXFP4, huge, to nearest", QFUSE_MX_NEAREST, WeightKind::huge),
    mx_case("MXFP4, specials", QFUSE_MX_UP, WeightKind::specials),
    mx_case("MXFP4, specials, to nearest", QFUSE_MX_NEAREST, WeightKind::specials),
    mx_case("MXFP4, ties", QFUSE_MX_UP, WeightKind::halves),
    mx_case("MXFP4, ties, to nearest", QFUSE_MX_NEAREST, WeightKind::halves),
    mx_case("MXFP4, kept", QFUSE_MX_UP, WeightKind::trained, 701, true),
    mx_case("MXFP4, kept, specials", QFUSE_MX_UP, WeightKind::specials, 701, true),
    mx_case("MXFP4, kept, specials, to nearest", QFUSE_MX_NEAREST, WeightKind::specials, 701, true),
    mx_case("MXFP4, kept, huge, to nearest", QFUSE_MX_NEAREST, WeightKind::huge, 701, true),
    keeping({"kept, exact ties", 64 * 700, 64, QFUSE_NF4, 256, WeightKind::ties}),
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
    case WeightKind::trained:
    case WeightKind::mirrored:
    case WeightKind::faint: return normal;
    case WeightKind::halves: return 0.125F * static_cast<float>(static_cast<int>(random() % 129) - 64);
    case WeightKind::zeros: return random() % 2 == 0 ? 0.0F : -0.0F;
    case WeightKind::zero_blocks: return i / c.blocksize % 3 == 0 ? 0.0F : normal;
    case WeightKind::subnormal: return std::ldexp(normal, -std::uniform_int_distribution(115, 150)(random));
    case WeightKind::huge: return std::ldexp(normal, 132);
    case WeightKind::specials: return rarely ? kSpecials[random() % kSpecials.size()] : normal;
    case WeightKind::nan_blocks: return i / c.blocksize % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : normal;
    case WeightKind::bounds:  // absmax is 2^-61, 2^-60, 2^60, 2^61, or the next number below
      if (i % c.blocksize != 0) return std::ldexp(normal, i / c.blocksize % 4 < 2 ? -61 : 60);
      return std::nextafter(
          std::ldexp(1.0F, std::array{-61, -60, 60, 61}[static_cast<std::size_t>(i / c.blocksize % 4)]),
          random() % 2 == 0 ? 0.0F : INFINITY);
    case WeightKind::ties: break;
  }
  // The block's absmax is 1, so that the scaled weights are exactly the thresholds and their neighbors.
  if (i % c.blocksize == 0) return 1.0F;
  const auto& codebook = format::codebook4(c.quant_type);
  const float tie = codebook.used_thresholds()[random() % codebook.used_thresholds().size()];
  const float sign = codebook.signed_magnitude && random() % 2 == 0 ? -1.0F : 1.0F;
  return sign * std::nextafter(tie, std::array{-2.0F, tie, 2.0F}[random() % 3]);
}

// Gives each weight of a block an opposite one. A scale and its negative then have the same errors at other places, so
// that only the order in which these are summed decides between the two.
inline void mirror_blocks(const Quantize4bitCase& c, std::vector<float>& weights, std::mt19937& random) {
  for (auto block = weights.begin(); block != weights.end(); block += c.blocksize) {
    for (std::int64_t i = 0; i < c.blocksize; i += 2) block[i + 1] = -block[i];
    std::shuffle(block, block + c.blocksize, random);
  }
}

// The weights of a case in `dtype`, from a fixed seed.
inline std::vector<std::uint8_t> make_weights(const Quantize4bitCase& c, qfuse_dtype dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.n + c.blocksize));
  std::vector<float> values(static_cast<std::size_t>(c.n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_weight(c, static_cast<std::int64_t>(i), random);
  if (c.weights == WeightKind::mirrored) mirror_blocks(c, values, random);
  std::vector<std::uint8_t> weights(values.size() * qfuse_dtype_size(dtype));
  for (std::int64_t i = 0; i < c.n; ++i)
    format::store_rounded(weights.data(), i, dtype, values[static_cast<std::size_t>(i)]);
  return weights;
}

// The importance of a case's columns, from a fixed seed: some are zero; with specials, one is infinite, one is NaN.
inline std::vector<float> make_importance(const Quantize4bitCase& c) {
  std::mt19937 random(static_cast<std::uint32_t>(c.n + c.cols));
  std::vector<float> importance(static_cast<std::size_t>(c.cols));
  for (float& of_column : importance) of_column = random() % 20 == 0 ? 0.0F : std::exp(2 * random_normal(random));
  if (c.weights == WeightKind::faint)  // errors are a few times the least subnormal number: many are equal
    for (float& of_column : importance) of_column *= 0x1p-128F;
  if (c.weights != WeightKind::specials || c.cols == 0) return importance;
  importance.front() = std::numeric_limits<float>::infinity();
  importance.back() = std::numeric_limits<float>::quiet_NaN();
  return importance;
}

// Parameters over `weights`. The caller sets the outputs, the importance if c.cols is not 0, and what is kept.
inline contract::Quantize4bit make_params(const Quantize4bitCase& c, const void* weights, qfuse_dtype dtype) {
  contract::Quantize4bit p{};
  p.in_dtype = dtype;
  p.in = weights;
  p.weight.rows = c.cols == 0 ? 1 : c.n / c.cols;
  p.weight.cols = c.cols == 0 ? c.n : c.cols;
  p.weight.blocksize = c.blocksize;
  p.weight.quant_type = c.quant_type;
  p.weight.nested_blocksize = c.nested_blocksize;
  p.weight.mx_scales = c.mx_scales;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_QUANTIZE_4BIT_H
