#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cases/swiglu.h"
#include "format/elements.h"
#include "format/fp8_groups.h"
#include "format/layout.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/swiglu.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using Params = contract::Swiglu;
using Inputs = SwigluInputs;
using Outputs = SwigluOutputs;

Outputs outputs_on(const qfuse_exec& exec, const Inputs& in, Asked asked, qfuse_payload payload = QFUSE_INT8,
                   qfuse_scale_layout layout = QFUSE_SCALES_ROW_MAJOR, const SwigluExtras& extras = {},
                   std::size_t misalignment = 0) {
  Params p = in.params(asked, payload, extras);
  Outputs out(p.m, p.h, misalignment, layout);
  out.point(p, asked, extras);
  qfuse_error error{};
  EXPECT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  return out;
}

template <class... How>
Outputs oracles_outputs(const Inputs& in, Asked asked, const How&... how) {
  return outputs_on(oracle(), in, asked, how...);
}

// ---- against the oracle, with the oracle's exp: NVIDIA GPUs are tested in tests/cuda ----

class SwigluCases : public testing::TestWithParam<SwigluCase> {};

void expect_bytes(const Outputs& expected, const Inputs& in, Asked asked, qfuse_payload payload,
                  qfuse_scale_layout layout, std::size_t misalignment, const SwigluExtras& extras = {}) {
  for_each_way_with_the_oracles_exp([&](const qfuse_exec& exec) {
    ASSERT_TRUE(same_outputs(expected, outputs_on(exec, in, asked, payload, layout, extras, misalignment)));
  });
}

void expect_the_oracles_bytes(const Inputs& in, Asked asked, qfuse_payload payload, qfuse_scale_layout layout,
                              std::size_t misalignment, const SwigluExtras& extras = {}) {
  expect_bytes(oracles_outputs(in, asked, payload, layout, extras), in, asked, payload, layout, misalignment, extras);
}

// Returns the asked outputs from the oracle's `all` and `both_y`, which saves further calls of the slow oracle.
Outputs part_of(const Outputs& all, const Outputs& both_y, const Inputs& in, Asked asked) {
  Outputs part(in.shape.m, in.shape.h);
  if (has_rows(asked)) part.grad_input = all.grad_input;
  if (has_transposed(asked)) part.grad_input_t = all.grad_input_t;
  if (has_y_rows(asked)) part.y = both_y.y;
  if (has_y_transposed(asked)) part.y_t = all.y_t;
  return part;
}

// GPUs have separate kernels for aligned and for odd addresses. Quick builds alternate between them from one set of
// outputs to the next.
TEST_P(SwigluCases, every_target_gives_the_oracles_bytes_at_any_address) {
  const Inputs aligned(GetParam(), 0);
  const Outputs all = oracles_outputs(aligned, Asked::all);
  const Outputs both_y = oracles_outputs(aligned, Asked::both_y);
  const Outputs e4m3 = oracles_outputs(aligned, Asked::all, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR);
  static_assert(kEveryAsked.size() % 2 == 1);  // so that the next address has the other sets
  std::size_t turn = place_in(kSwigluCases, GetParam());
  for (const std::size_t misalignment : kQuick ? std::vector<std::size_t>{0, 1} : kMisalignments) {
    const Inputs in = aligned.at(misalignment);
    for (const auto& [name, asked] : kEveryAsked) {
      if (kQuick && turn++ % 2 != 0) continue;
      SCOPED_TRACE(name);
      expect_bytes(part_of(all, both_y, in, asked), in, asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, misalignment);
    }
    SCOPED_TRACE("e4m3, MN-major scales");
    expect_bytes(e4m3, in, Asked::all, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, misalignment);
    EXPECT_TRUE(in.unchanged());
  }
}

// Quick builds take extras and addresses in turn.
TEST_P(SwigluCases, every_target_gives_the_oracles_bytes_with_weights_and_other_activations) {
  const Inputs in(GetParam(), 0);
  const Inputs at_odd_addresses = in.at(1);
  std::size_t turn = place_in(kSwigluCases, GetParam());
  for (const SwigluExtras& extras : kExtrasOfBfloat16) {
    if (kQuick && turn++ % 3 != 0) continue;
    SCOPED_TRACE(extras.name);
    expect_the_oracles_bytes(in, Asked::all, QFUSE_E4M3, QFUSE_SCALES_ROW_MAJOR, 0, extras);
  }
  expect_the_oracles_bytes(in, Asked::both_y, QFUSE_E4M3, QFUSE_SCALES_ROW_MAJOR, 0, kExtrasOfBfloat16[0]);
  for (const Asked asked : {Asked::all, Asked::both_y}) {
    SCOPED_TRACE(static_cast<int>(asked));
    ++turn;
    if (!kQuick || turn % 2 == 0)
      expect_the_oracles_bytes(in, asked, QFUSE_INT8, QFUSE_SCALES_MN_MAJOR, 0, kLikeGptOss);
    if (!kQuick || turn % 2 == 1)
      expect_the_oracles_bytes(at_odd_addresses, asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, 1, kLikeGptOss);
  }
  EXPECT_TRUE(in.unchanged());
}

// Tests the oracle; quick builds test every fifth case.
TEST_P(SwigluCases, every_output_is_the_same_without_the_others) {
  if (kQuick && place_in(kSwigluCases, GetParam()) % 5 != 0) return;
  const Inputs in(GetParam(), 0);
  const Outputs all = oracles_outputs(in, Asked::all);
  const Outputs both_y = oracles_outputs(in, Asked::both_y);
  const Outputs gradients = oracles_outputs(in, Asked::gradients);
  const Outputs y = oracles_outputs(in, Asked::y);
  const Outputs transposed = oracles_outputs(in, Asked::transposed);
  const auto same = [](const QuantizedBuffers& one, const QuantizedBuffers& other) {
    return same_bytes(one.q.data(), other.q.data(), static_cast<std::int64_t>(one.q.size())) &&
           same_bytes(one.s.data(), other.s.data(), static_cast<std::int64_t>(one.s.size()));
  };
  EXPECT_TRUE(same(all.grad_input, gradients.grad_input));
  EXPECT_TRUE(same(all.y_t, y.y_t));
  EXPECT_TRUE(same(all.y_t, both_y.y_t)) << "the forward's";
  EXPECT_TRUE(same(all.grad_input_t, transposed.grad_input_t));
}

// Both layouts hold the same scales. Padding beyond the rows keeps its bytes.
TEST(Swiglu, mn_major_scales_are_the_others_transposed) {
  constexpr std::int64_t kTokens = 259;
  constexpr std::int64_t kChannels = 256;
  constexpr std::int64_t kTokenGroups = 3;
  constexpr std::int64_t kChannelGroups = 2 * kChannels / 128;
  const Inputs in(SwigluCase{"", kTokens, kChannels}, 0);
  const Outputs by_rows = oracles_outputs(in, Asked::all);
  const Outputs by_groups = oracles_outputs(in, Asked::all, QFUSE_INT8, QFUSE_SCALES_MN_MAJOR);
  const auto expect_transposed = [](const Buffer& rows, const Buffer& groups, std::int64_t count,
                                    std::int64_t per_row) {
    const std::int64_t stride = (count + 3) / 4 * 4;
    ASSERT_EQ(groups.size(), static_cast<std::size_t>(stride * per_row * 4));
    for (std::int64_t row = 0; row < count; ++row)
      for (std::int64_t group = 0; group < per_row; ++group)
        ASSERT_EQ(format::load_unaligned<float>(groups.data(), group * stride + row),
                  format::load_unaligned<float>(rows.data(), row * per_row + group))
            << row << " " << group;
  };
  expect_transposed(by_rows.grad_input.s, by_groups.grad_input.s, kTokens, kChannelGroups);
  expect_transposed(by_rows.y_t.s, by_groups.y_t.s, kChannels, kTokenGroups);
  expect_transposed(by_rows.grad_input_t.s, by_groups.grad_input_t.s, 2 * kChannels, kTokenGroups);
  const Outputs untouched(kTokens, kChannels, 0, QFUSE_SCALES_MN_MAJOR);
  for (std::int64_t group = 0; group < kChannelGroups; ++group)
    EXPECT_TRUE(same_bytes(untouched.grad_input.s.data() + (group * 260 + kTokens) * 4,
                           by_groups.grad_input.s.data() + (group * 260 + kTokens) * 4, 4));
}

INSTANTIATE_TEST_SUITE_P(Risks, SwigluCases, testing::ValuesIn(kSwigluCases), risk_name<SwigluCase>);

// With one token, every group of y_t has one element, so its scale shows every bit of y and thus of the sigmoid.
TEST(Swiglu, every_gate_gives_the_oracles_y_on_every_target) {
  constexpr std::int64_t kGates = kQuick ? 1 << 12 : 1 << 16;
  for (const float up : {1.0F, -1.3671875F, 3.171875F, 1e-30F, 2e30F}) {
    SCOPED_TRACE("up " + std::to_string(up));
    Inputs in(SwigluCase{"", 1, kGates}, 0);
    for (std::int64_t i = 0; i < kGates; ++i) {
      format::store_unaligned(in.x.as<void>(), i, static_cast<std::uint16_t>(i * ((1 << 16) / kGates)));
      format::store_rounded(in.x.as<void>(), kGates + i, QFUSE_BFLOAT16, up);
    }
    expect_the_oracles_bytes(in, Asked::all, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, 0);
  }
}

// ---- against values computed by hand ----

float float_of(const Buffer& values, std::int64_t i) { return format::load_unaligned<float>(values.data(), i); }

// 128 tokens of 128 channels with equal values, except where a test plants others; runs in one way.
struct Square {
  static constexpr std::int64_t kSide = 128;
  Square(float gate, float up, float dy, qfuse_payload type = QFUSE_INT8)
      : payload(type), in(SwigluCase{"", kSide, kSide}, 0), out(kSide, kSide) {
    for (std::int64_t t = 0; t < kSide; ++t)
      for (std::int64_t c = 0; c < kSide; ++c) plant(t, c, gate, up, dy);
  }
  void plant(std::int64_t t, std::int64_t c, float gate, float up, float dy) {
    format::store_rounded(in.x.as<void>(), t * 2 * kSide + c, QFUSE_BFLOAT16, gate);
    format::store_rounded(in.x.as<void>(), t * 2 * kSide + kSide + c, QFUSE_BFLOAT16, up);
    format::store_rounded(in.grad_y.as<void>(), t * kSide + c, QFUSE_BFLOAT16, dy);
  }
  void run_on(const qfuse_exec& exec) { out = outputs_on(exec, in, Asked::all, payload); }
  int d_gate(std::int64_t t, std::int64_t c) { return out.grad_input.q.as<std::int8_t>()[t * 2 * kSide + c]; }
  int d_up(std::int64_t t, std::int64_t c) { return d_gate(t, kSide + c); }
  int y(std::int64_t t, std::int64_t c) { return out.y_t.q.as<std::int8_t>()[c * kSide + t]; }
  float d_gate_scale(std::int64_t t) { return float_of(out.grad_input.s, 2 * t); }
  float d_up_scale(std::int64_t t) { return float_of(out.grad_input.s, 2 * t + 1); }
  float y_scale(std::int64_t c) { return float_of(out.y_t.s, c); }
  int d_gate_t(std::int64_t t, std::int64_t c) { return out.grad_input_t.q.as<std::int8_t>()[c * kSide + t]; }
  int d_up_t(std::int64_t t, std::int64_t c) { return d_gate_t(t, kSide + c); }
  float d_gate_t_scale(std::int64_t c) { return float_of(out.grad_input_t.s, c); }
  float d_up_t_scale(std::int64_t c) { return d_gate_t_scale(kSide + c); }

  qfuse_payload payload;
  Inputs in;
  Outputs out;
};

// Gate 0: s = sigmoid(g) is 1/2 and silu(g) is 0, so y and d_up vanish, and d_gate is dy * u / 2.
TEST(Swiglu, a_gate_of_zero_passes_half_the_product) {
  for_each_way([](const qfuse_exec& exec) {
    Square square(0.0F, 3.0F, 0.5F);
    square.plant(5, 7, 0.0F, 3.0F, -0.25F);
    ASSERT_NO_FATAL_FAILURE(square.run_on(exec));
    EXPECT_EQ(square.d_gate_scale(5), 0.75F * format::kInt8Scale);
    EXPECT_EQ(square.d_gate(5, 6), 127);
    EXPECT_EQ(square.d_gate(5, 7), -63) << "-63.5, toward zero";
    EXPECT_EQ(square.d_gate_t_scale(7), 0.75F * format::kInt8Scale);
    EXPECT_EQ(square.d_gate_t(5, 7), -63);
    EXPECT_EQ(square.d_gate_t(6, 7), 127);
    EXPECT_EQ(square.d_up_t_scale(7), 1e-10F);
    EXPECT_EQ(square.d_up(5, 7), 0);
    EXPECT_EQ(square.d_up_scale(5), 1e-10F);
    EXPECT_EQ(square.y(5, 7), 0);
    EXPECT_EQ(square.y_scale(7), 1e-10F);
  });
}

// Open gate: s = sigmoid(g) is 1, so y is g * u, d_up is g * dy, and d_gate is dy * u.
TEST(Swiglu, an_open_gate_passes_the_products) {
  for_each_way([](const qfuse_exec& exec) {
    Square square(64.0F, 3.0F, 0.5F);
    square.plant(9, 11, 64.0F, -1.5F, 0.125F);
    ASSERT_NO_FATAL_FAILURE(square.run_on(exec));
    EXPECT_EQ(square.y_scale(11), 192.0F * format::kInt8Scale);
    EXPECT_EQ(square.y(9, 11), -63);
    EXPECT_EQ(square.y(8, 11), 127);
    EXPECT_EQ(square.d_up_scale(9), 32.0F * format::kInt8Scale);
    EXPECT_EQ(square.d_up(9, 11), 31) << "a quarter of 127 is 31.75";
    EXPECT_EQ(square.d_gate_scale(9), 1.5F * format::kInt8Scale);
    EXPECT_EQ(square.d_gate(9, 11), -15) << "an eighth of 127 is 15.875";
    EXPECT_EQ(square.d_up_t_scale(11), 32.0F * format::kInt8Scale);
    EXPECT_EQ(square.d_up_t(9, 11), 31);
    EXPECT_EQ(square.d_gate_t(9, 11), -15);
    EXPECT_EQ(square.d_gate_t(9, 12), 127);
  });
}

// ---- router weights and other activations, by hand ----

TEST(Swiglu, weights_scale_y_and_the_gradients_and_have_one) {
  for_each_way([](const qfuse_exec& exec) {
    const Square square(64.0F, 3.0F, 0.5F);
    SwigluInputs in = square.in;
    for (std::int64_t t = 0; t < Square::kSide; ++t)
      format::store_unaligned(in.weights.as<void>(), t, t == 5 ? -0.25F : 2.0F);
    const SwigluExtras extras = {"", true, true};
    for (const Asked asked : {Asked::all, Asked::y_rows}) {
      const Outputs out = outputs_on(exec, in, asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, extras);
      if (asked == Asked::y_rows) {
        EXPECT_EQ(float_of(out.y.s, 5), 48.0F * format::kInt8Scale) << "192 * 0.25";
        EXPECT_EQ(float_of(out.y.s, 6), 384.0F * format::kInt8Scale);
        EXPECT_EQ(static_cast<std::int8_t>(out.y.q.data()[5 * Square::kSide]), -127);
        continue;
      }
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 5), 0.375F * format::kInt8Scale) << "d_gate: 0.5 * 3 * 0.25";
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 6 + 1), 64.0F * format::kInt8Scale) << "d_up: 0.5 * 64 * 2";
      EXPECT_EQ(float_of(out.grad_weights, 5), 128 * 96.0F) << "128 times 0.5 * 192, whatever the weight";
      EXPECT_EQ(float_of(out.grad_weights, 6), 128 * 96.0F);
    }
  });
}

// Limit 2: gates of 64 become 2; ups of 3 and -3 become 2 and -2, or 3 and -1 with offset. Clamped: gradient 0.
TEST(Swiglu, limits_and_offset_by_hand) {
  for_each_way([](const qfuse_exec& exec) {
    Square square(64.0F, 3.0F, 0.5F);
    for (std::int64_t c = 0; c < Square::kSide; ++c) square.plant(5, c, 64.0F, -3.0F, 0.5F);
    for (std::int64_t c = 0; c < Square::kSide; ++c) square.plant(6, c, 2.0F, 1.0F, 0.5F);
    for (const float offset : {0.0F, 1.0F}) {
      const SwigluExtras extras = {"", false, false, 2.0F, 16.0F, offset};  // 1 / (1 + exp(-32)) is 1
      const auto asked_for = [&](Asked asked) {
        return outputs_on(exec, square.in, asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, extras);
      };
      const Outputs y = asked_for(Asked::y_rows);
      EXPECT_EQ(float_of(y.y.s, 4), 2 * (2 + offset) * format::kInt8Scale);
      EXPECT_EQ(float_of(y.y.s, 5), 2 * std::fabs(-2 + offset) * format::kInt8Scale);
      EXPECT_EQ(static_cast<std::int8_t>(y.y.q.data()[5 * Square::kSide]), -127);
      const Outputs out = asked_for(Asked::all);
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 4), 1e-10F) << "the gate was more";
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 4 + 1), 1e-10F) << "the up was more";
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 5 + 1), 1e-10F) << "the up was less";
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 6), 0.5F * (1 + offset) * format::kInt8Scale) << "at the limit";
      EXPECT_EQ(float_of(out.grad_input.s, 2 * 6 + 1), 1.0F * format::kInt8Scale);
    }
  });
}

// ---- e4m3 ----

// Tests the manual's definition in exact arithmetic for every finite absmax.
TEST(Swiglu, e4m3_scales_are_the_least_powers_of_two) {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    const float absmax = format::from_bfloat16(static_cast<std::uint16_t>(bits));
    const double most = std::max<double>(absmax, 1e-4F);
    const double scale = format::e4m3_scale(absmax);
    int exponent = 0;
    ASSERT_EQ(std::frexp(scale, &exponent), 0.5) << "a power of two";
    ASSERT_LE(most, 448 * scale) << absmax;
    ASSERT_GT(most, 448 * (scale / 2)) << absmax;
    ASSERT_EQ(format::e4m3_factor(format::e4m3_scale(absmax)), static_cast<float>(1 / scale));
  }
}

// Value of a byte by the definition of e4m3.
double value_of_e4m3(unsigned byte) {
  const int exponent = static_cast<int>(byte >> 3 & 15U);
  const double fraction = (byte & 7U) / 8.0;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
  return byte >= 0x80U ? -magnitude : magnitude;
}

TEST(Swiglu, e4m3_values_round_to_the_nearest_even) {
  for (unsigned byte = 0; byte < 0x7e; ++byte) {
    const double value = value_of_e4m3(byte);
    const double next = value_of_e4m3(byte + 1);
    const auto middle = static_cast<float>((value + next) / 2);
    for (const auto& [x, expected] :
         {std::pair{static_cast<float>(value), byte}, std::pair{std::nextafter(middle, 0.0F), byte},
          std::pair{middle, byte + (byte & 1U)}, std::pair{std::nextafter(middle, 500.0F), byte + 1}}) {
      ASSERT_EQ(format::to_e4m3(x), expected) << x;
      ASSERT_EQ(format::to_e4m3(-x), expected | 0x80U) << -x;
    }
  }
  EXPECT_EQ(format::to_e4m3(448.0F), 0x7e);
  EXPECT_EQ(format::to_e4m3(1e30F), 0x7e);
  EXPECT_EQ(format::to_e4m3(std::numeric_limits<float>::quiet_NaN()), 0x7f);
}

// Open gate: y is g * u = 192, its scale is 1/2, and 384 in e4m3 is 1.5 * 2^8.
TEST(Swiglu, e4m3_by_hand) {
  for_each_way([](const qfuse_exec& exec) {
    Square square(64.0F, 3.0F, 0.5F, QFUSE_E4M3);
    square.plant(9, 11, 64.0F, -1.5F, 0.125F);
    ASSERT_NO_FATAL_FAILURE(square.run_on(exec));
    EXPECT_EQ(square.y_scale(11), 0.5F);
    EXPECT_EQ(square.y(8, 11), 0x7c);
    EXPECT_EQ(static_cast<std::uint8_t>(square.y(9, 11)), 0x80 | 0x74) << "-192, half as much";
    EXPECT_EQ(square.d_up_scale(9), 0.125F) << "32 is at most 56, but more than 28";
    EXPECT_EQ(square.d_up(9, 10), 0x78) << "256";
    EXPECT_EQ(square.d_up(9, 11), 0x68) << "64";
    EXPECT_EQ(square.d_up_t_scale(11), 0.125F);
    EXPECT_EQ(square.d_up_t(9, 11), 0x68);
  });
}

TEST(Swiglu, an_e4m3_group_that_is_not_finite_is_nan_throughout) {
  for_each_way([](const qfuse_exec& exec) {
    for (const float up : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Square square(1.0F, 2.0F, 3.0F, QFUSE_E4M3);
      square.plant(77, 33, 1.0F, up, 3.0F);
      ASSERT_NO_FATAL_FAILURE(square.run_on(exec));
      for (const float scale : {square.y_scale(33), square.d_gate_scale(77), square.d_gate_t_scale(33)})
        EXPECT_EQ(std::bit_cast<std::uint32_t>(scale), 0x7fffffffU);
      for (std::int64_t i = 0; i < Square::kSide; ++i) {
        ASSERT_EQ(square.y(i, 33), 0x7f);
        ASSERT_EQ(square.d_gate_t(i, 33), 0x7f);
        ASSERT_EQ(square.d_gate(77, i), 0x7f);
        ASSERT_NE(square.y(i, 32), 0x7f);
        ASSERT_NE(square.d_up_t(i, 33), 0x7f);
        ASSERT_NE(square.d_gate(76, i), 0x7f);
      }
    }
  });
}

// ---- infinities and NaN ----

// A planted value changes the groups that contain it, as the manual says, and no others.
void expect_only_its_groups_change(const qfuse_exec& exec, float up) {
  constexpr std::int64_t kToken = 77;
  constexpr std::int64_t kChannel = 33;
  Square plain(1.0F, 2.0F, 3.0F);
  ASSERT_NO_FATAL_FAILURE(plain.run_on(exec));
  Square planted(1.0F, 2.0F, 3.0F);
  planted.plant(kToken, kChannel, 1.0F, up, 3.0F);
  ASSERT_NO_FATAL_FAILURE(planted.run_on(exec));
  for (const float scale :
       {planted.y_scale(kChannel), planted.d_gate_scale(kToken), planted.d_gate_t_scale(kChannel)}) {
    if (std::isnan(up)) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(scale), 0x7fffffffU);
    } else {
      EXPECT_EQ(scale, std::numeric_limits<float>::infinity());
    }
  }
  EXPECT_EQ(planted.d_up_scale(kToken), plain.d_up_scale(kToken)) << "d_up knows nothing of u";
  for (std::int64_t t = 0; t < Square::kSide; ++t) {
    for (std::int64_t c = 0; c < Square::kSide; ++c) {
      ASSERT_EQ(planted.d_gate(t, c), t == kToken ? 0 : plain.d_gate(t, c)) << t << " " << c;
      ASSERT_EQ(planted.d_up(t, c), plain.d_up(t, c)) << t << " " << c;
      ASSERT_EQ(planted.y(t, c), c == kChannel ? 0 : plain.y(t, c)) << t << " " << c;
      ASSERT_EQ(planted.d_gate_t(t, c), c == kChannel ? 0 : plain.d_gate_t(t, c)) << t << " " << c;
      ASSERT_EQ(planted.d_up_t(t, c), plain.d_up_t(t, c)) << t << " " << c;
    }
    if (t != kToken) {
      ASSERT_EQ(planted.d_gate_scale(t), plain.d_gate_scale(t));
    }
    if (t != kChannel) {
      ASSERT_EQ(planted.y_scale(t), plain.y_scale(t));
      ASSERT_EQ(planted.d_gate_t_scale(t), plain.d_gate_t_scale(t));
    }
  }
}

TEST(Swiglu, what_is_not_finite_stays_in_its_groups) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for_each_way([](const qfuse_exec& exec) {
    for (const float up : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity})
      ASSERT_NO_FATAL_FAILURE(expect_only_its_groups_change(exec, up)) << up;
  });
}

}  // namespace
}  // namespace qfuse::tests
