#include "cases/dequantize_int8.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <string>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/output.h"
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
    contract::DequantizeInt8 p{};
    p.rows = weight.shape.at(0);
    p.cols = weight.shape.at(1);
    p.in = weight.as<std::int8_t>();
    p.scb = file.at(name + ".SCB").as<float>();
    for_each_way<contract::DequantizeInt8>([&](const qfuse_exec& exec) {
      const Buffer out = output_of(p, exec);
      ASSERT_EQ(golden.bytes.size(), out.size());
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
    const Buffer expected = output_of(p, oracle());
    p.in = reinterpret_cast<const std::int8_t*>(in.data());
    p.scb = reinterpret_cast<const float*>(scb.data());
    for_each_fast_way<contract::DequantizeInt8>([&](const qfuse_exec& exec) { expect_output(p, expected, exec, 3); });
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, DequantizeInt8Cases, testing::ValuesIn(kDequantizeInt8Cases),
                         risk_name<DequantizeInt8Case>);

}  // namespace
}  // namespace qfuse::tests
