// qfuse-bench [op] [Google Benchmark's flags]: one table row per op, dtype, SIMD target and thread count.
#include <benchmark/benchmark.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "nf4.h"

namespace {

constexpr const char* kHelp =
    "qfuse-bench [OP] [FLAGS]: times qfuse's kernels beside the memory roof of the same bytes\n"
    "\n"
    "  OP   nf4    NF4 decode and encode, 4096 x 14336, block 64, nested; every SIMD target, one thread and all\n"
    "\n"
    "Each row asserts its result against the scalar oracle, then runs the roof (plain and streaming stores) and the\n"
    "kernel in turn, 15 times. Columns: the kernel's median time, p10 to p90, bytes moved a second, and the share of\n"
    "the faster roof's speed in the same run. For encode, 'input' counts the bytes of the weights alone.\n"
    "\n"
    "FLAGS are Google Benchmark's, such as\n"
    "  --benchmark_filter=decode/bf16          only the rows whose name matches\n"
    "  --benchmark_out=FILE --benchmark_out_format=json   every counter, for machines\n";

// A row of the table for each run; counters keep everything for the JSON.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    std::printf("%-40s %10s %17s %8s %8s %7s %8s\n", "", "median ms", "p10 - p90 ms", "GB/s", "roof", "% roof",
                "input");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        std::printf("%-40s FAILED: %s\n", run.run_name.function_name.c_str(), run.error_message.c_str());
        failed_ = true;
        continue;
      }
      const auto counter = [&](const char* name) {
        const auto found = run.counters.find(name);
        return found == run.counters.end() ? 0.0 : found->second.value;
      };
      std::printf("%-40s %10.2f %8.2f -%7.2f %8.2f %8.2f %6.1f%%", run.run_name.function_name.c_str(),
                  counter("median_ms"), counter("p10_ms"), counter("p90_ms"), counter("GB/s"),
                  std::max(counter("plain_roof_GB/s"), counter("streaming_roof_GB/s")), counter("of_roof_%"));
      if (const double input = counter("input_GB/s"); input > 0) std::printf(" %8.2f", input);
      std::printf("\n");
      std::fflush(stdout);
    }
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  if (argc > 1 && argv[1][0] != '-') {
    if (std::string_view(argv[1]) != "nf4") {
      std::fprintf(stderr, "qfuse-bench: '%s' is no op to time; there is: nf4\n", argv[1]);
      return 2;
    }
    arguments.erase(arguments.begin() + 1);
  }
  for (const std::string_view argument : arguments) {
    if (argument != "--help" && argument != "-h") continue;
    std::fputs(kHelp, stdout);
    return 0;
  }
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::AddCustomContext("qfuse", qfuse_version());
  qfuse::bench::register_nf4();
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return reporter.failed() ? 1 : 0;
}
