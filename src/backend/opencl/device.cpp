#include "backend/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "backend/opencl/program.h"

namespace qfuse::opencl {

using contract::Outcome;
using contract::unsupported;

Outcome outcome_of(cl_int error, const char* function) {
  if (error == CL_SUCCESS) return {};
  const std::string message = fmt::format("OpenCL: {} gave error {}", function, error);
  switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY: return {QFUSE_OUT_OF_MEMORY, message};
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_WORK_GROUP_SIZE: return unsupported(message);
    default: return {QFUSE_DEVICE_ERROR, message};
  }
}

std::string what_it_lacks(const Abilities& abilities) {
  if (!abilities.available) return "it is not available";
  if (!abilities.compiler) return "it has no compiler";
  if (!abilities.little_endian) return "it is big-endian";
  if (!abilities.shared_memory) return "it has no shared virtual memory (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)";
  if ((abilities.floats & CL_FP_DENORM) == 0) return "it takes subnormal numbers for zero (no CL_FP_DENORM)";
  if ((abilities.floats & CL_FP_INF_NAN) == 0) return "it has no infinities and NaN (no CL_FP_INF_NAN)";
  if ((abilities.floats & CL_FP_ROUND_TO_NEAREST) == 0) return "it does not round to nearest (CL_FP_ROUND_TO_NEAREST)";
  return {};
}

namespace {

constexpr std::size_t kGroupSize = 256;  // work-items: one per entry of the 8-bit map, to load it

// Returns a fact about a device; zero if its version of OpenCL does not know the query.
template <class T>
T fact(cl_device_id id, cl_device_info question) {
  T answer{};
  return clGetDeviceInfo(id, question, sizeof answer, &answer, nullptr) == CL_SUCCESS ? answer : T{};
}

Abilities abilities_of(cl_device_id id) {
  const auto shared = fact<cl_device_svm_capabilities>(id, CL_DEVICE_SVM_CAPABILITIES);
  return {.available = fact<cl_bool>(id, CL_DEVICE_AVAILABLE) == CL_TRUE,
          .compiler = fact<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE,
          .little_endian = fact<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE) == CL_TRUE,
          .shared_memory = (shared & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0,
          .floats = fact<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG)};
}

std::vector<cl_device_id> find_devices() {
  std::vector<cl_device_id> found;
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return found;
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return found;
  for (cl_platform_id platform : platforms) {
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;  // no devices
    std::vector<cl_device_id> devices(count);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) == CL_SUCCESS)
      found.insert(found.end(), devices.begin(), devices.end());
  }
  return found;
}

}  // namespace

const std::vector<cl_device_id>& device_ids() {
  static const std::vector<cl_device_id> all = find_devices();
  return all;
}

Outcome make_device(cl_device_id id, const std::string& build_options, std::unique_ptr<Device>& made) {
  if (const std::string lacks = what_it_lacks(abilities_of(id)); !lacks.empty()) return unsupported("OpenCL: " + lacks);
  auto device = std::make_unique<Device>();
  device->id = id;
  device->group_size = std::min(kGroupSize, fact<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  if (device->group_size == 0) return unsupported("OpenCL: it does not say how large work-groups may be");
  cl_int error = CL_SUCCESS;
  device->context.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return outcome_of(error, "clCreateContext");
  device->queue.reset(clCreateCommandQueueWithProperties(device->context.get(), id, nullptr, &error));
  if (error != CL_SUCCESS) return outcome_of(error, "clCreateCommandQueueWithProperties");
  if (Outcome o = build_program(build_options, *device); !o.ok()) return o;
  if (Outcome o = check_arithmetic(*device); !o.ok()) return o;
  made = std::move(device);
  return {};
}

Outcome open(int index, const Device*& device) {
  static std::mutex mutex;
  static auto& opened = *new std::vector<std::unique_ptr<Device>>(device_ids().size());
  if (index < 0 || index >= static_cast<int>(device_ids().size())) return unsupported("OpenCL: no such device");
  const auto number = static_cast<std::size_t>(index);
  const std::lock_guard lock(mutex);
  if (opened[number] == nullptr)  // a failure is not kept: it may be temporary
    if (Outcome o = make_device(device_ids()[number], {}, opened[number]); !o.ok()) return o;
  device = opened[number].get();
  return {};
}

namespace {
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}
}  // namespace

void* allocate_shared(const Device& device, std::size_t size) {
  constexpr cl_uint kAlignment = 128;  // the largest that every device supports: that of a long16
  const std::lock_guard lock(one_at_a_time());
  return clSVMAlloc(device.context.get(), CL_MEM_READ_WRITE, size, kAlignment);
}

void free_shared(const Device& device, void* memory) {
  const std::lock_guard lock(one_at_a_time());
  clSVMFree(device.context.get(), memory);
}

Outcome find_queue(const Device& device, void* stream, cl_command_queue& queue) {
  queue = stream != nullptr ? static_cast<cl_command_queue>(stream) : device.queue.get();
  cl_context context = nullptr;
  const cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr);
  if (error != CL_SUCCESS) return outcome_of(error, "clGetCommandQueueInfo");
  if (context != device.context.get())
    return unsupported("OpenCL: the stream is another device's or another context's");
  return {};
}

}  // namespace qfuse::opencl
