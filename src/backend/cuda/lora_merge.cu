// in:     in [rows, cols] fp32, fp16 or bf16; a [rank, cols] fp32, b [rows, rank] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//         fp32
// cost:   4 to 8 bytes read and written per element, and `rank` FMAs with operands from shared memory and the L2
// oracle: reference/lora_merge.cpp
#include "backend/cuda/kernels.h"

#include <type_traits>

#include "backend/cuda/align.h"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// A block has a tile of 16 rows by 1024 columns; a thread has four adjacent columns and keeps their 64 sums in
// registers, so that an element of `a` is loaded once for 16 rows.
constexpr int kThreads = 256;
constexpr int kRows = 16;
constexpr int kColumns = 4;
constexpr int kTileCols = kThreads * kColumns;
constexpr int kTerms = 32;  // columns of b that a block holds at a time

using Sums = float[kRows][kColumns];

template <class T>
using Vector = std::conditional_t<sizeof(T) == sizeof(float), uint4, uint2>;  // kColumns elements

__device__ inline uint2 pack(const std::uint32_t (&words)[2]) { return {words[0], words[1]}; }
__device__ inline uint4 pack(const std::uint32_t (&words)[4]) { return vector_of(words); }

// Values of b in shared memory. A thread reads four rows at once.
struct alignas(16) Factors {
  float values[kTerms][kRows];
};

// ---- steps ----

// A thread's part of the matrices: kRows rows and kColumns columns, some of which may not exist.
struct Part {
  std::int64_t row;
  std::int64_t col;
};

// Loads the thread's columns of a row. In place of those that do not exist it loads others of the row: without
// branches, the loads of several rows are under way at once.
template <bool kVectors, class T>
__device__ inline void load_columns(const T* row, std::int64_t col, std::int64_t cols, float (&columns)[kColumns]) {
  if constexpr (kVectors) {
    const std::int64_t from = col < cols ? col : 0;
    const auto vector = load<true>(reinterpret_cast<const Vector<T>*>(row + from));
#pragma unroll
    for (int c = 0; c < kColumns; ++c) columns[c] = widen<T>(reinterpret_cast<const std::uint32_t*>(&vector), c);
  } else {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) columns[c] = widen(load<false>(row + (col + c < cols ? col + c : 0)));
  }
}

template <bool kVectors, class In>
__device__ inline void add_to_input(const contract::LoraMerge& p, const Part& part, Sums& sums) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t row = part.row + r < p.rows ? part.row + r : part.row;
    float in[kColumns];
    load_columns<kVectors>(static_cast<const In*>(p.in) + row * p.cols, part.col, p.cols, in);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) sums[r][c] = __fadd_rn(in[c], __fmul_rn(sums[r][c], p.scale));
  }
}

template <bool kVectors, class Out>
__device__ inline void store_rounded(const contract::LoraMerge& p, const Part& part, const Sums& sums) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (part.row + r >= p.rows || part.col >= p.cols) continue;
    Out* const to = static_cast<Out*>(p.out) + (part.row + r) * p.cols + part.col;
    if constexpr (kVectors) {
      constexpr int kElements = sizeof(std::uint32_t) / sizeof(Out);  // of a word
      std::uint32_t words[kColumns / kElements];
#pragma unroll
      for (int c = 0; c < kColumns; c += kElements) words[c / kElements] = Rounding<Out>::word(sums[r] + c);
      store_once(reinterpret_cast<Vector<Out>*>(to), pack(words));
    } else {
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
        if (part.col + c < p.cols) store<false>(to + c, Rounding<Out>::one(sums[r][c]));
    }
  }
}

// One kernel serves all dtypes, because the sums are most of it.
template <bool kVectors>
__device__ inline void finish(const contract::LoraMerge& p, const Part& part, Sums& sums) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: add_to_input<kVectors, float>(p, part, sums); break;
    case QFUSE_FLOAT16: add_to_input<kVectors, Half>(p, part, sums); break;
    case QFUSE_BFLOAT16: add_to_input<kVectors, Bfloat16>(p, part, sums); break;
  }
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: store_rounded<kVectors, float>(p, part, sums); break;
    case QFUSE_FLOAT16: store_rounded<kVectors, Half>(p, part, sums); break;
    case QFUSE_BFLOAT16: store_rounded<kVectors, Bfloat16>(p, part, sums); break;
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

// kVectors: a thread's columns of each row of in, a and out are one aligned vector. Two blocks per multiprocessor leave
// a thread 128 registers.
template <bool kVectors>
__global__ void __launch_bounds__(kThreads, 2) merge(const __grid_constant__ contract::LoraMerge p) {
  __shared__ Factors factors;
  const std::int64_t tiles = (p.cols + kTileCols - 1) / kTileCols;
  const Part part = {blockIdx.x / tiles * kRows, blockIdx.x % tiles * kTileCols + threadIdx.x * kColumns};
  Sums sums = {};
  for (std::int64_t first = 0; first < p.rank; first += kTerms) {
    const int terms = p.rank - first < kTerms ? static_cast<int>(p.rank - first) : kTerms;
    __syncthreads();
    load_factors(p, part.row, first, terms, factors);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < terms; ++k) {
      float a[kColumns];
      load_columns<kVectors>(p.a + (first + k) * p.cols, part.col, p.cols, a);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int c = 0; c < kColumns; ++c) sums[r][c] = __fmaf_rn(factors.values[k][r], a[c], sums[r][c]);
      }
    }
  }
  finish<kVectors>(p, part, sums);
}

bool loads_vectors(const contract::LoraMerge& p) {
  const auto is_vector = [](const void* array, qfuse_dtype dtype) {
    return is_aligned(array, kColumns * static_cast<std::size_t>(format::dtype_size(dtype)));
  };
  return p.cols % kColumns == 0 && is_vector(p.in, p.in_dtype) && is_vector(p.a, QFUSE_FLOAT32) &&
         is_vector(p.out, p.out_dtype);
}

}  // namespace

contract::Outcome ops::lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = format::ceil_div(p.rows, kRows) * format::ceil_div(p.cols, kTileCols),
                             .threads = kThreads};
  return loads_vectors(p) ? launch(merge<true>, shape, p, exec) : launch(merge<false>, shape, p, exec);
}

}  // namespace qfuse::cuda
