// Writing to a file on a thread of its own, so that the caller makes the next bytes meanwhile.
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
  // `file` and `buffers` must outlive this, and nobody else writes to them meanwhile. Of the buffers, which are at
  // least two, one is written while the others are filled.
  WriteBehind(OutputFile& file, std::span<HostMemory> buffers);
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  // Writes what was handed over; what fails then is nobody's to know. To know, call finish() first.
  ~WriteBehind();

  // `size` bytes to fill, once a buffer is free. Throws what writing an earlier one threw. Several may be given before
  // the first of them is handed over, but not all.
  std::span<std::byte> buffer(std::size_t size);
  // Hands over the first buffer that was given and not yet handed over, to be written at byte `offset` of the file.
  void write(std::int64_t offset);
  // Returns when everything is written; throws what writing threw. The last call.
  void finish();

 private:
  struct Buffer {
    HostMemory* memory = nullptr;
    std::span<std::byte> bytes;  // in use
    std::int64_t offset = 0;     // in the file
  };

  void run();
  void stop();

  Buffer& at(std::size_t number) { return buffers_[number % buffers_.size()]; }

  OutputFile& file_;
  std::vector<Buffer> buffers_;
  std::size_t given_ = 0;    // buffers given so far; the next is at(given_)
  std::size_t filled_ = 0;   // of those, handed over
  std::size_t written_ = 0;  // of those, written
  bool done_ = false;        // no more will come
  std::exception_ptr failure_;
  std::mutex mutex_;  // of the four above, from filled_ on
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_WRITE_BEHIND_H
