#include "ops/registry.h"

#include <vector>

#include "backend/cpu/kernels.h"
#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/kernels.h"
#endif
#ifdef QFUSE_WITH_OPENCL
#include "backend/opencl/kernels.h"
#endif
#include "reference/reference.h"

namespace qfuse::ops {
namespace {

std::vector<Row>& rows() {
  using namespace contract;
  static std::vector<Row> all = {
      {QFUSE_REFERENCE,
       {oracle<Dequantize4bit, reference::dequantize_4bit>, oracle<Quantize4bit, reference::quantize_4bit>,
        oracle<QuantizeBlockwise, reference::quantize_blockwise>,
        oracle<DequantizeBlockwise, reference::dequantize_blockwise>,
        oracle<DequantizeInt8, reference::dequantize_int8>, oracle<Swiglu, reference::swiglu>,
        oracle<Matmul4bit, reference::matmul_4bit>, oracle<LoraMerge, reference::lora_merge>,
        launch_each<oracle<Matmul4bit, reference::matmul_4bit>>,
        oracle<Matmul4bitGrouped, reference::matmul_4bit_grouped>,
        oracle<RotatedInt8Quantize, reference::rotated_int8_quantize>,
        oracle<RotatedInt8WeightScales, reference::rotated_int8_weight_scales>,
        oracle<RotatedInt8Weight, reference::rotated_int8_weight>,
        oracle<RotatedInt8Matmul, reference::rotated_int8_matmul>, oracle<DequantizeFp8, reference::dequantize_fp8>,
        oracle<RotatedInt8Swiglu, reference::rotated_int8_swiglu>}},
      {QFUSE_CPU,
       {cpu::dequantize_4bit, cpu::quantize_4bit, cpu::quantize_blockwise, cpu::dequantize_blockwise,
        cpu::dequantize_int8, cpu::swiglu, cpu::matmul_4bit, cpu::lora_merge, launch_each<cpu::matmul_4bit>,
        cpu::matmul_4bit_grouped, cpu::rotated_int8_quantize, cpu::rotated_int8_weight_scales, cpu::rotated_int8_weight,
        cpu::rotated_int8_matmul, cpu::dequantize_fp8, cpu::rotated_int8_swiglu}},
#ifdef QFUSE_WITH_CUDA
      {QFUSE_CUDA,
       {cuda::ops::dequantize_4bit, cuda::ops::quantize_4bit, cuda::ops::quantize_blockwise,
        cuda::ops::dequantize_blockwise, cuda::ops::dequantize_int8, cuda::ops::swiglu, cuda::ops::matmul_4bit,
        cuda::ops::lora_merge, cuda::ops::matmul_4bit_many, cuda::ops::matmul_4bit_grouped,
        cuda::ops::rotated_int8_quantize, cuda::ops::rotated_int8_weight_scales, cuda::ops::rotated_int8_weight,
        cuda::ops::rotated_int8_matmul, cuda::ops::dequantize_fp8, cuda::ops::rotated_int8_swiglu}},
#endif
#ifdef QFUSE_WITH_OPENCL
      {QFUSE_OPENCL,
       {opencl::dequantize_4bit, nullptr, nullptr, opencl::dequantize_blockwise, opencl::dequantize_int8, nullptr,
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, opencl::dequantize_fp8, nullptr}},
#endif
  };
  return all;
}

}  // namespace

Backends<contract::AllOps> backends() { return rows(); }

void replace_backend(const Row& row) {
  std::erase_if(rows(), [&](const Row& other) { return other.type == row.type; });
  rows().push_back(row);
}

}  // namespace qfuse::ops
