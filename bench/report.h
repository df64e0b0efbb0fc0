// The results of a run, printed row by row and kept for a JSON file.
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
  std::string op;    // name of the op
  std::string name;  // of the row
  Shape shape;
  Timing timing = {};
  std::int64_t bytes = 0;      // bytes moved at least
  double roof_us = 0.0;        // median time to move the same bytes with no arithmetic; 0: none
  double peer_us = 0.0;        // median time of the peer at the same task; 0: none
  Json more = Json::object();  // only for the JSON file
};

// The unit in which times are printed and stored, and the key of the rows in the JSON file.
struct Units {
  const char* name;
  double microseconds;
  const char* rows;
};
inline constexpr Units kMicroseconds{"us", 1.0, "rows"};
inline constexpr Units kMilliseconds{"ms", 1e3, "benchmarks"};

class Report {
 public:
  // heading: the content of the JSON file before the rows.
  Report(const Options& options, const Units& units, Json heading);

  [[nodiscard]] Rounds rounds(Rounds usual) const;
  void begin_table(const std::string& title);
  void add(const Row& row);
  // Prints `line` and stores a value that is not a table row under `key`.
  void note(const std::string& key, Json value, const std::string& line);

  // Runs body. An exception is recorded as a failure named `what`, and the benchmark continues.
  void attempt(const std::string& what, const auto& body) {
    try {
      body();
    } catch (const std::exception& error) {
      fail(what + ": " + error.what());
    }
  }
  // Like attempt(), but only if options.filter matches the name `what`.
  void attempt_if_wanted(const std::string& what, const auto& body) {
    if (is_wanted(what)) attempt(what, body);
  }

  // Writes the JSON file if the caller asked for one. Returns the program's exit status.
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
