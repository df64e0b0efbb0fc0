#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <qfuse/qfuse.hpp>

#include "command.h"

namespace qfuse::cli {
namespace {

// A device in one line, or why it cannot be had.
std::string describe(qfuse_device device) {
  std::array<char, 256> text{};
  qfuse_error error{};
  const bool here = qfuse_device_describe(device, text.data(), text.size(), &error) == QFUSE_OK;
  return here ? text.data() : fmt::format("none: {}", error.message);
}

int run() {
  fmt::print("cpu        {}\n", describe({QFUSE_CPU, 0}));
  fmt::print("           SIMD targets, best first: {}\n", fmt::join(cpu_targets(), ", "));
  fmt::print("reference  {}\n", describe({QFUSE_REFERENCE, 0}));
  const std::int32_t gpus = qfuse_device_count(QFUSE_CUDA);
  for (std::int32_t i = 0; i < gpus; ++i)
    fmt::print("{:<9}  {}\n", fmt::format("cuda:{}", i), describe({QFUSE_CUDA, i}));
  if (gpus == 0) fmt::print("cuda       {}\n", describe({QFUSE_CUDA, 0}));
  return kSuccess;
}

}  // namespace

Command add_devices(CLI::App& app) {
  return {app.add_subcommand("devices", "List what ops can run on here"), [] { return run(); }};
}

}  // namespace qfuse::cli
