// Weights of GPTQ and AWQ, decoded on the host whatever the device: a disk is slower.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/gptq.h"

namespace qfuse::checkpoint {

// (code - zero point) * scale, which fp32 holds exactly, rounded once to `dtype`; row after row, whose codes lie in
// columns of the file. Reads may begin and end at any element. Holds 32 MiB, or eight rows. For the reference device
// each element is decoded by itself, by other code.
Source decoded_gptq(const StoredWeightGptq& weight, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
