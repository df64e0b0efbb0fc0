// The OpenCL backend's ops, which only decode. Parameters are already checked, and arrays are in the device's shared
// virtual memory. Each op enqueues its kernel on exec's device and queue.
#ifndef QFUSE_BACKEND_OPENCL_KERNELS_H
#define QFUSE_BACKEND_OPENCL_KERNELS_H

#include "contract/ops.h"

namespace qfuse::opencl {

contract::Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec);
contract::Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec);
contract::Outcome dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_KERNELS_H
