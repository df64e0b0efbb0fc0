// Writing to a file on a thread of its own, so that the caller makes the next bytes meanwhile.
#ifndef QFUSE_CHECKPOINT_WRITE_BEHIND_H
#define QFUSE_CHECKPOINT_WRITE_BEHIND_H

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "checkpoint/file.h"

namespace qfuse::checkpoint {

class WriteBehind {
 public:
  // `file` must outlive this, and is written to by nobody else meanwhile.
  explicit WriteBehind(OutputFile& file);
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  // Writes what was handed over; what fails then is nobody's to know. To know, call finish() first.
  ~WriteBehind();

  // `size` bytes to fill, once a buffer is free. Throws what writing an earlier one threw.
  std::span<std::byte> buffer(std::size_t size);
  // Hands over the buffer that was given last, to be written at byte `offset` of the file.
  void write(std::int64_t offset);
  // Returns when everything is written; throws what writing threw. The last call.
  void finish();

 private:
  // One is filled, one written, and one evens out their paces.
  static constexpr std::size_t kBuffers = 3;

  struct Buffer {
    std::vector<std::byte> memory;  // never shrinks, so that large pieces between small ones cost no clearing
    std::size_t size = 0;           // in use
    std::int64_t offset = 0;        // in the file
  };

  void run();
  void stop();

  OutputFile& file_;
  std::array<Buffer, kBuffers> buffers_;
  std::size_t filled_ = 0;   // buffers handed over so far; the next to fill is filled_ % kBuffers
  std::size_t written_ = 0;  // of those, written
  bool done_ = false;        // no more will come
  std::exception_ptr failure_;
  std::mutex mutex_;  // of the four above
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_WRITE_BEHIND_H
