// Tests that calls leak no memory, for any number of threads.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

namespace qfuse::tests {
namespace {

constexpr int kCalls = 100'000;

std::int64_t resident_bytes() {
  std::int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * 4096;
}

// A product so small that distributing it among threads takes most of its time.
struct Product {
  static constexpr std::int64_t kRows = 256, kCols = 64;

  void call(int threads) {
    weight.struct_size = sizeof weight;
    weight.rows = kRows;
    weight.cols = kCols;
    weight.blocksize = 64;
    weight.quant_type = QFUSE_NF4;
    weight.packed = packed.data();
    weight.absmax = absmax.data();
    qfuse_matmul_4bit_params p{};
    p.struct_size = sizeof p;
    p.weight = &weight;
    p.dtype = QFUSE_FLOAT32;
    p.m = 1;
    p.in = in.data();
    p.out = out.data();
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.threads = threads;
    qfuse_error error{};
    ASSERT_EQ(qfuse_matmul_4bit(&p, &exec, &error), QFUSE_OK) << error.message;
  }

  std::vector<std::uint8_t> packed = std::vector<std::uint8_t>(kRows * kCols / 2);
  std::vector<float> absmax = std::vector<float>(kRows);
  std::vector<float> in = std::vector<float>(kCols);
  std::vector<float> out = std::vector<float>(kRows);
  qfuse_weight_4bit weight{};
};

// Allows 10 bytes per call, less than a heap block but enough for one-time pages such as a late worker's stack.
template <class Calls>
void expect_no_growth(const Calls& calls) {
  constexpr int kTenth = kCalls / 10;
  calls(kTenth);
  const std::int64_t before = resident_bytes();
  for (int tenth = 0; tenth < 10 && !testing::Test::HasFailure(); ++tenth) {
    calls(kTenth);
    EXPECT_LT(resident_bytes() - before, 10 * kCalls) << "bytes, after " << (tenth + 1) * kTenth << " calls";
  }
}

TEST(Leaks, none_of_a_call_in_threads) {
  Product product;
  expect_no_growth([&](int count) {
    for (int i = 0; i < count; ++i) product.call(2 + i % 3);
  });
}

// Each batch of ten thousand calls is made by four new threads.
TEST(Leaks, none_of_calls_at_once) {
  expect_no_growth([](int count) {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([count] {
        Product product;
        for (int i = 0; i < count / 4; ++i) product.call(2);
      });
    for (std::thread& caller : callers) caller.join();
  });
}

}  // namespace
}  // namespace qfuse::tests
