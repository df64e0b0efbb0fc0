#include "backend/cuda/gpu.h"

#include <cuda_runtime_api.h>

namespace qfuse::cuda {

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string describe_device(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return {};
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) +
         " multiprocessors, " + std::to_string(properties.totalGlobalMem / kMiB) + " MiB";
}

}  // namespace qfuse::cuda
