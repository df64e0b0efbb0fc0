// What a run found: printed row by row, kept for a JSON file.
#ifndef QFUSE_BENCH_REPORT_H
#define QFUSE_BENCH_REPORT_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "options.h"
#include "timing.h"

namespace qfuse::bench {

using Json = nlohmann::ordered_json;

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  [[nodiscard]] std::int64_t count() const { return rows * cols; }
  bool operator==(const Shape&) const = default;
};
std::string text_of(Shape shape);
const char* name_of(qfuse_dtype dtype);

struct Row {
  std::string op;    // the table it belongs to
  std::string name;  //
  Shape shape;
  Timing timing = {};
  std::int64_t bytes = 0;      // moved at least
  double roof_us = 0.0;        // median of the same bytes moved with no arithmetic; 0: none
  double peer_us = 0.0;        // median of the peer at the same; 0: none
  Json more = Json::object();  // for the file alone
};

// How times are printed and kept, and under what name the file has the rows.
struct Units {
  const char* name;
  double microseconds;
  const char* rows;
};
inline constexpr Units kMicroseconds{"us", 1.0, "rows"};
inline constexpr Units kMilliseconds{"ms", 1e3, "benchmarks"};

class Report {
 public:
  // heading: what the file says before the rows.
  Report(const Options& options, const Units& units, Json heading);

  [[nodiscard]] Rounds rounds(Rounds usual) const;
  void begin_table(const std::string& title);
  void add(const Row& row);
  // A figure that is no row of a table, printed as `line`.
  void note(const std::string& key, Json value, const std::string& line);

  // Runs body; what it throws is a failure named `what`, and the benchmark goes on.
  void attempt(const std::string& what, const auto& body) {
    try {
      body();
    } catch (const std::exception& error) {
      fail(what + ": " + error.what());
    }
  }
  // Likewise, if the caller asked for what has this name.
  void attempt_if_wanted(const std::string& what, const auto& body) {
    if (is_wanted(what)) attempt(what, body);
  }

  // Writes the file if the caller asked for one. Gives the program's exit status.
  int finish();

 private:
  [[nodiscard]] bool is_wanted(const std::string& what) const;
  void fail(const std::string& what);

  const Options& options_;
  Units units_;
  Json json_;
};

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_REPORT_H
