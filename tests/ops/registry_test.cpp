// Tests which backend runs an op.
#include "ops/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using contract::Outcome;

// OpenCL is the exception: it only decodes.
TEST(Registry, every_row_has_a_kernel_for_each_op) {
  std::multiset<qfuse_device_type> types;
  for (const ops::Row& row : ops::backends()) {
    types.insert(row.type);
    if (row.type == QFUSE_OPENCL) continue;
    std::apply([&](const auto... kernels) { EXPECT_TRUE(((kernels != nullptr) && ...)) << row.type; }, row.kernels);
  }
  EXPECT_EQ(types.count(QFUSE_REFERENCE), 1U);
  EXPECT_EQ(types.count(QFUSE_CPU), 1U);
  EXPECT_LE(types.count(QFUSE_CUDA), 1U);
  EXPECT_LE(types.count(QFUSE_OPENCL), 1U);
  EXPECT_EQ(types.size(), 2U + types.count(QFUSE_CUDA) + types.count(QFUSE_OPENCL));
}

// A list with one op, whose kernels fail with a known message.
using OneOp = contract::OpList<contract::DequantizeInt8>;

Outcome fail(const contract::DequantizeInt8& /*p*/, const qfuse_exec& /*exec*/) {
  return {QFUSE_DEVICE_ERROR, "the planted failure"};
}

Outcome run_on(std::initializer_list<ops::Backend<OneOp>> rows, const contract::DequantizeInt8& p,
               qfuse_device_type type) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device.type = type;
  return ops::run_on(ops::Backends<OneOp>(rows.begin(), rows.size()), p, exec);
}

TEST(Registry, an_op_runs_where_it_was_asked_to) {
  Arena arena;
  const contract::DequantizeInt8 p = placed(dequantize_int8_sample(), arena);
  const ops::Backend<OneOp> cpu = {QFUSE_CPU,
                                   {[](const contract::DequantizeInt8&, const qfuse_exec&) -> Outcome { return {}; }}};
  const ops::Backend<OneOp> gpu = {QFUSE_CUDA, {fail}};
  EXPECT_TRUE(run_on({cpu, gpu}, p, QFUSE_CPU).ok());
  const Outcome failed = run_on({cpu, gpu}, p, QFUSE_CUDA);
  EXPECT_EQ(failed.status, QFUSE_DEVICE_ERROR);
  EXPECT_EQ(failed.message, "dequantize_int8: the planted failure");
}

TEST(Registry, an_op_that_nobody_has_is_unsupported) {
  Arena arena;
  const contract::DequantizeInt8 p = placed(dequantize_int8_sample(), arena);
  const ops::Backend<OneOp> without = {QFUSE_CUDA, {nullptr}};
  const ops::Backend<OneOp> cpu = {QFUSE_CPU, {fail}};
  const ops::Backend<OneOp> reference = {QFUSE_REFERENCE, {fail}};
  const std::string refusal = "dequantize_int8: this build of qfuse has no kernel for cuda";
  for (const Outcome& outcome : {run_on({}, p, QFUSE_CUDA), run_on({without}, p, QFUSE_CUDA)}) {
    EXPECT_EQ(outcome.status, QFUSE_UNSUPPORTED);
    EXPECT_EQ(outcome.message, refusal);
  }
  EXPECT_EQ(run_on({cpu, without, reference}, p, QFUSE_CUDA).message, refusal + ", only for cpu, reference");
}

TEST(Registry, nothing_is_launched_that_is_wrong_or_empty) {
  Arena arena;
  contract::DequantizeInt8 p = placed(dequantize_int8_sample(), arena);
  const ops::Backend<OneOp> gpu = {QFUSE_CUDA, {fail}};
  p.rows = -1;
  EXPECT_EQ(run_on({gpu}, p, QFUSE_CUDA).status, QFUSE_INVALID_ARGUMENT);
  p.rows = 0;
  EXPECT_TRUE(run_on({gpu}, p, QFUSE_CUDA).ok());
}

const ops::Row& row_of(qfuse_device_type type) {
  for (const ops::Row& row : ops::backends())
    if (row.type == type) return row;
  throw std::logic_error("no such row");
}

TEST(Registry, a_replaced_backend_is_the_one_that_runs) {
  Arena arena;
  const contract::DequantizeInt8 p = placed(dequantize_int8_sample(), arena);
  const qfuse_exec exec = oracle();
  const std::size_t rows = ops::backends().size();
  const ops::Row original = row_of(QFUSE_REFERENCE);
  ops::Row failing = original;
  std::get<ops::Launch<contract::DequantizeInt8>>(failing.kernels) = fail;
  ops::replace_backend(failing);
  EXPECT_EQ(ops::backends().size(), rows);
  EXPECT_EQ(ops::run_on(ops::backends(), p, exec).message, "dequantize_int8: the planted failure");
  ops::replace_backend(original);
  EXPECT_TRUE(ops::run_on(ops::backends(), p, exec).ok());
  EXPECT_EQ(ops::backends().size(), rows);
}

}  // namespace
}  // namespace qfuse::tests
