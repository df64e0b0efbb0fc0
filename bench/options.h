// The parsed command line of qfuse-bench.
#ifndef QFUSE_BENCH_OPTIONS_H
#define QFUSE_BENCH_OPTIONS_H

#include <qfuse/qfuse.h>

#include <span>
#include <stdexcept>
#include <string>

namespace qfuse::bench {

// An error in the command line, with a message for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string command;    // the full command line, stored with the results
  std::string benchmark;  // the subcommand
  std::string device = "auto";
  std::string json;    // path; empty: no file
  std::string commit;  // commit of qfuse, as given by the caller
  std::string peer;    // path of bitsandbytes' shared object; empty: no peer
  std::string filter;  // regular expression; empty: everything
  std::string plan;    // forced plans, in QFUSE_PLAN's form; empty: none
  std::string plans_on = "all";
  bool forced = false;  // print QFUSE_PLAN values that force each plan
  int rounds = 0;       // 0: the benchmark's own number
  bool quick = false;
};

// The shapes to time. A quick run takes only the first.
template <class Shapes>
auto shapes_to_time(const Options& options, const Shapes& shapes) {
  return std::span(shapes).first(options.quick ? 1 : shapes.size());
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPTIONS_H
