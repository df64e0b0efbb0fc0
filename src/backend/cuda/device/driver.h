// What CUDA's runtime has no functions for: a thread's current context as it is, and tensor maps. NVIDIA's driver has,
// and its functions are called under their own names.
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

// The driver's library is not linked: where there is none, this one still loads. Looked up until that has succeeded, as
// what keeps a driver from being found may pass; then kept.
contract::Outcome find_driver(const Driver*& driver);

// A function's error, with its name and number.
contract::Outcome outcome_of(const Driver& driver, const char* function, CUresult error);

// The context in which CUDA's runtime works on a device. The first call for a device makes it, if nobody has, and keeps
// it until the process ends, as the runtime does.
contract::Outcome find_primary_context(const Driver& driver, CUdevice device, CUcontext& context);

}  // namespace qfuse::cuda
#endif

#endif  // QFUSE_BACKEND_CUDA_DEVICE_DRIVER_H
