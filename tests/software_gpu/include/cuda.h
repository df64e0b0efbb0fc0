// The part of NVIDIA's driver API that device/driver.h and tests use, for the software GPU. Each thread has a stack of
// current contexts, which is empty in a new thread.
#ifndef QFUSE_TESTS_SOFTWARE_GPU_CUDA_H
#define QFUSE_TESTS_SOFTWARE_GPU_CUDA_H

enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201
};
using CUdevice = int;
using CUcontext = struct CUctx_st*;
using CUstream = struct cudaStream*;

CUresult cuInit(unsigned flags);
CUresult cuGetErrorName(CUresult error, const char** name);
CUresult cuGetErrorString(CUresult error, const char** text);
CUresult cuDeviceGet(CUdevice* device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active);
CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device);  // also pushes it
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxGetDevice(CUdevice* device);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext* context);
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context);

#endif  // QFUSE_TESTS_SOFTWARE_GPU_CUDA_H
