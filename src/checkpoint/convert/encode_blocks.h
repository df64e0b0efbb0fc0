// Encodes weights as the tensors of a checkpoint that ships codes with block scales.
#ifndef QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H
#define QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/convert/block_encoding.h"
#include "checkpoint/convert/planned.h"
#include "checkpoint/convert/round_trip.h"

namespace qfuse::checkpoint {

// The tensors of one weight, with their names. `encoding` determines their sizes and types.
struct BlockTensors {
  BlockEncoding encoding;
  TensorEntry codes;
  std::optional<TensorEntry> scales;  // none if they are among `kept`
  std::vector<StoredTensor> kept;     // copied unchanged
};

PlannedTensor planned_blocks(const std::string& name, const PlannedSource& source, const BlockTensors& tensors);

RoundTrip through_blocks(const BlockEncoding& encoding);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ENCODE_BLOCKS_H
