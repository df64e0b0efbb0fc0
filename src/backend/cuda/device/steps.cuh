// Device steps that all kernels are made of: NVIDIA's instructions, or portable arithmetic on other platforms.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_STEPS_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_STEPS_CUH

#ifndef QFUSE_PORTABLE
#include "backend/cuda/device/ptx.cuh"
namespace qfuse::cuda {
using namespace ptx;
}
#else
#include "backend/cuda/device/portable.cuh"
namespace qfuse::cuda {
using namespace portable;
}
#endif

#endif  // QFUSE_BACKEND_CUDA_DEVICE_STEPS_CUH
