// Decodes 4-bit weights that have one scale per block along each row.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {

// Returns `source` with a `read` that decodes any range of elements. A transposed weight is decoded on the host in
// strips of rows, so memory does not grow with the weight. On the reference device the oracle decodes.
Source decoded_scaled_4bit(const StoredWeightScaled4bit& weight, Dtype dtype, Source source);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H
