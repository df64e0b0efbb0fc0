#include "cpu/cpu.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include "cpu/roof.h"

namespace qfuse::bench {
namespace {

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "";
}

Json context_of(const Options& options) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<double, 3> load{};
  getloadavg(load.data(), static_cast<int>(load.size()));
  return {{"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
          {"host_name", host.data()},
          {"cpu", cpu_model()},
          {"num_cpus", cores()},
          {"load_avg", load},
          {"qfuse", qfuse_version()},
          {"commit", options.commit},
          {"command", options.command}};
}

double microseconds(const auto& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int run_on_cpu(const Options& options) {
  if (!options.peer.empty()) throw UsageError("--peer is a library for GPUs: it needs --device cuda and a GPU");
  const std::map<std::string, void (*)(const Options&, Report&)> benchmarks = {
      {"nf4", time_nf4_on_cpu},
      {"dequantize_4bit", time_rows_on_cpu},
      {"dequantize_fp8", time_fp8_on_cpu},
      {"lora_merge", time_merge_on_cpu},
      {"matmul", time_matmul_on_cpu},
      {"swiglu", time_swiglu_on_cpu},
      {"rotated_int8", time_rotated_int8_on_cpu}};
  Report report(options, kMilliseconds, {{"context", context_of(options)}});
  report.begin_table(fmt::format("{}, {} threads at most", cpu_model(), cores()));
  benchmarks.at(options.benchmark)(options, report);
  return report.finish();
}

qfuse_exec exec_of_oracle() {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_REFERENCE, 0};
  exec.threads = 1;
  return exec;
}

void for_targets(const std::function<void(const qfuse_exec& exec, const std::string& name)>& body) {
  for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i) {
    for (int threads = 1; threads <= cores(); threads += std::max(1, cores() - 1)) {
      qfuse_exec exec = QFUSE_EXEC_INIT;
      exec.cpu_target = target;
      exec.threads = threads;
      body(exec, fmt::format("{}/threads:{}", target, threads));
    }
  }
}

Row time_beside_roof(Row row, std::span<const std::uint8_t> roof_in, std::span<std::uint8_t> roof_out,
                     const qfuse_exec& exec, Rounds rounds, const std::function<void()>& kernel) {
  const std::array<std::function<void()>, 3> candidates = {
      [&] { move_bytes(roof_in, roof_out, Stores::plain, exec.threads); },
      [&] { move_bytes(roof_in, roof_out, Stores::streaming, exec.threads); }, kernel};
  const std::vector<Timing> timings =
      time_in_turn(candidates.size(), rounds, [&](std::size_t c) { return microseconds(candidates[c]); });
  const auto gigabytes_per_second = [&](std::size_t c) {
    return static_cast<double>(row.bytes) / 1e3 / timings[c].median;
  };
  row.roof_us = std::min(timings[0].median, timings[1].median);
  row.timing = timings[2];
  row.more["threads"] = exec.threads;
  row.more["iterations"] = rounds.timed;
  row.more["plain_roof_GB/s"] = gigabytes_per_second(0);
  row.more["streaming_roof_GB/s"] = gigabytes_per_second(1);
  return row;
}

}  // namespace qfuse::bench
