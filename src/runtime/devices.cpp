#include "runtime/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>
#include <utility>

#include "contract/device_types.h"
#include "runtime/vendors.h"

namespace qfuse::runtime {
namespace {

using backend::Vendor;
using contract::invalid_argument;
using contract::Outcome;
using contract::unsupported;

std::string name_of(qfuse_device device) {
  const contract::DeviceType* const type = contract::find_device_type(device.type);
  if (type == nullptr) return fmt::format("of type {}", static_cast<int>(device.type));
  return type->own_memory ? fmt::format("{}:{}", type->name, device.index) : std::string(type->name);
}

// Names of a device type in messages, and the message of a build without support for it.
struct Words {
  const char* one;
  const char* many;
  const char* not_built;
};
Words words_for(qfuse_device_type type) {
  if (type == QFUSE_OPENCL)
    return {"OpenCL device", "OpenCL devices",
            "this build of qfuse has no OpenCL support: -DQFUSE_OPENCL=ON builds one that has"};
  return {"GPU", "GPUs", "this build of qfuse has no CUDA support, so it cannot use a GPU"};
}

// Returns the first "model name" in /proc/cpuinfo, which not every architecture has.
std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown model";
}

std::string describe_cpu() { return fmt::format("{}, {} threads", cpu_model(), std::thread::hardware_concurrency()); }

// Finds the vendor of a device. Fails unless the device is a GPU of this machine.
Outcome find_gpu(qfuse_device device, const Vendor*& vendor) {
  const std::string name = fmt::format("device {}", name_of(device));
  if (!contract::has_own_memory(device.type)) return invalid_argument(fmt::format("{} is no GPU", name));
  vendor = find_vendor(device.type);
  const auto [one, many, not_built] = words_for(device.type);
  if (vendor == nullptr) return unsupported(fmt::format("{}: {}", name, not_built));
  const int count = vendor->device_count();
  if (device.index >= 0 && device.index < count) return {};
  if (count == 0) return unsupported(fmt::format("{}: there is no {} here: {}", name, one, vendor->why_none().message));
  return unsupported(fmt::format("{}: this machine has {} {} for this process, numbered from 0", name, count,
                                 count == 1 ? one : many));
}

// Calls a function of a GPU's vendor. A failure's message says on which device it failed, and at what.
template <class Call>
Outcome on_gpu(qfuse_device device, std::string_view what, const Call& call) {
  const Vendor* vendor = find_vendor(device.type);
  if (vendor == nullptr) return find_gpu(device, vendor);
  Outcome outcome = call(*vendor);
  if (!outcome.ok()) outcome.message = fmt::format("{}: {}: {}", name_of(device), what, outcome.message);
  return outcome;
}

}  // namespace

int device_count(qfuse_device_type type) {
  if (type == QFUSE_CPU || type == QFUSE_REFERENCE) return 1;
  const Vendor* vendor = find_vendor(type);
  return vendor != nullptr ? vendor->device_count() : 0;
}

Outcome parse(std::string_view name, qfuse_device& device) {
  for (const contract::DeviceType& type : contract::kDeviceTypes) {
    if (name == type.name) {
      device = {type.type, 0};
      return {};
    }
    if (!type.own_memory || !name.starts_with(type.name) || name[type.name.size()] != ':') continue;
    std::int32_t index = -1;
    const char* const end = name.data() + name.size();
    const auto [stop, status] = std::from_chars(name.data() + type.name.size() + 1, end, index);
    if (status != std::errc() || stop != end || index < 0)
      return invalid_argument(
          fmt::format("device '{}': the index after '{}:' must be a number from 0", name, type.name));
    device = {type.type, index};
    return {};
  }
  return invalid_argument(
      fmt::format("device '{}' is unknown: cpu, cuda, cuda:N, opencl, opencl:N or reference", name));
}

Outcome describe(qfuse_device device, std::string& line) {
  if (device.index == 0 && device.type == QFUSE_CPU) {
    line = describe_cpu();
  } else if (device.index == 0 && device.type == QFUSE_REFERENCE) {
    line = "the scalar oracle, one thread";
  } else if (!contract::has_own_memory(device.type)) {
    return unsupported("no such device here");
  } else {
    const Vendor* vendor = nullptr;
    if (Outcome o = find_gpu(device, vendor); !o.ok()) return o;
    line = vendor->describe(device.index);
  }
  return {};
}

Outcome allocate(qfuse_device device, qfuse_memory_kind kind, std::int64_t size, void** memory) {
  if (memory == nullptr) return invalid_argument("memory is NULL");
  if (size < 0) return invalid_argument(fmt::format("size is {}, it must not be negative", size));
  if (kind != QFUSE_MEMORY_DEVICE && kind != QFUSE_MEMORY_PINNED)
    return invalid_argument(fmt::format("kind is {}, it must be QFUSE_MEMORY_DEVICE ({}) or QFUSE_MEMORY_PINNED ({})",
                                        static_cast<int>(kind), static_cast<int>(QFUSE_MEMORY_DEVICE),
                                        static_cast<int>(QFUSE_MEMORY_PINNED)));
  const char* what = kind == QFUSE_MEMORY_DEVICE ? "its" : "pinned";
  return on_gpu(device, fmt::format("{} bytes of {} memory", size, what), [&](const Vendor& vendor) {
    return vendor.allocate(device.index, kind, std::max<std::int64_t>(size, 1), memory);  // no vendor gets a size of 0
  });
}

void release(qfuse_device device, qfuse_memory_kind kind, void* memory) {
  const Vendor* vendor = find_vendor(device.type);
  if (vendor != nullptr && memory != nullptr) vendor->release(device.index, kind, memory);
}

Outcome create_stream(qfuse_device device, void** stream) {
  if (stream == nullptr) return invalid_argument("stream is NULL");
  return on_gpu(device, "a stream", [&](const Vendor& vendor) { return vendor.create_stream(device.index, stream); });
}

void destroy_stream(qfuse_device device, void* stream) {
  const Vendor* vendor = find_vendor(device.type);
  if (vendor != nullptr && stream != nullptr) vendor->destroy_stream(device.index, stream);
}

Outcome copy(qfuse_device device, void* to, const void* from, std::int64_t size, void* stream) {
  if (size < 0) return invalid_argument(fmt::format("size is {}, it must not be negative", size));
  for (const auto& [name, memory] : {std::pair<const char*, const void*>{"to", to}, {"from", from}})
    if (memory == nullptr && size > 0)
      return invalid_argument(fmt::format("{} is NULL, it must hold {} bytes", name, size));
  return on_gpu(device, "a copy",
                [&](const Vendor& vendor) { return vendor.copy(device.index, to, from, size, stream); });
}

Outcome synchronize(qfuse_device device, void* stream) {
  return on_gpu(device, "its work", [&](const Vendor& vendor) { return vendor.synchronize(device.index, stream); });
}

}  // namespace qfuse::runtime
