// The command line of qfuse-bench, read.
#ifndef QFUSE_BENCH_OPTIONS_H
#define QFUSE_BENCH_OPTIONS_H

#include <qfuse/qfuse.h>

#include <span>
#include <stdexcept>
#include <string>

namespace qfuse::bench {

// What is wrong with the command line, for the person who wrote it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string command;    // all of it, to be kept beside the figures
  std::string benchmark;  // the subcommand
  std::string device = "auto";
  std::string json;    // path; empty: none
  std::string commit;  // of qfuse, as the caller says
  std::string peer;    // path of bitsandbytes' shared object; empty: none
  std::string filter;  // regular expression; empty: everything
  std::string plan;    // forced, in QFUSE_PLAN's form; empty: none
  std::string plans_on = "all";
  bool forced = false;  // print what forces plans
  int rounds = 0;       // 0: as many as each benchmark has
  bool quick = false;
};

// The shapes to time, of which a quick run takes the first.
template <class Shapes>
auto shapes_to_time(const Options& options, const Shapes& shapes) {
  return std::span(shapes).first(options.quick ? 1 : shapes.size());
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPTIONS_H
