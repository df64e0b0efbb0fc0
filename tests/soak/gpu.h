// The GPU of the soak: its errors as exceptions, streams, and one allocation for all arrays.
#ifndef QFUSE_TESTS_SOAK_GPU_H
#define QFUSE_TESTS_SOAK_GPU_H

#include <cuda_runtime_api.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace qfuse::soak {

inline void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Throws the library's error message.
inline void require(qfuse_status status, const qfuse_error& error) {
  if (status != QFUSE_OK) throw std::runtime_error(error.message);
}

struct Card {
  int index = 0;
  std::string name;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  int compute_capability = 0;  // 10 * major + minor
};
Card find_card(int index);

inline qfuse_exec exec_on(int device, void* stream) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, device};
  exec.stream = stream;
  return exec;
}

// Copies in any direction after all work of every stream, and returns when the copy is done. cudaMemcpy alone does not
// wait for the soak's streams, nor in every direction for the end of its own copy.
inline void copy_now(void* to, const void* from, std::int64_t size, const char* what) {
  require(cudaDeviceSynchronize(), what);
  require(cudaMemcpy(to, from, static_cast<std::size_t>(size), cudaMemcpyDefault), what);
  require(cudaDeviceSynchronize(), what);
}

class OwnStream {
 public:
  OwnStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline constexpr std::int64_t kAlignment = 256;  // of every array before it is displaced
constexpr std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

struct NoRoom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Lifetime of an array.
enum class Life {
  layer,  // until forget()
  of_case
};

// Memory allocated once, because calls must not depend on cudaMalloc. Layers grow from the beginning, a case's arrays
// from the end.
class Arena {
 public:
  explicit Arena(std::int64_t size) : size_(size / kAlignment * kAlignment), end_(size_) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, static_cast<std::size_t>(size_)), "memory for the soak");
    memory_ = static_cast<std::uint8_t*>(memory);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { cudaFree(memory_); }

  // Throws NoRoom if there is not enough room.
  std::uint8_t* take(std::int64_t size, Life life) {
    const std::int64_t rounded = round_up(size, kAlignment) + kAlignment;
    if (rounded > room()) throw NoRoom("no room for " + std::to_string(size) + " bytes");
    if (life == Life::layer) return memory_ + (begin_ += rounded) - rounded;
    return memory_ + (end_ -= rounded);
  }
  [[nodiscard]] std::int64_t room() const { return end_ - begin_; }
  void end_case() { end_ = size_; }
  void forget() { begin_ = 0; }

 private:
  std::int64_t size_;
  std::int64_t begin_ = 0;
  std::int64_t end_;
  std::uint8_t* memory_ = nullptr;
};

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_GPU_H
