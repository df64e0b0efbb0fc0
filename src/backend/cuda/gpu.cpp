#include "backend/cuda/gpu.h"

#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "backend/cuda/device/current.h"
#include "backend/cuda/platform.h"

namespace qfuse::cuda {
namespace {

// Runs a call of the runtime with `device` as the thread's current one.
template <class Call>
contract::Outcome on_device(int device, const Call& call) {
  const CurrentDevice current(device);
  return current.outcome().ok() ? outcome_of(call()) : current.outcome();
}

cudaError_t read_facts(int index, DeviceFacts& facts) {
  int major = 0;
  int minor = 0;
  for (const auto& [value, attribute] :
       {std::pair{&facts.multiprocessors, cudaDevAttrMultiProcessorCount},
        std::pair{&facts.l2_bytes, cudaDevAttrL2CacheSize},
        std::pair{&facts.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin},
        std::pair{&facts.clock_khz, cudaDevAttrClockRate},
        std::pair{&facts.memory_clock_khz, cudaDevAttrMemoryClockRate},
        std::pair{&facts.memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth},
        std::pair{&major, cudaDevAttrComputeCapabilityMajor}, std::pair{&minor, cudaDevAttrComputeCapabilityMinor}})
    if (const cudaError_t error = cudaDeviceGetAttribute(value, attribute, index); error != cudaSuccess) return error;
#ifndef QFUSE_HIP  // where the two numbers are an architecture of AMD's
  facts.compute_capability = 10 * major + minor;
#endif
  return cudaSuccess;
}

}  // namespace

contract::Outcome device_facts(int index, DeviceFacts& facts) {
  static std::mutex mutex;
  static std::array<std::optional<DeviceFacts>, kMaxDevices> known;  // errors are not kept: they may pass
  if (index < 0 || index >= kMaxDevices) return outcome_of(cudaErrorInvalidDevice);
  const std::lock_guard lock(mutex);
  std::optional<DeviceFacts>& device = known[static_cast<std::size_t>(index)];
  if (!device) {
    DeviceFacts read;
    if (const cudaError_t error = read_facts(index, read); error != cudaSuccess) return outcome_of(error);
    device = read;
  }
  facts = *device;
  return {};
}

namespace {

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string architecture_of(const cudaDeviceProp& properties) {
#ifdef QFUSE_HIP
  return std::string(properties.gcnArchName) + " by HIP";
#else
  return "compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor);
#endif
}

std::string describe(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return {};
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  return std::string(properties.name) + ", " + architecture_of(properties) + ", " +
         std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
         std::to_string(properties.totalGlobalMem / kMiB) + " MiB";
}

contract::Outcome why_none() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return outcome_of(error);
  DeviceFacts none;
  return device_facts(0, none);
}

contract::Outcome allocate(int device, qfuse_memory_kind kind, std::int64_t size, void** memory) {
  const auto bytes = static_cast<std::size_t>(size);
  return on_device(
      device, [&] { return kind == QFUSE_MEMORY_PINNED ? cudaMallocHost(memory, bytes) : cudaMalloc(memory, bytes); });
}

void release(int device, qfuse_memory_kind kind, void* memory) {
  static_cast<void>(
      on_device(device, [&] { return kind == QFUSE_MEMORY_PINNED ? cudaFreeHost(memory) : cudaFree(memory); }));
}

contract::Outcome create_stream(int device, void** stream) {
  return on_device(device, [&] {
    cudaStream_t made = nullptr;
    const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    *stream = made;
    return error;
  });
}

void destroy_stream(int device, void* stream) {
  static_cast<void>(on_device(device, [&] { return cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }));
}

contract::Outcome copy(int device, void* to, const void* from, std::int64_t size, void* stream) {
  return on_device(device, [&] {
    return cudaMemcpyAsync(to, from, static_cast<std::size_t>(size), cudaMemcpyDefault,
                           static_cast<cudaStream_t>(stream));
  });
}

contract::Outcome synchronize(int device, void* stream) {
  return on_device(device, [&] { return cudaStreamSynchronize(static_cast<cudaStream_t>(stream)); });
}

}  // namespace

const backend::Vendor kVendor = {.type = QFUSE_CUDA,
                                 .device_count = device_count,
                                 .why_none = why_none,
                                 .describe = describe,
                                 .allocate = allocate,
                                 .release = release,
                                 .create_stream = create_stream,
                                 .destroy_stream = destroy_stream,
                                 .copy = copy,
                                 .synchronize = synchronize};

}  // namespace qfuse::cuda
