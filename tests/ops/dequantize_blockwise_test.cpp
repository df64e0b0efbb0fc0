#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// What bitsandbytes does in three steps: nested absmax, plus the offset, then the weights with plain absmax.
TEST(DequantizeBlockwise, StepByStepNestedWeightsDecodeAsBitsandbytesDecodesThem) {
  const GoldenFile file = read_golden("bnb_cases.safetensors");
  int compared = 0;
  for (const auto& c : read_golden_json("bnb_cases.json")) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    if (!golden.nested) continue;
    SCOPED_TRACE(golden.name);
    const GoldenTensor& expected = file.at(golden.name + ".dequant.float32");
    for_each_way([&](const qfuse_exec& exec) {
      std::vector<float> absmax(static_cast<std::size_t>(golden.absmax->elements()));
      qfuse_dequantize_blockwise_params step{};
      step.struct_size = sizeof step;
      step.n = golden.absmax->elements();
      step.blocksize = 256;
      step.codes = golden.absmax->as<std::uint8_t>();
      step.absmax = golden.nested_absmax->as<float>();
      step.quant_map = golden.nested_quant_map->as<float>();
      step.out = absmax.data();
      ASSERT_EQ(run(step, exec, nullptr), QFUSE_OK);
      for (float& scale : absmax) scale += golden.nested_offset;
      qfuse_dequantize_4bit_params p = golden.params();
      p.absmax_8bit = nullptr;
      p.absmax = absmax.data();
      Buffer out(expected.bytes.size());
      p.out = out.as<void>();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_elements(expected.bytes.data(), out.data(), golden.n, QFUSE_FLOAT32));
    });
    ++compared;
  }
  EXPECT_EQ(compared, 18);
}

struct Case {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize;
};

class DequantizeBlockwiseCases : public testing::TestWithParam<Case> {};

TEST_P(DequantizeBlockwiseCases, EveryTargetGivesTheOraclesBytesAtAnyAddress) {
  constexpr std::array kOdd = {NAN, INFINITY, -0.0F, std::numeric_limits<float>::max(), 1e-39F, -1e-44F};
  const Case& c = GetParam();
  std::mt19937 random(13);
  Buffer codes(static_cast<std::size_t>(c.n), 1);
  for (std::int64_t i = 0; i < c.n; ++i) codes.as()[i] = static_cast<std::uint8_t>(random());
  std::vector<float> absmax(static_cast<std::size_t>(qfuse_block_count(c.n, c.blocksize)));
  for (float& scale : absmax) scale = random() % 9 == 0 ? kOdd[random() % kOdd.size()] : 0.37F;
  Buffer map(256 * sizeof(float), 2);
  std::vector<float> values(256);
  qfuse_nested_quant_map(values.data());
  std::memcpy(map.as<void>(), values.data(), map.size());
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    qfuse_dequantize_blockwise_params p{};
    p.struct_size = sizeof p;
    p.n = c.n;
    p.blocksize = c.blocksize;
    p.out_dtype = dtype;
    p.codes = codes.as();
    p.absmax = absmax.data();
    p.quant_map = map.as<float>();
    Buffer expected(static_cast<std::size_t>(c.n) * qfuse_dtype_size(dtype));
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

INSTANTIATE_TEST_SUITE_P(Risks, DequantizeBlockwiseCases,
                         testing::Values(Case{"one_value", 1, 256}, Case{"short_last_block", 256 * 9 + 77, 256},
                                         Case{"blocks_of_one", 301, 1}, Case{"blocks_of_4096", 4096 * 3 + 300, 4096},
                                         Case{"one_block_beyond_all_values", 5000, 1 << 30},
                                         Case{"several_threads", 64 * 9000 + 3, 64}),
                         [](const auto& info) { return std::string(info.param.risk); });

}  // namespace
}  // namespace qfuse::tests
