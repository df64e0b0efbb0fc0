// Alignment constants and checks, for plans on the host and kernels on the device.
#ifndef QFUSE_BACKEND_CUDA_ALIGN_H
#define QFUSE_BACKEND_CUDA_ALIGN_H

#include <cstddef>
#include <cstdint>

#include "format/host_device.h"

namespace qfuse::cuda {

inline constexpr std::int64_t kTileAlignment = 1024;  // bytes, of TMA tiles: the swizzle pattern restarts there

// `bytes` is a power of two.
QFUSE_HOST_DEVICE inline bool is_aligned(const void* address, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_ALIGN_H
