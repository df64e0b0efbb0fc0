#include "backend/cuda/device/current.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "backend/cuda/device/driver.h"
#include "backend/cuda/facts.h"

namespace qfuse::cuda {

qfuse_status status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return QFUSE_OK;
    case cudaErrorMemoryAllocation: return QFUSE_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoKernelImageForDevice:
#ifndef QFUSE_PORTABLE
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
    case cudaErrorCompatNotSupportedOnDevice:
#endif
    case cudaErrorInvalidResourceHandle:  // a stream of another device
      return QFUSE_UNSUPPORTED;
    default: return QFUSE_DEVICE_ERROR;
  }
}

namespace {

#ifndef QFUSE_PORTABLE
std::string release_of(int version) {  // CUDA's encoding: 1000 * major + 10 * minor
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The runtime reports the same error for a driver that is too old and for one that is missing.
std::string about_driver() {
  constexpr int kCuda13 = 13000;
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0)
    return "there is no NVIDIA driver: libcuda.so.1 was not found";
  std::string needed = "this build of qfuse needs one for CUDA " + release_of(CUDART_VERSION);
  if (CUDART_VERSION >= kCuda13) needed += ", 580 or later";  // according to the release notes of CUDA 13.0
  return "the NVIDIA driver is for CUDA " + release_of(version) + ", and " + needed + "; the CPU serves without it";
}
#endif

std::string words_of(cudaError_t error) {
#ifndef QFUSE_PORTABLE
  if (error == cudaErrorInsufficientDriver) return about_driver();
#endif
  return cudaGetErrorString(error);
}

}  // namespace

contract::Outcome outcome_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {status_of(error), std::string(kPlatform) + ": " + words_of(error) + " (" + cudaGetErrorName(error) + ", " +
                                std::to_string(error) + ")"};
}

#ifdef QFUSE_HAS_DRIVER

// Does not use cudaSetDevice: for a thread without a context the runtime reports device 0 as current, and restoring
// that would create a context there. Also, the runtime creates a thread's first context only in a runtime call that
// needs one, and cuTensorMapEncodeTiled is not a runtime call.
CurrentDevice::CurrentDevice(int device) {
  const Driver* driver = nullptr;
  if (outcome_ = find_driver(driver); !outcome_.ok()) return;
  CUdevice wanted{};
  if (outcome_ = outcome_of(*driver, "cuDeviceGet", driver->cuDeviceGet(&wanted, device)); !outcome_.ok()) return;
  CUdevice current{};
  if (driver->cuCtxGetDevice(&current) == CUDA_SUCCESS && current == wanted) return;  // takes some tens of ns
  CUcontext context = nullptr;
  if (outcome_ = find_primary_context(*driver, wanted, context); !outcome_.ok()) return;
  outcome_ = outcome_of(*driver, "cuCtxPushCurrent", driver->cuCtxPushCurrent(context));
  changed_ = outcome_.ok();
}

CurrentDevice::~CurrentDevice() {
  const Driver* driver = nullptr;
  CUcontext context = nullptr;
  if (changed_ && find_driver(driver).ok()) static_cast<void>(driver->cuCtxPopCurrent(&context));
}

// Streams of one device may belong to several contexts, including green contexts.
contract::Outcome check_stream(int device, cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return {};  // these belong to the current context
  const Driver* driver = nullptr;
  if (contract::Outcome o = find_driver(driver); !o.ok()) return o;
  CUcontext of_stream = nullptr;
  CUcontext current = nullptr;
  CUresult error = driver->cuStreamGetCtx(stream, &of_stream);
  if (error != CUDA_SUCCESS) return outcome_of(*driver, "cuStreamGetCtx", error);
  if (driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && of_stream == current) return {};
  CUdevice there{};
  if (error = driver->cuCtxPushCurrent(of_stream); error == CUDA_SUCCESS) {
    error = driver->cuCtxGetDevice(&there);
    static_cast<void>(driver->cuCtxPopCurrent(&of_stream));
  }
  if (error != CUDA_SUCCESS) return outcome_of(*driver, "the stream's device", error);
  if (there == device) return {};
  contract::Outcome outcome = outcome_of(cudaErrorInvalidResourceHandle);
  outcome.message +=
      ": the stream belongs to cuda:" + std::to_string(there) + ", the call names cuda:" + std::to_string(device);
  return outcome;
}

#else

CurrentDevice::CurrentDevice(int device) {
  if (outcome_ = outcome_of(cudaGetDevice(&before_)); !outcome_.ok() || device == before_) return;
  outcome_ = outcome_of(cudaSetDevice(device));
  changed_ = outcome_.ok();
}

CurrentDevice::~CurrentDevice() {
  if (changed_) static_cast<void>(cudaSetDevice(before_));
}

contract::Outcome check_stream(int /*device*/, cudaStream_t /*stream*/) { return {}; }  // cannot be queried

#endif

#ifdef QFUSE_PORTABLE
bool waits_for_prerequisites(const void* /*kernel*/, int /*device*/) { return false; }
#else
bool waits_for_prerequisites(const void* kernel, int device) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, bool> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({kernel, device});
  if (!is_new) return found->second;
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess)
    return found->second = attributes.ptxVersion >= kHopper;
  known.erase(found);  // the launch will report the error
  return false;
}
#endif

}  // namespace qfuse::cuda
