#include "cases/lora_merge.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/encoded.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::array kMergeDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};

// Copies of a case's arrays, misaligned by `odd` bytes.
struct MovedArrays {
  Buffer in;
  Buffer a;
  Buffer b;

  MovedArrays(const LoraMergeInput& input, std::size_t odd)
      : in(copy_of(input.in, odd)), a(copy_of(input.a, odd)), b(copy_of(input.b, odd)) {}

  void point(contract::LoraMerge& p) {
    p.in = in.as<void>();
    p.a = p.rank > 0 ? a.as<float>() : nullptr;
    p.b = p.rank > 0 ? b.as<float>() : nullptr;
  }
};

// ---- against the oracle ----

class LoraMergeCases : public testing::TestWithParam<LoraMergeCase> {};

// Each pair of dtypes uses another misalignment of the arrays, so together they cover all misalignments.
TEST_P(LoraMergeCases, every_way_gives_the_oracles_bytes_at_any_address) {
  std::size_t pair = 0;
  for (const qfuse_dtype in_dtype : kMergeDtypes) {
    const LoraMergeInput input = make_input(GetParam(), in_dtype);
    for (const qfuse_dtype out_dtype : kMergeDtypes) {
      const std::size_t odd = kMisalignments.at(pair++ % kMisalignments.size());
      SCOPED_TRACE("dtypes " + std::to_string(in_dtype) + " and " + std::to_string(out_dtype) + ", misaligned by " +
                   std::to_string(odd));
      contract::LoraMerge p = make_params(GetParam(), in_dtype, input);
      p.out_dtype = out_dtype;
      const Buffer expected = output_of(p, oracle());
      MovedArrays arrays(input, odd);
      arrays.point(p);
      for_each_fast_way<contract::LoraMerge>([&](const qfuse_exec& exec) { expect_output(p, expected, exec, odd); });
    }
  }
}

TEST_P(LoraMergeCases, out_may_be_in) {
  for (const qfuse_dtype in_dtype : kMergeDtypes) {
    const LoraMergeInput input = make_input(GetParam(), in_dtype);
    for (const qfuse_dtype out_dtype : kMergeDtypes) {
      if (qfuse_dtype_size(in_dtype) != qfuse_dtype_size(out_dtype)) continue;
      SCOPED_TRACE("dtypes " + std::to_string(in_dtype) + " and " + std::to_string(out_dtype));
      contract::LoraMerge p = make_params(GetParam(), in_dtype, input);
      p.out_dtype = out_dtype;
      const Buffer expected = output_of(p, oracle());
      for_each_way<contract::LoraMerge>([&](const qfuse_exec& exec) {
        Buffer both = copy_of(input.in, in_dtype == out_dtype ? 0 : 2);
        p.in = p.out = both.as<void>();
        qfuse_error error{};
        ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
        ASSERT_TRUE(same_bytes(expected, both));
        EXPECT_TRUE(both.front_is_intact());
      });
    }
  }
}

// A row depends only on its own row of b, so a weight can be merged in pieces.
TEST_P(LoraMergeCases, a_tile_of_rows_has_the_same_bytes) {
  const LoraMergeInput input = make_input(GetParam(), QFUSE_BFLOAT16);
  contract::LoraMerge all = make_params(GetParam(), QFUSE_BFLOAT16, input);
  all.out_dtype = QFUSE_BFLOAT16;
  const Buffer expected = output_of(all, oracle());
  const std::int64_t first = all.rows / 2;
  contract::LoraMerge tile = all;
  tile.rows = all.rows - first;
  tile.in = input.in.data() + first * all.cols * 2;
  if (all.rank > 0) tile.b = input.b.data() + first * all.rank;
  const auto of_tile = std::span(expected).subspan(static_cast<std::size_t>(first * all.cols * 2));
  for_each_fast_way<contract::LoraMerge>([&](const qfuse_exec& exec) { expect_output(tile, of_tile, exec); });
}

INSTANTIATE_TEST_SUITE_P(Risks, LoraMergeCases, testing::ValuesIn(kLoraMergeCases), risk_name<LoraMergeCase>);

// ---- from and to 4 bits ----

class LoraMerge4bitCases : public testing::TestWithParam<LoraMerge4bitCase> {
 protected:
  static constexpr std::int64_t kWorkspace = 1 << 16;  // bytes, enough for every case

  // Sets a weight's fields other than its arrays.
  static void describe(auto& w, qfuse_quant_type quant_type, std::int64_t nested) {
    const LoraMerge4bitCase& c = GetParam();
    w.struct_size = sizeof w;
    w.rows = c.merge.rows;
    w.cols = c.merge.cols;
    w.blocksize = c.blocksize;
    w.quant_type = quant_type;
    w.nested_blocksize = nested;
    if constexpr (requires { w.mx_scales; }) w.mx_scales = c.mx_scales;
  }

  static Encoded encoded(qfuse_quant_type quant_type, std::int64_t nested, std::size_t odd) {
    const LoraMerge4bitCase& c = GetParam();
    return {c.merge.rows * c.merge.cols, c.blocksize, nested, odd, quant_type == QFUSE_E2M1};
  }

  // The case's input, encoded as its source at an odd address.
  static Encoded make_source(const LoraMergeInput& input, qfuse_dtype dtype, std::size_t odd) {
    contract::Quantize4bit p{};
    p.in_dtype = dtype;
    p.in = input.in.data();
    describe(p.weight, GetParam().from_type, GetParam().from_nested);
    Encoded source = encoded(GetParam().from_type, GetParam().from_nested, odd);
    source.point(p);
    EXPECT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
    return source;
  }

  // Runs the case, whose `out` and target are returned. A workspace at an odd address is the test's own.
  static std::pair<Buffer, Encoded> run_case(contract::LoraMerge p, const qfuse_exec& exec, std::size_t odd) {
    Encoded target = encoded(GetParam().to_type, GetParam().to_nested, odd);
    Buffer workspace(kWorkspace, odd);
    if (GetParam().to) {
      describe(p.target, GetParam().to_type, GetParam().to_nested);
      target.point(p.target);
      p.keep_absmax = GetParam().keeps ? 1 : 0;
      p.workspace = workspace.as<void>();
      p.workspace_size = kWorkspace;
      EXPECT_LE(contract::workspace_size(p), kWorkspace);
    }
    Buffer out = output_of(p, exec, odd);
    return {std::move(out), std::move(target)};
  }
};

TEST_P(LoraMerge4bitCases, every_way_gives_the_oracles_bytes_at_any_address) {
  const LoraMerge4bitCase& c = GetParam();
  for (const qfuse_dtype dtype : kMergeDtypes) {
    const LoraMergeInput input = make_input(c.merge, dtype);
    for (const std::size_t odd : kMisalignments) {
      SCOPED_TRACE("dtype " + std::to_string(dtype) + ", misaligned by " + std::to_string(odd));
      contract::LoraMerge p = make_params(c.merge, dtype, input);
      p.out_dtype = dtype;
      Encoded source = make_source(input, dtype, odd);
      MovedArrays arrays(input, odd);
      arrays.point(p);
      if (c.from) {
        describe(p.source, c.from_type, c.from_nested);
        source.point(p.source);
        p.in = nullptr;
      }
      const auto [out, target] = run_case(p, oracle(), odd);
      for_each_fast_way<contract::LoraMerge>([&](const qfuse_exec& exec) {
        const auto [found, found_target] = run_case(p, exec, odd);
        ASSERT_TRUE(same_bytes(out, found));
        if (c.to) {
          ASSERT_TRUE(same_encoding(target, found_target));
        }
      });
    }
  }
}

// The oracle's own bytes, against ops that are run one by one.
TEST_P(LoraMerge4bitCases, is_the_composition_of_its_steps) {
  const LoraMerge4bitCase& c = GetParam();
  const LoraMergeInput input = make_input(c.merge, QFUSE_BFLOAT16);
  contract::LoraMerge p = make_params(c.merge, QFUSE_BFLOAT16, input);
  p.out_dtype = QFUSE_BFLOAT16;
  Encoded source = make_source(input, QFUSE_BFLOAT16, 0);
  contract::Dequantize4bit decode{};
  decode.out_dtype = QFUSE_BFLOAT16;
  describe(decode.weight, c.from_type, c.from_nested);
  source.point(decode.weight);
  const Buffer decoded = output_of(decode, oracle());
  contract::LoraMerge sum = p;
  if (c.from) sum.in = decoded.data();
  Buffer expected = output_of(sum, oracle());
  Encoded target = encoded(c.to_type, c.to_nested, 0);
  if (c.to) {
    contract::Quantize4bit encode{};
    encode.in_dtype = QFUSE_BFLOAT16;
    encode.in = expected.data();
    describe(encode.weight, c.to_type, c.to_nested);
    target.point(encode);
    if (c.keeps) encode.kept = decode.weight;
    ASSERT_EQ(run(encode, oracle(), nullptr), QFUSE_OK);
    describe(decode.weight, c.to_type, c.to_nested);
    if (!c.keeps) target.point(decode.weight);
    decode.weight.packed = target.packed.as();
    expected = output_of(decode, oracle());
  }
  if (c.from) {
    describe(p.source, c.from_type, c.from_nested);
    source.point(p.source);
  }
  const auto [out, found] = run_case(p, oracle(), 0);
  EXPECT_TRUE(same_bytes(expected, out));
  if (c.to) {
    EXPECT_TRUE(same_encoding(target, found));
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, LoraMerge4bitCases, testing::ValuesIn(kLoraMerge4bitCases),
                         risk_name<LoraMerge4bitCase>);

// ---- against independently computed numbers ----

// Returns one merged element in fp32.
float merged(float in, const std::vector<float>& b, const std::vector<float>& a, float scale, const qfuse_exec& exec) {
  contract::LoraMerge p{};
  p.rows = p.cols = 1;
  p.rank = static_cast<std::int64_t>(a.size());
  p.scale = scale;
  p.in = &in;
  p.a = a.data();
  p.b = b.data();
  float out = 0;
  p.out = &out;
  EXPECT_EQ(run(p, exec, nullptr), QFUSE_OK);
  return out;
}

TEST(LoraMerge, worked_out_by_hand) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  struct Example {
    const char* what;
    float in;
    std::vector<float> b;
    std::vector<float> a;
    float scale;
    float expected;
  };
  const std::vector<Example> examples = {
      {"terms ascend: 1 takes no half of its last bit; the other way round two halves come first",
       0,
       {1, 1, 1},
       {1, 0x1p-24F, 0x1p-24F},
       1,
       1},
      {"a term is fused: alone, the square loses 2^-24",
       0,
       {-1, 1 + 0x1p-12F},
       {1, 1 + 0x1p-12F},
       1,
       0x1p-11F + 0x1p-24F},
      // Where fp64 rounds to a tie of fp32: 652805 * 26317 is 2^34 + 1, and (2^18 + 1) * (2^18 - 1) is 2^36 - 1.
      {"just above a tie", 0, {1, 652805}, {1, 0x1p-58F * 26317}, 1, 1 + 0x1p-23F},
      {"just below minus a tie", 0, {1, -652805}, {-1, 0x1p-58F * 26317}, 1, -1 - 0x1p-23F},
      {"just below a tie", 0, {1, 0x1p18F + 1}, {1 + 0x1p-23F, 0x1p-60F * (0x1p18F - 1)}, 1, 1 + 0x1p-23F},
      {"just above minus a tie", 0, {-1, 0x1p18F + 1}, {1 + 0x1p-23F, -0x1p-60F * (0x1p18F - 1)}, 1, -1 - 0x1p-23F},
      {"just above a tie of subnormals",
       0,
       {0x1p-63F, 0x1p-92F * 652805},
       {0x1p-64F, 0x1p-92F * 26317},
       1,
       0x1p-127F + 0x1p-149F},
      {"a product too large for fp32 within a sum that is not",
       0,
       {-0x1p100F, 0x1p64F},
       {0x1p27F, 0x1p64F},
       1,
       0x1p127F},
      {"the sum is scaled, not its terms", 0, {0x1p100F, 0x1p100F}, {0x1p27F, 0x1p27F}, 0.25F, kInf},
      {"the scaled sum is rounded before the weight is added", 1, {3}, {0x1p-24F}, 0x1.555556p-2F, 1},
      {"a weight that dwarfs the product", 0x1p24F, {1}, {1}, 1, 0x1p24F},
      {"the least subnormal", 0, {0x1p-75F}, {0x1p-74F}, 1, kLeast},
      {"half of it, to even", 0, {0x1p-75F}, {0x1p-75F}, 1, 0},
      {"a subnormal weight", 3 * kLeast, {1}, {kLeast}, 1, 4 * kLeast},
      {"a subnormal factor", 0, {0x1p100F}, {kLeast}, 1, 0x1p-49F},
      {"rank 0: -0 becomes +0", -0.0F, {}, {}, 1, 0.0F},
      {"and under a negative scale it stays", -0.0F, {}, {}, -1, -0.0F},
      {"a sum of zeros is +0 unless all are -0; +0 is where it begins", -0.0F, {-1}, {0}, 1, 0.0F},
  };
  for (const Example& e : examples) {
    SCOPED_TRACE(e.what);
    for_each_way<contract::LoraMerge>([&](const qfuse_exec& exec) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(merged(e.in, e.b, e.a, e.scale, exec)),
                std::bit_cast<std::uint32_t>(e.expected));
    });
  }
}

TEST(LoraMerge, every_nan_is_the_canonical_one) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float odd_nan = std::bit_cast<float>(0xffc01234U);
  const float signalling = std::bit_cast<float>(0x7f800001U);
  for_each_way<contract::LoraMerge>([&](const qfuse_exec& exec) {
    for (const float nan : {odd_nan, signalling}) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(nan, {1}, {1}, 1, exec)), 0x7fffffffU);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(1, {nan}, {1}, 1, exec)), 0x7fffffffU);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(1, {1}, {nan}, 1, exec)), 0x7fffffffU);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(1, {1}, {1}, nan, exec)), 0x7fffffffU);
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(0, {kInf}, {0}, 1, exec)), 0x7fffffffU);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(0, {kInf, -1}, {1, kInf}, 1, exec)), 0x7fffffffU);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(-kInf, {kInf}, {1}, 1, exec)), 0x7fffffffU);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(merged(0, {1}, {0}, kInf, exec)), 0x7fffffffU);
  });
}

// Integers so small that every sum is exact in any order.
TEST(LoraMerge, exact_sums_are_exact) {
  constexpr std::int64_t kRows = 34;
  constexpr std::int64_t kCols = 541;
  constexpr std::int64_t kRank = 40;
  std::mt19937 random(3);
  const auto integers = [&](std::int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& x : values) x = static_cast<float>(static_cast<int>(random() % 31) - 15);
    return values;
  };
  const std::vector<float> in = integers(kRows * kCols);
  const std::vector<float> a = integers(kRank * kCols);
  const std::vector<float> b = integers(kRows * kRank);
  std::vector<float> expected(in.size());
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kCols; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < kRank; ++k)
        sum += static_cast<std::int64_t>(b[static_cast<std::size_t>(i * kRank + k)]) *
               static_cast<std::int64_t>(a[static_cast<std::size_t>(k * kCols + j)]);
      const auto at = static_cast<std::size_t>(i * kCols + j);
      expected[at] = static_cast<float>(static_cast<std::int64_t>(in[at]) * 4 + sum) / 4;
    }
  contract::LoraMerge p{};
  p.rows = kRows;
  p.cols = kCols;
  p.rank = kRank;
  p.scale = 0.25F;
  p.in = in.data();
  p.a = a.data();
  p.b = b.data();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(expected.data()), expected.size() * sizeof(float));
  for_each_way<contract::LoraMerge>([&](const qfuse_exec& exec) { expect_output(p, bytes, exec); });
}

// Other ways to compute a sum.
enum class Sum { as_the_manual_says, descending, rounding_products, in_one_rounding };

// Factors are multiples of 2^-20 and at most 8, so products are multiples of 2^-40, and a sum of 48 products fits the
// 64-bit significand of long double. Each step is exact before its rounding.
float sum_of(Sum how, const LoraMergeCase& c, const LoraMergeInput& in, std::int64_t row, std::int64_t col) {
  long double acc = 0;
  for (std::int64_t step = 0; step < c.rank; ++step) {
    const std::int64_t k = how == Sum::descending ? c.rank - 1 - step : step;
    long double term = static_cast<long double>(in.b[static_cast<std::size_t>(row * c.rank + k)]) *
                       static_cast<long double>(in.a[static_cast<std::size_t>(k * c.cols + col)]);
    if (how == Sum::rounding_products) term = static_cast<float>(term);
    acc += term;
    if (how != Sum::in_one_rounding) acc = static_cast<float>(acc);
  }
  return static_cast<float>(acc);
}

TEST(LoraMerge, sums_are_those_of_the_manual_and_of_no_other_way) {
  const LoraMergeCase c{"order", 24, 96, 48, 1.0F};
  LoraMergeInput in = make_input(c, QFUSE_FLOAT32);
  std::mt19937 random(11);
  const auto draw = [&](std::vector<float>& values, int bits) {
    for (float& x : values)
      x = std::ldexp(static_cast<float>(static_cast<int>(random() % (2U << bits)) - (1 << bits)), 3 - bits);
  };
  draw(in.a, 22);  // multiples of 2^-19
  draw(in.b, 23);  // multiples of 2^-20
  contract::LoraMerge p = make_params(c, QFUSE_FLOAT32, in);
  p.out_dtype = QFUSE_FLOAT32;
  std::fill(in.in.begin(), in.in.end(), std::uint8_t{0});
  std::array<int, 4> differing{};
  const Buffer out = output_of(p, oracle());
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j)
      for (const Sum how : {Sum::as_the_manual_says, Sum::descending, Sum::rounding_products, Sum::in_one_rounding})
        if (sum_of(how, c, in, i, j) != format::load_unaligned<float>(out.data(), i * c.cols + j))
          ++differing.at(static_cast<std::size_t>(how));
  EXPECT_EQ(differing[0], 0);
  for (const std::size_t other : {1U, 2U, 3U}) EXPECT_GT(differing.at(other), c.rows * c.cols / 4) << other;
}

}  // namespace
}  // namespace qfuse::tests
