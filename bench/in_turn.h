// What the benchmarks of the CPU share: memory, and timing a kernel in turn with the roof of the same bytes.
#ifndef QFUSE_BENCH_IN_TURN_H
#define QFUSE_BENCH_IN_TURN_H

#include <benchmark/benchmark.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "roof.h"
#include "statistics.h"

namespace qfuse::bench {

inline constexpr int kRuns = 15;
inline constexpr std::size_t kAlignment = 64;  // what allocators of tensors give

struct FreeAligned {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};

// Written once, so that no page is touched for the first time while the clock runs.
class Memory {
 public:
  explicit Memory(std::int64_t size)
      : size_(static_cast<std::size_t>(size)),
        bytes_(static_cast<std::uint8_t*>(
            std::aligned_alloc(kAlignment, (size_ + kAlignment - 1) / kAlignment * kAlignment))) {
    std::memset(bytes_.get(), 0, size_);
  }
  [[nodiscard]] std::uint8_t* data() const { return bytes_.get(); }
  [[nodiscard]] std::span<std::uint8_t> span() const { return {bytes_.get(), size_}; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(bytes_.get());
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::uint8_t, FreeAligned> bytes_;
};

inline double seconds(const auto& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Runs kernel and both roofs in turn, and leaves medians and quantiles as counters.
inline void time_in_turn(benchmark::State& state, std::int64_t bytes, std::span<const std::uint8_t> roof_in,
                         std::span<std::uint8_t> roof_out, int threads, const auto& kernel) {
  std::vector<double> kernel_times;
  std::vector<double> plain_times;
  std::vector<double> streaming_times;
  for ([[maybe_unused]] auto _ : state) {
    plain_times.push_back(seconds([&] { move_bytes(roof_in, roof_out, Stores::plain, threads); }));
    streaming_times.push_back(seconds([&] { move_bytes(roof_in, roof_out, Stores::streaming, threads); }));
    kernel_times.push_back(seconds(kernel));
    state.SetIterationTime(kernel_times.back());
  }
  const double roof = std::min(median(plain_times), median(streaming_times));
  const double gigabytes = static_cast<double>(bytes) / 1e9;
  state.counters["median_ms"] = median(kernel_times) * 1e3;
  state.counters["p10_ms"] = quantile(kernel_times, 0.1) * 1e3;
  state.counters["p90_ms"] = quantile(kernel_times, 0.9) * 1e3;
  state.counters["GB/s"] = gigabytes / median(kernel_times);
  state.counters["plain_roof_GB/s"] = gigabytes / median(plain_times);
  state.counters["streaming_roof_GB/s"] = gigabytes / median(streaming_times);
  state.counters["of_roof_%"] = 100.0 * roof / median(kernel_times);
}

inline qfuse_exec exec_for(const char* target, int threads) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.cpu_target = target;
  exec.threads = threads;
  return exec;
}

// One thread, and one for each core.
inline std::vector<int> thread_counts() {
  std::vector<int> counts = {1};
  if (const auto all = static_cast<int>(std::thread::hardware_concurrency()); all > 1) counts.push_back(all);
  return counts;
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_IN_TURN_H
