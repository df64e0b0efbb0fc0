#include "cases/quantize_blockwise.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "format/mean.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/random.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// ---- against the oracle ----

class QuantizeBlockwiseCases : public testing::TestWithParam<QuantizeBlockwiseCase> {};

void expect_oracles_bytes(const QuantizeBlockwiseCase& c, qfuse_dtype dtype) {
  const Buffer in = copy_of(make_values(c, dtype), 3);
  contract::QuantizeBlockwise p = make_params(c, in.data(), dtype);
  Buffer expected_codes(static_cast<std::size_t>(c.n));
  Buffer expected_absmax(static_cast<std::size_t>(qfuse_block_count(c.n, c.blocksize)) * sizeof(float));
  p.codes = expected_codes.as();
  p.absmax = expected_absmax.as<float>();
  ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
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

TEST_P(QuantizeBlockwiseCases, every_target_gives_the_oracles_bytes_at_any_address) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    expect_oracles_bytes(GetParam(), dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, QuantizeBlockwiseCases, testing::ValuesIn(kQuantizeBlockwiseCases),
                         risk_name<QuantizeBlockwiseCase>);

// ---- against bitsandbytes ----

// The absmax of golden weights, encoded in two pieces, equals what bitsandbytes stored.
TEST(QuantizeBlockwise, equals_bitsandbytes_also_piece_by_piece) {
  const GoldenFile file = read_golden("bnb_cases.safetensors");
  int compared = 0;
  for (const auto& c : read_golden_json("bnb_cases.json")) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    if (!golden.nested || !std::isfinite(golden.nested_offset)) continue;
    SCOPED_TRACE(golden.name);
    const std::int64_t blocks = golden.absmax->elements();
    std::vector<std::uint8_t> packed(static_cast<std::size_t>(qfuse_packed_size(golden.n)));
    std::vector<float> absmax(static_cast<std::size_t>(blocks));
    contract::Quantize4bit q{};
    q.in_dtype = dtype_named(c.at("dtype"));
    q.in = file.at(golden.name + ".input").bytes.data();
    q.weight = flat_weight_out(golden.n, golden.blocksize, golden.quant_type);
    q.weight.packed = packed.data();
    q.weight.absmax = absmax.data();
    ASSERT_EQ(call(q), QFUSE_OK);
    std::vector<std::uint8_t> codes(absmax.size());
    std::vector<float> nested_absmax(static_cast<std::size_t>(qfuse_block_count(blocks, 256)));
    const std::int64_t cut = std::min<std::int64_t>(blocks, 256);
    for (const auto& [begin, end] : {std::pair{std::int64_t{0}, cut}, std::pair{cut, blocks}}) {
      contract::QuantizeBlockwise p{};
      p.n = end - begin;
      p.blocksize = 256;
      p.in = absmax.data() + begin;
      p.offset = golden.nested_offset;
      p.codes = codes.data() + begin;
      p.absmax = nested_absmax.data() + begin / 256;
      ASSERT_EQ(call(p), QFUSE_OK);
    }
    EXPECT_TRUE(same_bytes(golden.absmax->bytes.data(), codes.data(), blocks));
    EXPECT_TRUE(same_elements(golden.nested_absmax->bytes.data(), nested_absmax.data(),
                              golden.nested_absmax->elements(), QFUSE_FLOAT32));
    ++compared;
  }
  EXPECT_EQ(compared, 17);
}

TEST(QuantizeBlockwise, the_mean_of_pieces_is_the_mean_of_the_whole) {
  std::vector<float> values(3 * 4096 + 500);
  std::mt19937 random(12);
  for (float& value : values) value = 0.06F + 0.02F * random_normal(random);
  format::Mean whole;
  whole.add(values.data(), static_cast<std::int64_t>(values.size()));
  format::Mean pieces;
  pieces.add(values.data(), 2 * 4096);
  pieces.add(values.data() + 2 * 4096, static_cast<std::int64_t>(values.size()) - 2 * 4096);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(whole.value()), std::bit_cast<std::uint32_t>(pieces.value()));
}

}  // namespace
}  // namespace qfuse::tests
