// Tests qfuse_matmul_4bit_advice: refused arguments, and the advice without a GPU. The numbers of the advice for GPUs
// are tested in tests/cuda/matmul_plan_test.cpp.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>
#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "support/ways.h"

namespace qfuse::tests {
namespace {

std::string refusal_of(qfuse_device device, qfuse_dtype dtype, std::int64_t rows, std::int64_t blocksize,
                       qfuse_direction direction = QFUSE_FORWARD) {
  qfuse_sum few{};
  std::int64_t few_rows = 0;
  std::int64_t fused_rows = 0;
  qfuse_error error{};
  EXPECT_EQ(
      qfuse_matmul_4bit_advice(device, dtype, direction, rows, 64, blocksize, &few, &few_rows, &fused_rows, &error),
      error.status);
  return error.status == QFUSE_OK ? "" : error.message;
}

TEST(Advice, is_never_to_decode_on_the_cpu) {
  qfuse_exec best = QFUSE_EXEC_INIT;
  best.cpu_target = qfuse_cpu_target_name(0);
  const bool has_amx = has_sum(QFUSE_SUM_BF16_AMX, best);
  for (const qfuse_device_type type : {QFUSE_CPU, QFUSE_REFERENCE})
    for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
      const MatmulAdvice advice = matmul_4bit_advice(14336, 4096, 64, dtype, Direction::forward, {.device = {type, 0}});
      const bool has_two_sums = has_amx && dtype == Dtype::bfloat16 && type == QFUSE_CPU;
      EXPECT_EQ(advice.few, has_two_sums ? Sum::bf16_dot : Sum::of_device);
      EXPECT_EQ(advice.few_rows, has_two_sums ? 4 : 0);
      EXPECT_EQ(advice.fused_rows, std::numeric_limits<std::int64_t>::max());
    }
}

TEST(Advice, is_cautious_for_a_gpu_that_is_not_there) {
  const auto of = [](Dtype dtype, Direction direction) {
    return matmul_4bit_advice(14336, 4096, 64, dtype, direction, {.device = {QFUSE_CUDA, 1000}});
  };
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const MatmulAdvice advice = of(Dtype::bfloat16, direction);
    EXPECT_EQ(advice.few, Sum::of_device);
    EXPECT_EQ(advice.few_rows, 0);
    EXPECT_EQ(advice.fused_rows, 8);
    EXPECT_EQ(of(Dtype::float32, direction).fused_rows, -1);
  }
}

TEST(Advice, names_what_it_refuses) {
  EXPECT_EQ(refusal_of({QFUSE_CPU, 0}, QFUSE_BFLOAT16, 64, 64), "");
  EXPECT_EQ(refusal_of({QFUSE_CPU, 0}, QFUSE_BFLOAT16, -1, 64), "rows is -1, it must not be negative");
  EXPECT_EQ(refusal_of({QFUSE_CPU, 0}, QFUSE_BFLOAT16, 64, 48),
            "blocksize is 48, it must be a power of two from 32 to 4096");
  EXPECT_EQ(refusal_of({QFUSE_CUDA, -1}, QFUSE_BFLOAT16, 64, 64), "device index is -1, it must not be negative");
  EXPECT_NE(refusal_of({QFUSE_OPENCL, 0}, QFUSE_BFLOAT16, 64, 64).find("has no kernel for"), std::string::npos);
  EXPECT_NE(refusal_of({QFUSE_CPU, 0}, static_cast<qfuse_dtype>(7), 64, 64).find("dtype is 7"), std::string::npos);
  EXPECT_NE(refusal_of({QFUSE_CPU, 0}, QFUSE_BFLOAT16, 64, 64, static_cast<qfuse_direction>(7)).find("direction is 7"),
            std::string::npos);
  qfuse_sum few{};
  std::int64_t rows = 0;
  qfuse_error error{};
  EXPECT_EQ(
      qfuse_matmul_4bit_advice({QFUSE_CPU, 0}, QFUSE_BFLOAT16, QFUSE_FORWARD, 64, 64, 64, &few, &rows, nullptr, &error),
      QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "few, few_rows or fused_rows is NULL");
}

}  // namespace
}  // namespace qfuse::tests
