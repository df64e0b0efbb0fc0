// What a pipeline over a GPU needs: its memory, pinned memory of the host, streams and copies. Each throws Failure.
#ifndef QFUSE_RUNTIME_MEMORY_H
#define QFUSE_RUNTIME_MEMORY_H

#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "format/outcome.h"

namespace qfuse::runtime {

class Failure : public std::runtime_error {
 public:
  explicit Failure(const format::Outcome& outcome) : std::runtime_error(outcome.message), status_(outcome.status) {}
  [[nodiscard]] qfuse_status status() const { return status_; }

 private:
  qfuse_status status_;
};

inline void require(const format::Outcome& outcome) {
  if (!outcome.ok()) throw Failure(outcome);
}

// Bytes of a GPU's memory, aligned to 256; not to be touched by the host.
class DeviceMemory {
 public:
  DeviceMemory(int device, std::size_t size);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  int device_;
  std::size_t size_;
  void* data_ = nullptr;
};

// Bytes of the host's memory that GPUs copy from and to while the host goes on. `device` is the GPU whose driver pins
// them, so that no other one is started.
class PinnedMemory {
 public:
  PinnedMemory(int device, std::size_t size);
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  int device_;
  std::size_t size_;
  void* data_ = nullptr;
};

// Work on a GPU in order, beside that of other streams.
class Stream {
 public:
  explicit Stream(int device);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();  // waits for nothing

  void copy(void* to, const void* from, std::size_t size);
  // Waits for all work so far; throws what failed in it.
  void synchronize();
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  int device_;
  void* handle_ = nullptr;
};

}  // namespace qfuse::runtime

#endif  // QFUSE_RUNTIME_MEMORY_H
