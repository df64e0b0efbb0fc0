// 4-bit weights with scales of blocks along rows, decoded.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {

// `source` with what makes the weight's values, from any element to any other. One that is transposed is made on the
// host, by strips of columns, in memory that does not grow with the weight. For the reference device the oracle reads.
Source decoded_scaled_4bit(const StoredWeightScaled4bit& weight, Dtype dtype, Source source);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_SCALED_4BIT_H
