#include "gpu/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <qfuse/qfuse.h>

#include <cstdio>
#include <ctime>
#include <fstream>

#include "gpu/error.h"

namespace qfuse::bench {
namespace {

// The kernel module's own version; the runtime knows only what CUDA it is good for.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cuda_version(cudaError_t (*query)(int*)) {
  int version = 0;
  require(query(&version), "asking for CUDA's version");
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

double gigabytes_per_second(const Row& row) { return static_cast<double>(row.bytes) / 1e3 / row.timing.median; }

}  // namespace

Card use_card(int index) {
  if (const int count = qfuse_device_count(QFUSE_CUDA); index >= count)
    throw std::runtime_error(count == 0 ? "there is no GPU here that CUDA can use"
                                        : fmt::format("there is no GPU {} here; there are {}", index, count));
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  require(cudaSetDevice(index), "cudaSetDevice");
  return {.index = index,
          .name = properties.name,
          .multiprocessors = properties.multiProcessorCount,
          .l2_bytes = properties.l2CacheSize,
          .compute_capability = 10 * properties.major + properties.minor};
}

Report::Report(const Options& options, const Card& card) : json_path_(options.json) {
  json_["device"] = card.name;
  json_["compute_capability"] = card.compute_capability;
  json_["multiprocessors"] = card.multiprocessors;
  json_["l2_bytes"] = card.l2_bytes;
  json_["driver"] = driver_version();
  json_["driver_cuda"] = cuda_version(cudaDriverGetVersion);
  json_["runtime_cuda"] = cuda_version(cudaRuntimeGetVersion);
  json_["date"] = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  json_["qfuse"] = qfuse_version();
  json_["commit"] = options.commit;
  json_["command"] = options.command;
  json_["peer"] = options.peer;
  json_["rows"] = nlohmann::ordered_json::array();
  json_["failures"] = nlohmann::ordered_json::array();
  fmt::print("{}, {} multiprocessors, {} MiB of L2; {}; qfuse {} {}\n", card.name, card.multiprocessors,
             card.l2_bytes >> 20, json_["date"].get<std::string>(), qfuse_version(), options.commit);
}

void Report::begin_table(const std::string& title) {
  fmt::print("\n{:<52} {:>10} {:>19} {:>8} {:>8} {:>7}\n", title, "median us", "p10 - p90 us", "GB/s", "% roof",
             "x peer");
}

void Report::add(const Row& row) {
  nlohmann::ordered_json json = {{"op", row.op},
                                 {"name", row.name},
                                 {"rows", row.shape.rows},
                                 {"cols", row.shape.cols},
                                 {"median_us", row.timing.median},
                                 {"p10_us", row.timing.p10},
                                 {"p90_us", row.timing.p90},
                                 {"bytes", row.bytes},
                                 {"GB/s", gigabytes_per_second(row)}};
  fmt::print("{:<52} {:>10.2f} {:>9.2f} -{:>8.2f} {:>8.0f}", row.name, row.timing.median, row.timing.p10,
             row.timing.p90, gigabytes_per_second(row));
  if (row.roof_us > 0) {
    json["roof_us"] = row.roof_us;
    json["of_roof_%"] = 100.0 * row.roof_us / row.timing.median;
    fmt::print(" {:>7.1f}%", 100.0 * row.roof_us / row.timing.median);
  }
  if (row.peer_us > 0) {
    json["peer_us"] = row.peer_us;
    json["times_peer"] = row.peer_us / row.timing.median;
    fmt::print("{:>{}.2f}", row.peer_us / row.timing.median, row.roof_us > 0 ? 8 : 17);
  }
  fmt::print("\n");
  std::fflush(stdout);
  if (row.experts > 0) json["experts"] = row.experts;
  json_["rows"].push_back(std::move(json));
}

void Report::note(const std::string& key, nlohmann::ordered_json value, const std::string& line) {
  json_[key] = std::move(value);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void Report::fail(const std::string& what) {
  json_["failures"].push_back(what);
  fmt::print("FAILED {}\n", what);
  std::fflush(stdout);
}

int Report::finish() {
  const std::size_t failures = json_["failures"].size();
  if (!json_path_.empty()) {
    std::ofstream file(json_path_);
    file << json_.dump(1) << "\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + json_path_);
  }
  if (failures > 0) fmt::print("{} FAILED\n", failures);
  return failures > 0 ? 1 : 0;
}

std::string text_of(Shape shape) { return fmt::format("{} x {}", shape.rows, shape.cols); }

const char* name_of(qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return "fp32";
    case QFUSE_FLOAT16: return "fp16";
    case QFUSE_BFLOAT16: return "bf16";
  }
  return "";
}

}  // namespace qfuse::bench
