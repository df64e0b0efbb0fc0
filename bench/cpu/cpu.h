// Shared by the CPU benchmarks: memory, SIMD targets and thread counts, and timing a kernel in turn with its roof.
#ifndef QFUSE_BENCH_CPU_CPU_H
#define QFUSE_BENCH_CPU_CPU_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "options.h"
#include "report.h"

namespace qfuse::bench {

// Times the benchmark named in options, with one row per op, dtype, SIMD target and thread count. Returns the program's
// exit status.
int run_on_cpu(const Options& options);
void time_nf4_on_cpu(const Options& options, Report& report);
void time_rows_on_cpu(const Options& options, Report& report);
void time_fp8_on_cpu(const Options& options, Report& report);
void time_merge_on_cpu(const Options& options, Report& report);
void time_matmul_on_cpu(const Options& options, Report& report);
void time_swiglu_on_cpu(const Options& options, Report& report);
void time_rotated_int8_on_cpu(const Options& options, Report& report);

// Memory aligned like a tensor allocator's (64 bytes). The constructor writes it once, so that no page is first touched
// while the clock runs.
class Memory {
 public:
  explicit Memory(std::int64_t size)
      : size_(static_cast<std::size_t>(size)),
        bytes_(static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, (size_ + kAlignment - 1) & -kAlignment))) {
    std::memset(bytes_.get(), 0, size_);
  }
  template <class T>
  explicit Memory(const std::vector<T>& values) : Memory(static_cast<std::int64_t>(values.size() * sizeof(T))) {
    std::memcpy(bytes_.get(), values.data(), size_);
  }
  [[nodiscard]] std::uint8_t* data() const { return bytes_.get(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  [[nodiscard]] std::span<std::uint8_t> span() const { return {bytes_.get(), size_}; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(bytes_.get());
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::size_t size_;
  std::unique_ptr<std::uint8_t, Free> bytes_;
};

qfuse_exec exec_of_oracle();

// Calls body(exec, "<target>/threads:<n>") for every SIMD target of this machine, with 1 thread and 1 per core.
void for_targets(const std::function<void(const qfuse_exec& exec, const std::string& name)>& body);

inline constexpr Rounds kCpuRounds{0, 15};  // no warm-up rounds: the comparison with the oracle has already run the op

// Times kernel in turn with both roofs, which read roof_in and write roof_out. Returns the row with timings.
Row time_beside_roof(Row row, std::span<const std::uint8_t> roof_in, std::span<std::uint8_t> roof_out,
                     const qfuse_exec& exec, Rounds rounds, const std::function<void()>& kernel);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_CPU_CPU_H
