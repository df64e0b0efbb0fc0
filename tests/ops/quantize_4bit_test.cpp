#include "cases/quantize_4bit.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "format/scale_search.h"
#include "support/encoded.h"
#include "support/golden.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// ---- against bitsandbytes ----

// Number of packed bytes in each case that differ with bitsandbytes' approximate reciprocal (docs/ACCURACY.md).
const std::map<std::string, std::int64_t> kReciprocalFlips = {{"edge031", 1}};

std::int64_t differing_bytes(const std::vector<std::uint8_t>& expected, const Buffer& actual) {
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) differing += expected[i] != actual.data()[i] ? 1 : 0;
  return differing;
}

// Compares codes and absmax of one golden case; nested, for bitsandbytes' offset, because its mean depends on the
// device. The spare nibble of an odd count is compared, too.
void expect_encoding(const GoldenWeight& golden, const GoldenTensor& input, qfuse_dtype dtype, const qfuse_exec& exec,
                     qfuse_reciprocal reciprocal, std::int64_t flips) {
  const Quantize4bitCase as_case{"", golden.n, golden.blocksize, golden.quant_type, golden.nested ? 256 : 0};
  contract::Quantize4bit p = make_params(as_case, input.bytes.data(), dtype);
  Encoded actual(golden.n, golden.blocksize, as_case.nested_blocksize);
  actual.point(p);
  p.given_offset = golden.nested ? &golden.nested_offset : nullptr;
  p.reciprocal = reciprocal;
  qfuse_error error{};
  ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  EXPECT_EQ(differing_bytes(golden.packed->bytes, actual.packed), flips);
  if (!golden.nested) {
    EXPECT_TRUE(same_elements(golden.absmax->bytes.data(), actual.absmax.data(), actual.blocks, QFUSE_FLOAT32));
    return;
  }
  EXPECT_TRUE(same_bytes(golden.absmax->bytes.data(), actual.absmax_8bit.data(), actual.blocks)) << "nested codes";
  ASSERT_EQ(golden.nested_absmax->bytes.size(), actual.nested_absmax.size());
  EXPECT_TRUE(same_elements(golden.nested_absmax->bytes.data(), actual.nested_absmax.data(),
                            golden.nested_absmax->elements(), QFUSE_FLOAT32));
}

// Tests every golden case: the IEEE reciprocal in every way, the approximate one on GPUs.
void expect_golden_codes(const std::string& stem, std::size_t expected) {
  const GoldenFile file = read_golden(stem + ".safetensors");
  const auto cases = read_golden_json(stem + ".json");
  ASSERT_EQ(cases.size(), expected);
  for (const auto& c : cases) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    SCOPED_TRACE(golden.name + ", " + c.at("kind").get<std::string>());
    const GoldenTensor& input = file.at(golden.name + ".input");
    const qfuse_dtype dtype = dtype_named(c.at("dtype"));
    const auto flips = kReciprocalFlips.find(golden.name);
    for_each_way([&](const qfuse_exec& exec) {
      expect_encoding(golden, input, dtype, exec, QFUSE_RECIPROCAL_IEEE,
                      flips == kReciprocalFlips.end() ? 0 : flips->second);
    });
    if (!gpus_have_nvidias_steps()) continue;
    for_each_gpu_way([&](const qfuse_exec& exec) {
      SCOPED_TRACE("approximate reciprocal");
      expect_encoding(golden, input, dtype, exec, QFUSE_RECIPROCAL_APPROX, 0);
    });
  }
}

TEST(Quantize4bit, equals_bitsandbytes_on_the_golden_cases) { expect_golden_codes("bnb_cases", 22); }

TEST(Quantize4bit, equals_bitsandbytes_on_the_edges) { expect_golden_codes("bnb_edges", 96); }

// bitsandbytes sums in fp32 in an order that depends on the device; our mean must be within that sum's rounding error.
TEST(Quantize4bit, offset_is_the_mean_within_the_rounding_of_bitsandbytes) {
  const GoldenFile file = read_golden("bnb_cases.safetensors");
  int compared = 0;
  for (const auto& c : read_golden_json("bnb_cases.json")) {
    const GoldenWeight golden = golden_weight(file, c.at("name"));
    if (!golden.nested || !std::isfinite(golden.nested_offset)) continue;
    SCOPED_TRACE(golden.name);
    const Quantize4bitCase as_case{"", golden.n, golden.blocksize, golden.quant_type};
    contract::Quantize4bit p =
        make_params(as_case, file.at(golden.name + ".input").bytes.data(), dtype_named(c.at("dtype")));
    Encoded actual(golden.n, golden.blocksize, 256);
    actual.point(p);
    ASSERT_EQ(run(p, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
    // A sum of k fp32 numbers in any order has a relative error of at most (k-1) ulps; a tree sum has far less.
    const double bound = static_cast<double>(actual.blocks) * FLT_EPSILON * std::fabs(golden.nested_offset);
    EXPECT_TRUE(std::fabs(actual.offset() - golden.nested_offset) <= bound)
        << actual.offset() << " " << golden.nested_offset;
    ++compared;
  }
  EXPECT_EQ(compared, 17);
}

// ---- against the oracle ----

Encoded outputs_of(const Quantize4bitCase& c, std::size_t misalignment) {
  return {c.n, c.blocksize, c.nested_blocksize, misalignment, c.quant_type == QFUSE_E2M1};
}

// Codes and absmax of a case's weights in reverse order, if it keeps absmax.
Encoded make_kept(const Quantize4bitCase& c, std::size_t misalignment) {
  Encoded kept = outputs_of(c, misalignment);
  if (!c.keeps) return kept;
  const std::vector<std::uint8_t> weights = make_weights(c, QFUSE_FLOAT32);
  std::vector<float> reversed(static_cast<std::size_t>(c.n));
  std::memcpy(reversed.data(), weights.data(), weights.size());
  std::ranges::reverse(reversed);
  contract::Quantize4bit p = make_params(c, reversed.data(), QFUSE_FLOAT32);
  kept.point(p);
  EXPECT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
  return kept;
}

void keep(Encoded& kept, contract::Quantize4bit& p) {
  p.kept.struct_size = sizeof p.kept;
  p.kept.rows = p.weight.rows;
  p.kept.cols = p.weight.cols;
  p.kept.blocksize = p.weight.blocksize;
  p.kept.quant_type = p.weight.quant_type;
  p.kept.nested_blocksize = p.weight.nested_blocksize;
  kept.point(p.kept);
  p.kept.packed = nullptr;
}

class Quantize4bitCases : public testing::TestWithParam<Quantize4bitCase> {};

TEST_P(Quantize4bitCases, every_target_gives_the_oracles_bytes_at_any_address) {
  const Quantize4bitCase& c = GetParam();
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    const std::vector<std::uint8_t> weights = make_weights(c, dtype);
    const std::vector<float> importance = make_importance(c);
    contract::Quantize4bit p = make_params(c, weights.data(), dtype);
    p.importance = c.cols == 0 ? nullptr : importance.data();
    Encoded expected = outputs_of(c, 0);
    expected.point(p);
    Encoded kept = make_kept(c, 0);
    if (c.keeps) keep(kept, p);
    qfuse_error error{};
    ASSERT_EQ(run(p, oracle(), &error), QFUSE_OK) << error.message;
    for (const std::size_t misalignment : kMisalignments) {
      Encoded moved_kept = make_kept(c, misalignment);
      if (c.keeps) keep(moved_kept, p);
      Buffer in(weights.size(), misalignment);
      std::memcpy(in.as<void>(), weights.data(), weights.size());
      p.in = in.data();
      const Buffer moved = copy_of(importance, misalignment);
      p.importance = c.cols == 0 ? nullptr : reinterpret_cast<const float*>(moved.data());
      for_each_fast_way([&](const qfuse_exec& exec) {
        Encoded actual = outputs_of(c, misalignment);
        actual.point(p);
        ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
        ASSERT_TRUE(same_encoding(expected, actual));
      });
      ASSERT_TRUE(same_bytes(weights.data(), in.data(), static_cast<std::int64_t>(weights.size())));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, Quantize4bitCases, testing::ValuesIn(kQuantize4bitCases), risk_name<Quantize4bitCase>);

// v is x/absmax. The codes of NF4 for v = 1, 0 and -1 are 15, 7 and 0.
TEST(Quantize4bit, kept_absmax_worked_out_by_hand) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::array kValues = {1.0F, -1.0F, 0.0F, -0.0F, kInf, kNan};
  struct Example {
    const char* what;
    float absmax;
    std::array<unsigned, kValues.size()> nf4;
    std::array<unsigned, kValues.size()> fp4;
  };
  const std::vector<Example> examples = {
      {"v is 2, -2, 0, -0, inf, NaN", 0.5F, {15, 0, 7, 7, 15, 0}, {3, 11, 0, 0, 3, 0}},
      {"a negative one", -0.5F, {0, 15, 7, 7, 0, 0}, {11, 3, 0, 0, 11, 0}},
      {"v is inf, -inf, NaN, NaN, inf, NaN", 0.0F, {15, 0, 0, 0, 15, 0}, {3, 11, 0, 0, 3, 0}},
      {"a subnormal one is zero", -0x1p-127F, {0, 15, 0, 0, 0, 0}, {11, 3, 0, 0, 11, 0}},
      {"v is 0, -0, 0, -0, NaN, NaN", kInf, {7, 7, 7, 7, 0, 0}, {0, 0, 0, 0, 0, 0}},
      {"v is NaN", kNan, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
      {"v is 2^-100, which no code but zero is near", 0x1p100F, {7, 7, 7, 7, 15, 0}, {0, 8, 0, 0, 3, 0}}};
  for (const Example& e : examples)
    for (const qfuse_quant_type quant_type : {QFUSE_NF4, QFUSE_FP4}) {
      SCOPED_TRACE(e.what);
      const Quantize4bitCase c{"", std::ssize(kValues), 64, quant_type, 0};
      contract::Quantize4bit p = make_params(c, kValues.data(), QFUSE_FLOAT32);
      Encoded kept(c.n, c.blocksize, 0);
      format::store_unaligned(kept.absmax.as<void>(), 0, e.absmax);
      keep(kept, p);
      for_each_way([&](const qfuse_exec& exec) {
        Encoded found(c.n, c.blocksize, 0);
        p.weight.packed = found.packed.as();
        ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
        for (std::size_t i = 0; i < kValues.size(); ++i)
          EXPECT_EQ(format::load_nibble(found.packed.data(), static_cast<std::int64_t>(i)),
                    (quant_type == QFUSE_NF4 ? e.nf4 : e.fp4).at(i))
              << i;
      });
    }
}

// Each block's sum of importance * (decoded - weight)^2, in fp64.
std::vector<double> block_errors(const contract::Quantize4bit& p, const std::vector<float>& weights,
                                 const std::vector<float>& importance) {
  qfuse_weight_4bit w{};
  w.struct_size = sizeof w;
  w.rows = p.weight.rows;
  w.cols = p.weight.cols;
  w.blocksize = p.weight.blocksize;
  w.quant_type = p.weight.quant_type;
  w.packed = p.weight.packed;
  w.absmax = p.weight.absmax;
  std::vector<float> decoded(weights.size());
  const qfuse_dequantize_4bit_params d{sizeof d, &w, QFUSE_FLOAT32, decoded.data()};
  EXPECT_EQ(qfuse_dequantize_4bit(&d, nullptr, nullptr), QFUSE_OK);
  std::vector<double> errors((weights.size() + 63) / 64);
  for (std::size_t i = 0; i < weights.size(); ++i)
    errors[i / 64] += importance[i % importance.size()] * std::pow(double{decoded[i]} - double{weights[i]}, 2);
  return errors;
}

// Importance never raises a block's error, and each factor is the best one of some block.
TEST(Quantize4bit, importance_lowers_the_weighted_error_of_blocks) {
  const Quantize4bitCase c{"", 320 * 640, 64, QFUSE_NF4, 0, WeightKind::trained, 640};
  const std::vector<float> importance = make_importance(c);
  std::vector<float> weights(static_cast<std::size_t>(c.n));
  std::memcpy(weights.data(), make_weights(c, QFUSE_FLOAT32).data(), weights.size() * sizeof(float));
  contract::Quantize4bit p = make_params(c, weights.data(), QFUSE_FLOAT32);
  Encoded by_absmax(c.n, c.blocksize, 0);
  by_absmax.point(p);
  ASSERT_EQ(run(p, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
  const std::vector<double> before = block_errors(p, weights, importance);
  Encoded searched(c.n, c.blocksize, 0);
  searched.point(p);
  p.importance = importance.data();
  ASSERT_EQ(run(p, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
  const std::vector<double> after = block_errors(p, weights, importance);
  std::map<float, int> chosen;
  for (std::size_t b = 0; b < after.size(); ++b) {
    ASSERT_TRUE(after[b] <= before[b] * (1 + 1e-5)) << "block " << b << ": " << after[b] << " " << before[b];
    const auto at = static_cast<std::int64_t>(b);
    const float absmax = format::load_unaligned<float>(by_absmax.absmax.data(), at);
    for (int i = 0; i < format::kScaleFactors; ++i)
      if (format::load_unaligned<float>(searched.absmax.data(), at) == absmax * format::scale_factor(i))
        ++chosen[format::scale_factor(i)];
  }
  EXPECT_EQ(chosen.size(), 6U);
  for (const auto& [factor, count] : chosen) EXPECT_TRUE(count > 50) << factor << ": " << count;
}

// The best scale of each block is -absmax, because NF4 has the value -0.6961928, but not 0.6961928.
TEST(Quantize4bit, importance_searches_blocks_with_absmax_from_2_to_the_minus_60_to_2_to_the_60) {
  constexpr std::array kMost = {0x1.fffffep-61F, 0x1p-60F, 0x1p60F, 0x1.000002p60F};
  std::vector<float> weights(kMost.size() * 64);
  for (std::size_t b = 0; b < kMost.size(); ++b) {
    weights[b * 64 + 3] = kMost[b];
    weights[b * 64 + 7] = kMost[b] * 0.6961928F;
  }
  const Quantize4bitCase c{"", std::ssize(weights), 64, QFUSE_NF4, 0, WeightKind::trained, 1};
  const float importance = 1;
  contract::Quantize4bit p = make_params(c, weights.data(), QFUSE_FLOAT32);
  p.importance = &importance;
  Encoded found(c.n, c.blocksize, 0);
  found.point(p);
  ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
  for (std::size_t b = 0; b < kMost.size(); ++b) {
    const float scale = format::load_unaligned<float>(found.absmax.data(), static_cast<std::int64_t>(b));
    EXPECT_EQ(scale, kMost[b] * (b == 1 || b == 2 ? -1 : 1)) << b;
  }
}

// The map is written only where it is asked for, at any address, and changes nothing else.
TEST(Quantize4bit, the_nested_quant_map_is_written_where_it_is_asked_for) {
  const Quantize4bitCase c{"", 64 * 300 + 5};
  const std::vector<std::uint8_t> weights = make_weights(c, QFUSE_FLOAT32);
  std::array<float, QFUSE_QUANT_MAP_SIZE> map{};
  qfuse_nested_quant_map(map.data());
  for_each_way([&](const qfuse_exec& exec) {
    for (const std::size_t misalignment : kMisalignments) {
      contract::Quantize4bit p = make_params(c, weights.data(), QFUSE_FLOAT32);
      Encoded asked(c.n, c.blocksize, c.nested_blocksize, misalignment);
      asked.point(p);
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_bytes(map.data(), asked.nested_quant_map.data(), sizeof map));
      Encoded unasked(c.n, c.blocksize, c.nested_blocksize, misalignment);
      unasked.point(p);
      p.weight.nested_quant_map = nullptr;
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      std::memcpy(unasked.nested_quant_map.as<void>(), map.data(), sizeof map);
      ASSERT_TRUE(same_encoding(asked, unasked));
    }
  });
}

// A given offset is used for the codes and copied to the output.
TEST(Quantize4bit, a_given_offset_is_the_offset) {
  const Quantize4bitCase c{"", 64 * 300 + 5};
  const std::vector<std::uint8_t> weights = make_weights(c, QFUSE_FLOAT32);
  for (const std::size_t misalignment : kMisalignments) {
    const Buffer given = copy_of(std::vector{0.0625F}, misalignment);
    contract::Quantize4bit p = make_params(c, weights.data(), QFUSE_FLOAT32);
    p.given_offset = reinterpret_cast<const float*>(given.data());
    Encoded expected(c.n, c.blocksize, c.nested_blocksize);
    expected.point(p);
    ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
    EXPECT_EQ(expected.offset(), 0.0625F);
    for_each_fast_way([&](const qfuse_exec& exec) {
      Encoded actual(c.n, c.blocksize, c.nested_blocksize);
      actual.point(p);
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_encoding(expected, actual));
    });
  }
}

// Every target widens every fp16 and bf16 value as the oracle does: the absmax of a block shows the value.
TEST(Quantize4bit, every_sixteen_bit_value_widens_exactly) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    std::vector<std::uint16_t> values(65536UL * 32);  // one value and zeros per block
    for (std::size_t i = 0; i < 65536; ++i) values[i * 32 + i % 32] = static_cast<std::uint16_t>(i);
    const Quantize4bitCase c{"", static_cast<std::int64_t>(values.size()), 32, QFUSE_NF4, 0};
    contract::Quantize4bit p = make_params(c, values.data(), dtype);
    Encoded expected(c.n, c.blocksize, 0);
    expected.point(p);
    ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
    for (int t = 0; const char* target = qfuse_cpu_target_name(t); ++t) {
      SCOPED_TRACE(target);
      qfuse_exec exec = QFUSE_EXEC_INIT;
      exec.cpu_target = target;
      Encoded actual(c.n, c.blocksize, 0);
      actual.point(p);
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_encoding(expected, actual));
    }
  }
}

}  // namespace
}  // namespace qfuse::tests
