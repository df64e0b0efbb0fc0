// Every kernel launch of a matmul is logged: a case logs as many plans as the software GPU counts launches.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "cases/matmul_4bit.h"
#include "cases/matmul_4bit_grouped.h"
#include "software_gpu/include/cuda_runtime.h"
#include "support/run.h"

namespace qfuse::tests {
namespace {

constexpr std::array kSums = {QFUSE_SUM_OF_DEVICE, QFUSE_SUM_FP32, QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT,
                              QFUSE_SUM_FACTORED};

std::int64_t logged_launches(const std::string& log) {
  static const std::regex plans("cuda matmul_4bit[a-z_]*: ");
  return std::distance(std::sregex_iterator(log.begin(), log.end(), plans), std::sregex_iterator());
}

class Launches : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("QFUSE_LOG_PLANS", "1", 1);  // must precede this process's first plan
    software_gpu::only_count_launches();
  }

  // A call that this GPU does not support is refused before any launch.
  template <class Op>
  void expect_all_logged(const Op& p) {
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = {QFUSE_CUDA, 0};
    qfuse_error error{};
    const std::int64_t before = software_gpu::launches();
    testing::internal::CaptureStderr();
    const qfuse_status status = run(p, exec, &error);
    const std::int64_t logged = logged_launches(testing::internal::GetCapturedStderr());
    EXPECT_EQ(software_gpu::launches() - before, status == QFUSE_OK ? logged : 0) << error.message;
    calls_ += status == QFUSE_OK ? 1 : 0;
    launches_ += logged;
  }

  int calls_ = 0;
  std::int64_t launches_ = 0;
};

TEST_F(Launches, of_one_weight) {
  for (const Matmul4bitCase& c : kMatmul4bitCases)
    for (const qfuse_direction direction : kMatmulDirections)
      for (const qfuse_dtype dtype : kMatmulDtypes)
        for (const qfuse_sum sum : kSums) {
          SCOPED_TRACE(std::string(c.risk) + ", sum " + std::to_string(sum));
          const Matmul4bitInput in = make_input(c, direction, dtype);
          contract::Matmul4bit p = make_params(c, direction, dtype, in);
          std::vector<std::uint8_t> out(output_bytes(p));
          p.out = out.data();
          p.sum = sum;
          expect_all_logged(p);
        }
  EXPECT_EQ(launches_, calls_);
  EXPECT_GT(calls_, 0);
}

// Three weights, like q, k and v, and five, which is more than one launch takes.
TEST_F(Launches, of_many_weights) {
  for (const Matmul4bitCase& c : kMatmul4bitCases)
    for (const std::size_t count : {3, 5})
      for (const qfuse_sum sum : kSums) {
        SCOPED_TRACE(std::string(c.risk) + ", sum " + std::to_string(sum));
        const Matmul4bitInput in = make_input(c, QFUSE_FORWARD, QFUSE_BFLOAT16);
        const contract::Matmul4bit one = make_params(c, QFUSE_FORWARD, QFUSE_BFLOAT16, in);
        std::vector<std::vector<std::uint8_t>> outs(count, std::vector<std::uint8_t>(output_bytes(one)));
        contract::Matmul4bitMany p{};
        p.dtype = one.dtype;
        p.m = one.m;
        p.in = one.in;
        p.in_stride = one.in_stride;
        p.sum = sum;
        for (std::vector<std::uint8_t>& out : outs) {
          contract::Matmul4bitProduct& product = p.products.emplace_back();
          product.weight = one.weight;
          product.out = out.data();
          product.out_stride = one.out_stride;
        }
        expect_all_logged(p);
      }
  EXPECT_GT(launches_, calls_);
}

TEST_F(Launches, of_experts) {
  for (const GroupedCase& c : kGroupedCases)
    for (const qfuse_direction direction : kMatmulDirections)
      for (const qfuse_sum sum : kSums) {
        if (c.forward_only && direction == QFUSE_BACKWARD) continue;
        SCOPED_TRACE(std::string(c.risk) + ", sum " + std::to_string(sum));
        const GroupedInput in = make_input(c, direction, QFUSE_BFLOAT16);
        contract::Matmul4bitGrouped p = make_params(c, direction, QFUSE_BFLOAT16, in);
        std::vector<std::uint8_t> out(output_bytes(p));
        p.out = out.data();
        p.sum = sum;
        expect_all_logged(p);
      }
  EXPECT_GT(calls_, 0);
}

}  // namespace
}  // namespace qfuse::tests
