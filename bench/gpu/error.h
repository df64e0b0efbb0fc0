// Errors of the CUDA runtime as exceptions.
#ifndef QFUSE_BENCH_GPU_ERROR_H
#define QFUSE_BENCH_GPU_ERROR_H

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace qfuse::bench {

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_ERROR_H
