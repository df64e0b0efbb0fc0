// The ops of the CPU backend. Parameters have been checked; exec chooses threads and SIMD target. UNSUPPORTED: this
// machine does not have that target.
#ifndef QFUSE_BACKEND_CPU_KERNELS_H
#define QFUSE_BACKEND_CPU_KERNELS_H

#include "contract/ops.h"

namespace qfuse::cpu {

contract::Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_4bit(const contract::Quantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_blockwise(const contract::QuantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec);
contract::Outcome swiglu(const contract::Swiglu& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& p, const qfuse_exec& exec);
contract::Outcome lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_quantize(const contract::RotatedInt8Quantize& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_weight(const contract::RotatedInt8Weight& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_matmul(const contract::RotatedInt8Matmul& p, const qfuse_exec& exec);
contract::Outcome dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p, const qfuse_exec& exec);

// The fastest way to compute a product. It is never decoding first, because the backend has no dense matrix library.
contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p);

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_KERNELS_H
