// Plain weights to the tensors that bitsandbytes saves for them, encoded piece by piece.
#ifndef QFUSE_CHECKPOINT_ENCODE_H
#define QFUSE_CHECKPOINT_ENCODE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/file.h"
#include "checkpoint/model.h"
#include "checkpoint/pieces.h"
#include "checkpoint/quant_state.h"

namespace qfuse::checkpoint {

// Throws unless weights can be encoded so; finds out by encoding one.
void require_encodable(QuantType quant_type, std::int64_t blocksize, Pieces& pieces);

// As bitsandbytes prints it: Python's json.dumps, to the byte.
std::string print_quant_state(const QuantState& state);

// The tensors that stand for one encoded weight, as bitsandbytes names and shapes them; without byte ranges.
// The length of the quant_state depends on the offset: here it is the longest that any offset gives.
struct EncodedParts {
  std::vector<TensorEntry> arrays;
  TensorEntry quant_state;
};
EncodedParts encoded_parts(const std::string& name, const QuantState& state);

// Where encoded tensors go: buffers are asked for, filled and handed over, in the same order.
class TensorSink {
 public:
  TensorSink() = default;
  TensorSink(const TensorSink&) = delete;
  TensorSink& operator=(const TensorSink&) = delete;
  virtual ~TensorSink() = default;

  virtual std::span<std::byte> buffer(std::size_t size) = 0;
  // Takes the first buffer that was given and not yet taken for bytes of a tensor of the output, from byte `offset` of
  // it on.
  virtual void write(const std::string& tensor, std::int64_t offset) = 0;

  // The same for bytes that are elsewhere, when every buffer was taken.
  void write_copy(const std::string& tensor, std::int64_t offset, std::span<const std::byte> bytes);
};

// Is told after each piece how many bytes of the weight were read.
using Advance = std::function<void(std::int64_t bytes)>;

class WeightEncoder {
 public:
  // About how many bytes of a weight are in memory at a time; the least that can be is 4096 blocks.
  static constexpr std::int64_t kPieceBytes = 16 << 20;

  // `scratch` holds a weight's absmax from their making until all are made. Both must outlive this; the buffers of a
  // sink are those of `pieces`.
  WeightEncoder(ScratchFile& scratch, Pieces& pieces, std::int64_t piece_bytes = kPieceBytes);

  // Encodes `weight`, of a dtype, as `state` asks. Every byte of the arrays of encoded_parts() is given to `sink`
  // once; they do not depend on the size of the pieces. Returns `state` with its nested offset.
  QuantState encode(const StoredTensor& weight, QuantState state, TensorSink& sink, const Advance& advance);

 private:
  void copy_absmax(const std::string& weight, std::int64_t blocks, TensorSink& sink);
  void encode_absmax(const std::string& weight, std::int64_t blocks, const NestedState& nested, TensorSink& sink);
  [[nodiscard]] std::int64_t absmax_piece(std::int64_t unit) const;

  ScratchFile& scratch_;
  Pieces& pieces_;
  std::int64_t piece_bytes_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_ENCODE_H
