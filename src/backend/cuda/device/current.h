// Errors of the vendor's runtime as outcomes, and the calling thread's current device.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
#define QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H

#include "backend/cuda/platform.h"
#include "contract/outcome.h"

namespace qfuse::cuda {

contract::Outcome outcome_of(cudaError_t error);

// Makes `device` the thread's current one while this lives, then the one that was, if there was one.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

  // Whether that went well; else nothing was changed.
  [[nodiscard]] cudaError_t error() const { return error_; }

 private:
  int before_ = 0;
  bool restores_ = false;
  cudaError_t error_;
};

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_CURRENT_H
