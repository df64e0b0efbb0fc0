// The OpenCL devices of this machine, and what each needs to run kernels, which is made at first use and then kept.
#ifndef QFUSE_BACKEND_OPENCL_DEVICE_H
#define QFUSE_BACKEND_OPENCL_DEVICE_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/opencl/handles.h"
#include "contract/outcome.h"

namespace qfuse::opencl {

struct Device {
  cl_device_id id = nullptr;
  Context context;
  Queue queue;                 // in order; for calls that name no stream
  Program program;             // built for the device, and checked to be exact on it
  std::size_t group_size = 0;  // work-items per work-group
};

// Features that the kernels need and that not every device has.
struct Abilities {
  bool available = false;
  bool compiler = false;
  bool little_endian = false;
  bool shared_memory = false;  // coarse-grained buffers
  cl_device_fp_config floats = 0;
};
// Why a device cannot be used; empty if it can.
std::string what_it_lacks(const Abilities& abilities);

// Every device of every platform, in the order of OpenCL's own lists; empty without a platform.
const std::vector<cl_device_id>& device_ids();

// Opens a device and keeps it until the process ends: drivers may be gone before static objects are destroyed.
contract::Outcome open(int index, const Device*& device);

// Makes a separate device with other compiler options than open(), which has none. For tests that break the arithmetic.
contract::Outcome make_device(cl_device_id id, const std::string& build_options, std::unique_ptr<Device>& made);

// Allocates a device's shared virtual memory, null on failure; and frees it. One call at a time, because NVIDIA's
// driver refuses memory to threads that request it at once (seen with 580.159 on an H200).
void* allocate_shared(const Device& device, std::size_t size);
void free_shared(const Device& device, void* memory);

// Finds the queue of a qfuse.h stream; NULL is the device's own. UNSUPPORTED if it is another device's or context's.
contract::Outcome find_queue(const Device& device, void* stream, cl_command_queue& queue);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_DEVICE_H
