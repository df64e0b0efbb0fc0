// Functions of NVIDIA's driver, under their own names, for what CUDA's runtime cannot do: read a thread's current
// context without changing it, and make tensor maps.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_DRIVER_H
#define QFUSE_BACKEND_CUDA_DEVICE_DRIVER_H

#include "backend/cuda/platform.h"
#include "contract/outcome.h"

#ifdef QFUSE_HAS_DRIVER
#include <cuda.h>

namespace qfuse::cuda {

struct Driver {
  decltype(&::cuInit) cuInit;
  decltype(&::cuGetErrorName) cuGetErrorName;
  decltype(&::cuGetErrorString) cuGetErrorString;
  decltype(&::cuDeviceGet) cuDeviceGet;
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent;
  decltype(&::cuCtxGetDevice) cuCtxGetDevice;
  decltype(&::cuDevicePrimaryCtxRetain) cuDevicePrimaryCtxRetain;
  decltype(&::cuCtxPushCurrent) cuCtxPushCurrent;
  decltype(&::cuCtxPopCurrent) cuCtxPopCurrent;
  decltype(&::cuStreamGetCtx) cuStreamGetCtx;
#ifndef QFUSE_PORTABLE
  decltype(&::cuTensorMapEncodeTiled) cuTensorMapEncodeTiled;
#endif
};

// The driver's library is not linked, so that this library loads without it. The lookup is repeated until it succeeds,
// because the cause of a failure may be temporary; then the result is kept.
contract::Outcome find_driver(const Driver*& driver);

// Converts a driver function's error to an outcome with the error's name and number.
contract::Outcome outcome_of(const Driver& driver, const char* function, CUresult error);

// Returns the context that CUDA's runtime uses on a device. The first call for a device creates that context if nobody
// has, and retains it until the process ends, as the runtime does.
contract::Outcome find_primary_context(const Driver& driver, CUdevice device, CUcontext& context);

}  // namespace qfuse::cuda
#endif

#endif  // QFUSE_BACKEND_CUDA_DEVICE_DRIVER_H
