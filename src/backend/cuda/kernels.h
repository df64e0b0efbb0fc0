// Ops of the CUDA backend. Parameters are already checked, and arrays are in memory that the device can reach. Each op
// enqueues its kernels on exec's device and stream, and allocates nothing. If an op has a folder, its plans, arguments
// and device code are in a namespace of that name.
#ifndef QFUSE_BACKEND_CUDA_KERNELS_H
#define QFUSE_BACKEND_CUDA_KERNELS_H

#include "contract/ops.h"

namespace qfuse::cuda {

namespace ops {

contract::Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_4bit(const contract::Quantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_blockwise(const contract::QuantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec);
contract::Outcome swiglu(const contract::Swiglu& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec);
contract::Outcome lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit_many(const contract::Matmul4bitMany& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_quantize(const contract::RotatedInt8Quantize& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_weight(const contract::RotatedInt8Weight& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_matmul(const contract::RotatedInt8Matmul& p, const qfuse_exec& exec);
contract::Outcome dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec);
contract::Outcome rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p, const qfuse_exec& exec);

}  // namespace ops

// Returns advice for the weight's shape and blocks and the dtype of p, on the GPU with this index. Exists in every
// build: a GPU that is not available counts as unknown.
contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, int index);

// Encodes the absmax in the workspace of a call of quantize_4bit with a nested weight.
contract::Outcome nest_absmax(const contract::Quantize4bit& p, const qfuse_exec& exec);

// The nested step of quantize_4bit: reads the offset from offset_at on the device, and also writes the offset and the
// map of the code, each if its pointer is not null.
contract::Outcome quantize_absmax(const contract::QuantizeBlockwise& p, const float* offset_at, float* offset_out,
                                  float* map_out, const qfuse_exec& exec);

// A kernel with matrix instructions, on NVIDIA GPUs. Its attributes tell the compute capability of the code that the
// driver selected from the library.
const void* matrix_kernel();

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_KERNELS_H
