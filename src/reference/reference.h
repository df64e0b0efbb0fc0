// The oracle: every op once more, scalar, element by element, in the words of its manual in qfuse.h. Slow on purpose:
// whatever a backend does must give these bytes. Parameters have passed contract::check.
#ifndef QFUSE_REFERENCE_REFERENCE_H
#define QFUSE_REFERENCE_REFERENCE_H

#include <cstdint>

#include "contract/ops.h"

namespace qfuse::reference {

void dequantize_4bit(const contract::Dequantize4bit& p);
void quantize_4bit(const contract::Quantize4bit& p);
void quantize_blockwise(const contract::QuantizeBlockwise& p);
void dequantize_blockwise(const contract::DequantizeBlockwise& p);
void dequantize_int8(const contract::DequantizeInt8& p);
void swiglu(const contract::Swiglu& p);
void matmul_4bit(const contract::Matmul4bit& p);
void matmul_4bit_grouped(const contract::Matmul4bitGrouped& p);
void lora_merge(const contract::LoraMerge& p);
void rotated_int8_quantize(const contract::RotatedInt8Quantize& p);
void rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p);
void rotated_int8_weight(const contract::RotatedInt8Weight& p);
void rotated_int8_matmul(const contract::RotatedInt8Matmul& p);
void dequantize_fp8(const contract::DequantizeFp8& p);
void rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p);

// The same with another exp, the one step in which devices differ. It is asked for bf16 values alone.
using Exponential = float (*)(float);
void swiglu_with(Exponential exponential, const contract::Swiglu& p);
void rotated_int8_swiglu_with(Exponential exponential, const contract::RotatedInt8Swiglu& p);

// The 8-bit dynamic code of one scaled value by bitsandbytes' own search: the nearest, ties to the even index; NaN is
// 0.
std::uint8_t encode_8bit(float x);

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_REFERENCE_H
