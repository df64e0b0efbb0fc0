// The bytes of one tensor of the decoded model, decoded piece by piece as they are asked for.
#ifndef QFUSE_CHECKPOINT_DECODE_H
#define QFUSE_CHECKPOINT_DECODE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checkpoint/bitsandbytes.h"

namespace qfuse::checkpoint {

// Throws unsupported or invalid_argument unless weights can be decoded there; finds out by decoding one.
void require_decodable(const Exec& exec);

class TensorReader {
 public:
  // A quantized `tensor` is decoded to `dtype`, any other is read as it is. `tensor` must outlive the reader, and
  // `exec` be one that weights can be decoded on.
  TensorReader(const Tensor& tensor, Dtype dtype, Exec exec);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  // of the decoded tensor
  // Reads begin at a multiple of this many bytes, so that they meet whole (nested) blocks: a power of two.
  [[nodiscard]] std::int64_t alignment() const { return alignment_; }
  // Fills `out`, which must not reach beyond bytes(), from byte `begin` on.
  void read(std::int64_t begin, std::span<std::byte> out);

 private:
  void read_4bit(const Weight4bit& weight, std::int64_t begin, std::span<std::byte> out);
  void read_int8(const WeightInt8& weight, std::int64_t begin, std::span<std::byte> out);

  const Tensor& tensor_;
  Dtype dtype_;
  Exec exec_;
  std::int64_t bytes_;
  std::int64_t alignment_ = 1;
  // What a read needs beside its output; kept, so that reads of one size allocate once.
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint8_t> absmax_8bit_;
  std::vector<float> scales_;  // absmax, nested_absmax or SCB
  std::vector<float> nested_quant_map_;
};

// How many bytes to ask a reader for at a time: enough to keep every core busy, little enough to stay in memory
// whatever the tensor's size. At most 64 MiB (blocks of 4096, nested in blocks of 4096, as fp32).
std::int64_t chunk_bytes(std::int64_t alignment);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DECODE_H
