// in:     codes [n] u8, absmax [blocks] fp32, quant_map [256] fp32; any address
// out:    [n] fp32, fp16 or bf16; any address
// math:   out = round(ftz(quant_map[code] * absmax)), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_blockwise.cpp
#include "backend/cuda/dequantize_blockwise.h"

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

constexpr int kThreads = 256;
constexpr int kValues = 16;  // that a thread decodes, one at a time: its neighbours' lie beside them

// ---- kernel ----

struct Arguments {
  std::int64_t n;
  int block_shift;  // log2 of values a block
  const std::uint8_t* codes;
  const float* absmax;
  const float* quant_map;
  void* out;
};

template <class Out>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ Arguments a) {
  static_assert(kThreads == format::kCodes8);
  __shared__ float map[format::kCodes8];
  map[threadIdx.x] = load<false>(a.quant_map + threadIdx.x);
  __syncthreads();
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads * kValues;
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const std::int64_t i = tile + v * kThreads + threadIdx.x;
    if (i >= a.n) return;
    const float absmax = load<false>(a.absmax + (i >> a.block_shift));
    store<false>(static_cast<Out*>(a.out) + i, Rounding<Out>::one(mul_ftz(map[a.codes[i]], absmax)));
  }
}

}  // namespace

format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec) {
  const Arguments a{.n = p.n,
                    .block_shift = log2(p.blocksize),
                    .codes = p.codes,
                    .absmax = p.absmax,
                    .quant_map = p.quant_map,
                    .out = p.out};
  const std::int64_t blocks = format::ceil_div(a.n, kThreads * kValues);
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch(decode<float>, blocks, kThreads, a, exec);
    case QFUSE_FLOAT16: return launch(decode<__half>, blocks, kThreads, a, exec);
    case QFUSE_BFLOAT16: return launch(decode<__nv_bfloat16>, blocks, kThreads, a, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
