// Tests swiglu in the formats of other libraries.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
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

// Options of a call, besides its rows.
struct FormatCall {
  SwigluFormatCase format;
  Asked asked;
  SwigluExtras extras = {};
};

Outputs outputs_on(const Inputs& in, const FormatCall& how, const qfuse_exec& exec, std::size_t misalignment) {
  Params p = in.params(how.asked, how.format.payload, how.extras);
  how.format.set(p);
  Outputs out(p, misalignment);
  out.point(p, how.asked, how.extras);
  p.format.scale_layout = how.format.layout;
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
    for (const SwigluFormatCase& format : kSwigluFormats)
      for (const Asked asked : {Asked::all, Asked::both_y})
        expect_the_oracles_formats(in, {format, asked, kLikeGptOss}, misalignment);
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
  return contract::group_rules(p);
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

// TransformerEngine stores the inverse of its factor, the largest power of two up to 448 / absmax: the same scale.
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
  const format::GroupRules rules = rules_of({.name = "", .scale_rule = QFUSE_SCALES_TORCHAO, .amax_floor = 1e-12F});
  for_each_absmax([&](float absmax) {
    if (!std::isfinite(absmax)) return;
    const format::GroupScale scale = format::scale_of_group(rules, absmax);
    const double exact = std::max<double>(absmax, 1e-12F) / 448;
    ASSERT_LE(std::fabs(scale.scale / exact - 1), 0x1p-22) << absmax;
    ASSERT_LE(std::fabs(scale.factor * exact - 1), 0x1p-22) << absmax;
  });
  // Python's exact fractions give 448 / 1.0390625 = 431.157895.
  EXPECT_EQ(format::scale_of_group(rules, 1.0390625F).scale, 1.0F / 431.157895F);
}

// ---- against values computed by hand ----

// Opens all gates (silu(64) = 64), so that y is 64 * up.
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

// Channels 0 to 31 of token 1 have 448 * 2^3, the others 448: biased exponents 127 + 3 and 127.
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
    ASSERT_EQ(out.y.s.size(), 4 * 36U) << "a word for each of the tokens' four groups, tokens up to a multiple of 4";
    for (std::size_t i = 0; i < 4 * 33; ++i) EXPECT_EQ(out.y.s.data()[i], i == 4 ? 130 : 127) << i;
    ASSERT_EQ(out.y_t.s.size(), 4 * 128U) << "two groups of tokens, and two bytes of nothing";
    for (std::size_t c = 0; c < 128; ++c) {
      EXPECT_EQ(out.y_t.s.data()[4 * c], c == 5 ? 130 : 127) << c;
      EXPECT_EQ(out.y_t.s.data()[4 * c + 1], 127) << c;
      EXPECT_EQ(out.y_t.s.data()[4 * c + 2], 0) << c;
      EXPECT_EQ(out.y_t.s.data()[4 * c + 3], 0) << c;
    }
    EXPECT_EQ(out.y.q.data()[128 + 5], 0x7e) << "448 in e4m3";
    EXPECT_EQ(out.y.q.data()[128 + 6], 0x66) << "448 / 8 = 56";
    EXPECT_EQ(out.y.q.data()[128 + 40], 0x7e);
    EXPECT_EQ(out.y_t.q.data()[5 * 33 + 2], 0x66);
    EXPECT_EQ(out.y_t.q.data()[5 * 33 + 32], 0x7e);
  });
}

}  // namespace
}  // namespace qfuse::tests
