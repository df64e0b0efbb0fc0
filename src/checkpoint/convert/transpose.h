// Transposes, joins and interleaves matrices whose stored order is not the order to write.
#ifndef QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
#define QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H

#include <cstdint>

#include "checkpoint/convert/source.h"

namespace qfuse::checkpoint {

// Transposes each of the rows x columns matrices that `source` holds one after another. Elements have 2 or 4 bytes, and
// `source` can be read at any byte. Each read takes only the needed part of each row, so memory is bounded by the size
// of the request. Needed for GPT-2's Conv1D, which the model stores as [in, out] and bitsandbytes as [out, in].
Source transposed(const Source& source, std::int64_t rows, std::int64_t columns);

// `source` holds `parts` parts of one size, each of `stretches` equal stretches. The result is the first stretch of
// each part, then the second of each, and so on.
Source interleaved(const Source& source, std::int64_t parts, std::int64_t stretches);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
