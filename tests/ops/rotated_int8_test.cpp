#include "cases/rotated_int8.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "format/rounding.h"
#include "support/compare.h"
#include "support/moved.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/swiglu.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::array kRotatedDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};

// ---- against the oracle ----

template <class Op>
void expect_oracles_bytes(const Op& p) {
  Moved<Op> expected(p);
  run_moved(expected, oracle());
  for (const std::size_t odd : kMisalignments) {
    SCOPED_TRACE("misaligned by " + std::to_string(odd));
    for_each_fast_way<Op>([&](const qfuse_exec& exec) { expect_moved(p, expected, exec, odd); });
  }
}

class RotatedInputs : public testing::TestWithParam<RotatedInputCase> {};

TEST_P(RotatedInputs, every_way_gives_the_oracles_bytes_at_any_address) {
  for (const qfuse_dtype dtype : kRotatedDtypes) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    const std::vector<std::uint8_t> in = make_input(GetParam(), dtype);
    expect_oracles_bytes(make_params(GetParam(), dtype, in));
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, RotatedInputs, testing::ValuesIn(kRotatedInputCases), risk_name<RotatedInputCase>);

class RotatedWeights : public testing::TestWithParam<RotatedWeightCase> {};

TEST_P(RotatedWeights, every_way_gives_the_oracles_bytes_at_any_address) {
  const Dequantize4bitInput in = make_input(weight_of(GetParam()));
  const auto scales = make_params<contract::RotatedInt8WeightScales>(GetParam(), in);
  expect_oracles_bytes(scales);
  Moved<contract::RotatedInt8WeightScales> made(scales);
  run_moved(made, oracle());
  auto p = make_params<contract::RotatedInt8Weight>(GetParam(), in);
  p.scale = made.params.scale;
  expect_oracles_bytes(p);
  // Other scales, some of them not finite.
  constexpr std::array kOdd = {1e-30F, -1.0F, std::numeric_limits<float>::infinity(),
                               1e-45F, 3e38F, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> odd(static_cast<std::size_t>(output_count(p)));
  for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = kOdd[i % kOdd.size()];
  p.scale = odd.data();
  expect_oracles_bytes(p);
}

INSTANTIATE_TEST_SUITE_P(Risks, RotatedWeights, testing::ValuesIn(kRotatedWeightCases), risk_name<RotatedWeightCase>);

class RotatedProducts : public testing::TestWithParam<RotatedProductCase> {};

TEST_P(RotatedProducts, every_way_gives_the_oracles_bytes_at_any_address) {
  for (const qfuse_dtype dtype : kRotatedDtypes) {
    const RotatedProductInput in = make_input(GetParam(), dtype);
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      if (direction == QFUSE_BACKWARD && GetParam().lora_rank == 0) continue;  // the same as FORWARD
      SCOPED_TRACE("dtype " + std::to_string(dtype) + ", direction " + std::to_string(direction));
      expect_oracles_bytes(make_params(GetParam(), direction, dtype, in));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, RotatedProducts, testing::ValuesIn(kRotatedProductCases),
                         risk_name<RotatedProductCase>);

// The oracle's exp is required, so tests/cuda tests NVIDIA GPUs.
class RotatedSwiglu : public testing::TestWithParam<SwigluCase> {};

TEST_P(RotatedSwiglu, every_way_gives_the_oracles_bytes_at_any_address) {
  const SwigluInputs in(GetParam(), 0);
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD})
    for (const bool has_out : {false, true}) {
      SCOPED_TRACE("direction " + std::to_string(direction) + (has_out ? ", with out" : ""));
      const contract::RotatedInt8Swiglu p = rotated_params(in, direction, has_out);
      Moved<contract::RotatedInt8Swiglu> expected(p);
      run_moved(expected, oracle());
      for (const std::size_t odd : kMisalignments)
        for_each_way_with_the_oracles_exp([&](const qfuse_exec& exec) { expect_moved(p, expected, exec, odd); });
    }
}

INSTANTIATE_TEST_SUITE_P(Risks, RotatedSwiglu, testing::ValuesIn(kRotatedSwigluCases), risk_name<SwigluCase>);

// Rows are aligned to vectors. The software GPU runs this with tokens that are prefetched (tests/software_gpu).
TEST(RotatedSwiglu, at_aligned_addresses_gives_the_oracles_bytes) {
  for (const SwigluCase& shape :
       {SwigluCase{"small blocks", 61, 64}, SwigluCase{"rows apart", 9, 1152, Activations::normal, 2.0F, 8, 16},
        SwigluCase{"long rows, steep gates", 5, 14336, Activations::normal, 60.0F}}) {
    SCOPED_TRACE(shape.risk);
    const SwigluInputs in(shape, 0);
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD})
      for (const bool has_out : {false, true}) {
        const contract::RotatedInt8Swiglu p = rotated_params(in, direction, has_out);
        Moved<contract::RotatedInt8Swiglu> expected(p);
        run_moved(expected, oracle());
        for_each_way_with_the_oracles_exp([&](const qfuse_exec& exec) { expect_moved(p, expected, exec); });
      }
  }
}

// Also on NVIDIA GPUs, because exp does not matter.
TEST(RotatedSwiglu, is_what_quantize_makes_of_its_out) {
  const SwigluInputs in({"", 37, 320}, 0);
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
    const contract::RotatedInt8Swiglu p = rotated_params(in, direction, true);
    for_each_way<contract::RotatedInt8Swiglu>([&](const qfuse_exec& exec) {
      Moved<contract::RotatedInt8Swiglu> made(p);
      run_moved(made, exec);
      contract::RotatedInt8Quantize rows{};
      rows.rows = row_count(p);
      rows.cols = p.h;
      rows.in_dtype = QFUSE_BFLOAT16;
      rows.in = made.params.out;
      Moved<contract::RotatedInt8Quantize> expected(rows);
      run_moved(expected, oracle());
      ASSERT_TRUE(same_bytes(expected.outputs[0].bytes, made.outputs[0].bytes)) << "q";
      ASSERT_TRUE(same_bytes(expected.outputs[1].bytes, made.outputs[1].bytes)) << "scale";
    });
  }
}

// Exact values: silu(0) = 0 with slope 1/2, and silu(g) = g where exp(-g) vanishes.
TEST(RotatedSwiglu, has_the_formulas_values) {
  constexpr std::size_t kChannels = 64;
  std::vector<std::uint16_t> gate(kChannels);
  std::vector<std::uint16_t> up(kChannels);
  std::vector<std::uint16_t> grad_y(kChannels);
  gate[3] = format::to_bfloat16(96.0F);
  up[3] = up[9] = format::to_bfloat16(-2.0F);
  grad_y[3] = grad_y[9] = format::to_bfloat16(5.0F);
  contract::RotatedInt8Swiglu p{};
  p.m = 1;
  p.h = kChannels;
  p.gate = gate.data();
  p.up = up.data();
  std::uint16_t asked = 0;
  p.out = &asked;
  const auto out_of = [](const Moved<contract::RotatedInt8Swiglu>& made, std::size_t i) {
    return format::from_bfloat16(static_cast<const std::uint16_t*>(made.params.out)[i]);
  };
  for_each_way<contract::RotatedInt8Swiglu>([&](const qfuse_exec& exec) {
    p.direction = QFUSE_FORWARD;
    Moved<contract::RotatedInt8Swiglu> forward(p);
    run_moved(forward, exec);
    EXPECT_EQ(out_of(forward, 3), -192.0F);
    EXPECT_EQ(out_of(forward, 9), 0.0F);
    p.direction = QFUSE_BACKWARD;
    p.grad_y = grad_y.data();
    Moved<contract::RotatedInt8Swiglu> backward(p);
    run_moved(backward, exec);
    EXPECT_EQ(out_of(backward, 3), -10.0F);
    EXPECT_EQ(out_of(backward, 9), -5.0F);
    EXPECT_EQ(out_of(backward, kChannels + 3), 480.0F);
    EXPECT_EQ(out_of(backward, kChannels + 9), 0.0F);
  });
}

// The case has several tiles, stages and windows of LoRA terms. The software GPU runs it with each tile shape
// (tests/software_gpu).
TEST(RotatedTiles, every_gpu_gives_the_oracles_bytes) {
  for (const RotatedProductCase& c :
       {RotatedProductCase{"rows of odd addresses", 300, 300, 448, 20, true, 0, InputKind::normal, true},
        RotatedProductCase{"rows of whole vectors", 260, 304, 192, 9, true, 0, InputKind::normal, true}}) {
    SCOPED_TRACE(c.risk);
    const RotatedProductInput in = make_input(c, QFUSE_BFLOAT16);
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      const contract::RotatedInt8Matmul p = make_params(c, direction, QFUSE_BFLOAT16, in);
      Moved<contract::RotatedInt8Matmul> expected(p);
      run_moved(expected, oracle());
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_moved(p, expected, exec); });
    }
  }
}

// ---- against independently computed numbers ----

struct Quantized1 {
  std::vector<std::int8_t> q;
  float scale;
};

Quantized1 quantize(const std::vector<float>& row, const qfuse_exec& exec) {
  Quantized1 out{std::vector<std::int8_t>(row.size(), 99), 99.0F};
  contract::RotatedInt8Quantize p{};
  p.rows = 1;
  p.cols = std::ssize(row);
  p.in_dtype = QFUSE_FLOAT32;
  p.in = row.data();
  p.q = out.q.data();
  p.scale = &out.scale;
  qfuse_error error{};
  EXPECT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  return out;
}

// Element of the Hadamard matrix H: -1 if r & c has an odd number of bits, otherwise 1.
float hadamard(std::size_t r, std::size_t c) { return std::popcount(r & c) % 2 == 0 ? 1.0F : -1.0F; }

TEST(RotatedInt8, one_value_becomes_a_column_of_the_matrix) {
  for (const std::size_t block : {64, 128})
    for (const std::size_t at : {0, 1, 5, 37, 63}) {
      std::vector<float> row(3 * block);
      row[block + at] = 127.0F;
      for_each_way<contract::RotatedInt8Quantize>([&](const qfuse_exec& exec) {
        const Quantized1 out = quantize(row, exec);
        EXPECT_EQ(out.scale, block == 64 ? 0.125F : 0x1.6a09e6p-4F);
        for (std::size_t i = 0; i < row.size(); ++i)
          ASSERT_EQ(out.q[i], i / block == 1 ? 127 * hadamard(i % block, at) : 0.0F) << i;
      });
    }
}

// H * H is the block size times the identity, so the row H * v / block rotates back to any v, here exactly. The largest
// |v| is 127, so v is in units of q.
TEST(RotatedInt8, halves_go_to_the_even_integer) {
  constexpr std::size_t kBlock = 128;
  std::vector<float> v(kBlock);
  for (std::size_t i = 0; i < kBlock; ++i) v[i] = (static_cast<float>(i) - 63.5F) * (i % 3 == 0 ? 1.0F : 0.5F);
  v[77] = -127.0F;
  v[78] = 126.5F;
  std::vector<float> row(kBlock);
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t j = 0; j < kBlock; ++j) row[i] += hadamard(i, j) * v[j];
    row[i] /= static_cast<float>(kBlock);
  }
  for_each_way<contract::RotatedInt8Quantize>([&](const qfuse_exec& exec) {
    const Quantized1 out = quantize(row, exec);
    EXPECT_EQ(out.scale, 0x1.6a09e6p-4F);
    for (std::size_t i = 0; i < kBlock; ++i) ASSERT_EQ(out.q[i], std::nearbyint(v[i])) << i;
  });
}

TEST(RotatedInt8, rows_of_zeros_and_rows_that_are_not_finite_have_codes_of_zero) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max();
  const auto bits_of_scale = [](const std::vector<float>& row, const qfuse_exec& exec) {
    const Quantized1 out = quantize(row, exec);
    EXPECT_EQ(out.q, std::vector<std::int8_t>(row.size(), 0));
    return std::bit_cast<std::uint32_t>(out.scale);
  };
  for_each_way<contract::RotatedInt8Quantize>([&](const qfuse_exec& exec) {
    EXPECT_EQ(bits_of_scale(std::vector<float>(192, -0.0F), exec), 0U);
    for (const float odd : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN()}) {
      std::vector<float> row(256, 1.0F);
      row[200] = odd;
      EXPECT_EQ(bits_of_scale(row, exec), format::kNan32);
    }
    EXPECT_EQ(bits_of_scale(std::vector<float>(128, kMost), exec), format::kNan32) << "whose sum is beyond fp32";
  });
}

// Below 2^-100 the unit of a row stops shrinking, and values below half a unit become 0.
TEST(RotatedInt8, the_least_unit_is_that_of_two_to_the_minus_100) {
  const auto of_one_value = [](float value, const qfuse_exec& exec) {
    std::vector<float> row(128);
    row[0] = value;
    return quantize(row, exec);
  };
  for_each_way<contract::RotatedInt8Quantize>([&](const qfuse_exec& exec) {
    const Quantized1 at_least = of_one_value(0x1p-100F, exec);
    EXPECT_EQ(at_least.q[100], 127);
    EXPECT_TRUE(std::isnormal(at_least.scale));
    const Quantized1 below = of_one_value(0x1p-101F, exec);
    EXPECT_EQ(below.scale, at_least.scale);
    EXPECT_NEAR(below.q[100], 63.5, 0.5);
    EXPECT_EQ(of_one_value(0x1p-149F, exec).scale, at_least.scale);
    EXPECT_EQ(of_one_value(0x1p-149F, exec).q[100], 0);
  });
}

float product_of(const std::vector<std::int8_t>& in, const std::vector<std::int8_t>& weight, const qfuse_exec& exec) {
  const float one = 1.0F;
  float out = 99.0F;
  contract::RotatedInt8Matmul p{};
  p.m = p.n = 1;
  p.k = std::ssize(in);
  p.dtype = QFUSE_FLOAT32;
  p.in_q = in.data();
  p.weight_q = weight.data();
  p.in_scale = p.weight_scale = &one;
  p.out = &out;
  qfuse_error error{};
  EXPECT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  return out;
}

// A product of -0 stays -0. It would become +0 if terms beyond the rank were added as zeros.
TEST(RotatedInt8, a_negative_zero_stays_one) {
  const std::vector<std::int8_t> zeros(64);
  const float in_scale = 1.0F;
  const float weight_scale = -1.0F;
  const std::array lora = {-0.0F, 1.0F};
  for_each_way<contract::RotatedInt8Matmul>([&](const qfuse_exec& exec) {
    float out = 99.0F;
    contract::RotatedInt8Matmul p{};
    p.m = p.n = p.lora_rank = 1;
    p.k = std::ssize(zeros);
    p.dtype = QFUSE_FLOAT32;
    p.in_q = p.weight_q = zeros.data();
    p.in_scale = &in_scale;
    p.weight_scale = &weight_scale;
    p.lora_in = lora.data();
    p.lora_weight = lora.data() + 1;
    p.out = &out;
    ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out), format::kSignBit);
  });
}

TEST(RotatedInt8, the_longest_sums_fit_into_32_bits) {
  constexpr std::size_t kTerms = QFUSE_ROTATED_INT8_MOST_TERMS;
  static_assert(std::int64_t{kTerms} * 127 * 127 < std::int64_t{1} << 31);
  static_assert((std::int64_t{kTerms} + 64) * 127 * 127 >= std::int64_t{1} << 31);
  const std::vector<std::int8_t> most(kTerms, 127);
  const std::vector<std::int8_t> beyond(kTerms, -128);  // the code -128, to which nothing rounds
  for_each_way<contract::RotatedInt8Matmul>([&](const qfuse_exec& exec) {
    const bool is_slow = kQuick && exec.device.type == QFUSE_CUDA;  // -128 alone: its sums are longer
    if (!is_slow) {
      EXPECT_EQ(product_of(most, most, exec), 133120.0F * 127.0F * 127.0F);
    }
    EXPECT_EQ(product_of(beyond, beyond, exec), 133120.0 * 128.0 * 128.0 - 0x1p32);
  });
}

}  // namespace
}  // namespace qfuse::tests
