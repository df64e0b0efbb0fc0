// Stored tensors, decoded.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// Throws unless weights can be decoded there; finds out by decoding one.
void require_decodable(Pipeline& pipeline);

// The values of `tensor`: decoded to `dtype` if it is quantized, else as they are. Units of a 4-bit one are whole
// (nested) blocks, which may be larger than kPieceBytes: 64 MiB at most (blocks of 4096, nested in blocks of 4096, as
// fp32).
Source decoded(const Tensor& tensor, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_H
