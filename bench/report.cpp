#include "report.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <regex>

namespace qfuse::bench {
namespace {

constexpr Rounds kQuickRounds{1, 3};

double gigabytes_per_second(const Row& row) { return static_cast<double>(row.bytes) / 1e3 / row.timing.median; }

}  // namespace

std::string text_of(Shape shape) { return fmt::format("{} x {}", shape.rows, shape.cols); }

const char* name_of(qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return "fp32";
    case QFUSE_FLOAT16: return "fp16";
    case QFUSE_BFLOAT16: return "bf16";
  }
  return "";
}

Report::Report(const Options& options, const Units& units, Json heading)
    : options_(options), units_(units), json_(std::move(heading)) {
  json_[units_.rows] = Json::array();
  json_["failures"] = Json::array();
}

Rounds Report::rounds(Rounds usual) const {
  if (options_.quick) usual = kQuickRounds;
  if (options_.rounds > 0) usual.timed = options_.rounds;
  return usual;
}

void Report::begin_table(const std::string& title) {
  fmt::print("\n{:<52} {:>10} {:>19} {:>8} {:>8} {:>7}\n", title, fmt::format("median {}", units_.name),
             fmt::format("p10 - p90 {}", units_.name), "GB/s", "% roof", "x peer");
}

void Report::add(const Row& row) {
  const auto time = [this](double microseconds) { return microseconds / units_.microseconds; };
  const auto key = [this](const char* name) { return fmt::format("{}_{}", name, units_.name); };
  const Timing& t = row.timing;
  Json json = {{"op", row.op},
               {"name", row.name},
               {"rows", row.shape.rows},
               {"cols", row.shape.cols},
               {key("median"), time(t.median)},
               {key("p10"), time(t.p10)},
               {key("p90"), time(t.p90)},
               {"bytes", row.bytes},
               {"GB/s", gigabytes_per_second(row)}};
  fmt::print("{:<52} {:>10.2f} {:>9.2f} -{:>8.2f} {:>8.{}f}", row.name, time(t.median), time(t.p10), time(t.p90),
             gigabytes_per_second(row), gigabytes_per_second(row) < 100 ? 2 : 0);
  if (row.roof_us > 0) {
    json[key("roof")] = time(row.roof_us);
    json["of_roof_%"] = 100.0 * row.roof_us / t.median;
    fmt::print(" {:>7.1f}%", 100.0 * row.roof_us / t.median);
  }
  if (row.peer_us > 0) {
    json[key("peer")] = time(row.peer_us);
    json["times_peer"] = row.peer_us / t.median;
    fmt::print("{:>{}.2f}", row.peer_us / t.median, row.roof_us > 0 ? 8 : 17);
  }
  fmt::print("\n");
  std::fflush(stdout);
  json.update(row.more);
  json_[units_.rows].push_back(std::move(json));
}

void Report::note(const std::string& key, Json value, const std::string& line) {
  json_[key] = std::move(value);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

bool Report::is_wanted(const std::string& what) const { return std::regex_search(what, std::regex(options_.filter)); }

void Report::fail(const std::string& what) {
  json_["failures"].push_back(what);
  fmt::print("FAILED {}\n", what);
  std::fflush(stdout);
}

int Report::finish() {
  const std::size_t failures = json_["failures"].size();
  if (!options_.json.empty()) {
    std::ofstream file(options_.json);
    file << json_.dump(1) << "\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + options_.json);
  }
  if (failures > 0) fmt::print("{} FAILED\n", failures);
  return failures > 0 ? 1 : 0;
}

}  // namespace qfuse::bench
