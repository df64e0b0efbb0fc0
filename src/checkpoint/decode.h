// The bytes of one tensor of the decoded model, decoded piece by piece as they are asked for.
#ifndef QFUSE_CHECKPOINT_DECODE_H
#define QFUSE_CHECKPOINT_DECODE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/pieces.h"

namespace qfuse::checkpoint {

// Throws unless weights can be decoded there; finds out by decoding one.
void require_decodable(Pieces& pieces);

class TensorReader {
 public:
  // A quantized `tensor` is decoded to `dtype`, any other is read as it is. `tensor` must outlive the reader.
  TensorReader(const Tensor& tensor, Dtype dtype);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  // of the decoded tensor
  // Reads begin at a multiple of this many bytes, so that they meet whole (nested) blocks: a power of two.
  [[nodiscard]] std::int64_t alignment() const { return alignment_; }
  // Fills `out`, which must not reach beyond bytes(), from byte `begin` on; it is filled when `slot` has been waited
  // for. On a CPU that is at once, and `out` may be any memory; on a GPU, a buffer of the slot's Pieces.
  void read(std::int64_t begin, std::span<std::byte> out, Slot& slot) const;

 private:
  void read_4bit(const Weight4bit& weight, std::int64_t begin, std::span<std::byte> out, Slot& slot) const;
  void read_int8(const WeightInt8& weight, std::int64_t begin, std::span<std::byte> out, Slot& slot) const;

  const Tensor& tensor_;
  Dtype dtype_;
  std::int64_t bytes_;
  std::int64_t alignment_ = 1;
};

// How many bytes to ask a reader for at a time: enough to keep every core busy, little enough to stay in memory
// whatever the tensor's size. At most 64 MiB (blocks of 4096, nested in blocks of 4096, as fp32).
std::int64_t chunk_bytes(std::int64_t alignment);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DECODE_H
