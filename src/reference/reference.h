// The oracle: every op once more, scalar, element by element, in the words of its manual in qfuse.h. Slow on purpose:
// whatever a backend does must give these bytes. Parameters have passed format::check.
#ifndef QFUSE_REFERENCE_REFERENCE_H
#define QFUSE_REFERENCE_REFERENCE_H

#include "format/params.h"

namespace qfuse::reference {

void dequantize_4bit(const format::Dequantize4bit& p);
void quantize_4bit(const format::Quantize4bit& p);
void dequantize_int8(const format::DequantizeInt8& p);

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_REFERENCE_H
