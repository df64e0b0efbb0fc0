// The one seam to a GPU vendor's runtime: what the host does with devices, memory and streams. A build without CUDA has
// the same functions, no devices, and refuses the rest. Kernels are launched through device/launch.cuh.
// A stream travels as void*, as in qfuse.h.
#ifndef QFUSE_BACKEND_CUDA_GPU_H
#define QFUSE_BACKEND_CUDA_GPU_H

#include <cstdint>
#include <string>

#include "format/outcome.h"

namespace qfuse::cuda {

// GPUs that the driver shows this process; 0 where there is no GPU, no driver, or no CUDA in this build.
int device_count();

// One line: model, compute capability, multiprocessors, memory. Empty where there is no such device.
std::string describe_device(int index);

// What a kernel's plan depends on. Read from the driver until that has succeeded once.
struct DeviceFacts {
  int multiprocessors = 0;
  int l2_bytes = 0;
  int compute_capability = 0;  // 10 * major + minor
};
format::Outcome device_facts(int index, DeviceFacts& facts);

// `bytes` of a device's memory, aligned to 256 bytes; of host memory that devices copy from and to at full speed.
format::Outcome allocate(int device, std::int64_t bytes, void*& memory);
void release(int device, void* memory);
format::Outcome allocate_pinned(int device, std::int64_t bytes, void*& memory);
void release_pinned(int device, void* memory);

// A stream that does not wait for the legacy default stream.
format::Outcome create_stream(int device, void*& stream);
void destroy_stream(int device, void* stream);
// Enqueues a copy in any direction; the host's side should be pinned.
format::Outcome copy(int device, void* to, const void* from, std::int64_t bytes, void* stream);
// Waits for all that was enqueued, and reports what failed in it.
format::Outcome synchronize(int device, void* stream);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_GPU_H
