// The CUDA runtime and driver of the software GPU (software_gpu.cpp), as far as qfuse and its tests use them: devices,
// contexts, streams, errors, and memory, which is the host's.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

// A context only stores its device.
struct CUctx_st {
  CUdevice device;
};
// Like a GPU, this accepts calls on a stream of another device.
struct cudaStream {
  CUcontext context;
};

namespace {

constexpr int kDevices = 2;
constexpr std::size_t kAlignment = 256;

CUctx_st primary_contexts[kDevices] = {{0}, {1}};
std::atomic<bool> is_active[kDevices];
thread_local std::vector<CUcontext> contexts;  // the last one is current
thread_local int chosen_device = 0;            // set by cudaSetDevice

bool is_device(int device) { return device >= 0 && device < kDevices; }
CUcontext current_context() { return contexts.empty() ? nullptr : contexts.back(); }

CUcontext activate(int device) {
  is_active[device] = true;
  return &primary_contexts[device];
}
void set_context(CUcontext context) {
  if (contexts.empty()) contexts.push_back(nullptr);
  contexts.back() = context;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  *memory = nullptr;
  qfuse::software_gpu::enter();
  if (bytes > PTRDIFF_MAX) return cudaErrorMemoryAllocation;
  return ::posix_memalign(memory, kAlignment, std::max<std::size_t>(bytes, 1)) == 0 ? cudaSuccess
                                                                                    : cudaErrorMemoryAllocation;
}

struct ErrorText {
  int number;
  const char* of_runtime;
  const char* of_driver;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    {1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}};
const ErrorText& find_error(int number) {
  static constexpr ErrorText kUnknown = {-1, "unrecognized error code", "CUDA_ERROR_UNKNOWN", "unknown error"};
  const auto* const found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                         [&](const ErrorText& error) { return error.number == number; });
  return found == std::end(kErrors) ? kUnknown : *found;
}

struct EntryPoint {
  const char* name;
  void* function;
};
const EntryPoint kEntryPoints[] = {{"cuInit", reinterpret_cast<void*>(&cuInit)},
                                   {"cuGetErrorName", reinterpret_cast<void*>(&cuGetErrorName)},
                                   {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
                                   {"cuDeviceGet", reinterpret_cast<void*>(&cuDeviceGet)},
                                   {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&cuDevicePrimaryCtxRetain)},
                                   {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(&cuDevicePrimaryCtxGetState)},
                                   {"cuCtxCreate", reinterpret_cast<void*>(&cuCtxCreate)},
                                   {"cuCtxDestroy", reinterpret_cast<void*>(&cuCtxDestroy)},
                                   {"cuCtxGetCurrent", reinterpret_cast<void*>(&cuCtxGetCurrent)},
                                   {"cuCtxGetDevice", reinterpret_cast<void*>(&cuCtxGetDevice)},
                                   {"cuCtxPushCurrent", reinterpret_cast<void*>(&cuCtxPushCurrent)},
                                   {"cuCtxPopCurrent", reinterpret_cast<void*>(&cuCtxPopCurrent)},
                                   {"cuStreamGetCtx", reinterpret_cast<void*>(&cuStreamGetCtx)}};

}  // namespace

void qfuse::software_gpu::enter() {
  if (current_context() == nullptr) set_context(activate(chosen_device));
}

const char* cudaGetErrorName(cudaError_t error) { return find_error(error).of_runtime; }
const char* cudaGetErrorString(cudaError_t error) { return find_error(error).text; }
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned /*version*/,
                                             unsigned long long /*flags*/, cudaDriverEntryPointQueryResult* found) {
  *function = nullptr;
  *found = cudaDriverEntryPointSymbolNotFound;
  for (const EntryPoint& entry : kEntryPoints)
    if (std::strcmp(entry.name, name) == 0) {
      *function = entry.function;
      *found = cudaDriverEntryPointSuccess;
    }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return cudaSuccess;
}
// For a thread without a context it also returns a device, without creating a context.
cudaError_t cudaGetDevice(int* device) {
  *device = current_context() == nullptr ? chosen_device : current_context()->device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return cudaErrorInvalidDevice;
  chosen_device = device;
  set_context(activate(device));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!is_device(device)) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = 2; break;
    case cudaDevAttrL2CacheSize: *value = 1 << 20; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
    case cudaDevAttrClockRate: *value = 1'000'000; break;
    case cudaDevAttrMemoryClockRate: *value = 1'000'000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = 1024; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_device(device)) return cudaErrorInvalidDevice;
  *properties = {"software GPU", 9, 0, 2, std::size_t{1} << 30};
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  qfuse::software_gpu::enter();
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  qfuse::software_gpu::enter();
  *stream = new cudaStream{current_context()};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  qfuse::software_gpu::enter();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  qfuse::software_gpu::enter();
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  qfuse::software_gpu::enter();
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

// ---- the driver ----

CUresult cuInit(unsigned /*flags*/) { return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = find_error(error).of_driver;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = find_error(error).text;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return is_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = activate(device);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  *active = is_active[device] ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate(CUcontext* context, unsigned /*flags*/, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  contexts.push_back(*context = new CUctx_st{device});
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext context) {
  if (context == current_context()) contexts.pop_back();
  delete context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (current_context() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = current_context()->device;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = stream->context;
  return CUDA_SUCCESS;
}
