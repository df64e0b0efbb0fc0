// The one seam to a GPU vendor's runtime. A build without CUDA has the same functions and no devices.
#ifndef QFUSE_BACKEND_CUDA_GPU_H
#define QFUSE_BACKEND_CUDA_GPU_H

#include <string>

namespace qfuse::cuda {

// GPUs that the driver shows this process; 0 where there is no GPU, no driver, or no CUDA in this build.
int device_count();

// One line: model, compute capability, multiprocessors, memory. Empty where there is no such device.
std::string describe_device(int index);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_GPU_H
