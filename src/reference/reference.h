// The oracle: a second, scalar implementation of every op, element by element, that follows the documentation in
// qfuse.h. It is slow on purpose. Every backend must give the same bytes. Parameters have passed contract::check.
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

// The same with another exp, the only step in which devices differ. Tests use one that accepts only bf16 values.
using Exponential = float (*)(float);
void swiglu_with(Exponential exponential, const contract::Swiglu& p);
void rotated_int8_swiglu_with(Exponential exponential, const contract::RotatedInt8Swiglu& p);

// 8-bit dynamic code of one scaled value, by bitsandbytes' own search: nearest value, ties to even index, NaN to 0.
std::uint8_t encode_8bit(float x);

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_REFERENCE_H
