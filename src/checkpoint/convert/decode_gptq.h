// Decodes GPTQ and AWQ weights, always on the host: the disk is slower than the CPU.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/gptq.h"

namespace qfuse::checkpoint {

// Computes (code - zero point) * scale, which is exact in fp32, and rounds it once to `dtype`. The output is row by
// row, while the file stores the codes of a row in columns. Reads may begin and end at any element. Uses 32 MiB of
// memory, or the size of eight rows. For the reference device other code decodes each element by itself.
Source decoded_gptq(const StoredWeightGptq& weight, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
