#include "gpu/gpu.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <map>

#include "gpu/device.h"

namespace qfuse::bench {
namespace {

constexpr int kPoison = 0xa5;

// Makes GPU `index` the current device and returns its properties. Throws if there is no such GPU.
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

// Returns the kernel module's version. The CUDA runtime knows only the CUDA version that the driver supports.
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

Json heading_of(const Options& options, const Card& card) {
  const std::string date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  fmt::print("{}, {} multiprocessors, {} MiB of L2; {}; qfuse {} {}\n", card.name, card.multiprocessors,
             card.l2_bytes >> 20, date, qfuse_version(), options.commit);
  return {{"device", card.name},
          {"compute_capability", card.compute_capability},
          {"multiprocessors", card.multiprocessors},
          {"l2_bytes", card.l2_bytes},
          {"driver", driver_version()},
          {"driver_cuda", cuda_version(cudaDriverGetVersion)},
          {"runtime_cuda", cuda_version(cudaRuntimeGetVersion)},
          {"date", date},
          {"qfuse", qfuse_version()},
          {"commit", options.commit},
          {"command", options.command},
          {"peer", options.peer}};
}

}  // namespace

int run_on_gpu(const Options& options, int device) {
  const std::map<std::string, void (*)(const Options&, Report&, const Card&)> benchmarks = {
      {"nf4", time_nf4_on_gpu},
      {"dequantize_4bit", time_rows_on_gpu},
      {"dequantize_fp8", time_fp8_on_gpu},
      {"matmul", time_matmul_on_gpu},
      {"swiglu", time_swiglu_on_gpu},
      {"rotated_int8", time_rotated_int8_on_gpu},
      {"lora_merge", time_merge_on_gpu},
  };
  const Card card = use_card(device);
  Report report(options, kMicroseconds, heading_of(options, card));
  benchmarks.at(options.benchmark)(options, report, card);
  return report.finish();
}

DeviceArray::DeviceArray(int device, std::int64_t size)
    : memory_(std::make_unique<DeviceMemory>(qfuse_device{QFUSE_CUDA, device}, static_cast<std::size_t>(size))) {
  poison();
}

DeviceArray::DeviceArray(int device, const void* from, std::int64_t size)
    : memory_(std::make_unique<DeviceMemory>(qfuse_device{QFUSE_CUDA, device}, static_cast<std::size_t>(size))) {
  require(cudaMemcpy(memory_->data(), from, memory_->size(), cudaMemcpyDefault), "copying to the GPU");
}

void DeviceArray::poison() const {
  require(cudaMemset(memory_->data(), kPoison, memory_->size()), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace qfuse::bench
