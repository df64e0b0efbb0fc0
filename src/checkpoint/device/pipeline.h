// Pieces of tensors on their way through a device. The CPU makes one and then the next; a GPU has several under way,
// each on a stream of its own, so that reading, copying there, its work, copying back and writing go on at once.
//
//     Piece& piece = pipeline.next();
//     const auto codes = piece.input<std::uint8_t>(0, count, read);     // read into the host's memory, on its way
//     op(codes, piece.output(1, out), piece.exec());
//     piece.fetch(1, out);                                              // on its way back
//     piece.when_done([...] { write(out); });                           // once it is there
#ifndef QFUSE_CHECKPOINT_DEVICE_PIPELINE_H
#define QFUSE_CHECKPOINT_DEVICE_PIPELINE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint/device/host_memory.h"

namespace qfuse::checkpoint {

// One piece at a time, and what it is made in: memory of the host and, for a GPU, as much of its own, in arrays that
// have numbers. They grow to the largest that was asked for under their number, so a number is best used for one kind.
class Piece {
 public:
  explicit Piece(Exec exec) : exec_(std::move(exec)) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  virtual ~Piece() = default;

  // What the ops of this piece are to run with.
  [[nodiscard]] const Exec& exec() const { return exec_; }
  // The same for what is too little to send to a GPU: the host's.
  [[nodiscard]] Exec host_exec() const;

  // Memory of the host for an array, until this is given for another piece.
  virtual std::span<std::byte> host(std::size_t array, std::size_t size) = 0;
  // Where the device finds the bytes of host(), which are filled.
  virtual std::span<const std::byte> send(std::size_t array, std::span<const std::byte> filled) = 0;
  // Memory of the device for an array, until this is given for another piece.
  virtual std::span<std::byte> on_device(std::size_t array, std::size_t size) = 0;
  // Where the device is to make the bytes of `out`, which is a buffer of the Pipeline or host().
  virtual std::span<std::byte> output(std::size_t array, std::span<std::byte> out) = 0;
  // Brings them to `out`; to be called behind the op.
  virtual void fetch(std::size_t array, std::span<std::byte> out) = 0;

  // host(), filled by `fill`, sent.
  template <class T, class Fill>
  std::span<const T> input(std::size_t array, std::int64_t count, const Fill& fill) {
    const std::span<std::byte> bytes = host(array, static_cast<std::size_t>(count) * sizeof(T));
    fill(bytes);
    return {reinterpret_cast<const T*>(send(array, bytes).data()), static_cast<std::size_t>(count)};
  }

  // What is left to do when the piece is made, in the order in which it is said here.
  void when_done(std::function<void()> rest) { rest_.push_back(std::move(rest)); }
  // Waits until the piece is made and does that; throws what failed in it.
  void complete();

 protected:
  void run_on(void* stream) { exec_.stream = stream; }

 private:
  virtual void wait() = 0;

  Exec exec_;
  std::vector<std::function<void()>> rest_;
};

class Pipeline {
 public:
  // Throws, if there is no such device here, or it lacks memory. `exec` has no stream: pieces have their own.
  explicit Pipeline(const Exec& exec);

  // The next piece, once what was made in its place before is complete.
  Piece& next();
  // Completes all pieces, in the order in which they began.
  void finish();

  // For a WriteBehind: one for each piece under way, one that is being written, and one that evens out their paces.
  std::span<HostMemory> buffers() { return buffers_; }

 private:
  std::vector<HostMemory> buffers_;  // before the pieces: a GPU may be copying to them until those are gone
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t given_ = 0;  // so far; the next, and the oldest, is given_ % how many there are
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DEVICE_PIPELINE_H
