// The command line of qfuse-bench.
#ifndef QFUSE_BENCH_OPTIONS_H
#define QFUSE_BENCH_OPTIONS_H

#include <qfuse/qfuse.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace qfuse::bench {

// What is wrong with the command line, for the person who wrote it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string command;                 // all of it, to be kept beside the figures
  std::string what = "nf4";            // one of those that parse_options knows
  std::optional<qfuse_device> device;  // none: the GPU if there is one, else the CPU
  std::string peer;                    // path of bitsandbytes' shared object; empty: none
  std::string json;                    // path; empty: none
  std::string commit;                  // of qfuse, as the caller says
  bool help = false;
  std::vector<std::string> others;  // Google Benchmark's
};

// Throws UsageError.
Options parse_options(int argc, char** argv);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPTIONS_H
