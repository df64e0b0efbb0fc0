// Devices, memory and queues of OpenCL.
#ifndef QFUSE_BACKEND_OPENCL_GPU_H
#define QFUSE_BACKEND_OPENCL_GPU_H

#include "backend/vendor.h"

namespace qfuse::opencl {

extern const backend::Vendor kVendor;

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_GPU_H
