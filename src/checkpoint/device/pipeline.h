// Pipeline for pieces of tensors on a device. The CPU makes one piece after another; a GPU has several in flight, each
// on its own stream, so that reading, host-to-device copies, ops, device-to-host copies and writing overlap.
//
//     Piece& piece = pipeline.next();
//     const auto codes = piece.input<std::uint8_t>(0, count, read);     // reads to host memory, starts the copy
//     op(codes, piece.output(1, out), piece.exec());
//     piece.fetch(1, out);                                              // starts the copy back
//     piece.when_done([...] { write(out); });                           // runs after that copy
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

// One piece at a time with the memory in which it is made: numbered arrays of host memory and, on a GPU, of device
// memory. An array grows to the largest size requested under its number, so use a number for one purpose.
class Piece {
 public:
  explicit Piece(Exec exec) : exec_(std::move(exec)) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  virtual ~Piece() = default;

  // The execution options for the ops of this piece.
  [[nodiscard]] const Exec& exec() const { return exec_; }
  // Options for ops that are too small to send to a GPU: run on the host.
  [[nodiscard]] Exec host_exec() const;

  // Host memory of an array, valid until the piece is reused for the next data.
  virtual std::span<std::byte> host(std::size_t array, std::size_t size) = 0;
  // Copies `filled`, a filled part of host(), to the device, and returns where the device can read it.
  virtual std::span<const std::byte> send(std::size_t array, std::span<const std::byte> filled) = 0;
  // Device memory of an array, valid until the piece is reused for the next data.
  virtual std::span<std::byte> on_device(std::size_t array, std::size_t size) = 0;
  // Returns where the device should write the bytes of `out`, which is a buffer of the Pipeline or host().
  virtual std::span<std::byte> output(std::size_t array, std::span<std::byte> out) = 0;
  // Copies output() to `out`; call it after the op.
  virtual void fetch(std::size_t array, std::span<std::byte> out) = 0;

  // Fills host() with `fill`, sends it, and returns it as elements of type T.
  template <class T, class Fill>
  std::span<const T> input(std::size_t array, std::int64_t count, const Fill& fill) {
    const std::span<std::byte> bytes = host(array, static_cast<std::size_t>(count) * sizeof(T));
    fill(bytes);
    return {reinterpret_cast<const T*>(send(array, bytes).data()), static_cast<std::size_t>(count)};
  }

  // Adds work to do when the piece is complete; such work runs in the order in which it was added.
  void when_done(std::function<void()> rest) { rest_.push_back(std::move(rest)); }
  // Waits until the piece is made, then runs that work. Throws any error of the piece.
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
  // Throws if the device does not exist or lacks memory. `exec` must have no stream, because pieces have their own.
  explicit Pipeline(const Exec& exec);

  // Returns the next piece, after completing its previous use.
  Piece& next();
  // Completes all pieces, oldest first.
  void finish();

  // Buffers for a WriteBehind: one per piece in flight, one being written, and one spare to even out the two rates.
  std::span<HostMemory> buffers() { return buffers_; }

 private:
  std::vector<HostMemory> buffers_;  // declared before pieces_: a GPU may copy to them until the pieces are destroyed
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t given_ = 0;  // calls of next() so far; the next piece, which is the oldest, is given_ % pieces_.size()
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DEVICE_PIPELINE_H
