// Weights as the tensors of a checkpoint that ships codes with scales of blocks.
#ifndef QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H
#define QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/convert/block_encoding.h"
#include "checkpoint/convert/planned.h"
#include "checkpoint/convert/round_trip.h"

namespace qfuse::checkpoint {

// The tensors of one weight, under their names. Sizes and types are the encoding's.
struct BlockTensors {
  BlockEncoding encoding;
  TensorEntry codes;
  std::optional<TensorEntry> scales;  // none: they are among those that are kept
  std::vector<StoredTensor> kept;     // copied
};

PlannedTensor planned_blocks(const std::string& name, const PlannedSource& source, const BlockTensors& tensors);

RoundTrip through_blocks(const BlockEncoding& encoding);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H
