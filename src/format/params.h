// One plain struct per op, shared by the oracle, the backends and the C interface. The structs themselves stand in
// qfuse.h, where their manual is; here stands what every layer below may rely on once check() has said OK, and the
// bytes that an op moves at least, from which every bandwidth figure is made.
#ifndef QFUSE_FORMAT_PARAMS_H
#define QFUSE_FORMAT_PARAMS_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "format/elements.h"
#include "format/outcome.h"

namespace qfuse::format {

using Dequantize4bit = qfuse_dequantize_4bit_params;
using Quantize4bit = qfuse_quantize_4bit_params;
using QuantizeBlockwise = qfuse_quantize_blockwise_params;
using DequantizeBlockwise = qfuse_dequantize_blockwise_params;
using DequantizeInt8 = qfuse_dequantize_int8_params;
using SiluDotFwdBwdQuantFuse = qfuse_silu_dot_fwd_bwd_quant_fuse_params;

// Ranges, presence and overlap of every field against the manual in qfuse.h.
Outcome check(const Dequantize4bit& p);
Outcome check(const Quantize4bit& p);
Outcome check(const QuantizeBlockwise& p);
Outcome check(const DequantizeBlockwise& p);
Outcome check(const DequantizeInt8& p);
Outcome check(const SiluDotFwdBwdQuantFuse& p);
Outcome check(const qfuse_exec& exec);

// Whether what was asked for can be had on exec's device at all; both have passed check().
inline Outcome check_device(const Dequantize4bit& /*p*/, const qfuse_exec& /*exec*/) { return {}; }
Outcome check_device(const Quantize4bit& p, const qfuse_exec& exec);
Outcome check_device(const QuantizeBlockwise& p, const qfuse_exec& exec);
inline Outcome check_device(const DequantizeBlockwise& /*p*/, const qfuse_exec& /*exec*/) { return {}; }
inline Outcome check_device(const DequantizeInt8& /*p*/, const qfuse_exec& /*exec*/) { return {}; }
inline Outcome check_device(const SiluDotFwdBwdQuantFuse& /*p*/, const qfuse_exec& /*exec*/) { return {}; }

// Each input read once and each output written once.
std::int64_t bytes(const Dequantize4bit& p);
std::int64_t bytes(const Quantize4bit& p);
std::int64_t bytes(const QuantizeBlockwise& p);
std::int64_t bytes(const DequantizeBlockwise& p);
std::int64_t bytes(const DequantizeInt8& p);
std::int64_t bytes(const SiluDotFwdBwdQuantFuse& p);

// Nothing to do: pointers may be null then, and no backend is asked.
inline bool is_empty(const Dequantize4bit& p) { return p.n == 0; }
inline bool is_empty(const Quantize4bit& p) { return p.n == 0; }
inline bool is_empty(const QuantizeBlockwise& p) { return p.n == 0; }
inline bool is_empty(const DequantizeBlockwise& p) { return p.n == 0; }
inline bool is_empty(const DequantizeInt8& p) { return p.rows == 0 || p.cols == 0; }
inline bool is_empty(const SiluDotFwdBwdQuantFuse& p) { return p.m == 0 || p.h == 0; }

inline bool is_nested(const Dequantize4bit& p) { return p.absmax_8bit != nullptr; }
inline bool is_nested(const Quantize4bit& p) { return p.absmax_8bit != nullptr; }

// Which outputs are asked for.
inline bool wants_gradients(const SiluDotFwdBwdQuantFuse& p) { return p.grad_input_q != nullptr; }
inline bool wants_y(const SiluDotFwdBwdQuantFuse& p) { return p.y_q_t != nullptr; }

// Elements from one row to the next.
inline std::int64_t x_stride(const SiluDotFwdBwdQuantFuse& p) { return p.x_stride != 0 ? p.x_stride : 2 * p.h; }
inline std::int64_t grad_y_stride(const SiluDotFwdBwdQuantFuse& p) {
  return p.grad_y_stride != 0 ? p.grad_y_stride : p.h;
}

// On the CPU; a GPU reads it where it runs.
inline float nested_offset(const Dequantize4bit& p) {
  return p.nested_offset_at != nullptr ? load_unaligned<float>(p.nested_offset_at, 0) : p.nested_offset;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_PARAMS_H
