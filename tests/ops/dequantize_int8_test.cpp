#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <random>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

TEST(DequantizeInt8, EqualsBitsandbytesOnTheGoldenCases) {
  const GoldenFile file = read_golden("bnb_int8.safetensors");
  for (const std::string name : {"int8_0", "int8_1"}) {
    SCOPED_TRACE(name);
    const GoldenTensor& weight = file.at(name + ".weight");
    const GoldenTensor& golden = file.at(name + ".dequant.float32");
    for_each_way([&](const qfuse_exec& exec) {
      Buffer out(golden.bytes.size());
      qfuse_dequantize_int8_params p{};
      p.struct_size = sizeof p;
      p.rows = weight.shape.at(0);
      p.cols = weight.shape.at(1);
      p.in = weight.as<std::int8_t>();
      p.scb = file.at(name + ".SCB").as<float>();
      p.out = out.as<void>();
      qfuse_error error{};
      ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
      ASSERT_TRUE(same_elements(golden.bytes.data(), out.data(), weight.elements(), QFUSE_FLOAT32));
    });
  }
}

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
};

class DequantizeInt8Shapes : public testing::TestWithParam<Shape> {};

TEST_P(DequantizeInt8Shapes, EveryTargetGivesTheOraclesBytesAtAnyAddress) {
  const auto [rows, cols] = GetParam();
  std::mt19937 random(7);
  Buffer in(static_cast<std::size_t>(rows * cols), 1);
  for (std::int64_t i = 0; i < rows * cols; ++i) in.as()[i] = static_cast<std::uint8_t>(random());
  std::vector<float> scb(static_cast<std::size_t>(rows));
  for (float& scale : scb) scale = std::uniform_real_distribution<float>(-3.0F, 90000.0F)(random);
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    qfuse_dequantize_int8_params p{};
    p.struct_size = sizeof p;
    p.rows = rows;
    p.cols = cols;
    p.out_dtype = dtype;
    p.in = in.as<std::int8_t>();
    p.scb = scb.data();
    Buffer expected(static_cast<std::size_t>(rows * cols) * qfuse_dtype_size(dtype));
    p.out = expected.as<void>();
    qfuse_exec oracle = QFUSE_EXEC_INIT;
    oracle.device = {QFUSE_REFERENCE, 0};
    ASSERT_EQ(run(p, oracle, nullptr), QFUSE_OK);
    for_each_fast_way([&](const qfuse_exec& exec) {
      Buffer out(expected.size(), 3);
      p.out = out.as<void>();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_bytes(expected.data(), out.data(), static_cast<std::int64_t>(out.size())));
      ASSERT_TRUE(out.front_is_intact());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DequantizeInt8Shapes,
                         testing::Values(Shape{1, 1}, Shape{3, 15}, Shape{5, 17}, Shape{1000, 333}, Shape{1, 300001},
                                         Shape{300001, 1}));

}  // namespace
}  // namespace qfuse::tests
