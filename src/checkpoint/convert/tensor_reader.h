// The bytes of an output's tensors, made as they are asked for.
#ifndef QFUSE_CHECKPOINT_CONVERT_TENSOR_READER_H
#define QFUSE_CHECKPOINT_CONVERT_TENSOR_READER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/device/pipeline.h"

namespace qfuse::checkpoint {

struct TensorReader {
  // How many bytes to ask for at a time: enough to keep every core busy, little enough to stay in memory whatever the
  // tensor's size. Reads begin at multiples of this, and each but the last asks for so many.
  std::int64_t piece_bytes = 0;

  // Fills `out`, which must not reach beyond the tensor, with its bytes from `begin` on: what `out` holds is right when
  // `piece` is complete. On a CPU that is at once, and `out` may be any memory; on a GPU, a buffer of the piece's
  // Pipeline. Gives back by how many bytes this brings the conversion forward.
  std::function<std::int64_t(std::int64_t begin, std::span<std::byte> out, Piece& piece)> read;
};

// The readers of tensors that are made together.
struct OpenedTensor {
  // They are read in this order, each wholly, and its pieces are complete before the next one is begun: a reader may
  // rest on what the one before it made.
  std::vector<TensorReader> readers;
  // The bytes of a further tensor, which are known only when those were read; may be empty.
  std::function<std::string()> text = {};
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_TENSOR_READER_H
