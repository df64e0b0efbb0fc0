// Gives this build's GPU runtime CUDA's names: NVIDIA's runtime, or HIP's (hip.h). If another vendor's platform has its
// own cuda_runtime.h, that one is included. QFUSE_PORTABLE is defined for all but NVIDIA's.
#ifndef QFUSE_BACKEND_CUDA_PLATFORM_H
#define QFUSE_BACKEND_CUDA_PLATFORM_H

#include <cstdint>

#ifdef QFUSE_HIP
#include "backend/cuda/hip.h"
#else
#include <cuda_runtime.h>
#endif

// Whether there is a cuda.h with NVIDIA's driver behind it (device/driver.h). The software GPU defines it as well.
#ifndef QFUSE_PORTABLE
#define QFUSE_HAS_DRIVER
#endif

namespace qfuse::cuda {

#ifdef QFUSE_HIP
inline constexpr const char* kPlatform = "HIP";
inline constexpr std::int64_t kMostThreads = (std::int64_t{1} << 32) - 1;  // per launch
#else
inline constexpr const char* kPlatform = "CUDA";
inline constexpr std::int64_t kMostThreads = std::int64_t{1} << 41;  // 2^31 blocks of 1024
#endif

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_PLATFORM_H
