// in:     in [rows, cols] fp32, fp16 or bf16; a [rank, cols] fp32, b [rows, rank] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//         fp32
// cost:   4 to 8 bytes read and written per element, and `rank` FMAs, the bottleneck from a rank of about 16 on
// oracle: reference/lora_merge.cpp
#include "backend/cuda/kernels.h"

#include "backend/cuda/align.h"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// A block has a tile of 16 rows by 512 columns; a thread has two of the columns and keeps their 32 sums in registers.
// These numbers were not chosen by measurement.
constexpr int kThreads = 256;
constexpr int kRows = 16;
constexpr int kColumns = 2;  // per thread; kThreads apart, so that accesses coalesce
constexpr int kTileCols = kThreads * kColumns;
constexpr int kTerms = 32;  // columns of b that a block holds at a time

// Values of b in shared memory. A thread reads four rows at once.
struct alignas(16) Factors {
  float values[kTerms][kRows];
};

// ---- steps ----

// One kernel serves all dtypes, because conversions cost little next to the sums.
__device__ inline float load_as_float(const void* array, std::int64_t i, qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return widen(load<false>(static_cast<const float*>(array) + i));
    case QFUSE_FLOAT16: return widen(load<false>(static_cast<const Half*>(array) + i));
    case QFUSE_BFLOAT16: return widen(load<false>(static_cast<const Bfloat16*>(array) + i));
  }
  return 0.0F;
}

__device__ inline void store_rounded(void* array, std::int64_t i, qfuse_dtype dtype, float x) {
  switch (dtype) {
    case QFUSE_FLOAT32: store<false>(static_cast<float*>(array) + i, Rounding<float>::one(x)); break;
    case QFUSE_FLOAT16: store<false>(static_cast<Half*>(array) + i, Rounding<Half>::one(x)); break;
    case QFUSE_BFLOAT16: store<false>(static_cast<Bfloat16*>(array) + i, Rounding<Bfloat16>::one(x)); break;
  }
}

// Called by all of a block. Loads `terms` columns of b for the tile's rows; rows that do not exist are zeros.
__device__ inline void load_factors(const contract::LoraMerge& p, std::int64_t row, std::int64_t first_term, int terms,
                                    Factors& factors) {
  for (int i = static_cast<int>(threadIdx.x); i < kRows * terms; i += kThreads) {
    const int r = i / terms;
    const int k = i % terms;
    factors.values[k][r] = row + r < p.rows ? load<false>(p.b + (row + r) * p.rank + first_term + k) : 0.0F;
  }
}

// ---- kernel ----

// kAligned: all elements of `a` are aligned.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads) merge(const __grid_constant__ contract::LoraMerge p) {
  __shared__ Factors factors;
  const std::int64_t tiles = (p.cols + kTileCols - 1) / kTileCols;
  const std::int64_t first_row = blockIdx.x / tiles * kRows;
  const std::int64_t first_col = blockIdx.x % tiles * kTileCols + threadIdx.x;  // the thread's first
  float sums[kRows][kColumns] = {};
  for (std::int64_t first = 0; first < p.rank; first += kTerms) {
    const int terms = p.rank - first < kTerms ? static_cast<int>(p.rank - first) : kTerms;
    __syncthreads();
    load_factors(p, first_row, first, terms, factors);
    __syncthreads();
    for (int k = 0; k < terms; ++k) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        const std::int64_t col = first_col + c * kThreads;
        const float a = col < p.cols ? load<kAligned>(p.a + (first + k) * p.cols + col) : 0.0F;
#pragma unroll
        for (int r = 0; r < kRows; ++r) sums[r][c] = __fmaf_rn(factors.values[k][r], a, sums[r][c]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const std::int64_t col = first_col + c * kThreads;
      if (first_row + r >= p.rows || col >= p.cols) continue;
      const std::int64_t at = (first_row + r) * p.cols + col;
      const float scaled = __fmul_rn(sums[r][c], p.scale);
      store_rounded(p.out, at, p.out_dtype, __fadd_rn(load_as_float(p.in, at, p.in_dtype), scaled));
    }
  }
}

}  // namespace

contract::Outcome ops::lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = format::ceil_div(p.rows, kRows) * format::ceil_div(p.cols, kTileCols),
                             .threads = kThreads};
  return is_aligned(p.a, sizeof(float)) ? launch(merge<true>, shape, p, exec) : launch(merge<false>, shape, p, exec);
}

}  // namespace qfuse::cuda
