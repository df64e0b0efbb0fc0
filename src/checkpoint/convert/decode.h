// Decodes stored tensors.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// Throws unless the device can decode weights; finds out by decoding one.
void require_decodable(Pipeline& pipeline);

// Returns the values of `tensor`: decoded to `dtype` if it is quantized, else unchanged. Units of a bitsandbytes 4-bit
// weight are whole (nested) blocks, which may be larger than kPieceBytes: at most 64 MiB (fp32, blocks of 4096, nested
// blocks of 4096).
Source decoded(const Tensor& tensor, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_H
