// in:     in [rows, cols] fp32, fp16 or bf16; a [rank, cols] fp32, b [rows, rank] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address
// math:   out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//         fp32
// cost:   4 to 8 bytes read and written per element, and `rank` FMAs; up to rank 32, `a` is in registers
// oracle: reference/lora_merge.cpp
#include "backend/cuda/kernels.h"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/align.h"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/gpu.h"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// By rows, for ranks up to 32: a thread keeps its columns of `a` in registers, 8 of up to 16 terms or 4 of up to 32,
// while the block goes through its rows. A block loads its columns of `a` once, and the blocks fill the GPU once. A
// thread has 64 or 128 bytes of the input under way, which hides the latency of memory although few threads fit.
constexpr int kRowThreads = 128;
constexpr int kRowBlocks = 2;  // per multiprocessor, which leaves a thread 255 registers
constexpr int kHeld = 128;     // values of `a` per thread
constexpr int kFewTerms = 16;
constexpr int kMostTerms = 32;
constexpr int kMostAhead = 8;  // rows
constexpr int kChunk = 32;     // rows whose values of b are in shared memory
static_assert(kChunk % kMostAhead == 0);

// By tiles, for everything else: a block has 16 rows of 1024 columns; a thread has four adjacent columns and keeps
// their 64 sums in registers, so that an element of `a` is loaded once for 16 rows.
constexpr int kThreads = 256;
constexpr int kRows = 16;
constexpr int kColumns = 4;
constexpr int kTileCols = kThreads * kColumns;
constexpr int kTerms = 32;  // columns of b that a block holds at a time

using Sums = float[kRows][kColumns];

// A thread's adjacent elements of a row.
template <class T, int kCount>
struct Elements {
  static constexpr int kBytes = kCount * static_cast<int>(sizeof(T));
  using Vector = std::conditional_t<kBytes == sizeof(uint2), uint2, uint4>;
  static constexpr int kVectors = kBytes / static_cast<int>(sizeof(Vector));

  Vector vectors[kVectors];

  __device__ void load(const T* from) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v] = cuda::load<true>(reinterpret_cast<const Vector*>(from) + v);
  }
  __device__ float operator[](int e) const { return widen<T>(reinterpret_cast<const std::uint32_t*>(vectors), e); }
};

__device__ inline uint2 pack(const std::uint32_t (&words)[2]) { return {words[0], words[1]}; }
__device__ inline uint4 pack(const std::uint32_t (&words)[4]) { return vector_of(words); }

// Rounds and stores a thread's adjacent elements.
template <class T, int kCount>
__device__ inline void store_vectors(T* to, const float (&values)[kCount]) {
  using Vector = typename Elements<T, kCount>::Vector;
  constexpr int kWords = sizeof(Vector) / sizeof(std::uint32_t);
  constexpr int kOfWord = sizeof(std::uint32_t) / sizeof(T);
#pragma unroll
  for (int v = 0; v < Elements<T, kCount>::kVectors; ++v) {
    std::uint32_t words[kWords];
#pragma unroll
    for (int w = 0; w < kWords; ++w) words[w] = Rounding<T>::word(values + (v * kWords + w) * kOfWord);
    store_once(reinterpret_cast<Vector*>(to) + v, pack(words));
  }
}

__device__ inline float added(float in, float sum, float scale) { return __fadd_rn(in, __fmul_rn(sum, scale)); }

// ---- by rows ----

struct ByRows {
  contract::LoraMerge p;
  std::int64_t rows;  // per block
};

// Columns of `a`, and zeros in place of terms that do not exist.
template <int kTerms>
struct Columns {
  static constexpr int kCount = kHeld / kTerms;
  float values[kTerms][kCount];

  __device__ void load(const contract::LoraMerge& p, std::int64_t col) {
#pragma unroll
    for (int k = 0; k < kTerms; ++k) {
      Elements<float, kCount> a = {};
      if (k < p.rank && col < p.cols) a.load(p.a + k * p.cols + col);
#pragma unroll
      for (int c = 0; c < kCount; ++c) values[k][c] = a[c];
    }
  }
};

// Values of b, for the rows of two chunks in turn. A thread reads four terms at once.
template <int kTerms>
struct alignas(16) Chunks {
  float values[2][kChunk][kTerms];
};

// A thread's share of a chunk, loaded while the chunk before it is in use. Values that do not exist are -0: their
// products with the zeros of `a` are -0, and adding these changes no sum, not even one of -0.
template <int kTerms>
struct Share {
  static constexpr int kCount = kChunk * kTerms / kRowThreads;
  float values[kCount];

  __device__ void load(const contract::LoraMerge& p, std::int64_t row, std::int64_t end) {
    const int k = static_cast<int>(threadIdx.x) % kTerms;
    row += static_cast<int>(threadIdx.x) / kTerms;
#pragma unroll
    for (int i = 0; i < kCount; ++i, row += kRowThreads / kTerms)
      values[i] = row < end && k < p.rank ? cuda::load<true>(p.b + row * p.rank + k) : -0.0F;
  }
  __device__ void store(float (&chunk)[kChunk][kTerms]) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) (&chunk[0][0])[i * kRowThreads + static_cast<int>(threadIdx.x)] = values[i];
  }
};

// `out` may be `in`: a thread reads elements before it writes them, and no other thread reads them.
template <class T, int kTerms>
__global__ void __launch_bounds__(kRowThreads, kRowBlocks) merge_rows(const __grid_constant__ ByRows given) {
  constexpr int kCount = Columns<kTerms>::kCount;
  constexpr int kAhead = Elements<T, kCount>::kVectors == 1 ? kMostAhead : kMostAhead / 2;
  __shared__ Chunks<kTerms> chunks;
  const contract::LoraMerge& p = given.p;
  const std::int64_t col = (static_cast<std::int64_t>(blockIdx.x) * kRowThreads + threadIdx.x) * kCount;
  const std::int64_t first = blockIdx.y * given.rows;
  const std::int64_t end = first + given.rows < p.rows ? first + given.rows : p.rows;
  const std::int64_t stop = col < p.cols ? end : first;  // of the thread, which may have no columns
  const T* in = static_cast<const T*>(p.in) + first * p.cols + col;
  T* out = static_cast<T*>(p.out) + first * p.cols + col;
  Share<kTerms> share;
  share.load(p, first, end);
  Elements<T, kCount> ahead[kAhead] = {};
#pragma unroll
  for (int r = 0; r < kAhead; ++r, in += p.cols)
    if (first + r < stop) ahead[r].load(in);
  Columns<kTerms> a;
  a.load(p, col);
  int turn = 0;
  for (std::int64_t chunk = first; chunk < end; chunk += kChunk, turn ^= 1) {
    share.store(chunks.values[turn]);
    __syncthreads();
    share.load(p, chunk + kChunk, end);
    for (int begin = 0; begin < kChunk && chunk + begin < end; begin += kAhead) {
      const std::int64_t rest = stop - chunk - begin;
      const int left = rest < 0 ? 0 : rest < 2 * kAhead ? static_cast<int>(rest) : 2 * kAhead;
#pragma unroll
      for (int r = 0; r < kAhead; ++r, in += p.cols, out += p.cols) {
        const auto& b = chunks.values[turn][begin + r];
        float sums[kCount] = {};
#pragma unroll
        for (int k = 0; k < kTerms; ++k) {
#pragma unroll
          for (int c = 0; c < kCount; ++c) sums[c] = __fmaf_rn(b[k], a.values[k][c], sums[c]);
        }
#pragma unroll
        for (int c = 0; c < kCount; ++c) sums[c] = added(ahead[r][c], sums[c], p.scale);
        if (r < left) store_vectors(out, sums);
        if (r + kAhead < left) ahead[r].load(in);
      }
    }
  }
}

// ---- by tiles ----

// Values of b in shared memory. A thread reads four rows at once.
struct alignas(16) Factors {
  float values[kTerms][kRows];
};

// A thread's part of the matrices: kRows rows and kColumns columns. `row` and `col` exist, others may not.
struct Part {
  std::int64_t row;
  std::int64_t col;
};

// Loads the thread's columns of a row. In place of those that do not exist it loads the first: without branches, the
// loads of several rows are under way at once, and another thread may write nothing that is loaded here.
template <bool kVectors, class T>
__device__ inline void load_columns(const T* row, std::int64_t col, std::int64_t cols, float (&columns)[kColumns]) {
  if constexpr (kVectors) {
    Elements<T, kColumns> vector;
    vector.load(row + col);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) columns[c] = vector[c];
  } else {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) columns[c] = widen(load<false>(row + (col + c < cols ? col + c : col)));
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
    for (int c = 0; c < kColumns; ++c) sums[r][c] = added(in[c], sums[r][c], p.scale);
  }
}

template <bool kVectors, class Out>
__device__ inline void store_rounded(const contract::LoraMerge& p, const Part& part, const Sums& sums) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (part.row + r >= p.rows) continue;
    Out* const to = static_cast<Out*>(p.out) + (part.row + r) * p.cols + part.col;
    if constexpr (kVectors) {
      store_vectors(to, sums[r]);
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

// kVectors: a thread's columns of each row of in, a and out are one aligned vector. Two blocks per multiprocessor leave
// a thread 128 registers. `out` may be `in`, as for merge_rows.
template <bool kVectors>
__global__ void __launch_bounds__(kThreads, 2) merge_tile(const __grid_constant__ contract::LoraMerge p) {
  __shared__ Factors factors;
  const std::int64_t tiles = (p.cols + kTileCols - 1) / kTileCols;
  const std::int64_t col = blockIdx.x % tiles * kTileCols + threadIdx.x * kColumns;
  const Part part = {blockIdx.x / tiles * kRows, col < p.cols ? col : 0};
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
  if (col < p.cols) finish<kVectors>(p, part, sums);
}

// ---- launch ----

// Whether each `columns` adjacent columns of a row of in, a and out are whole aligned vectors of at most 16 bytes.
bool are_vectors(const contract::LoraMerge& p, std::int64_t columns) {
  const auto is_vector = [&](const void* array, qfuse_dtype dtype) {
    const std::int64_t bytes = std::min<std::int64_t>(sizeof(uint4), columns * format::dtype_size(dtype));
    return is_aligned(array, static_cast<std::size_t>(bytes));
  };
  return p.cols % columns == 0 && is_vector(p.in, p.in_dtype) && is_vector(p.a, QFUSE_FLOAT32) &&
         is_vector(p.out, p.out_dtype);
}

template <class T, int kTerms>
contract::Outcome launch_rows(const contract::LoraMerge& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  const std::int64_t across = format::ceil_div(p.cols, std::int64_t{kRowThreads} * Columns<kTerms>::kCount);
  const std::int64_t bands = std::max<std::int64_t>(1, kRowBlocks * facts.multiprocessors / across);
  const std::int64_t rows = format::ceil_div(format::ceil_div(p.rows, bands), kMostAhead) * kMostAhead;
  const LaunchShape shape = {
      .blocks = across, .threads = kRowThreads, .rows = static_cast<int>(format::ceil_div(p.rows, rows))};
  return launch(merge_rows<T, kTerms>, shape, ByRows{p, rows}, exec);
}

template <class T>
contract::Outcome launch_rows(const contract::LoraMerge& p, const qfuse_exec& exec) {
  return p.rank <= kFewTerms ? launch_rows<T, kFewTerms>(p, exec) : launch_rows<T, kMostTerms>(p, exec);
}

}  // namespace

contract::Outcome ops::lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec) {
  if (p.rank <= kMostTerms && p.in_dtype == p.out_dtype && is_aligned(p.b, sizeof(float)) &&
      are_vectors(p, p.rank <= kFewTerms ? kHeld / kFewTerms : kHeld / kMostTerms))
    switch (p.in_dtype) {
      case QFUSE_FLOAT32: return launch_rows<float>(p, exec);
      case QFUSE_FLOAT16: return launch_rows<Half>(p, exec);
      case QFUSE_BFLOAT16: return launch_rows<Bfloat16>(p, exec);
    }
  const LaunchShape shape = {.blocks = format::ceil_div(p.rows, kRows) * format::ceil_div(p.cols, kTileCols),
                             .threads = kThreads};
  return are_vectors(p, kColumns) ? launch(merge_tile<true>, shape, p, exec)
                                  : launch(merge_tile<false>, shape, p, exec);
}

}  // namespace qfuse::cuda
