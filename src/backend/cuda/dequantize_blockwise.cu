// in:     codes [n] u8, absmax [blocks] fp32, quant_map [256] fp32; any address
// out:    [n] fp32, fp16 or bf16; any address
// math:   out = round(ftz(quant_map[code] * absmax)), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_blockwise.cpp
#include "backend/cuda/kernels.h"

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

constexpr int kThreads = 256;
constexpr int kValues = 16;  // values per thread, decoded one at a time; neighboring threads access neighboring values

// ---- kernel ----

template <class Out>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ contract::DequantizeBlockwise p) {
  static_assert(kThreads == format::kCodes8);
  __shared__ float map[format::kCodes8];
  map[threadIdx.x] = load<false>(p.quant_map + threadIdx.x);
  __syncthreads();
  const int block_shift = __ffsll(static_cast<long long>(p.blocksize)) - 1;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads * kValues;
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const std::int64_t i = tile + v * kThreads + threadIdx.x;
    if (i >= p.n) return;
    const float absmax = load<false>(p.absmax + (i >> block_shift));
    store<false>(static_cast<Out*>(p.out) + i, Rounding<Out>::one(mul_ftz(map[p.codes[i]], absmax)));
  }
}

}  // namespace

contract::Outcome ops::dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = format::ceil_div(p.n, kThreads * kValues), .threads = kThreads};
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch(decode<float>, shape, p, exec);
    case QFUSE_FLOAT16: return launch(decode<Half>, shape, p, exec);
    case QFUSE_BFLOAT16: return launch(decode<Bfloat16>, shape, p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
