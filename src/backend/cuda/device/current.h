// Errors of the vendor's runtime as outcomes, and the calling thread's current device.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
#define QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H

#include "backend/cuda/platform.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

inline constexpr int kMaxDevices = 64;  // of one process: more than any machine has

qfuse_status status_of(cudaError_t error);
contract::Outcome outcome_of(cudaError_t error);

// Makes `device` the thread's current one while this lives. Then the thread has again what it had before, which may be
// no device at all. Its own context on that device stays current, be it the runtime's or another.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

  // Whether that went well; else nothing was changed.
  [[nodiscard]] const contract::Outcome& outcome() const { return outcome_; }

 private:
  contract::Outcome outcome_;
  bool changed_ = false;
  [[maybe_unused]] int before_ = 0;  // where there is no driver to ask
};

// Whether the code of a kernel that calls wait_for_prerequisite_grids() does so: PTX for GPUs before Hopper does not,
// which Hopper runs as well. While a CurrentDevice of `device` lives.
bool waits_for_prerequisites(const void* kernel, int device);

// While a CurrentDevice of `device` lives. UNSUPPORTED: the stream is another device's. A launch would run there,
// without a word, and read what lies here.
contract::Outcome check_stream(int device, cudaStream_t stream);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
