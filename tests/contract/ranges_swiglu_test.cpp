// Invalid values of swiglu's fields, and the sizes of its outputs.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "contract/ops.h"
#include "support/refused.h"
#include "support/samples.h"

namespace qfuse::contract {
namespace {

using namespace tests;

void expect_swiglu_refused(const std::function<void(Swiglu&)>& spoil, std::initializer_list<std::string> parts) {
  expect_refused<Swiglu>(swiglu_sample(true, true), spoil, parts);
}

TEST(Ranges, swiglu_shapes_are_checked) {
  expect_swiglu_refused([](auto& p) { p.m = -1; }, {"m is -1, it must not be negative"});
  expect_swiglu_refused([](auto& p) { p.h = -128; }, {"h is -128, it must not be negative"});
  expect_swiglu_refused([](auto& p) { p.h = kLots; }, {"h is 4611686018427387904, more than memory can hold"});
  for (const std::int64_t group_size : {0L, 64L, -128L, 256L})
    expect_swiglu_refused([&](auto& p) { p.format.group_size = group_size; },
                          {"format.group_size is " + std::to_string(group_size) + ", it must be 128 or 32"});
  expect_swiglu_refused([](auto& p) { p.h = 130; }, {"h is 130, it must be a multiple of 128"});
  expect_swiglu_refused([](auto& p) { p.x_stride = 255; }, {"x_stride is 255, it must be 0 or at least 2h, 256"});
  expect_swiglu_refused([](auto& p) { p.x_stride = -256; }, {"x_stride is -256, it must be 0 or at least 2h, 256"});
  expect_swiglu_refused([](auto& p) { p.grad_y_stride = 127; },
                        {"grad_y_stride is 127, it must be 0 or at least h, 128"});
  expect_swiglu_refused([](auto& p) { p.format.payload_type = static_cast<qfuse_payload>(2); },
                        {"format.payload_type is 2, it must be QFUSE_INT8 (0) or QFUSE_E4M3 (1)"});
  expect_swiglu_refused(
      [](auto& p) { p.format.scale_layout = static_cast<qfuse_scale_layout>(-1); },
      {"format.scale_layout is -1, it must be QFUSE_SCALES_ROW_MAJOR (0) or QFUSE_SCALES_MN_MAJOR (1)"});
}

TEST(Ranges, swiglu_formats_are_checked) {
  expect_swiglu_refused(
      [](auto& p) { p.format.scale_rule = static_cast<qfuse_scale_rule>(2); },
      {"format.scale_rule is 2, it must be QFUSE_SCALES_POWER_OF_TWO (0) or QFUSE_SCALES_TORCHAO (1)"});
  for (const auto& [spoil, name] : std::initializer_list<std::pair<std::function<void(Swiglu&)>, std::string>>{
           {[](Swiglu& p) { p.format.scale_type = QFUSE_SCALES_UE8M0; }, "format.scale_type"},
           {[](Swiglu& p) { p.format.scale_rule = QFUSE_SCALES_TORCHAO; }, "format.scale_rule"},
           {[](Swiglu& p) { p.format.zero_rule = QFUSE_ZERO_SCALE_ONE; }, "format.zero_rule"},
           {[](Swiglu& p) { p.format.amax_floor = 1.0F; }, "format.amax_floor"}})
    expect_swiglu_refused(spoil, {name + " is given, but format.payload_type is QFUSE_INT8: it is of FP8 alone"});
  const auto expect_fp8_refused = [](const std::function<void(Swiglu&)>& spoil, const std::string& part) {
    expect_swiglu_refused(
        [&](Swiglu& p) {
          p.format.payload_type = QFUSE_E4M3;
          spoil(p);
        },
        {part});
  };
  for (const float floor : {-1.0F, 1e-31F, 1e31F, std::numeric_limits<float>::quiet_NaN()})
    expect_fp8_refused([&](Swiglu& p) { p.format.amax_floor = floor; }, "it must be 1e-30 to 1e+30, or 0");
  expect_fp8_refused(
      [](Swiglu& p) {
        p.format.scale_rule = QFUSE_SCALES_TORCHAO;
        p.format.scale_type = QFUSE_SCALES_UE8M0;
      },
      "format.scale_type is QFUSE_SCALES_UE8M0: format.scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  expect_fp8_refused(
      [](Swiglu& p) {
        p.format.scale_rule = QFUSE_SCALES_TORCHAO;
        p.format.zero_rule = QFUSE_ZERO_SCALE_LEAST;
      },
      "format.zero_rule is QFUSE_ZERO_SCALE_LEAST: format.scale_rule must be QFUSE_SCALES_POWER_OF_TWO");
  expect_fp8_refused(
      [](Swiglu& p) {
        p.format.zero_rule = QFUSE_ZERO_SCALE_LEAST;
        p.format.amax_floor = 1.0F;
      },
      "format.amax_floor must be 0");
}

TEST(Ranges, swiglu_formats) {
  qfuse_group_format format{};
  qfuse_error error{};
  EXPECT_EQ(qfuse_swiglu_format("mx", &format, &error), QFUSE_OK);
  EXPECT_EQ(format.group_size, 32);
  EXPECT_EQ(format.scale_type, QFUSE_SCALES_UE8M0);
  EXPECT_EQ(format.zero_rule, QFUSE_ZERO_SCALE_LEAST);
  EXPECT_EQ(qfuse_swiglu_format("torchao", &format, &error), QFUSE_OK);
  EXPECT_EQ(format.amax_floor, 1e-12F);
  EXPECT_EQ(format.scale_type, QFUSE_SCALES_FLOAT32);
  EXPECT_EQ(qfuse_swiglu_format("tourchao", &format, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the format is 'tourchao', it must be one of int8, deepseek, transformer_engine, torchao, mx");
  EXPECT_EQ(qfuse_swiglu_format(nullptr, &format, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(qfuse_swiglu_format("mx", nullptr, &error), QFUSE_INVALID_ARGUMENT);
}

// In bytes, computed by hand, for 130 tokens and 256 channels.
TEST(Ranges, swiglu_output_sizes) {
  qfuse_swiglu_params p{};
  qfuse_swiglu_sizes sizes{};
  qfuse_error error{};
  p.struct_size = sizeof p;
  p.m = 130;
  p.h = 256;
  const auto expect_sizes = [&](std::array<std::int64_t, 9> expected) {
    ASSERT_EQ(qfuse_swiglu_output_sizes(&p, &sizes, &error), QFUSE_OK) << error.message;
    EXPECT_EQ(std::memcmp(&sizes, expected.data(), sizeof sizes), 0)
        << sizes.y.q << " " << sizes.y.s << " " << sizes.y_t.q << " " << sizes.y_t.s << " " << sizes.grad_input.q << " "
        << sizes.grad_input.s << " " << sizes.grad_input_t.q << " " << sizes.grad_input_t.s << " "
        << sizes.grad_weights;
  };
  ASSERT_EQ(qfuse_swiglu_format("int8", &p.format, &error), QFUSE_OK);
  expect_sizes({130 * 256, 130 * 2 * 4, 256 * 130, 256 * 2 * 4, 130 * 512, 130 * 4 * 4, 512 * 130, 512 * 2 * 4, 520});
  p.format.scale_layout = QFUSE_SCALES_MN_MAJOR;  // rows of scales are padded to 132
  expect_sizes({130 * 256, 132 * 2 * 4, 256 * 130, 256 * 2 * 4, 130 * 512, 132 * 4 * 4, 512 * 130, 512 * 2 * 4, 520});
  ASSERT_EQ(qfuse_swiglu_format("mx", &p.format, &error), QFUSE_OK);
  p.experts.count = 3;  // their tokens need up to (130 + 3 * 127) / 128 groups of columns
  expect_sizes({130 * 256, 130 * 8, 256 * 384, 256 * 12, 130 * 512, 130 * 16, 512 * 384, 512 * 12, 520});
  p.m = 0;
  expect_sizes({0, 0, 0, 0, 0, 0, 0, 0, 0});
  p.h = 100;
  EXPECT_EQ(qfuse_swiglu_output_sizes(&p, &sizes, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "h is 100, it must be a multiple of 128");
  EXPECT_EQ(qfuse_swiglu_output_sizes(&p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(qfuse_swiglu_output_sizes(nullptr, &sizes, &error), QFUSE_INVALID_ARGUMENT);
}

TEST(Ranges, swiglu_sizes_that_overflow_are_refused) {
  const auto much = std::int64_t{1} << 56;
  expect_swiglu_refused([&](auto& p) { p.m = much; },
                        {"m rows of 256 elements (2h) are 72057594037927936 * 256, more than memory can hold"});
  expect_swiglu_refused([&](auto& p) { p.x_stride = much << 4; },
                        {"m rows of 1152921504606846976 elements (x_stride)"});
  expect_swiglu_refused([&](auto& p) { p.grad_y_stride = much << 4; },
                        {"m rows of 1152921504606846976 elements (grad_y_stride)"});
  // The largest accepted sizes: the sum of their bytes must not overflow either.
  Arena arena;
  Swiglu p = placed(swiglu_sample(true, true), arena);
  p.m = 1;
  p.h = (std::int64_t{1} << 59) - 128;
  EXPECT_EQ(bytes(p), 9 * p.h + p.h / 128 * 8 + p.h * 4);
}

TEST(Ranges, swiglu_needs_a_pair_of_outputs) {
  const auto without_outputs = [](auto& p) {
    p.grad_input.q = p.y_t.q = nullptr;
    p.grad_input.s = p.y_t.s = nullptr;
  };
  expect_swiglu_refused(without_outputs,
                        {"y, y_t, grad_input and grad_input_t are all NULL: at least one of them must be given"});
  Swiglu p = swiglu_sample(true, true);
  without_outputs(p);
  p.m = 0;
  EXPECT_TRUE(check(p).ok()) << check(p).message;
}

TEST(Ranges, swiglu_activations_and_outputs_are_checked) {
  expect_swiglu_refused([](auto& p) { p.y.q = p.grad_input.q; },
                        {"y is given together with a gradient: it is an output of the forward alone"});
  expect_swiglu_refused([](auto& p) { p.limit = -1; }, {"limit is -1, it must be finite and above 0, or 0 for none"});
  expect_swiglu_refused([](auto& p) { p.alpha = std::numeric_limits<float>::quiet_NaN(); },
                        {"alpha is nan, it must be finite"});
  expect_swiglu_refused([](auto& p) { p.up_offset = std::numeric_limits<float>::infinity(); },
                        {"up_offset is inf, it must be finite"});
  const auto with_weights = [](const std::function<void(Swiglu&)>& spoil, const std::string& part) {
    expect_refused<Swiglu>(swiglu_weighted_sample(), spoil, {part});
  };
  with_weights([](auto& p) { p.workspace_size = 0; }, "workspace_size is 0, this call needs 8 bytes");
  with_weights([](auto& p) { p.grad_input = p.grad_input_t = {}; },
               "grad_weights is given, but neither grad_input nor grad_input_t");
}

TEST(Ranges, swiglu_experts_are_checked) {
  const auto refused = [](const std::function<void(Swiglu&)>& spoil, const std::string& part) {
    expect_refused<Swiglu>(swiglu_expert_sample(), spoil, {part});
  };
  refused([](auto& p) { p.experts.count = -1; }, "experts.count is -1, it must be 0 to 1048576");
  refused([](auto& p) { p.experts.count = 0; }, "experts.count is 0, but experts.ends is given");
  const auto misaligned = [](qfuse_index_type type, int by) {
    return [type, by](Swiglu& p) {
      p.experts.ends_type = type;
      p.experts.ends = static_cast<const char*>(p.experts.ends) + by;
    };
  };
  refused(misaligned(QFUSE_INDEX_INT32, 2), "experts.ends must be aligned to its elements, 4 bytes");
  refused(misaligned(QFUSE_INDEX_INT64, 4), "experts.ends must be aligned to its elements, 8 bytes");
  refused([](auto& p) { p.experts.ends_type = static_cast<qfuse_index_type>(2); },
          "experts.ends_type is 2, it must be QFUSE_INDEX_INT32 (0) or QFUSE_INDEX_INT64 (1)");
  refused([](auto& p) { p.experts.layout = static_cast<qfuse_expert_layout>(2); },
          "experts.layout is 2, it must be QFUSE_EXPERTS_APART (0) or QFUSE_EXPERTS_SIDE_BY_SIDE (1)");
}

}  // namespace
}  // namespace qfuse::contract
