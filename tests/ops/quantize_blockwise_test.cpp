#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "format/mean.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

struct Case {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize;
  float offset;
};

class QuantizeBlockwise : public testing::TestWithParam<Case> {};

// Like absmax of a layer, with what no layer should have among them.
std::vector<float> make_values(std::int64_t n) {
  constexpr std::array kOdd = {NAN, std::numeric_limits<float>::infinity(), -FLT_MAX, FLT_MIN / 4, -0.0F, 0.0F};
  std::mt19937 random(11);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) {
    value = std::normal_distribution<float>(0.06F, 0.02F)(random);
    if (random() % 700 == 0) value = kOdd[random() % kOdd.size()];
  }
  return values;
}

void expect_oracles_bytes(const Case& c, qfuse_dtype dtype) {
  const std::vector<float> values = make_values(c.n);
  Buffer in(values.size() * qfuse_dtype_size(dtype), 3);
  for (std::int64_t i = 0; i < c.n; ++i)
    format::store_rounded(in.as<void>(), i, dtype, values[static_cast<std::size_t>(i)]);
  const auto blocks = static_cast<std::size_t>(qfuse_block_count(c.n, c.blocksize));
  qfuse_quantize_blockwise_params p{};
  p.struct_size = sizeof p;
  p.n = c.n;
  p.blocksize = c.blocksize;
  p.in_dtype = dtype;
  p.in = in.as<void>();
  p.offset = c.offset;
  Buffer expected_codes(values.size());
  Buffer expected_absmax(blocks * sizeof(float));
  p.codes = expected_codes.as();
  p.absmax = expected_absmax.as<float>();
  qfuse_exec oracle = QFUSE_EXEC_INIT;
  oracle.device = {QFUSE_REFERENCE, 0};
  ASSERT_EQ(run(p, oracle, nullptr), QFUSE_OK);
  for_each_fast_way([&](const qfuse_exec& exec) {
    Buffer codes(expected_codes.size(), 1);
    Buffer absmax(expected_absmax.size(), 2);
    p.codes = codes.as();
    p.absmax = absmax.as<float>();
    qfuse_error error{};
    ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
    ASSERT_TRUE(same_bytes(expected_codes.data(), codes.data(), c.n));
    ASSERT_TRUE(same_bytes(expected_absmax.data(), absmax.data(), static_cast<std::int64_t>(absmax.size())));
    ASSERT_TRUE(codes.front_is_intact() && absmax.front_is_intact());
  });
}

TEST_P(QuantizeBlockwise, EveryTargetGivesTheOraclesBytesAtAnyAddress) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    expect_oracles_bytes(GetParam(), dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, QuantizeBlockwise,
                         testing::Values(Case{"one value", 1, 256, 0.05F},
                                         Case{"short last block", 256 * 9 + 77, 256, 0.06F},
                                         Case{"blocks of one", 300, 1, 0.06F},
                                         Case{"blocks smaller than a vector", 1001, 4, 0},
                                         Case{"blocks larger than a piece", 4096 * 3 + 300, 4096, 0.06F},
                                         Case{"one block beyond all values", 5000, 1 << 30, 0.06F},
                                         Case{"several threads", 256 * 1500, 256, 0.06F}),
                         [](const auto& info) {
                           std::string name = info.param.risk;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// The absmax of the golden weights, encoded by itself and in two pieces, is what bitsandbytes stored.
TEST(QuantizeBlockwise, EqualsBitsandbytesAlsoPieceByPiece) {
  const GoldenFile file = read_golden("bnb_cases.safetensors");
  int compared = 0;
  for (const auto& c : read_golden_json("bnb_cases.json")) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    if (!golden.nested || !std::isfinite(golden.nested_offset)) continue;
    SCOPED_TRACE(golden.name);
    const std::int64_t blocks = golden.absmax->elements();
    std::vector<std::uint8_t> packed(static_cast<std::size_t>(qfuse_packed_size(golden.n)));
    std::vector<float> absmax(static_cast<std::size_t>(blocks));
    qfuse_quantize_4bit_params q{};
    q.struct_size = sizeof q;
    q.n = golden.n;
    q.blocksize = golden.blocksize;
    q.quant_type = golden.quant_type;
    q.in_dtype = dtype_named(c.at("dtype"));
    q.in = file.at(golden.name + ".input").bytes.data();
    q.packed = packed.data();
    q.absmax = absmax.data();
    ASSERT_EQ(qfuse_quantize_4bit(&q, nullptr, nullptr), QFUSE_OK);
    std::vector<std::uint8_t> codes(absmax.size());
    std::vector<float> nested_absmax(static_cast<std::size_t>(qfuse_block_count(blocks, 256)));
    const std::int64_t cut = std::min<std::int64_t>(blocks, 256);
    for (const auto& [begin, end] : {std::pair{std::int64_t{0}, cut}, std::pair{cut, blocks}}) {
      qfuse_quantize_blockwise_params p{};
      p.struct_size = sizeof p;
      p.n = end - begin;
      p.blocksize = 256;
      p.in = absmax.data() + begin;
      p.offset = golden.nested_offset;
      p.codes = codes.data() + begin;
      p.absmax = nested_absmax.data() + begin / 256;
      ASSERT_EQ(qfuse_quantize_blockwise(&p, nullptr, nullptr), QFUSE_OK);
    }
    EXPECT_TRUE(same_bytes(golden.absmax->bytes.data(), codes.data(), blocks));
    EXPECT_TRUE(same_elements(golden.nested_absmax->bytes.data(), nested_absmax.data(),
                              golden.nested_absmax->elements(), QFUSE_FLOAT32));
    ++compared;
  }
  EXPECT_EQ(compared, 17);
}

TEST(QuantizeBlockwise, TheMeanOfPiecesIsTheMeanOfTheWhole) {
  std::vector<float> values(3 * 4096 + 500);
  std::mt19937 random(12);
  for (float& value : values) value = std::normal_distribution<float>(0.06F, 0.02F)(random);
  format::Mean whole;
  whole.add(values.data(), static_cast<std::int64_t>(values.size()));
  format::Mean pieces;
  pieces.add(values.data(), 2 * 4096);
  pieces.add(values.data() + 2 * 4096, static_cast<std::int64_t>(values.size()) - 2 * 4096);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(whole.value()), std::bit_cast<std::uint32_t>(pieces.value()));
}

TEST(QuantizeBlockwise, RefusesWhatTheManualRefuses) {
  qfuse_quantize_blockwise_params p{};
  p.struct_size = sizeof p;
  p.n = 4;
  p.blocksize = 3;
  qfuse_error error{};
  EXPECT_EQ(qfuse_quantize_blockwise(&p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "blocksize is 3, it must be a power of two");
  p.blocksize = 4;
  EXPECT_EQ(qfuse_quantize_blockwise(&p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "in is NULL, it must hold 16 bytes");
}

}  // namespace
}  // namespace qfuse::tests
