#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "json.h"
#include "text.h"

namespace qfuse::cli {
namespace {

constexpr std::string_view kNone = "none: ";

// Describes a device in one line, or says why it is not available.
std::string describe(qfuse_device device) {
  std::array<char, QFUSE_ERROR_MESSAGE_SIZE> text{};
  qfuse_error error{};
  if (qfuse_device_describe(device, text.data(), text.size(), &error) == QFUSE_OK) return text.data();
  const std::string why = error.message;  // "device cuda:0: ..."
  const std::size_t name = why.find(": ");
  return fmt::format("{}{}", kNone, why.starts_with("device ") && name != why.npos ? why.substr(name + 2) : why);
}

Json json_of(const std::string& name, qfuse_device device) {
  return {{"name", name}, {"description", describe(device)}};
}

// Returns the "key: value" lines of qfuse_build_info() as members of a JSON object.
Json build_as_json() {
  Json build;
  std::istringstream lines(qfuse_build_info());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    build[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return build;
}

// Device types that can have several devices, which are numbered.
struct Numbered {
  std::string_view name;
  qfuse_device_type type;
};
constexpr Numbered kCuda{"cuda", QFUSE_CUDA};
constexpr Numbered kOpencl{"opencl", QFUSE_OPENCL};

// Says why there is no device of this type; null if there is one.
Json json_without(const Numbered& which) {
  if (qfuse_device_count(which.type) > 0) return nullptr;
  return describe({which.type, 0}).substr(kNone.size());
}

Json devices_as_json() {
  Json devices{json_of("cpu", {QFUSE_CPU, 0}), json_of("reference", {QFUSE_REFERENCE, 0})};
  for (const Numbered& which : {kCuda, kOpencl})
    for (std::int32_t i = 0; i < qfuse_device_count(which.type); ++i)
      devices.push_back(json_of(fmt::format("{}:{}", which.name, i), {which.type, i}));
  return {{"devices", devices},
          {"cpu_targets", cpu_targets()},
          {"without_gpu", json_without(kCuda)},
          {"without_opencl", json_without(kOpencl)},
          {"build", build_as_json()}};
}

void print_text() {
  say(stdout, fmt::format("cpu        {}", describe({QFUSE_CPU, 0})));
  say(stdout, fmt::format("           SIMD targets, best first: {}", fmt::join(cpu_targets(), ", ")));
  say(stdout, fmt::format("reference  {}", describe({QFUSE_REFERENCE, 0})));
  for (const Numbered& which : {kCuda, kOpencl}) {
    const std::int32_t count = qfuse_device_count(which.type);
    for (std::int32_t i = 0; i < count; ++i)
      say(stdout, fmt::format("{:<9}  {}", fmt::format("{}:{}", which.name, i), describe({which.type, i})));
    if (count == 0) say(stdout, fmt::format("{:<9}  {}", which.name, describe({which.type, 0})));
  }
  const std::string build = qfuse_build_info();
  say(stdout, fmt::format("build      {}", replaced(build.substr(0, build.size() - 1), "\n", ", ")));
}

}  // namespace

Command add_devices(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("devices", "List the devices that can run the ops on this machine");
  const auto json = std::make_shared<bool>(false);
  parser->add_flag("--json", *json, "Print JSON");
  parser->footer(
      "`reference` is slow scalar code, with which the others are compared. If there is no GPU or no OpenCL device, or "
      "an OpenCL device cannot be used, the reason is printed.");
  return {parser, [json] {
            *json ? print_json(devices_as_json()) : print_text();
            return kSuccess;
          }};
}

}  // namespace qfuse::cli
