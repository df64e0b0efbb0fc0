// What a run found: printed row by row, kept for a JSON file.
#ifndef QFUSE_BENCH_GPU_REPORT_H
#define QFUSE_BENCH_GPU_REPORT_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "gpu/timing.h"
#include "gpu/weights.h"
#include "options.h"

namespace qfuse::bench {

// What the driver says of a GPU.
struct Card {
  int index = 0;
  std::string name;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  int compute_capability = 0;  // 10 * major + minor
};
// Makes it the current device; throws where there is none.
Card use_card(int index);

struct Row {
  std::string op;    // the table it belongs to
  std::string name;  //
  Shape shape;
  Timing timing;
  std::int64_t bytes = 0;  // moved at least
  double roof_us = 0.0;    // median of the same bytes moved with no arithmetic; 0: none
  double peer_us = 0.0;    // median of the peer at the same; 0: none
  int experts = 0;         // of a mixture, that share the rows; 0: none
};

class Report {
 public:
  Report(const Options& options, const Card& card);

  void begin_table(const std::string& title);
  void add(const Row& row);
  // A figure that is no row of a table, printed as `line`.
  void note(const std::string& key, nlohmann::ordered_json value, const std::string& line);
  void fail(const std::string& what);

  // Runs body; what it throws is a failure named `what`, and the benchmark goes on.
  void attempt(const std::string& what, const auto& body) {
    try {
      body();
    } catch (const std::exception& error) {
      fail(what + ": " + error.what());
    }
  }

  // Writes the file if the caller asked for one. Gives the program's exit status.
  int finish();

 private:
  std::string json_path_;
  nlohmann::ordered_json json_;
};

std::string text_of(Shape shape);
const char* name_of(qfuse_dtype dtype);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_REPORT_H
