// Tests swiglu over the rows of several experts: each expert's part of the output equals a call with its rows alone. In
// transposed outputs, zeros follow each expert's columns up to a multiple of 128.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "contract/swiglu.h"
#include "support/buffer.h"
#include "support/quick.h"
#include "support/run.h"
#include "support/swiglu.h"
#include "support/swiglu_experts.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using Params = contract::Swiglu;
using Inputs = SwigluInputs;
using Outputs = SwigluOutputs;
using How = ExpertsHow;
using Ends = ExpertEnds;

constexpr std::int64_t kChannels = kExpertChannels;

std::int64_t columns_of(const Outputs& out) { return static_cast<std::int64_t>(out.y_t.q.size()) / kChannels; }

// Returns `rows` rows from `begin` on.
Inputs rows_of(const Inputs& in, std::int64_t begin, std::int64_t rows) {
  const auto part = [&](const auto& values, std::int64_t width) {
    const auto first = values.begin() + begin * width;
    return std::vector(first, first + rows * width);
  };
  return {SwigluCase{"", rows, kChannels}, part(in.x_values, 2 * kChannels), part(in.grad_y_values, kChannels),
          part(in.weight_values, 1), 0};
}

Outputs dense_outputs(const Inputs& in, std::int64_t begin, std::int64_t rows, const How& how) {
  const Inputs part = rows_of(in, begin, rows);
  Outputs out(rows, kChannels);
  for (const Asked asked : {Asked::all, Asked::y_rows}) {
    if (asked == Asked::y_rows && !has_y_rows(how.asked)) continue;
    Params p = part.params(asked, how.payload, how.extras);
    out.point(p, asked, how.extras);
    EXPECT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
  }
  return out;
}

// Copies `size` bytes of each of `rows` rows.
void copy_rows(const Buffer& from, std::int64_t from_first, std::int64_t from_stride, Buffer& to, std::int64_t to_first,
               std::int64_t to_stride, std::int64_t rows, std::int64_t size) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::memcpy(to.as<std::uint8_t>() + to_first + row * to_stride, from.data() + from_first + row * from_stride,
                static_cast<std::size_t>(size));
}

// Copies one expert's transposed output, [rows, tokens] and scales, to its place among the others, zero-padded.
void copy_columns(const Buffer& q, const Buffer& s, std::int64_t rows, std::int64_t tokens, const How& how,
                  std::int64_t before, std::int64_t all_columns, Buffer& to_q, Buffer& to_s) {
  const bool apart = how.experts == QFUSE_EXPERTS_APART;
  const std::int64_t groups = (tokens + 127) / 128;
  const std::int64_t width = apart ? groups * 128 : all_columns;
  const std::int64_t first = apart ? rows * before : before;
  copy_rows(q, 0, tokens, to_q, first, width, rows, tokens);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memset(to_q.as<std::uint8_t>() + first + row * width + tokens, 0,
                static_cast<std::size_t>(groups * 128 - tokens));
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::int64_t first_scale = apart ? rows * before / 128 : 0;
      const std::int64_t g = apart ? group : before / 128 + group;
      const std::int64_t at =
          first_scale + (how.scales == QFUSE_SCALES_MN_MAJOR ? g * rows + row : row * (width / 128) + g);
      copy_rows(s, 4 * (row * groups + group), 0, to_s, 4 * at, 0, 1, 4);
    }
  }
}

// Copies one expert's rows of an output that is not transposed, [rows, channels] and scales, to rows from `begin` on.
void copy_tokens(const Buffer& q, const Buffer& s, std::int64_t channels, std::int64_t begin, std::int64_t rows,
                 std::int64_t all_rows, qfuse_scale_layout layout, Buffer& to_q, Buffer& to_s) {
  const std::int64_t groups = channels / 128;
  const bool mn = layout == QFUSE_SCALES_MN_MAJOR;
  copy_rows(q, 0, channels, to_q, begin * channels, channels, rows, channels);
  for (std::int64_t group = 0; group < groups; ++group)
    copy_rows(s, 4 * group, 4 * groups, to_s,
              4 * (mn ? group * Outputs::scale_rows(all_rows, layout) + begin : begin * groups + group),
              4 * (mn ? 1 : groups), rows, 4);
}

struct Rows {
  std::int64_t begin;
  std::int64_t end;
};

Outputs expected_outputs(const Inputs& in, const std::vector<Rows>& experts, const How& how) {
  Outputs out = room_for(in.shape.m, experts.size(), how.scales);
  const std::int64_t m = in.shape.m;
  const bool has_grad_weights = how.extras.grad_weights && has_gradients(how.asked);
  if (has_grad_weights) std::memset(out.grad_weights.as<void>(), 0, out.grad_weights.size());
  std::int64_t before = 0;
  for (const auto& [begin, end] : experts) {
    if (end <= begin) continue;
    const std::int64_t padded = (end - begin + 127) / 128 * 128;
    if (before + padded > columns_of(out)) break;
    const Outputs dense = dense_outputs(in, begin, end - begin, how);
    if (has_rows(how.asked))
      copy_tokens(dense.grad_input.q, dense.grad_input.s, 2 * kChannels, begin, end - begin, m, how.scales,
                  out.grad_input.q, out.grad_input.s);
    if (has_y_rows(how.asked))
      copy_tokens(dense.y.q, dense.y.s, kChannels, begin, end - begin, m, how.scales, out.y.q, out.y.s);
    if (has_grad_weights) copy_rows(dense.grad_weights, 0, 4, out.grad_weights, 4 * begin, 4, end - begin, 4);
    if (has_y_transposed(how.asked))
      copy_columns(dense.y_t.q, dense.y_t.s, kChannels, end - begin, how, before, columns_of(out), out.y_t.q,
                   out.y_t.s);
    if (has_transposed(how.asked))
      copy_columns(dense.grad_input_t.q, dense.grad_input_t.s, 2 * kChannels, end - begin, how, before, columns_of(out),
                   out.grad_input_t.q, out.grad_input_t.s);
    before += padded;
  }
  return out;
}

std::vector<Rows> experts_of(const std::vector<std::int64_t>& ends) {
  std::vector<Rows> rows;
  for (std::size_t e = 0; e < ends.size(); ++e) rows.push_back({e == 0 ? 0 : ends[e - 1], ends[e]});
  return rows;
}

void expect_outputs(const Inputs& in, const std::vector<std::int64_t>& ends, const How& how, const Outputs& expected,
                    const qfuse_exec& exec) {
  Outputs actual = room_for(in.shape.m, ends.size(), how.scales);
  qfuse_error error{};
  ASSERT_EQ(run_experts(in, ends, how, exec, actual, &error), QFUSE_OK) << error.message;
  ASSERT_TRUE(same_outputs(expected, actual));
}

TEST(SwigluExperts, every_target_gives_each_experts_bytes) {
  std::size_t calls = 0;
  for (const ExpertCase& c : expert_cases()) {
    const Inputs in(SwigluCase{"", c.m, kChannels}, 0);
    for (const How& how : every_experts_how()) {
      if (kQuick && calls++ % 3 != 0) continue;
      SCOPED_TRACE(std::string(c.name) + ", payload " + std::to_string(how.payload) + ", scales " +
                   std::to_string(how.scales) + ", experts " + std::to_string(how.experts) + ", asked " +
                   std::to_string(static_cast<int>(how.asked)) + ", " + how.extras.name);
      const Outputs expected = expected_outputs(in, experts_of(c.ends), how);
      expect_outputs(in, c.ends, how, expected, oracle());
      for_each_way_with_the_oracles_exp(
          [&](const qfuse_exec& exec) { expect_outputs(in, c.ends, how, expected, exec); });
    }
    EXPECT_TRUE(in.unchanged());
  }
}

TEST(SwigluExperts, room_is_as_the_manual_says) {
  EXPECT_EQ(qfuse_expert_columns(0, 0), 0);
  EXPECT_EQ(qfuse_expert_columns(1, 1), 128);
  EXPECT_EQ(qfuse_expert_columns(8192, 32), 96 * 128 - 128);
  EXPECT_EQ(qfuse_expert_columns(3, 3), 384) << "a row each";
}

TEST(SwigluExperts, the_host_refuses_ends_that_it_can_see_are_wrong) {
  const Inputs in(SwigluCase{"", 256, kChannels}, 0);
  const How how = every_experts_how().front();
  const auto message_of = [&](const std::vector<std::int64_t>& ends, const qfuse_exec& exec) {
    Outputs out = room_for(256, ends.size(), how.scales);
    const Outputs untouched = room_for(256, ends.size(), how.scales);
    qfuse_error error{};
    EXPECT_EQ(run_experts(in, ends, how, exec, out, &error), QFUSE_INVALID_ARGUMENT);
    EXPECT_TRUE(same_outputs(untouched, out));
    return std::string(error.message);
  };
  qfuse_exec cpu = oracle();
  cpu.device = {QFUSE_CPU, 0};
  for (const qfuse_exec& exec : {oracle(), cpu}) {
    EXPECT_EQ(message_of({200, 100}, exec),
              "swiglu: experts.ends[1] is 100, it must be at least 200, where the expert begins, and at most m, 256");
    EXPECT_EQ(message_of({-1}, exec),
              "swiglu: experts.ends[0] is -1, it must be at least 0, where the expert begins, and at most m, 256");
    EXPECT_EQ(message_of({12, 257}, exec),
              "swiglu: experts.ends[1] is 257, it must be at least 12, where the expert begins, and at most m, 256");
  }
}

// GPUs cannot refuse wrong ends; the manual defines what they do.
TEST(SwigluExperts, a_gpu_keeps_wrong_ends_within_the_arrays) {
  std::size_t calls = 0;
  const auto expect = [&](std::int64_t m, const std::vector<std::int64_t>& ends, const std::vector<Rows>& rows) {
    const Inputs in(SwigluCase{"", m, kChannels}, 0);
    for (const How& each : every_experts_how()) {
      if (kQuick && calls++ % 3 != 0) continue;
      for_each_way_with_the_oracles_exp([&](const qfuse_exec& exec) {
        if (exec.device.type != QFUSE_CPU) expect_outputs(in, ends, each, expected_outputs(in, rows, each), exec);
      });
    }
  };
  expect(256, {200, 100, 1000}, {{0, 200}, {200, 100}, {100, 256}});
  expect(256, {-7, 300, 20}, {{0, 0}, {0, 256}, {256, 20}});
  expect(512, {512, 0, 512, 0, 512}, {{0, 512}, {512, 0}, {0, 512}, {512, 0}, {0, 512}});  // no room for the last one
  expect(512, {384, 0, 512, 0, 512}, {{0, 384}, {384, 0}, {0, 512}, {512, 0}, {0, 512}});  // or for its first tile only
}

}  // namespace
}  // namespace qfuse::tests
