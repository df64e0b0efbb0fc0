// Cases of rotated_int8's ops, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_ROTATED_INT8_H
#define QFUSE_TESTS_CASES_ROTATED_INT8_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "cases/matmul_4bit.h"
#include "cases/swiglu.h"
#include "contract/rotated_int8.h"
#include "support/random.h"

namespace qfuse::tests {

// ---- x or dy ----

struct RotatedInputCase {
  const char* risk;
  std::int64_t rows;
  std::int64_t cols;
  InputKind kind = InputKind::normal;
  int exponent = 0;      // values are multiplied by 2^exponent
  std::int64_t gap = 0;  // elements between rows of in
};

inline constexpr std::array kRotatedInputCases = {
    RotatedInputCase{"one small block", 1, 64},
    RotatedInputCase{"one block", 3, 128},
    RotatedInputCase{"small blocks, one of them behind a whole number of 128", 5, 576},
    RotatedInputCase{"blocks, more than a stretch", 2, 1152},
    RotatedInputCase{"small blocks, more than two stretches", 2, 2880},
    RotatedInputCase{"long rows", 3, 14336},
    RotatedInputCase{"several threads", 301, 256},
    RotatedInputCase{"outliers", 17, 896, InputKind::outliers},
    RotatedInputCase{"exponents far apart", 9, 384, InputKind::wide},
    RotatedInputCase{"rows apart", 7, 128, InputKind::normal, 0, 24},
    RotatedInputCase{"rows apart by an odd gap", 4, 192, InputKind::normal, 0, 3},
    RotatedInputCase{"subnormal and small values", 5, 128, InputKind::tiny},
    RotatedInputCase{"rows about the least unit", 40, 64, InputKind::wide, -98},
    RotatedInputCase{"subnormals alone", 3, 128, InputKind::normal, -140},
    RotatedInputCase{"sums beyond fp32, of some rows", 24, 128, InputKind::wide, 108},
    RotatedInputCase{"infinities and NaN, of some rows", 24, 256, InputKind::special},
};

inline std::vector<std::uint8_t> make_input(const RotatedInputCase& c, qfuse_dtype dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.rows * 13 + c.cols));
  std::vector<std::uint8_t> values(static_cast<std::size_t>(c.rows * (c.cols + c.gap)) * qfuse_dtype_size(dtype));
  for (std::int64_t i = 0; i < c.rows * (c.cols + c.gap); ++i)
    format::store_rounded(values.data(), i, dtype, std::ldexp(random_input(c.kind, random), c.exponent));
  return values;
}

// Parameters over `in`, without the outputs.
inline contract::RotatedInt8Quantize make_params(const RotatedInputCase& c, qfuse_dtype dtype,
                                                 const std::vector<std::uint8_t>& in) {
  contract::RotatedInt8Quantize p{};
  p.rows = c.rows;
  p.cols = c.cols;
  p.in_dtype = dtype;
  p.in = in.data();
  if (c.gap > 0) p.in_stride = c.cols + c.gap;
  return p;
}

// ---- a SwiGLU block ----

inline constexpr std::array kRotatedSwigluCases = {
    SwigluCase{"one small block", 1, 64},
    SwigluCase{"small blocks, one of them behind a whole number of 128", 3, 576},
    SwigluCase{"blocks, more than a stretch", 5, 1152},
    SwigluCase{"long rows", 2, 14336},
    SwigluCase{"several threads", 301, 128},
    SwigluCase{"rows apart", 20, 256, Activations::normal, 1.0F, 384, 8},
    SwigluCase{"rows apart by odd gaps", 7, 192, Activations::normal, 1.0F, 3, 7},
    SwigluCase{"saturated sigmoid, x20", 9, 256, Activations::normal, 20.0F},
    SwigluCase{"exp overflows, x200", 9, 256, Activations::normal, 200.0F},
    SwigluCase{"products underflow, x1e-20", 9, 128, Activations::normal, 1e-20F},
    SwigluCase{"products overflow, x1e15", 9, 128, Activations::normal, 1e15F},
    SwigluCase{"zeros", 3, 128, Activations::normal, 0.0F},
    SwigluCase{"subnormal", 9, 256, Activations::subnormal},
    SwigluCase{"any bits", 61, 64, Activations::any_bits},
    SwigluCase{"NaN and infinities among numbers", 390, 256, Activations::planted},
};

// ---- a weight ----

struct RotatedWeightCase {
  const char* risk;
  qfuse_direction direction;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  AbsmaxKind absmax = AbsmaxKind::trained;
  std::int64_t nested_begin = 0;
};

inline constexpr std::array kRotatedWeightCases = {
    RotatedWeightCase{"one small block", QFUSE_FORWARD, 1, 64},
    RotatedWeightCase{"one small block, backward", QFUSE_BACKWARD, 64, 64},
    RotatedWeightCase{"an odd number of rows", QFUSE_FORWARD, 37, 128},
    RotatedWeightCase{"rows of more than two stretches, small blocks", QFUSE_FORWARD, 3, 2880},
    RotatedWeightCase{"rows of more than a stretch", QFUSE_FORWARD, 3, 1152},
    RotatedWeightCase{"several threads", QFUSE_FORWARD, 301, 256},
    RotatedWeightCase{"several blocks, backward", QFUSE_BACKWARD, 384, 64},
    RotatedWeightCase{"several small blocks, backward", QFUSE_BACKWARD, 192, 128},
    RotatedWeightCase{"several parts, backward", QFUSE_BACKWARD, 256, 576},
    RotatedWeightCase{"absmax of more than a row", QFUSE_FORWARD, 16, 128, 4096},
    RotatedWeightCase{"absmax of more than a row, backward", QFUSE_BACKWARD, 128, 64, 256},
    RotatedWeightCase{"absmax that straddle rows", QFUSE_FORWARD, 7, 192, 128},
    RotatedWeightCase{"absmax that straddle rows, backward", QFUSE_BACKWARD, 128, 192, 128},
    RotatedWeightCase{"blocks of 32, plain", QFUSE_FORWARD, 9, 192, 32, QFUSE_NF4, 0},
    RotatedWeightCase{"blocks of 32, plain, backward", QFUSE_BACKWARD, 64, 192, 32, QFUSE_NF4, 0},
    RotatedWeightCase{"fp4, nested blocks of 16", QFUSE_FORWARD, 5, 256, 64, QFUSE_FP4, 16},
    RotatedWeightCase{"fp4, plain, backward", QFUSE_BACKWARD, 64, 128, 64, QFUSE_FP4, 0},
    RotatedWeightCase{"a part of a larger weight", QFUSE_FORWARD, 9, 128, 64, QFUSE_NF4, 16, AbsmaxKind::trained, 11},
    RotatedWeightCase{"a part of a larger weight, backward", QFUSE_BACKWARD, 64, 128, 64, QFUSE_NF4, 16,
                      AbsmaxKind::trained, 11},
    RotatedWeightCase{"subnormal scales", QFUSE_FORWARD, 8, 128, 64, QFUSE_NF4, 0, AbsmaxKind::subnormal},
    RotatedWeightCase{"subnormal scales, backward", QFUSE_BACKWARD, 64, 128, 64, QFUSE_NF4, 0, AbsmaxKind::subnormal},
    RotatedWeightCase{"infinite, NaN, negative and huge scales", QFUSE_FORWARD, 32, 128, 64, QFUSE_NF4, 0,
                      AbsmaxKind::extreme},
    RotatedWeightCase{"infinite, NaN, negative and huge scales, backward", QFUSE_BACKWARD, 64, 256, 32, QFUSE_NF4, 0,
                      AbsmaxKind::extreme},
    RotatedWeightCase{"infinite, NaN, negative and huge scales, large blocks", QFUSE_BACKWARD, 128, 64, 64, QFUSE_NF4,
                      0, AbsmaxKind::extreme},
};

inline Dequantize4bitCase weight_of(const RotatedWeightCase& c) {
  // A part of a larger weight includes the blocks before it, whose codes and absmax make_params then skips.
  return {c.risk,  (c.rows * c.cols) + c.nested_begin * c.blocksize, c.blocksize, c.quant_type, c.nested_blocksize,
          c.absmax};
}

// Parameters of either op over `in`, without the scales and q.
template <contract::RotatedWeight Op>
Op make_params(const RotatedWeightCase& c, const Dequantize4bitInput& in) {
  Op p{};
  p.weight = make_params(weight_of(c), in).weight;
  p.weight.rows = c.rows;
  p.weight.cols = c.cols;
  p.direction = c.direction;
  if (c.nested_begin == 0) return p;
  p.weight.absmax_8bit += c.nested_begin;
  p.weight.packed += c.nested_begin * c.blocksize / 2;
  p.weight.nested_begin = c.nested_begin;
  return p;
}

// ---- the product ----

struct RotatedProductCase {
  const char* risk;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t lora_rank = 0;
  bool has_bias = false;
  std::int64_t gap = 0;                  // elements between rows of out
  InputKind others = InputKind::normal;  // the scales, the bias, the addend and LoRA's arrays
  bool has_addend = false;
};

inline constexpr std::array kRotatedProductCases = {
    RotatedProductCase{"one of everything", 1, 1, 64},
    RotatedProductCase{"no terms, a bias", 3, 5, 0, 0, true},
    RotatedProductCase{"one token", 1, 67, 576},
    RotatedProductCase{"sizes beyond a tile by one", 65, 33, 128},
    RotatedProductCase{"prime sizes", 5, 61, 192, 0, true},
    RotatedProductCase{"several items", 131, 97, 64, 3, true},
    RotatedProductCase{"long sums", 6, 9, 14336},
    RotatedProductCase{"LoRA of rank 16", 9, 40, 128, 16},
    RotatedProductCase{"LoRA of more terms than are widened at a time", 7, 35, 64, 75, true},
    RotatedProductCase{"LoRA alone", 4, 33, 0, 5},
    RotatedProductCase{"rows apart", 6, 32, 128, 8, true, 24},
    RotatedProductCase{"rows apart by an odd gap", 3, 31, 128, 1, false, 3},
    RotatedProductCase{"subnormal scales and terms", 8, 40, 128, 7, true, 0, InputKind::tiny},
    RotatedProductCase{"infinities and NaN", 24, 70, 64, 40, true, 0, InputKind::special},
    RotatedProductCase{"an addend", 9, 40, 128, 0, false, 0, InputKind::normal, true},
    RotatedProductCase{"an addend after LoRA and a bias", 67, 61, 64, 3, true, 0, InputKind::normal, true},
    RotatedProductCase{"an addend, rows apart", 6, 32, 128, 0, false, 24, InputKind::normal, true},
    RotatedProductCase{"an addend with infinities and NaN", 24, 70, 64, 5, true, 0, InputKind::special, true},
};

struct RotatedProductInput {
  std::vector<std::int8_t> in_q;
  std::vector<std::int8_t> weight_q;
  std::vector<std::uint8_t> in_scale;
  std::vector<std::uint8_t> weight_scale;
  std::vector<std::uint8_t> bias;
  std::vector<std::uint8_t> lora_in;
  std::vector<std::uint8_t> lora_weight;
  std::vector<std::uint8_t> addend;
};

// Any byte may be a q, including -128.
inline std::vector<std::int8_t> random_bytes(std::int64_t count, std::mt19937& random) {
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::int8_t& byte : bytes) byte = static_cast<std::int8_t>(random());
  return bytes;
}

inline RotatedProductInput make_input(const RotatedProductCase& c, qfuse_dtype dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.m * 31 + c.n * 7 + c.k));
  return {random_bytes(c.m * c.k, random),
          random_bytes(c.n * c.k, random),
          random_values(c.m, QFUSE_FLOAT32, c.others, random),
          random_values(c.n, QFUSE_FLOAT32, c.others, random),
          random_values(c.n, dtype, c.others, random),
          random_values(c.m * c.lora_rank, dtype, c.others, random),
          random_values(c.n * c.lora_rank, dtype, c.others, random),
          random_values(c.has_addend ? c.m * c.n : 0, dtype, c.others, random)};
}

// Parameters over `in`, without out.
inline contract::RotatedInt8Matmul make_params(const RotatedProductCase& c, qfuse_direction direction,
                                               qfuse_dtype dtype, const RotatedProductInput& in) {
  contract::RotatedInt8Matmul p{};
  p.m = c.m;
  p.n = c.n;
  p.k = c.k;
  p.dtype = dtype;
  p.in_q = in.in_q.data();
  p.in_scale = reinterpret_cast<const float*>(in.in_scale.data());
  p.weight_q = in.weight_q.data();
  p.weight_scale = reinterpret_cast<const float*>(in.weight_scale.data());
  if (c.gap > 0) p.out_stride = c.n + c.gap;
  p.bias = c.has_bias ? in.bias.data() : nullptr;
  p.direction = direction;
  p.lora_rank = c.lora_rank;
  p.lora_in = in.lora_in.data();
  p.lora_weight = in.lora_weight.data();
  p.addend = c.has_addend ? in.addend.data() : nullptr;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_ROTATED_INT8_H
