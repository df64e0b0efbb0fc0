#include "backend/opencl/gpu.h"

#include <fmt/format.h>

#include <cstdlib>

#include "backend/opencl/device.h"

namespace qfuse::opencl {
namespace {

using contract::Outcome;

int device_count() { return static_cast<int>(device_ids().size()); }

Outcome why_none() {
  return contract::unsupported("OpenCL: no platform has a device; drivers are listed in /etc/OpenCL/vendors");
}

std::string text_of(cl_device_id id, cl_device_info question) {
  std::size_t size = 0;
  if (clGetDeviceInfo(id, question, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (clGetDeviceInfo(id, question, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.substr(0, text.find('\0'));
}

// Describes a device and, if it cannot be used, says why.
std::string describe(int index) {
  if (index < 0 || index >= device_count()) return {};
  cl_device_id id = device_ids()[static_cast<std::size_t>(index)];
  cl_uint units = 0;
  cl_ulong bytes = 0;
  clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  const Device* device = nullptr;
  const Outcome usable = open(index, device);
  return fmt::format("{}, {}, {} compute units, {} MiB{}{}", text_of(id, CL_DEVICE_NAME),
                     text_of(id, CL_DEVICE_VERSION), units, bytes >> 20,
                     usable.ok() ? "" : "; it cannot be used: ", usable.message);
}

// Allocates shared virtual memory, the only device memory with addresses in OpenCL. On failure OpenCL gives no reason.
Outcome allocate_own(const Device& device, std::size_t size, void** memory) {
  *memory = allocate_shared(device, size);
  if (*memory != nullptr) return {};
  cl_ulong most = 0;
  clGetDeviceInfo(device.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr);
  return {QFUSE_OUT_OF_MEMORY, fmt::format("OpenCL: the device has no piece of this size; it gives at most {}", most)};
}

// Plain host memory: OpenCL has no query for pinned memory, and its own pinned buffers have no host address until
// mapped.
Outcome allocate_pinned(std::size_t size, void** memory) {
  constexpr std::size_t kAlignment = 256;
  *memory = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (*memory != nullptr) return {};
  return {QFUSE_OUT_OF_MEMORY, "the host has not so much left"};
}

Outcome allocate(int index, qfuse_memory_kind kind, std::int64_t size, void** memory) {
  const Device* device = nullptr;
  if (Outcome o = open(index, device); !o.ok()) return o;
  const auto bytes = static_cast<std::size_t>(size);
  return kind == QFUSE_MEMORY_PINNED ? allocate_pinned(bytes, memory) : allocate_own(*device, bytes, memory);
}

void release(int index, qfuse_memory_kind kind, void* memory) {
  const Device* device = nullptr;
  if (kind == QFUSE_MEMORY_PINNED) {
    std::free(memory);
  } else if (open(index, device).ok()) {
    free_shared(*device, memory);
  }
}

Outcome create_stream(int index, void** stream) {
  const Device* device = nullptr;
  if (Outcome o = open(index, device); !o.ok()) return o;
  cl_int error = CL_SUCCESS;
  *stream = clCreateCommandQueueWithProperties(device->context.get(), device->id, nullptr, &error);
  return outcome_of(error, "clCreateCommandQueueWithProperties");
}

void destroy_stream(int /*index*/, void* stream) { clReleaseCommandQueue(static_cast<cl_command_queue>(stream)); }

// Runs a call with the queue of a stream.
template <class Call>
Outcome on_queue(int index, void* stream, const Call& call) {
  const Device* device = nullptr;
  if (Outcome o = open(index, device); !o.ok()) return o;
  cl_command_queue queue = nullptr;
  if (Outcome o = find_queue(*device, stream, queue); !o.ok()) return o;
  return call(queue);
}

Outcome copy(int index, void* to, const void* from, std::int64_t size, void* stream) {
  return on_queue(index, stream, [&](cl_command_queue queue) -> Outcome {
    if (size == 0) return {};
    const auto bytes = static_cast<std::size_t>(size);
    const cl_int error = clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, bytes, 0, nullptr, nullptr);
    if (error != CL_SUCCESS) return outcome_of(error, "clEnqueueSVMMemcpy");
    return outcome_of(clFlush(queue), "clFlush");
  });
}

Outcome synchronize(int index, void* stream) {
  return on_queue(index, stream, [](cl_command_queue queue) { return outcome_of(clFinish(queue), "clFinish"); });
}

}  // namespace

const backend::Vendor kVendor = {.type = QFUSE_OPENCL,
                                 .device_count = device_count,
                                 .why_none = why_none,
                                 .describe = describe,
                                 .allocate = allocate,
                                 .release = release,
                                 .create_stream = create_stream,
                                 .destroy_stream = destroy_stream,
                                 .copy = copy,
                                 .synchronize = synchronize};

}  // namespace qfuse::opencl
