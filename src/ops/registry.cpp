#include "ops/registry.h"

#include <array>

#include "backend/cpu/dequantize_4bit.h"
#include "backend/cpu/dequantize_blockwise.h"
#include "backend/cpu/dequantize_int8.h"
#include "backend/cpu/quantize_4bit.h"
#include "backend/cpu/quantize_blockwise.h"
#include "backend/cpu/silu_dot_fwd_bwd_quant_fuse.h"
#include "backend/cpu/targets.h"
#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/dequantize_4bit.h"
#include "backend/cuda/dequantize_blockwise.h"
#include "backend/cuda/dequantize_int8.h"
#include "backend/cuda/quantize_4bit.h"
#include "backend/cuda/quantize_blockwise.h"
#include "backend/cuda/silu_dot_fwd_bwd_quant_fuse.h"
#endif
#include "ops/ops.h"

namespace qfuse::ops {
namespace {

constexpr std::array kBackends = {
    Backend{.type = QFUSE_CPU,
            .name = "cpu",
            .dequantize_4bit = cpu::dequantize_4bit,
            .quantize_4bit = cpu::quantize_4bit,
            .quantize_blockwise = cpu::quantize_blockwise,
            .dequantize_blockwise = cpu::dequantize_blockwise,
            .dequantize_int8 = cpu::dequantize_int8,
            .silu_dot_fwd_bwd_quant_fuse = cpu::silu_dot_fwd_bwd_quant_fuse},
#ifdef QFUSE_WITH_CUDA
    Backend{.type = QFUSE_CUDA,
            .name = "cuda",
            .dequantize_4bit = cuda::dequantize_4bit,
            .quantize_4bit = cuda::quantize_4bit,
            .quantize_blockwise = cuda::quantize_blockwise,
            .dequantize_blockwise = cuda::dequantize_blockwise,
            .dequantize_int8 = cuda::dequantize_int8,
            .silu_dot_fwd_bwd_quant_fuse = cuda::silu_dot_fwd_bwd_quant_fuse},
#endif
};

}  // namespace

const Backend* find_backend(qfuse_device_type type) {
  for (const Backend& backend : kBackends)
    if (backend.type == type) return &backend;
  return nullptr;
}

const char* cpu_target_name(int index) { return cpu::target_name(index); }

}  // namespace qfuse::ops
