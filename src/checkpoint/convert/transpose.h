// Matrices transposed, joined and interleaved: what is stored in another order than it is written in.
#ifndef QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
#define QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H

#include <cstdint>

#include "checkpoint/convert/source.h"

namespace qfuse::checkpoint {

// `source` is matrices of so many rows and columns, one behind the other, of 2 or 4 bytes an element, and is read at
// any byte. The result is their transposes: the element (c, r) of each is the matrix's (r, c). Of each row only the
// part is read that is needed, so that memory is bounded by what the result asks for. A model may keep as [in, out]
// what bitsandbytes stores as [out, in]: GPT-2's Conv1D.
Source transposed(const Source& source, std::int64_t rows, std::int64_t columns);

// `source` is `parts` of one size, one behind the other, each of so many equal stretches. The result is the first
// stretch of each, then the second of each, and so on.
Source interleaved(const Source& source, std::int64_t parts, std::int64_t stretches);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_TRANSPOSE_H
