// The oracle: every op once more, scalar, element by element, in the words of its manual in qfuse.h. Slow on purpose:
// whatever a backend does must give these bytes. Parameters have passed format::check.
#ifndef QFUSE_REFERENCE_REFERENCE_H
#define QFUSE_REFERENCE_REFERENCE_H

#include <cstdint>

#include "format/params.h"

namespace qfuse::reference {

void dequantize_4bit(const format::Dequantize4bit& p);
void quantize_4bit(const format::Quantize4bit& p);
void quantize_blockwise(const format::QuantizeBlockwise& p);
void dequantize_blockwise(const format::DequantizeBlockwise& p);
void dequantize_int8(const format::DequantizeInt8& p);
void silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p);

// The same with another exp, the one step in which devices differ. It is asked for bf16 values alone.
using Exponential = float (*)(float);
void silu_dot_fwd_bwd_quant_fuse_with(Exponential exponential, const format::SiluDotFwdBwdQuantFuse& p);

// The 8-bit dynamic code of one scaled value by bitsandbytes' own search: the nearest, ties to the even index, NaN to
// 0.
std::uint8_t encode_8bit(float x);

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_REFERENCE_H
