// The OpenCL devices of this machine, and what each needs to run kernels: made at its first use, and then kept.
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
  Queue queue;                 // in order: the stream of those who name none
  Program program;             // built for the device, and proven exact on it
  std::size_t group_size = 0;  // work-items of a work-group
};

// What kernels rely on that not every device has.
struct Abilities {
  bool available = false;
  bool compiler = false;
  bool little_endian = false;
  bool shared_memory = false;  // coarse-grained buffers
  cl_device_fp_config floats = 0;
};
// Why a device cannot be used; empty where it can.
std::string what_it_lacks(const Abilities& abilities);

// Every device of every platform, in the order of OpenCL's own lists; empty without a platform.
const std::vector<cl_device_id>& device_ids();

// The device of that number, kept until the process ends: drivers may be gone before static objects are.
contract::Outcome open(int index, const Device*& device);

// A device of its own with other options of the compiler; open() has none. For tests, which break the arithmetic.
contract::Outcome make_device(cl_device_id id, const std::string& build_options, std::unique_ptr<Device>& made);

// Shared virtual memory of a device, null where there is no such piece; and back. One call at a time: NVIDIA's driver
// refuses memory to threads that ask for it at once (seen with 580.159 on an H200).
void* allocate_shared(const Device& device, std::size_t size);
void free_shared(const Device& device, void* memory);

// The queue that a stream of qfuse.h is; NULL is the device's own. UNSUPPORTED for another device's or context's.
contract::Outcome find_queue(const Device& device, void* stream, cl_command_queue& queue);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_DEVICE_H
