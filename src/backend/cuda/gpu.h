// Devices, memory and streams of CUDA's runtime, and the facts that plans depend on. Kernels are launched through
// device/launch.cuh.
#ifndef QFUSE_BACKEND_CUDA_GPU_H
#define QFUSE_BACKEND_CUDA_GPU_H

#include "backend/cuda/facts.h"
#include "backend/vendor.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

extern const backend::Vendor kVendor;

// Asks the driver until one query for the device has succeeded; then returns the kept facts.
contract::Outcome device_facts(int index, DeviceFacts& facts);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_GPU_H
