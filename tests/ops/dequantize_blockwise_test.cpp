#include "cases/dequantize_blockwise.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// Decodes as bitsandbytes does, in steps: nested absmax, then the offset, then the weights with plain absmax.
TEST(DequantizeBlockwise, step_by_step_nested_weights_decode_as_bitsandbytes_decodes_them) {
  const GoldenFile file = read_golden("bnb_cases.safetensors");
  int compared = 0;
  for (const auto& c : read_golden_json("bnb_cases.json")) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    if (!golden.nested) continue;
    SCOPED_TRACE(golden.name);
    const GoldenTensor& expected = file.at(golden.name + ".dequant.float32");
    for_each_way<contract::DequantizeBlockwise>([&](const qfuse_exec& exec) {
      std::vector<float> absmax(static_cast<std::size_t>(golden.absmax->elements()));
      contract::DequantizeBlockwise step{};
      step.n = golden.absmax->elements();
      step.blocksize = 256;
      step.codes = golden.absmax->as<std::uint8_t>();
      step.absmax = golden.nested_absmax->as<float>();
      step.quant_map = golden.nested_quant_map->as<float>();
      step.out = absmax.data();
      ASSERT_EQ(run(step, exec, nullptr), QFUSE_OK);
      for (float& scale : absmax) scale += golden.nested_offset;
      contract::Dequantize4bit p = golden.params();
      p.weight.absmax_8bit = nullptr;
      p.weight.absmax = absmax.data();
      ASSERT_TRUE(same_elements(expected.bytes.data(), output_of(p, exec).data(), golden.n, QFUSE_FLOAT32));
    });
    ++compared;
  }
  EXPECT_EQ(compared, 18);
}

class DequantizeBlockwiseCases : public testing::TestWithParam<DequantizeBlockwiseCase> {};

TEST_P(DequantizeBlockwiseCases, every_target_gives_the_oracles_bytes_at_any_address) {
  const DequantizeBlockwiseInput in = make_input(GetParam());
  const Buffer codes = copy_of(in.codes, 1);
  const Buffer absmax = copy_of(in.absmax, 3);
  const Buffer map = copy_of(in.quant_map, 2);
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    contract::DequantizeBlockwise p = make_params(GetParam(), in);
    p.out_dtype = dtype;
    const Buffer expected = output_of(p, oracle());
    p.codes = codes.data();
    p.absmax = reinterpret_cast<const float*>(absmax.data());
    p.quant_map = reinterpret_cast<const float*>(map.data());
    for_each_fast_way<contract::DequantizeBlockwise>(
        [&](const qfuse_exec& exec) { expect_output(p, expected, exec, 3); });
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, DequantizeBlockwiseCases, testing::ValuesIn(kDequantizeBlockwiseCases),
                         risk_name<DequantizeBlockwiseCase>);

}  // namespace
}  // namespace qfuse::tests
