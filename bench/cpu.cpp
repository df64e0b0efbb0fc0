#include "cpu.h"

#include <benchmark/benchmark.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nf4.h"
#include "swiglu.h"

namespace qfuse::bench {
namespace {

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

int run_cpu(const Options& options) {
  if (!options.peer.empty()) throw UsageError("--peer is a library for GPUs: it needs --device cuda and a GPU");
  std::vector<std::string> arguments = options.others;
  arguments.insert(arguments.begin(), "qfuse-bench");
  if (!options.json.empty())
    arguments.insert(arguments.end(), {"--benchmark_out=" + options.json, "--benchmark_out_format=json"});
  std::vector<char*> argv;
  argv.reserve(arguments.size());
  for (std::string& argument : arguments) argv.push_back(argument.data());
  auto count = static_cast<int>(argv.size());
  benchmark::Initialize(&count, argv.data());
  if (benchmark::ReportUnrecognizedArguments(count, argv.data())) return 2;
  benchmark::AddCustomContext("qfuse", qfuse_version());
  if (!options.commit.empty()) benchmark::AddCustomContext("commit", options.commit);
  options.what == "swiglu" ? register_swiglu() : register_nf4();
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return reporter.failed() ? 1 : 0;
}

}  // namespace qfuse::bench
