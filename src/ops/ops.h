// The hall: every op checks its parameters once, chooses the backend by the device asked for, and launches.
#ifndef QFUSE_OPS_OPS_H
#define QFUSE_OPS_OPS_H

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::ops {

format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec);
format::Outcome quantize_4bit(const format::Quantize4bit& p, const qfuse_exec& exec);
format::Outcome quantize_blockwise(const format::QuantizeBlockwise& p, const qfuse_exec& exec);
format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec);
format::Outcome dequantize_int8(const format::DequantizeInt8& p, const qfuse_exec& exec);
format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec);

// Name of the CPU backend's index-th SIMD target, best first; null past the last.
const char* cpu_target_name(int index);

}  // namespace qfuse::ops

#endif  // QFUSE_OPS_OPS_H
