// INT8 products with a rotated NF4 weight: parameters, inputs, and the oracle's answers.
#ifndef QFUSE_BENCH_ROTATED_ORACLE_H
#define QFUSE_BENCH_ROTATED_ORACLE_H

#include <array>
#include <cstdint>
#include <string>

#include "matmul_oracle.h"

namespace qfuse::bench {

inline constexpr std::int64_t kRotatedRank = 16;  // LoRA rank of products with LoRA

// Shape of a bf16 product: y = x * W^T with x [m, cols], or dx = dy * W with dy [m, rows].
struct RotatedShape {
  Shape weight;
  qfuse_direction direction;
  std::int64_t m;

  [[nodiscard]] std::int64_t terms() const { return direction == QFUSE_FORWARD ? weight.cols : weight.rows; }
  [[nodiscard]] std::int64_t outputs() const { return direction == QFUSE_FORWARD ? weight.rows : weight.cols; }
};

// Arrays of all four ops, on the host or on a GPU.
struct RotatedArrays {
  qfuse_weight_4bit weight;
  const void* in;
  std::int8_t* in_q;
  float* in_scale;
  std::int8_t* weight_q;
  float* weight_scale;
  const void* lora_in;
  const void* lora_weight;
  void* out;
};

contract::RotatedInt8Quantize rotated_input_params(const RotatedShape& shape, const RotatedArrays& arrays);
contract::RotatedInt8WeightScales rotated_scales_params(const RotatedShape& shape, const RotatedArrays& arrays);
contract::RotatedInt8Weight rotated_weight_params(const RotatedShape& shape, const RotatedArrays& arrays);
contract::RotatedInt8Matmul rotated_product_params(const RotatedShape& shape, const RotatedArrays& arrays,
                                                   std::int64_t rank);

// Inputs of kOracleTokens tokens, and the oracle's outputs for them. Further tokens repeat them, because every row of x
// is quantized independently.
struct RotatedAnswers {
  Bytes in;
  Bytes lora_in;
  Bytes lora_weight;
  Bytes in_q;
  Bytes in_scale;
  Bytes weight_q;
  Bytes weight_scale;
  Bytes out;
  Bytes out_with_lora;

  // Extends an array of kOracleTokens tokens to m tokens.
  static Bytes repeated(const Bytes& tokens, std::int64_t m);
};
RotatedAnswers answer_rotated(const RotatedShape& shape, const Codes& codes);

// Throws if the array `what` differs from the oracle's.
void require_rotated(const char* what, const Bytes& expected, const void* actual, std::int64_t element);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_ROTATED_ORACLE_H
