#include "cases/dequantize_int8.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <string>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

TEST(DequantizeInt8, equals_bitsandbytes_on_the_golden_cases) {
  const GoldenFile file = read_golden("bnb_int8.safetensors");
  for (const std::string name : {"int8_0", "int8_1"}) {
    SCOPED_TRACE(name);
    const GoldenTensor& weight = file.at(name + ".weight");
    const GoldenTensor& golden = file.at(name + ".dequant.float32");
    for_each_way<contract::DequantizeInt8>([&](const qfuse_exec& exec) {
      Buffer out(golden.bytes.size());
      contract::DequantizeInt8 p{};
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

class DequantizeInt8Cases : public testing::TestWithParam<DequantizeInt8Case> {};

TEST_P(DequantizeInt8Cases, every_target_gives_the_oracles_bytes_at_any_address) {
  const DequantizeInt8Input input = make_input(GetParam());
  const Buffer in = copy_of(input.in, 1);
  const Buffer scb = copy_of(input.scb, 2);
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    contract::DequantizeInt8 p = make_params(GetParam(), input);
    p.out_dtype = dtype;
    Buffer expected(static_cast<std::size_t>(p.rows * p.cols) * qfuse_dtype_size(dtype));
    p.out = expected.as<void>();
    ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
    p.in = reinterpret_cast<const std::int8_t*>(in.data());
    p.scb = reinterpret_cast<const float*>(scb.data());
    for_each_fast_way<contract::DequantizeInt8>([&](const qfuse_exec& exec) {
      Buffer out(expected.size(), 3);
      p.out = out.as<void>();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_bytes(expected.data(), out.data(), static_cast<std::int64_t>(out.size())));
      ASSERT_TRUE(out.front_is_intact());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, DequantizeInt8Cases, testing::ValuesIn(kDequantizeInt8Cases),
                         risk_name<DequantizeInt8Case>);

}  // namespace
}  // namespace qfuse::tests
