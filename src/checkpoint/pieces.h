// Pieces of tensors on their way through a device. The CPU makes one and then the next; a GPU has several under way,
// each on a stream of its own, so that reading, copying there, its work, copying back and writing go on at once.
//
//     Slot& slot = pieces.next();
//     const auto codes = slot.input<std::uint8_t>(0, count, read);      // read into the host's memory, on its way
//     op(codes, slot.output(1, out), slot.exec());
//     slot.fetch(1, out);                                               // on its way back
//     pieces.then([...] { write(out); });                               // once it is there
#ifndef QFUSE_CHECKPOINT_PIECES_H
#define QFUSE_CHECKPOINT_PIECES_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint/host_memory.h"

namespace qfuse::checkpoint {

// Where one piece is made: memory of the host and, for a GPU, as much of its own. Arrays have numbers.
class Slot {
 public:
  static constexpr std::size_t kArrays = 5;  // that an op has at most

  explicit Slot(Exec exec) : exec_(std::move(exec)) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  virtual ~Slot() = default;

  // What the ops of this piece are to run with.
  [[nodiscard]] const Exec& exec() const { return exec_; }

  // Memory of the host for an array, until the slot is given for another piece.
  virtual std::span<std::byte> host(std::size_t array, std::size_t size) = 0;
  // Where the device finds the bytes of host(), which are filled.
  virtual std::span<const std::byte> send(std::size_t array, std::span<const std::byte> filled) = 0;
  // Where the device is to make the bytes of `out`, which is a buffer of Pieces or host().
  virtual std::span<std::byte> output(std::size_t array, std::span<std::byte> out) = 0;
  // Brings them to `out`; to be called behind the op.
  virtual void fetch(std::size_t array, std::span<std::byte> out) = 0;
  // Returns when the piece is made; throws what failed in that.
  virtual void wait() = 0;

  // host(), filled by `fill`, sent.
  template <typename T, typename Fill>
  std::span<const T> input(std::size_t array, std::int64_t count, const Fill& fill) {
    const std::span<std::byte> bytes = host(array, static_cast<std::size_t>(count) * sizeof(T));
    fill(bytes);
    return {reinterpret_cast<const T*>(send(array, bytes).data()), static_cast<std::size_t>(count)};
  }

 protected:
  void run_on(void* stream) { exec_.stream = stream; }

 private:
  Exec exec_;
};

class Pieces {
 public:
  // Throws, if there is no such device here, or it lacks memory. `exec` has no stream: slots have their own.
  explicit Pieces(const Exec& exec);

  // Where the next piece is to be made, once what was made there before is done with.
  Slot& next();
  // What is left to do when the piece of next() is made: by a later next(), or by finish(), in the order of the pieces.
  void then(std::function<void()> rest);
  // Does all that is left to do.
  void finish();

  // For what is too little to send to a GPU: the same, or the CPU.
  [[nodiscard]] const Exec& host_exec() const { return host_exec_; }

  // For a WriteBehind: one for each piece under way, one that is being written, and one that evens out their paces.
  std::span<HostMemory> buffers() { return buffers_; }

 private:
  struct UnderWay {
    std::unique_ptr<Slot> slot;
    std::function<void()> rest;
  };

  static void complete(UnderWay& piece);

  Exec host_exec_;
  std::vector<HostMemory> buffers_;  // before the slots: a GPU may be copying to them until those are gone
  std::vector<UnderWay> ring_;
  std::size_t given_ = 0;  // slots given so far; the next is given_ % the ring's size
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_PIECES_H
