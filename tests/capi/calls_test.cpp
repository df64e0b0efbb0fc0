// Tests the rules of every op: errors are returned, a NULL exec means the CPU, and empty calls touch no memory.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

TEST(Calls, null_exec_and_null_error_are_fine) {
  Arena arena;
  contract::Dequantize4bit p = placed(dequantize_4bit_sample(true), arena);
  EXPECT_EQ(call(p), QFUSE_OK);
  p.weight.rows = -1;
  EXPECT_EQ(call(p), QFUSE_INVALID_ARGUMENT);
}

TEST(Calls, success_clears_the_error) {
  Arena arena;
  contract::Dequantize4bit p = placed(dequantize_4bit_sample(true), arena);
  p.weight.rows = -1;
  qfuse_error error{};
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(error.status, QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "rows is -1, it must not be negative");
  p.weight.rows = 2;
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_OK);
  EXPECT_EQ(error.status, QFUSE_OK);
  EXPECT_STREQ(error.message, "");
}

TEST(Calls, every_sample_runs_on_every_host_device) {
  for_each_sample([](const std::string& name, const auto& p, const Arena& /*arena*/) {
    qfuse_error error{};
    const qfuse_exec reference = oracle();
    EXPECT_EQ(call(p, nullptr, &error), QFUSE_OK) << name << ": " << error.message;
    EXPECT_EQ(call(p, &reference, &error), QFUSE_OK) << name << ": " << error.message;
  });
}

// Expects success of each call of the op that has no elements and no arrays.
void expect_empty_call_is_fine(contract::Dequantize4bit p, const qfuse_exec& exec) {
  p.weight = flat_weight(0, 64, QFUSE_NF4);
  EXPECT_EQ(call(p, &exec), QFUSE_OK);
}
void expect_empty_call_is_fine(contract::Quantize4bit p, const qfuse_exec& exec) {
  p.weight = flat_weight_out(0, 64, QFUSE_NF4);
  p.kept.rows = p.weight.rows;
  p.kept.cols = p.weight.cols;
  EXPECT_EQ(call(p, &exec), QFUSE_OK);
}
template <contract::RotatedWeight Op>
void expect_empty_call_is_fine(Op p, const qfuse_exec& exec) {
  p.weight = plain_weight(64, 0, nullptr, nullptr);
  EXPECT_EQ(call(p, &exec), QFUSE_OK);
}
template <class Op>
void expect_empty_call_is_fine(Op p, const qfuse_exec& exec) {
  const auto expect_fine_without = [&](std::int64_t Op::*count) {
    Op empty = p;
    empty.*count = 0;
    Arena none;
    visit_arrays(empty, none);  // `none` has no arrays, so every pointer becomes null
    EXPECT_EQ(call(empty, &exec), QFUSE_OK);
  };
  if constexpr (requires { p.n; }) expect_fine_without(&Op::n);
  if constexpr (requires { p.rows; }) expect_fine_without(&Op::rows);
  if constexpr (requires { p.cols; }) expect_fine_without(&Op::cols);
  if constexpr (requires { p.m; }) expect_fine_without(&Op::m);
  if constexpr (requires { p.h; }) expect_fine_without(&Op::h);
}

TEST(Calls, zero_elements_touch_nothing) {
  for_each_way([](const qfuse_exec& exec) {
    for_each_sample([&](const std::string& /*name*/, const auto& p, const Arena& /*arena*/) {
      if (has_kernel<std::decay_t<decltype(p)>>(exec.device.type)) expect_empty_call_is_fine(p, exec);
    });
  });
}

struct RemoveFirst {
  template <class T>
  void operator()(const char* /*name*/, T*& array, std::int64_t /*size*/) {
    if (!std::exchange(is_done, true)) array = nullptr;
  }
  void operator()(const char* /*name*/, void*& /*array*/, std::int64_t /*size*/, contract::Workspace /*is none*/) {}
  bool is_done = false;
};

// tests/contract tests the other arrays that a call can lack, and overlapping arrays.
TEST(Calls, every_op_refuses_a_call_without_its_first_array) {
  for_each_sample([](const std::string& name, auto p, const Arena& /*arena*/) {
    RemoveFirst remove_first;
    visit_arrays(p, remove_first);
    qfuse_error error{};
    EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT) << name;
    EXPECT_NE(std::string(error.message).find(" NULL"), std::string::npos) << name << ": " << error.message;
  });
}

TEST(Calls, a_missing_device_is_a_clear_failure) {
  Arena arena;
  const contract::Dequantize4bit p = placed(dequantize_4bit_sample(true), arena);
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, qfuse_device_count(QFUSE_CUDA)};  // one past the last device
  qfuse_error error{};
  EXPECT_EQ(call(p, &exec, &error), QFUSE_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("dequantize_4bit: "), std::string::npos) << error.message;
  exec = QFUSE_EXEC_INIT;
  exec.cpu_target = "avx1024";
  EXPECT_EQ(call(p, &exec, &error), QFUSE_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("dequantize_4bit: cpu_target is 'avx1024', this machine has: "),
            std::string::npos)
      << error.message;
}

}  // namespace
}  // namespace qfuse::tests
