// The driver's interface: what there is, gpu.cpp asks the runtime for, which has none.
#ifndef QFUSE_TESTS_SOFTWARE_GPU_CUDA_H
#define QFUSE_TESTS_SOFTWARE_GPU_CUDA_H

#include <cuda_runtime.h>

using CUcontext = struct CUctx*;
enum CUresult { CUDA_SUCCESS };
struct cudaDriverEntryPointQueryResult {};
inline constexpr unsigned long long cudaEnableDefault = 0;
inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long,
                                                    cudaDriverEntryPointQueryResult*) {
  return cudaErrorNotSupported;
}

#endif  // QFUSE_TESTS_SOFTWARE_GPU_CUDA_H
