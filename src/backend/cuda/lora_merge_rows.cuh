// The ways of lora_merge through aligned rows, in bands and in tiles, and its kernel without codes.
#ifndef QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH
#define QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/facts.h"
#include "contract/lora_merge.h"

namespace qfuse::cuda::lora_merge {

// ---- policy ----

// In bands of rows, for ranks up to 32: a thread keeps its columns of `a` in registers, 8 of up to 16 terms or 4 of up
// to 32, while the block goes through its rows. A block loads its columns of `a` once, and blocks fill the GPU once. A
// thread has 64 or 128 bytes of the input under way, which hides the latency of memory although few threads fit.
constexpr int kRowThreads = 128;
constexpr int kRowBlocks = 2;  // per multiprocessor, which leaves a thread 255 registers
constexpr int kHeld = 128;     // values of `a` per thread
constexpr int kFewTerms = 16;
constexpr int kMostTerms = 32;
constexpr int kMostAhead = 8;  // rows
constexpr int kChunk = 32;     // rows whose values of b are in shared memory
static_assert(kChunk % kMostAhead == 0);

// In tiles, for any rank below 2^30: a thread keeps sums of 8 rows and 8 columns in registers, and a block has 8 terms
// of both factors in shared memory.
constexpr int kTileThreads = 128;
// Per multiprocessor, which leaves a thread 168 registers. On AMD GPUs the bound counts wavefronts per SIMD.
constexpr int kTileBlocks = kHasMatrixInstructions ? 3 : 2;
constexpr int kTileRows = 64;
constexpr int kTileCols = 128;
constexpr int kTileTerms = 8;
constexpr int kMostOfTiles = 1 << 30;  // ranks that are counted in 32 bits

// ---- steps ----

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

// ---- in bands ----

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

// A thread's columns, and its rows: the block's, and those of them that the thread writes.
struct Part {
  std::int64_t col;
  std::int64_t first;
  std::int64_t end;
  std::int64_t stop;  // `end`, or `first` for a thread that has no columns
};

// A way through the matrix has these. kCount: adjacent columns of a thread. for_rows() calls load(r, is_there) for each
// row of the part, and kAhead rows later finish(r, sums, left) for kAtOnce rows from r on, of which those before `left`
// are there. r is known when this is compiled. All threads of the block must call it together. Rows after the last, up
// to a multiple of kAhead, are not there.
template <int kTerms>
struct Bands {
  static constexpr int kThreads = kRowThreads;
  static constexpr int kBlocks = kRowBlocks;
  static constexpr int kCount = Columns<kTerms>::kCount;
  static constexpr int kMostAhead = lora_merge::kMostAhead;

  static __device__ Part part(const ByRows& given) {
    const std::int64_t col = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kCount;
    const std::int64_t first = blockIdx.y * given.rows;
    const std::int64_t end = first + given.rows < given.p.rows ? first + given.rows : given.p.rows;
    return {col, first, end, col < given.p.cols ? end : first};
  }

  template <int kAhead, int kAtOnce, class Load, class Finish>
  static __device__ __forceinline__ void for_rows(const contract::LoraMerge& p, const Part& band, const Load& load,
                                                  const Finish& finish) {
    __shared__ Chunks<kTerms> chunks;
    Share<kTerms> share;
    share.load(p, band.first, band.end);
#pragma unroll
    for (int r = 0; r < kAhead; ++r) load(r, band.first + r < band.stop);
    Columns<kTerms> a;
    a.load(p, band.col);
    int turn = 0;
    for (std::int64_t chunk = band.first; chunk < band.end; chunk += kChunk, turn ^= 1) {
      share.store(chunks.values[turn]);
      __syncthreads();
      share.load(p, chunk + kChunk, band.end);
      for (int begin = 0; begin < kChunk && chunk + begin < band.end; begin += kAhead) {
        const std::int64_t rest = band.stop - chunk - begin;
        const int left = rest < 0 ? 0 : rest < 2 * kAhead ? static_cast<int>(rest) : 2 * kAhead;
#pragma unroll
        for (int r = 0; r < kAhead; r += kAtOnce) {
          float sums[kAtOnce][kCount] = {};
#pragma unroll
          for (int i = 0; i < kAtOnce; ++i) {
            const auto& b = chunks.values[turn][begin + r + i];
#pragma unroll
            for (int k = 0; k < kTerms; ++k) {
#pragma unroll
              for (int c = 0; c < kCount; ++c) sums[i][c] = __fmaf_rn(b[k], a.values[k][c], sums[i][c]);
            }
          }
          finish(r, sums, left);
#pragma unroll
          for (int i = 0; i < kAtOnce; ++i) load(r + i, r + i + kAhead < left);
        }
      }
    }
  }
};

// ---- in tiles ----

// Terms of both factors for a tile. A thread reads four elements at once.
struct alignas(16) TileTerms {
  float a[kTileTerms][kTileCols];      // the first four columns of each thread, then the others: no bank conflicts
  float b[kTileTerms][kTileRows + 4];  // stored with fewer bank conflicts than without the four
};

// A thread's share of a tile's terms, loaded while those before are in use. Terms that do not exist are zeros of `a`
// and -0 of b, as for Share.
struct TileShare {
  static constexpr int kVectors = kTileCols / 4;  // of a term of `a`
  static constexpr int kOfA = kTileTerms * kVectors / kTileThreads;
  static constexpr int kOfB = kTileTerms * kTileRows / kTileThreads;
  static constexpr int kTermStep = kTileTerms / kOfA;
  static constexpr int kRowStep = kTileRows / kOfB;
  static_assert(kTermStep * kVectors == kTileThreads && kRowStep * kTileTerms == kTileThreads);

  const float* next_a;
  const float* next_b;
  int terms_of_a;  // that there are from the next ones on; none for columns that do not exist
  int terms_of_b;
  int rows;
  float4 a[kOfA];
  float b[kOfB];

  __device__ TileShare(const contract::LoraMerge& p, std::int64_t row, std::int64_t col) {
    const int thread = static_cast<int>(threadIdx.x);
    const int of_a = thread / kVectors;
    const int of_b = thread % kTileTerms;
    const std::int64_t a_col = col + thread % kVectors * 4;
    const std::int64_t b_row = row + thread / kTileTerms;
    next_a = p.a + of_a * p.cols + a_col;
    next_b = p.b + b_row * p.rank + of_b;
    terms_of_a = a_col < p.cols ? static_cast<int>(p.rank) - of_a : 0;
    terms_of_b = static_cast<int>(p.rank) - of_b;
    rows = p.rows - b_row < kTileRows ? static_cast<int>(p.rows - b_row) : kTileRows;
  }

  __device__ void load(const contract::LoraMerge& p) {
#pragma unroll
    for (int i = 0; i < kOfA; ++i) {
      a[i] = {};
      if (i * kTermStep < terms_of_a) a[i] = *reinterpret_cast<const float4*>(next_a + i * kTermStep * p.cols);
    }
#pragma unroll
    for (int i = 0; i < kOfB; ++i)
      b[i] = 0 < terms_of_b && i * kRowStep < rows ? cuda::load<true>(next_b + i * kRowStep * p.rank) : -0.0F;
    next_a += kTileTerms * p.cols;
    next_b += kTileTerms;
    terms_of_a -= kTileTerms;
    terms_of_b -= kTileTerms;
  }
  __device__ void store(TileTerms& terms) const {
    const int thread = static_cast<int>(threadIdx.x);
    const int vector = thread % kVectors;
    const int at = vector % 2 * (kTileCols / 2) + vector / 2 * 4;
#pragma unroll
    for (int i = 0; i < kOfA; ++i) *reinterpret_cast<float4*>(terms.a[thread / kVectors + i * kTermStep] + at) = a[i];
#pragma unroll
    for (int i = 0; i < kOfB; ++i) terms.b[thread % kTileTerms][thread / kTileTerms + i * kRowStep] = b[i];
  }
};

// A thread has 8 rows of 8 columns, a warp 32 of 64, and four of these make a tile.
struct Tiles {
  static constexpr int kThreads = kTileThreads;
  static constexpr int kBlocks = kTileBlocks;
  static constexpr int kCount = 8;
  static constexpr int kRows = 8;
  static constexpr int kMostAhead = 4;
  static constexpr int kLanes = 8;  // of a warp, side by side

  static __device__ int col_of_thread() {
    return static_cast<int>(threadIdx.x) % kLanes * kCount +
           static_cast<int>(threadIdx.x) / kWarp % 2 * (kTileCols / 2);
  }
  static __device__ int row_of_thread() {
    constexpr int kOfWarp = kWarp / kLanes * kRows;
    return static_cast<int>(threadIdx.x) % kWarp / kLanes * kRows +
           static_cast<int>(threadIdx.x) / (2 * kWarp) * kOfWarp;
  }

  static __device__ Part part(const ByRows& given) {
    const std::int64_t across = (given.p.cols + kTileCols - 1) / kTileCols;
    const std::int64_t col = blockIdx.x % across * kTileCols + col_of_thread();
    const std::int64_t first = blockIdx.x / across * kTileRows + row_of_thread();
    const std::int64_t end = first + kRows < given.p.rows ? first + kRows : given.p.rows;
    return {col, first, end, col < given.p.cols && first < end ? end : first};
  }

  static __device__ void load_four(const float* from, float* to) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  template <int kAtOnce>
  static __device__ __forceinline__ void add_terms(const TileTerms& terms,
                                                   float (&sums)[kRows / kAtOnce][kAtOnce][kCount]) {
    const int col = col_of_thread() / 2;
    const int row = row_of_thread();
#pragma unroll 4
    for (int k = 0; k < kTileTerms; ++k) {
      float a[kCount];
      float b[kRows];
      load_four(terms.a[k] + col, a);
      load_four(terms.a[k] + kTileCols / 2 + col, a + 4);
      load_four(terms.b[k] + row, b);
      load_four(terms.b[k] + row + 4, b + 4);
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int c = 0; c < kCount; ++c)
          sums[r / kAtOnce][r % kAtOnce][c] = __fmaf_rn(b[r], a[c], sums[r / kAtOnce][r % kAtOnce][c]);
    }
  }

  template <int kAhead, int kAtOnce, class Load, class Finish>
  static __device__ __forceinline__ void for_rows(const contract::LoraMerge& p, const Part& part, const Load& load,
                                                  const Finish& finish) {
    __shared__ TileTerms terms[2];
    TileShare share(p, part.first - row_of_thread(), part.col - col_of_thread());
    share.load(p);
    const int left = static_cast<int>(part.stop - part.first);
#pragma unroll
    for (int r = 0; r < kAhead; ++r) load(r, r < left);
    float sums[kRows / kAtOnce][kAtOnce][kCount] = {};
    int turn = 0;
    for (int terms_left = static_cast<int>(p.rank); terms_left > 0; terms_left -= kTileTerms, turn ^= 1) {
      share.store(terms[turn]);
      __syncthreads();
      share.load(p);
      add_terms<kAtOnce>(terms[turn], sums);
    }
#pragma unroll
    for (int r = 0; r < kRows; r += kAtOnce) {
      const int begin = r / kAhead * kAhead;
      finish(r - begin, sums[r / kAtOnce], left - begin);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (r + i + kAhead < kRows) load(r - begin + i, r + i + kAhead < left);
    }
  }
};

// ---- without codes ----

// `out` may be `in`: a thread reads elements before it writes them, and no other thread reads them.
template <class T, class Way>
__global__ void __launch_bounds__(Way::kThreads, Way::kBlocks) merge_rows(const __grid_constant__ ByRows given) {
  constexpr int kCount = Way::kCount;
  constexpr int kAhead = Way::kMostAhead / Elements<T, kCount>::kVectors;
  const contract::LoraMerge& p = given.p;
  const Part part = Way::part(given);
  const T* in = static_cast<const T*>(p.in) + part.first * p.cols + part.col;
  T* out = static_cast<T*>(p.out) + part.first * p.cols + part.col;
  Elements<T, kCount> ahead[kAhead] = {};
  const auto load = [&](int r, bool is_there) {
    if (is_there) ahead[r].load(in);
    in += p.cols;
  };
  const auto finish = [&](int r, float(&sums)[1][kCount], int left) {
#pragma unroll
    for (int c = 0; c < kCount; ++c) sums[0][c] = added(ahead[r][c], sums[0][c], p.scale);
    if (r < left) store_vectors(out, sums[0]);
    out += p.cols;
  };
  Way::template for_rows<kAhead, 1>(p, part, load, finish);
}

}  // namespace qfuse::cuda::lora_merge

#endif  // QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH
