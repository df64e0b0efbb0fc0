// Tests the workspace (scratch memory) of quantize_4bit.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/buffer.h"
#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// Returns the workspace size that a call needs, or -1 and a message if the call is refused.
std::int64_t size_of(contract::Quantize4bit p, std::string* message = nullptr, const qfuse_exec* exec = nullptr) {
  p.weight.struct_size = sizeof p.weight;
  qfuse_quantize_4bit_params c{};
  c.struct_size = sizeof c;
  c.in_dtype = p.in_dtype;
  c.weight = &p.weight;
  c.reciprocal = p.reciprocal;
  c.workspace_size = -7;  // ignored by the size query
  std::int64_t size = -1;
  qfuse_error error{};
  EXPECT_EQ(qfuse_quantize_4bit_workspace_size(&c, exec, &size, &error), error.status);
  EXPECT_EQ(error.status == QFUSE_OK, size != -1);
  if (message != nullptr) *message = error.message;
  return size;
}

std::string refusal_of(const contract::Quantize4bit& p) {
  qfuse_error error{};
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  return error.message;
}

TEST(Workspace, size_is_about_four_bytes_a_block) {
  Arena arena;
  EXPECT_EQ(size_of(placed(quantize_4bit_sample(false), arena)), 0);
  contract::Quantize4bit p = quantize_4bit_sample(true);
  EXPECT_EQ(size_of(p), 20) << "a sum of the mean, and three scales";
  p.weight.rows = 4096;
  p.weight.cols = 14336;
  const std::int64_t blocks = p.weight.rows * p.weight.cols / 64;
  EXPECT_GE(size_of(p), 4 * blocks);
  EXPECT_LE(size_of(p), 4 * blocks + blocks / 100);
  p.weight.rows = 0;
  EXPECT_EQ(size_of(p), 0);
}

TEST(Workspace, size_of_a_wrong_call_is_refused) {
  std::string message;
  contract::Quantize4bit p = quantize_4bit_sample(true);
  p.weight.blocksize = 48;
  EXPECT_EQ(size_of(p, &message), -1);
  EXPECT_EQ(message, "blocksize is 48, it must be a power of two from 32 to 4096");
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.threads = -1;
  EXPECT_EQ(size_of(quantize_4bit_sample(true), &message, &exec), -1);
  EXPECT_EQ(message, "threads is -1, it must not be negative");
  qfuse_error error{};
  std::int64_t size = 0;
  EXPECT_EQ(qfuse_quantize_4bit_workspace_size(nullptr, nullptr, &size, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "params is NULL");
  qfuse_weight_4bit_out w = flat_weight_out(64, 64, QFUSE_NF4);
  w.struct_size = sizeof w;
  qfuse_quantize_4bit_params c{};
  c.struct_size = sizeof c;
  c.weight = &w;
  float absmax = 0;
  w.absmax = &absmax;
  EXPECT_EQ(qfuse_quantize_4bit_workspace_size(&c, nullptr, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "size is NULL");
}

TEST(Workspace, size_of_an_approximate_reciprocal_elsewhere_than_on_cuda_is_refused) {
  contract::Quantize4bit p = quantize_4bit_sample(true);
  p.reciprocal = QFUSE_RECIPROCAL_APPROX;
  std::string message;
  EXPECT_EQ(size_of(p, &message), -1) << "errors are those of the op";
  EXPECT_NE(message.find("only CUDA has it"), std::string::npos) << message;
}

TEST(Workspace, too_small_missing_or_overlapping_ones_are_refused) {
  Arena arena;
  const contract::Quantize4bit good = placed(quantize_4bit_sample(true), arena);
  EXPECT_EQ(call(good), QFUSE_OK);
  contract::Quantize4bit p = good;
  p.workspace_size = 19;
  EXPECT_EQ(refusal_of(p), "workspace_size is 19, this call needs 20 bytes");
  p = good;
  p.workspace = nullptr;
  EXPECT_EQ(refusal_of(p), "workspace is NULL, it must hold 20 bytes");
  p.workspace_size = 0;
  EXPECT_EQ(refusal_of(p), "workspace_size is 0, this call needs 20 bytes");
  p = good;
  p.workspace = p.weight.packed + 64;
  EXPECT_EQ(refusal_of(p), "output packed overlaps scratch memory workspace");
  p.workspace = const_cast<void*>(p.in);
  EXPECT_EQ(refusal_of(p), "scratch memory workspace overlaps input in");
}

TEST(Workspace, a_plain_weight_needs_none) {
  Arena arena;
  contract::Quantize4bit p = placed(quantize_4bit_sample(false), arena);
  p.workspace = nullptr;
  p.workspace_size = 0;
  EXPECT_EQ(call(p), QFUSE_OK);
}

// The workspace is at an odd address, holds arbitrary bytes, and has 64 bytes more than needed, which stay untouched.
TEST(Workspace, what_was_in_it_changes_nothing_and_no_more_is_written) {
  Arena arena;
  contract::Quantize4bit p = placed(quantize_4bit_sample(true), arena);
  ASSERT_EQ(call(p), QFUSE_OK);
  const std::vector<std::uint8_t> expected(arena.bytes());
  for_each_cpu_way([&](const qfuse_exec& exec) {
    Buffer workspace(static_cast<std::size_t>(size_of(p)) + 64, 1);
    p.workspace = workspace.as<void>();
    p.workspace_size = static_cast<std::int64_t>(workspace.size());
    ASSERT_EQ(call(p, &exec), QFUSE_OK);
    EXPECT_TRUE(workspace.front_is_intact());
    for (std::size_t i = workspace.size() - 64; i < workspace.size(); ++i) ASSERT_EQ(workspace.data()[i], kPoison);
    EXPECT_EQ(arena.bytes(), expected);
  });
}

}  // namespace
}  // namespace qfuse::tests
