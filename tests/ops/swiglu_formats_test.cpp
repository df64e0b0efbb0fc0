// swiglu in the formats of others, and over rows whose experts are given by number.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <qfuse/qfuse.hpp>
#include <string>
#include <vector>

#include "cases/swiglu.h"
#include "contract/swiglu.h"
#include "format/elements.h"
#include "format/group_rules.h"
#include "support/compare.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/swiglu.h"
#include "support/swiglu_formats.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using Params = contract::Swiglu;
using Inputs = SwigluInputs;
using Outputs = SwigluOutputs;

// FormatCall a call is made, beside its rows.
struct FormatCall {
  SwigluFormatCase format;
  Asked asked;
  SwigluExtras extras = {};
  qfuse_round_through round_through = QFUSE_THROUGH_BFLOAT16;
  const std::vector<std::int32_t>* row_experts = nullptr;
  qfuse_expert_layout experts = QFUSE_EXPERTS_SIDE_BY_SIDE;
};

Outputs outputs_on(const Inputs& in, const FormatCall& how, const qfuse_exec& exec, std::size_t misalignment) {
  Params p = in.params(how.asked, how.format.payload, how.extras);
  how.format.set(p);
  p.round_through = how.round_through;
  p.expert_layout = how.experts;
  if (how.row_experts != nullptr) p.row_experts = how.row_experts->data();
  Outputs out(p, misalignment);
  out.point(p, how.asked, how.extras);
  p.scale_layout = how.format.layout;
  qfuse_error error{};
  EXPECT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  return out;
}

void expect_the_oracles_formats(const Inputs& in, const FormatCall& how, std::size_t misalignment) {
  SCOPED_TRACE(how.format.name);
  const Outputs expected = outputs_on(in, how, oracle(), 0);
  for_each_way_with_the_oracles_exp(
      [&](const qfuse_exec& exec) { ASSERT_TRUE(same_outputs(expected, outputs_on(in, how, exec, misalignment))); });
}

// ---- against the oracle ----

class SwigluFormats : public testing::TestWithParam<SwigluCase> {};

TEST_P(SwigluFormats, every_target_gives_the_oracles_bytes) {
  const Inputs in(GetParam(), 0);
  for (const SwigluFormatCase& format : kSwigluFormats)
    for (const Asked asked : {Asked::all, Asked::both_y}) expect_the_oracles_formats(in, {format, asked}, 0);
  EXPECT_TRUE(in.unchanged());
}

TEST_P(SwigluFormats, of_fp32_values_every_target_gives_the_oracles_bytes) {
  const Inputs in(GetParam(), 0);
  for (const SwigluFormatCase& format : kSwigluFormats)
    for (const Asked asked : {Asked::gradients, Asked::y_rows})
      expect_the_oracles_formats(in, {format, asked, {}, QFUSE_THROUGH_FLOAT32}, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Risks, SwigluFormats,
    testing::Values(SwigluCase{"one token in the last group", 129, 384}, SwigluCase{"one token", 1, 128},
                    SwigluCase{"a group of 32 and one more, rows apart", 33, 128, Activations::normal, 1.0F, 8, 8},
                    SwigluCase{"small, x1e-5", 100, 128, Activations::normal, 1e-5F},
                    SwigluCase{"zeros", 70, 128, Activations::normal, 0.0F},
                    SwigluCase{"subnormal", 70, 128, Activations::subnormal},
                    SwigluCase{"products underflow, x1e-15", 70, 128, Activations::normal, 1e-15F},
                    SwigluCase{"any bits", 200, 256, Activations::any_bits},
                    SwigluCase{"NaN and infinities among numbers", 260, 256, Activations::planted}),
    risk_name<SwigluCase>);

TEST(SwigluFormats, any_address_and_all_extras_give_the_oracles_bytes) {
  const SwigluCase shape{"", 150, 256, Activations::normal, 1.0F, 3, 7};
  for (const std::size_t misalignment : {0, 1}) {
    const Inputs in(shape, misalignment);
    for (const SwigluFormatCase& format : kSwigluFormats) {
      for (const Asked asked : {Asked::all, Asked::both_y})
        expect_the_oracles_formats(in, {format, asked, kLikeGptOss}, misalignment);
      expect_the_oracles_formats(in, {format, Asked::gradients, kLikeGptOss, QFUSE_THROUGH_FLOAT32}, misalignment);
    }
  }
}

// ---- scales, from every absmax ----

template <class Body>
void for_each_absmax(const Body& body) {
  for (unsigned bits = 0; bits <= 0x7fc0; ++bits) body(format::from_bfloat16(static_cast<std::uint16_t>(bits)));
}

format::GroupRules rules_of(const SwigluFormatCase& format) {
  Params p{};
  format.set(p);
  return contract::gradient_rules(p);
}

// In exact arithmetic: no value is beyond the type's most, and half the scale would not do.
TEST(SwigluFormats, scales_of_e5m2_are_the_least_powers_of_two) {
  const format::GroupRules rules = rules_of({.name = "", .grad_input_type = QFUSE_E5M2});
  for_each_absmax([&](float absmax) {
    const format::GroupScale scale = format::scale_of_group(rules, absmax);
    if (!std::isfinite(absmax)) {
      ASSERT_TRUE(std::isnan(scale.scale) && std::isnan(scale.factor));
      return;
    }
    const double most = std::max<double>(absmax, 1e-4F);
    ASSERT_LE(most, 57344 * double{scale.scale}) << absmax;
    ASSERT_GT(most, 57344 * double{scale.scale} / 2) << absmax;
    ASSERT_EQ(double{scale.scale} * scale.factor, 1);
  });
}

TEST(SwigluFormats, scales_of_mxfp8_are_rounded_up_to_all_powers_of_two) {
  const format::GroupRules rules =
      rules_of({.name = "", .scale_type = QFUSE_SCALES_UE8M0, .zero_rule = QFUSE_ZERO_SCALE_LEAST});
  for_each_absmax([&](float absmax) {
    const format::GroupScale scale = format::scale_of_group(rules, absmax);
    const std::uint8_t byte = format::to_ue8m0(scale.scale);
    if (std::isnan(absmax)) {
      ASSERT_EQ(byte, 255);
    } else if (std::isinf(absmax)) {
      ASSERT_EQ(byte, 254);
    } else {
      ASSERT_EQ(scale.scale, std::ldexp(1.0F, byte - 127));
      ASSERT_EQ(double{scale.scale} * scale.factor, 1);
      ASSERT_LE(absmax, 448 * double{scale.scale});
      ASSERT_TRUE(absmax > 448 * double{scale.scale} / 2 || byte == 0) << absmax;
    }
  });
}

// TransformerEngine finds the factor, a power of two not above 448 / absmax, and stores its inverse: the same scale.
TEST(SwigluFormats, scales_beside_one_are_deepseeks_from_its_floor_on) {
  const format::GroupRules rules = rules_of({.name = "", .zero_rule = QFUSE_ZERO_SCALE_ONE});
  for_each_absmax([&](float absmax) {
    const format::GroupScale scale = format::scale_of_group(rules, absmax);
    if (absmax == 0 || !std::isfinite(absmax)) {
      ASSERT_EQ(scale.scale, 1);
      ASSERT_EQ(scale.factor, 1);
    } else if (absmax >= 1e-4F) {
      ASSERT_EQ(scale.scale, format::e4m3_scale(absmax));
    } else {
      ASSERT_TRUE(absmax <= 448 * double{scale.scale});
      ASSERT_TRUE(absmax > 448 * double{scale.scale} / 2 || scale.factor == 0x1p127F);
    }
  });
}

TEST(SwigluFormats, quotients_are_near_exact_ones) {
  for (const qfuse_scale_rule rule : {QFUSE_SCALES_TILE_KERNELS, QFUSE_SCALES_DEEP_GEMM, QFUSE_SCALES_TORCHAO}) {
    const format::GroupRules rules = rules_of({.name = "", .scale_rule = rule, .amax_floor = 1e-12F});
    for_each_absmax([&](float absmax) {
      if (!std::isfinite(absmax)) return;
      const format::GroupScale scale = format::scale_of_group(rules, absmax);
      const double exact = std::max<double>(absmax, 1e-12F) / 448;
      ASSERT_LE(std::fabs(scale.scale / exact - 1), 0x1p-22) << absmax;
      ASSERT_LE(std::fabs(scale.factor * exact - 1), 0x1p-22) << absmax;
    });
  }
  // Where they differ, by Python's exact fractions: 448 / 1.0390625 is 431.157895, 1.0390625 / 448 is 0.00231933594.
  const float absmax = 1.0390625F;
  const auto scale_by = [&](qfuse_scale_rule rule) {
    return format::scale_of_group(rules_of({.name = "", .scale_rule = rule}), absmax);
  };
  EXPECT_EQ(scale_by(QFUSE_SCALES_TILE_KERNELS).scale, absmax / 448.0F);
  EXPECT_EQ(scale_by(QFUSE_SCALES_TORCHAO).scale, 1.0F / (448.0F / absmax));
  EXPECT_EQ(scale_by(QFUSE_SCALES_DEEP_GEMM).factor, 1.0F / (absmax / 448.0F));
}

// ---- by hand ----

// An open gate, so that y is 64 times the up.
void fill_open(Inputs& in, float up) {
  for (std::int64_t t = 0; t < in.shape.m; ++t)
    for (std::int64_t c = 0; c < in.shape.h; ++c) {
      format::store_rounded(in.x.as<void>(), t * 2 * in.shape.h + c, QFUSE_BFLOAT16, 64.0F);
      format::store_rounded(in.x.as<void>(), t * 2 * in.shape.h + in.shape.h + c, QFUSE_BFLOAT16, up);
    }
}

void plant_up_of(Inputs& in, std::int64_t t, std::int64_t c, float up) {
  format::store_rounded(in.x.as<void>(), t * 2 * in.shape.h + in.shape.h + c, QFUSE_BFLOAT16, up);
}

// Channels 0 to 31 of token 1 have 448 * 2^3, the others 448: exponents 127 + 3 and 127.
TEST(SwigluFormats, groups_of_32_and_words_of_four_exponents) {
  for_each_way([](const qfuse_exec& exec) {
    Inputs in(SwigluCase{"", 33, 128}, 0);
    fill_open(in, 7.0F);
    plant_up_of(in, 1, 5, 56.0F);
    const SwigluFormatCase words = {.name = "",
                                    .group_size = 32,
                                    .scale_type = QFUSE_SCALES_UE8M0,
                                    .layout = QFUSE_SCALES_MN_MAJOR,
                                    .zero_rule = QFUSE_ZERO_SCALE_LEAST};
    const Outputs out = outputs_on(in, {words, Asked::both_y}, exec, 0);
    ASSERT_EQ(out.y_s.size(), 4 * 36U) << "a word for each of the tokens' four groups, tokens up to a multiple of 4";
    for (std::size_t i = 0; i < 4 * 33; ++i) EXPECT_EQ(out.y_s.data()[i], i == 4 ? 130 : 127) << i;
    ASSERT_EQ(out.y_s_t.size(), 4 * 128U) << "two groups of tokens, and two bytes of nothing";
    for (std::size_t c = 0; c < 128; ++c) {
      EXPECT_EQ(out.y_s_t.data()[4 * c], c == 5 ? 130 : 127) << c;
      EXPECT_EQ(out.y_s_t.data()[4 * c + 1], 127) << c;
      EXPECT_EQ(out.y_s_t.data()[4 * c + 2], 0) << c;
      EXPECT_EQ(out.y_s_t.data()[4 * c + 3], 0) << c;
    }
    EXPECT_EQ(out.y_q.data()[128 + 5], 0x7e) << "448 in e4m3";
    EXPECT_EQ(out.y_q.data()[128 + 6], 0x66) << "448 / 8 = 56";
    EXPECT_EQ(out.y_q.data()[128 + 40], 0x7e);
    EXPECT_EQ(out.y_q_t.data()[5 * 33 + 2], 0x66);
    EXPECT_EQ(out.y_q_t.data()[5 * 33 + 32], 0x7e);
  });
}

// 127 is the largest; halves go to the even side.
TEST(SwigluFormats, int8_to_nearest_by_hand) {
  for_each_way([](const qfuse_exec& exec) {
    Inputs in(SwigluCase{"", 1, 128}, 0);
    fill_open(in, 2.0F);
    plant_up_of(in, 0, 1, 1.0F);
    plant_up_of(in, 0, 2, -1.0F);
    plant_up_of(in, 0, 3, 0.25F);
    plant_up_of(in, 0, 4, -0.25F);
    const auto values = [&](qfuse_rounding rounding) {
      const SwigluFormatCase format = {.name = "", .payload = QFUSE_INT8, .rounding = rounding};
      const Outputs out = outputs_on(in, {format, Asked::y_rows}, exec, 0);
      const auto* q = reinterpret_cast<const std::int8_t*>(out.y_q.data());
      return std::vector<int>(q, q + 5);
    };
    EXPECT_EQ(values(QFUSE_ROUND_TRUNCATE), (std::vector<int>{127, 63, -63, 15, -15}));
    EXPECT_EQ(values(QFUSE_ROUND_NEAREST), (std::vector<int>{127, 64, -64, 16, -16})) << "63.5 and 15.875";
  });
}

// ---- rows whose experts are given by number ----

// Three experts of 130, 0 and 128 rows, at multiples of 128; then a tile of nobody, and a short one.
std::vector<std::int32_t> padded_rows(std::int64_t m) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(m), -1);
  std::fill_n(rows.begin(), 130, 0);
  std::fill_n(rows.begin() + 256, 128, 2);
  std::fill(rows.begin() + 512, rows.end(), 3);
  return rows;
}

constexpr std::int64_t kPaddedRows = 515;

// The same rows without gaps, by their ends.
Outputs outputs_by_ends(const Inputs& in, const FormatCall& how, const qfuse_exec& exec) {
  static constexpr std::int64_t kEnds[] = {130, 130, 258, 261};
  constexpr std::int64_t kFirst[] = {0, 0, 256, 512};
  Inputs dense(SwigluCase{"", 261, in.shape.h}, 0);
  std::int64_t begin = 0;
  for (int e = 0; e < 4; begin = kEnds[e++]) {
    const auto copy = [&](Buffer& to, const Buffer& from, std::int64_t size) {
      std::memcpy(to.as<std::uint8_t>() + begin * size, from.data() + kFirst[e] * size,
                  static_cast<std::size_t>((kEnds[e] - begin) * size));
    };
    copy(dense.x, in.x, 4 * in.shape.h);
    copy(dense.grad_y, in.grad_y, 2 * in.shape.h);
    copy(dense.weights, in.weights, 4);
  }
  Params p = dense.params(how.asked, how.format.payload, how.extras);
  how.format.set(p);
  p.expert_ends = kEnds;
  p.expert_count = 4;
  p.expert_ends_type = QFUSE_INDEX_INT64;
  p.expert_layout = QFUSE_EXPERTS_APART;
  Outputs out(p, 0);
  out.point(p, how.asked, how.extras);
  p.scale_layout = how.format.layout;
  EXPECT_EQ(run(p, exec, nullptr), QFUSE_OK);
  return out;
}

// Of [rows, columns]: expert e's first column, where experts' columns begin at `first`.
void expect_same_columns(const Buffer& by_number, const Buffer& by_ends, std::int64_t rows) {
  // By ends: 256 columns, 0, 128 and 128; by number the last two lie behind a tile of nobody.
  EXPECT_TRUE(same_bytes(by_ends.data(), by_number.data(), rows * 384));
  EXPECT_TRUE(same_bytes(by_ends.data() + rows * 384, by_number.data() + rows * 512, rows * 128));
}

TEST(SwigluRowExperts, columns_are_those_of_experts_given_by_their_ends) {
  Inputs in(SwigluCase{"", kPaddedRows, 256}, 0);
  const std::vector<std::int32_t> rows = padded_rows(kPaddedRows);
  for (std::int64_t t = 0; t < kPaddedRows; ++t)  // nobody's rows are NaN
    if (rows[static_cast<std::size_t>(t)] < 0)
      std::memset(in.x.as<std::uint8_t>() + t * 4 * in.shape.h, 0xff, static_cast<std::size_t>(4 * in.shape.h));
  for (const SwigluFormatCase& format :
       {SwigluFormatCase{.name = "e4m3"}, kSwigluFormats[0], SwigluFormatCase{.name = "int8", .payload = QFUSE_INT8}}) {
    SCOPED_TRACE(format.name);
    const FormatCall how = {format, Asked::all,         kExtrasOfBfloat16[1], QFUSE_THROUGH_BFLOAT16,
                            &rows,  QFUSE_EXPERTS_APART};
    const Outputs by_ends = outputs_by_ends(in, how, oracle());
    const Outputs expected = outputs_on(in, how, oracle(), 0);
    expect_same_columns(expected.y_q_t, by_ends.y_q_t, 256);
    expect_same_columns(expected.grad_input_q_t, by_ends.grad_input_q_t, 512);
    EXPECT_TRUE(same_bytes(by_ends.y_s_t.data(), expected.y_s_t.data(), 256 * 3 * 4));
    EXPECT_TRUE(same_bytes(by_ends.grad_input_q.data(), expected.grad_input_q.data(), 130 * 512));
    EXPECT_TRUE(
        same_bytes(by_ends.grad_input_q.data() + 130 * 512, expected.grad_input_q.data() + 256 * 512, 128 * 512));
    EXPECT_EQ(format::load_unaligned<float>(expected.grad_weights.data(), 131), 0) << "nobody's";
    expect_the_oracles_formats(in, how, 0);
    expect_the_oracles_formats(in, {format, Asked::both_y, {}, QFUSE_THROUGH_BFLOAT16, &rows}, 0);
  }
  for (const SwigluFormatCase& format : kSwigluFormats)
    expect_the_oracles_formats(in, {format, Asked::all, {}, QFUSE_THROUGH_BFLOAT16, &rows}, 0);
}

// Whatever the numbers, a tile is its first row's, and ends where another begins.
TEST(SwigluRowExperts, any_numbers_give_the_oracles_bytes) {
  const Inputs in(SwigluCase{"", kPaddedRows, 128}, 0);
  std::mt19937 random(5);
  std::vector<std::int32_t> any(static_cast<std::size_t>(kPaddedRows));
  for (std::int32_t& row : any) row = static_cast<std::int32_t>(random() % 50 == 0 ? random() : 7U);
  std::vector<std::int32_t> same(static_cast<std::size_t>(kPaddedRows), 1 << 30);
  for (const auto* rows : {&any, &same})
    for (const qfuse_expert_layout layout : {QFUSE_EXPERTS_APART, QFUSE_EXPERTS_SIDE_BY_SIDE})
      expect_the_oracles_formats(
          in, {SwigluFormatCase{.name = "e4m3"}, Asked::all, {}, QFUSE_THROUGH_BFLOAT16, rows, layout}, 0);
}

TEST(SwigluRowExperts, refuses_what_the_manual_refuses) {
  const Inputs in(SwigluCase{"", 3, 128}, 0);
  const std::vector<std::int32_t> rows = {0, 0, 1, 1};
  const auto refusal = [&](const std::function<void(Params&)>& spoil) {
    Params p = in.params(Asked::all, QFUSE_E4M3);
    p.row_experts = rows.data();
    Outputs out(p, 0);
    out.point(p, Asked::all);
    spoil(p);
    qfuse_error error{};
    EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
    return std::string(error.message);
  };
  EXPECT_EQ(refusal([&](Params& p) {
              p.expert_ends = rows.data();
              p.expert_count = 1;
            }),
            "row_experts and expert_ends are both given: they say the same in two ways");
  EXPECT_EQ(refusal([&](Params& p) {
              p.row_experts = reinterpret_cast<const std::int32_t*>(reinterpret_cast<const char*>(rows.data()) + 1);
            }),
            "row_experts must be aligned to its elements, 4 bytes");
  EXPECT_EQ(refusal([](Params& p) {
              p.scale_type = QFUSE_SCALES_UE8M0;
              p.scale_layout = QFUSE_SCALES_MN_MAJOR;
            }),
            "scales in UE8M0 and MN_MAJOR share words, which experts APART cannot: expert_layout must be SIDE_BY_SIDE");
}

TEST(SwigluFormats, the_cpp_interface_gives_the_same_bytes) {
  const Inputs in(SwigluCase{"", 130, 256}, 0);
  const SwigluFormatCase mx = kSwigluFormats[7];
  const Outputs expected = outputs_on(in, {mx, Asked::both_y}, oracle(), 0);
  std::vector<std::int8_t> y(expected.y_q.size());
  std::vector<std::uint8_t> scales(expected.y_s.size());
  const auto call_with = [&] {
    qfuse::swiglu(130, 256, std::as_bytes(std::span(in.x_values)), {.y = {.payload = y, .ue8m0 = scales}},
                  {.payload_type = Payload::e4m3,
                   .format = {.group_size = 32, .scale_type = mx.scale_type, .zero_rule = mx.zero_rule}});
  };
  call_with();
  EXPECT_TRUE(same_bytes(expected.y_q.data(), y.data(), static_cast<std::int64_t>(y.size())));
  EXPECT_TRUE(same_bytes(expected.y_s.data(), scales.data(), static_cast<std::int64_t>(scales.size())));
  scales.pop_back();
  try {
    call_with();
    ADD_FAILURE() << "a short span was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "y_s has 1039 entries, needs 1040");
  }
}

}  // namespace
}  // namespace qfuse::tests
