// in:     in [rows, cols] i8, scb [rows] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out = round((in * scb) * 1/127), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_int8.cpp
#include "backend/cuda/kernels.h"

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// A thread decodes one element at a time. This is fast enough: whole files are decoded, and reading them is slower.
constexpr int kThreads = 256;
constexpr int kElements = 8;

// ---- kernel ----

template <class Out>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ contract::DequantizeInt8 p) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads * kElements;
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    const std::int64_t i = tile + e * kThreads + threadIdx.x;
    if (i >= p.rows * p.cols) return;
    const float scaled = __fmul_rn(static_cast<float>(p.in[i]), load<false>(p.scb + i / p.cols));
    store<false>(static_cast<Out*>(p.out) + i, Rounding<Out>::one(__fmul_rn(scaled, format::kInt8Scale)));
  }
}

}  // namespace

contract::Outcome ops::dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = format::ceil_div(p.rows * p.cols, kThreads * kElements), .threads = kThreads};
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch(decode<float>, shape, p, exec);
    case QFUSE_FLOAT16: return launch(decode<Half>, shape, p, exec);
    case QFUSE_BFLOAT16: return launch(decode<Bfloat16>, shape, p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
