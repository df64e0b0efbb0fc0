#include "backend/cuda/device/driver.h"

#ifdef QFUSE_HAS_DRIVER
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "backend/cuda/device/current.h"

namespace qfuse::cuda {
namespace {

// `since`: the first version of the driver API that has the function with the parameters used here.
template <class Function>
contract::Outcome look_up(const char* name, unsigned since, Function& function) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &entry, since, cudaEnableDefault, &found);
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // clears the error, so that the caller does not see it
    return outcome_of(error);
  }
  if (found != cudaDriverEntryPointSuccess || entry == nullptr)
    return contract::unsupported(std::string("CUDA: the driver has no ") + name + ": it is too old");
  function = reinterpret_cast<Function>(entry);
  return {};
}

contract::Outcome look_up_all(Driver& driver) {
  contract::Outcome outcome;
  const auto look = [&](const char* name, unsigned since, auto& function) {
    if (outcome.ok()) outcome = look_up(name, since, function);
  };
  look("cuInit", 2000, driver.cuInit);
  look("cuGetErrorName", 6000, driver.cuGetErrorName);
  look("cuGetErrorString", 6000, driver.cuGetErrorString);
  look("cuDeviceGet", 2000, driver.cuDeviceGet);
  look("cuCtxGetCurrent", 4000, driver.cuCtxGetCurrent);
  look("cuCtxGetDevice", 2000, driver.cuCtxGetDevice);
  look("cuDevicePrimaryCtxRetain", 7000, driver.cuDevicePrimaryCtxRetain);
  look("cuCtxPushCurrent", 4000, driver.cuCtxPushCurrent);
  look("cuCtxPopCurrent", 4000, driver.cuCtxPopCurrent);
  look("cuStreamGetCtx", 9020, driver.cuStreamGetCtx);
#ifndef QFUSE_PORTABLE
  look("cuTensorMapEncodeTiled", 12000, driver.cuTensorMapEncodeTiled);
#endif
  if (!outcome.ok()) return outcome;
  const CUresult error = driver.cuInit(0);  // nobody may have called it yet
  return error == CUDA_SUCCESS ? contract::Outcome{} : outcome_of(driver, "cuInit", error);
}

}  // namespace

contract::Outcome find_driver(const Driver*& driver) {
  static std::mutex mutex;
  static Driver known;
  static std::atomic<bool> is_known{false};
  if (!is_known.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex);
    if (!is_known.load(std::memory_order_relaxed)) {
      if (contract::Outcome o = look_up_all(known); !o.ok()) return o;
      is_known.store(true, std::memory_order_release);
    }
  }
  driver = &known;
  return {};
}

contract::Outcome outcome_of(const Driver& driver, const char* function, CUresult error) {
  if (error == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(error, &name) != CUDA_SUCCESS || name == nullptr) name = "an error of no name";
  if (driver.cuGetErrorString(error, &text) != CUDA_SUCCESS || text == nullptr) text = "the driver says no more";
  return {status_of(static_cast<cudaError_t>(error)),  // the runtime uses the driver's error numbers
          std::string("CUDA: ") + function + ": " + name + " (" + std::to_string(error) + "): " + text};
}

contract::Outcome find_primary_context(const Driver& driver, CUdevice device, CUcontext& context) {
  static std::mutex mutex;
  static std::array<std::atomic<CUcontext>, kMaxDevices> kept;
  if (device < 0 || device >= kMaxDevices)
    return outcome_of(driver, "cuDevicePrimaryCtxRetain", CUDA_ERROR_INVALID_DEVICE);
  std::atomic<CUcontext>& known = kept[static_cast<std::size_t>(device)];
  context = known.load(std::memory_order_acquire);
  if (context != nullptr) return {};
  const std::lock_guard lock(mutex);
  context = known.load(std::memory_order_relaxed);
  if (context != nullptr) return {};
  const CUresult error = driver.cuDevicePrimaryCtxRetain(&context, device);
  if (error == CUDA_SUCCESS) known.store(context, std::memory_order_release);
  return outcome_of(driver, "cuDevicePrimaryCtxRetain", error);
}

}  // namespace qfuse::cuda
#endif
