// Writes to a file on a separate thread, while the caller makes the next bytes.
#ifndef QFUSE_CHECKPOINT_OUTPUT_WRITE_BEHIND_H
#define QFUSE_CHECKPOINT_OUTPUT_WRITE_BEHIND_H

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "checkpoint/device/host_memory.h"
#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

class WriteBehind {
 public:
  // `file` and `buffers` must outlive this, and nobody else may write to them meanwhile. There must be at least two
  // buffers: one is written while the others are filled.
  WriteBehind(OutputFile& file, std::span<HostMemory> buffers);
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  // Writes all buffers that were handed over and ignores errors; call finish() first to get them.
  ~WriteBehind();

  // Returns `size` bytes to fill, as soon as a buffer is free. Throws errors of earlier writes. Several buffers, but
  // not all, may be requested before the first of them is handed over.
  std::span<std::byte> buffer(std::size_t size);
  // Hands over the oldest requested buffer that was not handed over yet, to be written at byte `offset` of the file.
  void write(std::int64_t offset);
  // Waits until everything is written; throws errors of writing. The last call.
  void finish();

 private:
  struct Buffer {
    HostMemory* memory = nullptr;
    std::span<std::byte> bytes;  // the part in use
    std::int64_t offset = 0;     // in the file
  };

  void run();
  void stop();

  Buffer& at(std::size_t number) { return buffers_[number % buffers_.size()]; }

  OutputFile& file_;
  std::vector<Buffer> buffers_;
  std::size_t given_ = 0;    // buffers requested so far; the next is at(given_)
  std::size_t filled_ = 0;   // of those, handed over
  std::size_t written_ = 0;  // of those, written
  bool done_ = false;        // no more will come
  std::exception_ptr failure_;
  std::mutex mutex_;  // guards filled_, written_, done_ and failure_
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_WRITE_BEHIND_H
