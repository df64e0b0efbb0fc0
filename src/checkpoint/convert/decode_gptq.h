// Decodes GPTQ and AWQ weights, always on the host: the disk is slower than the CPU.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H

#include <qfuse/qfuse.hpp>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/gptq.h"

namespace qfuse::checkpoint {

// Computes (code - zero point) * scale, which is exact in fp32, and rounds it once to `dtype`. The output is row-major;
// in the file, the codes of a row are in a column. Reads may begin and end at any element. Uses 32 MiB of memory, or
// the size of eight rows. For the reference device other code decodes each element by itself.
Source decoded_gptq(const StoredWeightGptq& weight, Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_GPTQ_H
