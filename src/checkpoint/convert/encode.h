// Plain weights as readers of the tensors that bitsandbytes saves for them.
#ifndef QFUSE_CHECKPOINT_CONVERT_ENCODE_H
#define QFUSE_CHECKPOINT_CONVERT_ENCODE_H

#include <qfuse/qfuse.hpp>

#include <cstdint>

#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/tensor_reader.h"
#include "checkpoint/convert/transpose.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

// Throws unless weights can be encoded so; finds out by encoding one.
void require_encodable(QuantType quant_type, std::int64_t blocksize, Pipeline& pipeline);

// A weight as it is to be encoded.
struct PlainWeight {
  Dtype dtype = Dtype::bfloat16;
  std::int64_t bytes = 0;
  ReadBytes read;
};

// As it is stored, and, of a matrix, its transpose.
PlainWeight plain_weight(const StoredTensor& stored);
PlainWeight transposed_weight(const StoredTensor& stored);

// The tensors of encoded_parts() without quant_state, in that order. Their bytes do not depend on `piece_bytes`, about
// how many of the weight are in memory at a time; the least that can be is 4096 blocks. `scratch` holds absmax_bytes()
// from the making of the weight's absmax until all are read; it must outlive the readers.
OpenedTensor open_encoded(const PlainWeight& plain, const QuantState& state, ScratchFile& scratch,
                          std::int64_t piece_bytes = kPieceBytes);
std::int64_t absmax_bytes(const QuantState& state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ENCODE_H
