// in:     in [rows, cols] i8, scb [rows] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out = round((in * scb) * 1/127), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_int8.cpp
#include "backend/cuda/dequantize_int8.h"

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// One element a thread at a time: for whole files, which are read more slowly than this decodes.
constexpr int kThreads = 256;
constexpr int kElements = 8;

// ---- kernel ----

struct Arguments {
  std::int64_t n;
  std::int64_t cols;
  const std::int8_t* in;
  const float* scb;
  void* out;
};

template <class Out>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ Arguments a) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads * kElements;
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    const std::int64_t i = tile + e * kThreads + threadIdx.x;
    if (i >= a.n) return;
    const float scaled = __fmul_rn(static_cast<float>(a.in[i]), load<false>(a.scb + i / a.cols));
    store<false>(static_cast<Out*>(a.out) + i, Rounding<Out>::one(__fmul_rn(scaled, format::kInt8Scale)));
  }
}

}  // namespace

format::Outcome dequantize_int8(const format::DequantizeInt8& p, const qfuse_exec& exec) {
  const Arguments a{.n = p.rows * p.cols, .cols = p.cols, .in = p.in, .scb = p.scb, .out = p.out};
  const std::int64_t blocks = format::ceil_div(a.n, kThreads * kElements);
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch(decode<float>, blocks, kThreads, a, exec);
    case QFUSE_FLOAT16: return launch(decode<__half>, blocks, kThreads, a, exec);
    case QFUSE_BFLOAT16: return launch(decode<__nv_bfloat16>, blocks, kThreads, a, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
