// A GPU: its properties, its errors as exceptions, and arrays in its memory.
#ifndef QFUSE_BENCH_GPU_DEVICE_H
#define QFUSE_BENCH_GPU_DEVICE_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "nf4_oracle.h"
#include "ops.h"

namespace qfuse::bench {

inline constexpr std::int64_t kElementBytes = 2;  // bytes per element of fp16 and bf16, the dtypes that are timed

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Properties of a GPU as its driver reports them.
struct Card {
  int index = 0;
  std::string name;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  int compute_capability = 0;  // 10 * major + minor
};

inline qfuse_exec exec_on(const Card& card, void* stream) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, card.index};
  exec.stream = stream;
  return exec;
}

// Device memory that begins as a copy of host or device bytes, or filled with poison.
class DeviceArray {
 public:
  DeviceArray(int device, const void* from, std::int64_t size);
  DeviceArray(int device, std::int64_t size);

  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(memory_->data());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(memory_->size()); }
  void poison() const;
  // Returns the content after all work on the device is done.
  template <class T>
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(memory_->size() / sizeof(T));
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    require(cudaMemcpy(values.data(), memory_->data(), memory_->size(), cudaMemcpyDeviceToHost), "reading the result");
    return values;
  }

 private:
  std::unique_ptr<DeviceMemory> memory_;
};

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_DEVICE_H
