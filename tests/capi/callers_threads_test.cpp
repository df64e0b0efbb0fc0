// Tests ops that run on the caller's threads through exec.parallel_for.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cases/matmul_4bit.h"
#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// Records what an op asks of parallel_for, and selects how run_ranges() hands out the ranges.
struct Threads {
  enum class Way { last_range_first, a_thread_each, none, one_short, one_too_many } way;
  std::vector<std::pair<std::int64_t, std::int64_t>> asked;  // count and grain
};

void run_ranges(void* context, std::int64_t count, std::int64_t grain, qfuse_range_function function,
                const void* task) {
  auto& threads = *static_cast<Threads*>(context);
  threads.asked.emplace_back(count, grain);
  switch (threads.way) {
    case Threads::Way::last_range_first:
      for (std::int64_t end = count; end > 0; end -= std::min(end, grain + 1))
        function(task, std::max<std::int64_t>(end - grain - 1, 0), end);
      return;
    case Threads::Way::a_thread_each: {
      std::vector<std::thread> all;
      for (std::int64_t begin = 0; begin < count; begin += grain)
        all.emplace_back(function, task, begin, std::min(count, begin + grain));
      for (std::thread& thread : all) thread.join();
      return;
    }
    case Threads::Way::none: return;
    case Threads::Way::one_short: return function(task, 1, count);
    case Threads::Way::one_too_many: return function(task, 0, count + 1);
  }
}

qfuse_exec exec_on(Threads& threads) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.parallel_for = run_ranges;
  exec.parallel_context = &threads;
  return exec;
}

// A product that is split into several work items.
struct Product {
  Matmul4bitCase shape{.risk = "several items", .m = 70, .rows = 200, .cols = 128};
  Matmul4bitInput in = make_input(shape, QFUSE_FORWARD, QFUSE_BFLOAT16);

  qfuse_status run_on(const qfuse_exec& exec, std::vector<std::uint8_t>& out, qfuse_error& error) {
    contract::Matmul4bit p = make_params(shape, QFUSE_FORWARD, QFUSE_BFLOAT16, in);
    out.assign(output_bytes(p), kPoison);
    p.out = out.data();
    return call(p, &exec, &error);
  }
};

TEST(CallersThreads, have_the_bytes_of_the_librarys) {
  Product product;
  qfuse_error error{};
  std::vector<std::uint8_t> expected;
  ASSERT_EQ(product.run_on(QFUSE_EXEC_INIT, expected, error), QFUSE_OK) << error.message;
  for (const Threads::Way way : {Threads::Way::last_range_first, Threads::Way::a_thread_each}) {
    Threads threads{way, {}};
    std::vector<std::uint8_t> out;
    ASSERT_EQ(product.run_on(exec_on(threads), out, error), QFUSE_OK) << error.message;
    EXPECT_EQ(out, expected);
    ASSERT_EQ(threads.asked.size(), 1U);
    EXPECT_GT(threads.asked[0].first, threads.asked[0].second);  // there was more than one range to hand out
  }
}

TEST(CallersThreads, run_every_op) {
  for_each_sample([](const std::string& name, const auto& p, const Arena& /*arena*/) {
    Threads threads{Threads::Way::last_range_first, {}};
    const qfuse_exec exec = exec_on(threads);
    qfuse_error error{};
    EXPECT_EQ(call(p, &exec, &error), QFUSE_OK) << name << ": " << error.message;
    EXPECT_FALSE(threads.asked.empty()) << name;
  });
}

// If parallel_for does not cover every range exactly once, the call fails.
TEST(CallersThreads, that_leave_something_out_are_reported) {
  Product product;
  for (const auto& [way, of] : {std::pair{Threads::Way::none, "covered 0 of "},
                                {Threads::Way::one_short, "it must cover each once"},
                                {Threads::Way::one_too_many, "covered 0 of "}}) {
    Threads threads{way, {}};
    std::vector<std::uint8_t> out;
    qfuse_error error{};
    EXPECT_EQ(product.run_on(exec_on(threads), out, error), QFUSE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error.message).find(of), std::string::npos) << error.message;
  }
}

TEST(CallersThreads, are_for_the_cpu) {
  Product product;
  Threads threads{Threads::Way::last_range_first, {}};
  qfuse_exec exec = exec_on(threads);
  exec.device = {QFUSE_REFERENCE, 0};
  std::vector<std::uint8_t> out;
  qfuse_error error{};
  EXPECT_EQ(product.run_on(exec, out, error), QFUSE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("only the CPU"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace qfuse::tests
