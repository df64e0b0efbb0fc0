#include <gtest/gtest.h>

#include <random>

#include "format/elements.h"
#include "skeleton/backend/cuda/scale/plan.h"
#include "skeleton/cases.h"
#include "skeleton/contract/scale.h"
#include "support/compare.h"
#include "support/random.h"

namespace qfuse::contract {
// Calls the op as src/capi/call.h would.
inline qfuse_status call(Scale p, const qfuse_exec* exec = nullptr, qfuse_error* error = nullptr) {
  p.struct_size = sizeof(qfuse_scale_params);
  return qfuse_scale(&p, exec, error);
}
}  // namespace qfuse::contract

#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

Buffer random_values(const ScaleCase& c, qfuse_dtype dtype, std::size_t misalignment) {
  std::mt19937 random(static_cast<std::uint32_t>(c.n));
  Buffer values(static_cast<std::size_t>(c.n) * qfuse_dtype_size(dtype), misalignment);
  for (std::int64_t i = 0; i < c.n; ++i) format::store_rounded(values.as<void>(), i, dtype, random_normal(random));
  return values;
}

contract::Scale make_params(const ScaleCase& c, qfuse_dtype dtype, Buffer& in, Buffer& out) {
  contract::Scale p{};
  p.n = c.n;
  p.dtype = dtype;
  p.factor = c.factor;
  p.in = in.data();
  p.out = out.as<void>();
  return p;
}

class ScaleCases : public testing::TestWithParam<ScaleCase> {};

TEST_P(ScaleCases, every_way_gives_the_oracles_bytes_at_any_address) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    for (const std::size_t misalignment : {0U, 1U}) {
      Buffer in = random_values(GetParam(), dtype, misalignment);
      Buffer expected(in.size());
      qfuse_exec oracle = QFUSE_EXEC_INIT;
      oracle.device = {QFUSE_REFERENCE, 0};
      qfuse_error error{};
      ASSERT_EQ(run(make_params(GetParam(), dtype, in, expected), oracle, &error), QFUSE_OK) << error.message;
      for_each_fast_way([&](const qfuse_exec& exec) {
        Buffer out(in.size(), misalignment);
        ASSERT_EQ(run(make_params(GetParam(), dtype, in, out), exec, &error), QFUSE_OK) << error.message;
        ASSERT_TRUE(same_bytes(expected.data(), out.data(), static_cast<std::int64_t>(out.size())));
        ASSERT_TRUE(out.front_is_intact());
      });
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Risks, ScaleCases, testing::ValuesIn(kScaleCases));

TEST(Scale, the_oracle_multiplies) {
  const std::array<float, 3> in = {1.5F, -2.0F, 0.1F};
  std::array<float, 3> out{};
  contract::Scale p{};
  p.n = 3;
  p.factor = 0.5F;
  p.in = in.data();
  p.out = out.data();
  ASSERT_EQ(call(p), QFUSE_OK);
  EXPECT_EQ(out, (std::array<float, 3>{0.75F, -1.0F, 0.05F}));
}

TEST(Scale, wrong_parameters_are_refused) {
  std::array<float, 2> values{};
  contract::Scale p{};
  qfuse_error error{};
  p.n = -1;
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "n is -1, it must not be negative");
  p.n = 2;
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "in is NULL, it must hold 8 bytes");
  p.in = p.out = values.data();
  EXPECT_EQ(call(p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "output out overlaps input in");
}

TEST(Scale, hopper_has_a_plan_of_its_own) {
  alignas(16) std::array<float, 8> values{};
  contract::Scale p{};
  p.n = 8;
  p.in = p.out = values.data();
  EXPECT_TRUE(cuda::scale::plan(p, cuda::kH200).bulk);
  EXPECT_EQ(cuda::scale::candidates(p, cuda::kH200).size(), 2U);
  EXPECT_FALSE(cuda::scale::plan(p, {.multiprocessors = 40, .compute_capability = 75}).bulk);
  p.n = 7;
  EXPECT_FALSE(cuda::scale::plan(p, cuda::kH200).bulk);
}

}  // namespace
}  // namespace qfuse::tests
