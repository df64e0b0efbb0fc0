#include "backend/cuda/gpu.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "backend/cuda/device/current.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/platform.h"

namespace qfuse::cuda {
namespace {

// Runs a runtime call with `device` as the thread's current device.
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
#ifndef QFUSE_HIP  // on HIP the two numbers are AMD's architecture
  facts.compute_capability = 10 * major + minor;
#endif
  return cudaSuccess;
}

// ---- facts of another GPU, requested by environment variables (docs/PORTING.md) ----

// Leaves `value` unchanged if the variable is not set.
contract::Outcome read_number(const char* name, int most, int& value) {
  const char* const set = std::getenv(name);
  const std::string_view text = set == nullptr ? "" : set;
  if (text.empty()) return {};
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
    return contract::invalid_argument(std::string(name) + " is '" + std::string(text) +
                                      "', it must be a number from 1 to " + std::to_string(most));
  value = number;
  return {};
}

// Finds the compute capability of the code that the driver selects for this device; 0 if it is not NVIDIA's code.
contract::Outcome read_code(int index, int& compute_capability) {
  compute_capability = 0;
#ifndef QFUSE_PORTABLE
  cudaFuncAttributes attributes;
  const auto read = [&] { return cudaFuncGetAttributes(&attributes, matrix_kernel()); };
  if (contract::Outcome o = on_device(index, read); !o.ok()) return o;
  compute_capability = attributes.ptxVersion;
#else
  static_cast<void>(index);
#endif
  return {};
}

// Makes `facts` those of a GPU of this compute capability: at most the device's own, and at least the code's.
contract::Outcome take_for(int index, int compute_capability, DeviceFacts& facts) {
  const Architecture* const known = find_architecture(compute_capability);
  const std::string asked = "QFUSE_COMPUTE_CAPABILITY is " + std::to_string(compute_capability);
  if (known == nullptr || compute_capability > facts.compute_capability)
    return contract::unsupported(
        asked + ", and cuda:" + std::to_string(index) + " can be taken for none but a GPU of " +
        "75, 80, 86, 87, 89, 90, 100, 103, 120 or 121, up to its own " + std::to_string(facts.compute_capability));
  int of_code = 0;
  if (contract::Outcome o = read_code(index, of_code); !o.ok()) return o;
  if (of_code > compute_capability)
    return contract::unsupported(asked + ", and the kernels that run here are compiled for " + std::to_string(of_code) +
                                 ": build qfuse with CMAKE_CUDA_ARCHITECTURES=" + std::to_string(compute_capability));
  facts.compute_capability = compute_capability;
  facts.shared_bytes = std::min(facts.shared_bytes, known->shared_bytes);
  return {};
}

contract::Outcome take_for_what_is_asked(int index, DeviceFacts& facts) {
  int compute_capability = facts.compute_capability;
  if (contract::Outcome o = read_number("QFUSE_COMPUTE_CAPABILITY", INT_MAX, compute_capability); !o.ok()) return o;
  if (compute_capability != facts.compute_capability)
    if (contract::Outcome o = take_for(index, compute_capability, facts); !o.ok()) return o;
  for (const auto& [name, most, value] : {std::tuple{"QFUSE_MULTIPROCESSORS", INT_MAX, &facts.multiprocessors},
                                          std::tuple{"QFUSE_L2_BYTES", INT_MAX, &facts.l2_bytes},
                                          std::tuple{"QFUSE_SHARED_BYTES", facts.shared_bytes, &facts.shared_bytes}})
    if (contract::Outcome o = read_number(name, most, *value); !o.ok()) return o;
  return {};
}

}  // namespace

contract::Outcome device_facts(int index, DeviceFacts& facts) {
  static std::mutex mutex;
  static std::array<std::optional<DeviceFacts>, kMaxDevices> known;  // errors are not kept: they may be temporary
  if (index < 0 || index >= kMaxDevices) return outcome_of(cudaErrorInvalidDevice);
  const std::lock_guard lock(mutex);
  std::optional<DeviceFacts>& device = known[static_cast<std::size_t>(index)];
  if (!device) {
    DeviceFacts read;
    if (const cudaError_t error = read_facts(index, read); error != cudaSuccess) return outcome_of(error);
    if (contract::Outcome o = take_for_what_is_asked(index, read); !o.ok()) return o;
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

std::string taken_for(int index, const cudaDeviceProp& properties) {
  DeviceFacts facts;
  if (!device_facts(index, facts).ok() || facts.compute_capability == 0 ||
      facts.compute_capability == 10 * properties.major + properties.minor)
    return {};
  return ", taken for one of " + std::to_string(facts.compute_capability / 10) + "." +
         std::to_string(facts.compute_capability % 10);
}

std::string describe(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return {};
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  return std::string(properties.name) + ", " + architecture_of(properties) + ", " +
         std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
         std::to_string(properties.totalGlobalMem / kMiB) + " MiB" + taken_for(index, properties);
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
