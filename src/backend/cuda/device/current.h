// Converts errors of the vendor's runtime to outcomes, and sets the calling thread's current device.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
#define QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H

#include "backend/cuda/platform.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

inline constexpr int kMaxDevices = 64;  // per process: more than any machine has

qfuse_status status_of(cudaError_t error);
contract::Outcome outcome_of(cudaError_t error);

// Makes `device` current for the thread while this object lives, then restores what was current before, which may be no
// device. If the thread's current context, the runtime's or another, is already on that device, it stays current.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

  // Whether the constructor succeeded; if not, nothing was changed.
  [[nodiscard]] const contract::Outcome& outcome() const { return outcome_; }

 private:
  contract::Outcome outcome_;
  bool changed_ = false;
  [[maybe_unused]] int before_ = 0;  // only if there is no driver to ask
};

// Whether a kernel's loaded code waits in wait_for_prerequisite_grids(). PTX for GPUs before Hopper does not, and
// Hopper may run such PTX. Call this while a CurrentDevice of `device` lives.
bool waits_for_prerequisites(const void* kernel, int device);

// Fails as UNSUPPORTED if the stream belongs to another device: the launch would run there without an error and access
// this device's memory. Call this while a CurrentDevice of `device` lives.
contract::Outcome check_stream(int device, cudaStream_t stream);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
