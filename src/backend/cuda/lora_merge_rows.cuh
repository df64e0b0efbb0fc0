// Kernels of lora_merge by rows, for ranks up to 32, and what they share with those by tiles.
#ifndef QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH
#define QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/encode_4bit.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "contract/lora_merge.h"
#include "format/block_codes.h"
#include "format/codebook4.h"
#include "format/layout.h"

namespace qfuse::cuda::lora_merge {

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

// To NF4, in blocks of 64, bitsandbytes' own, or of any size with the source's absmax. Rows are encoded two at a time:
// a thread waits for its neighbors and for tables at each step, and few threads fit.
constexpr int kTargetBlock = 64;
constexpr int kTogether = 2;
constexpr int kTogetherAhead = 4;  // rows

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

// The rows of a block, and the part of them that a thread writes.
struct Band {
  std::int64_t first;
  std::int64_t end;
  std::int64_t stop;  // `end`, or `first` for a thread that has no columns
};

template <int kTerms>
__device__ inline std::int64_t first_column() {
  return (static_cast<std::int64_t>(blockIdx.x) * kRowThreads + threadIdx.x) * Columns<kTerms>::kCount;
}

__device__ inline Band band_of(const ByRows& given, std::int64_t col) {
  const std::int64_t first = blockIdx.y * given.rows;
  const std::int64_t end = first + given.rows < given.p.rows ? first + given.rows : given.p.rows;
  return {first, end, col < given.p.cols ? end : first};
}

// Calls load(r, is_there) for each row of the band, and kAhead rows later finish(r, sums, left) for kAtOnce rows from r
// on, of which those before `left` are there. r is known when this is compiled. All threads of the block must call this
// together. Rows after the last, up to a multiple of kAhead, are not there.
template <int kTerms, int kAhead, int kAtOnce, class Load, class Finish>
__device__ __forceinline__ void for_rows(const contract::LoraMerge& p, const Band& band, std::int64_t col,
                                         const Load& load, const Finish& finish) {
  constexpr int kCount = Columns<kTerms>::kCount;
  __shared__ Chunks<kTerms> chunks;
  Share<kTerms> share;
  share.load(p, band.first, band.end);
#pragma unroll
  for (int r = 0; r < kAhead; ++r) load(r, band.first + r < band.stop);
  Columns<kTerms> a;
  a.load(p, col);
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

// `out` may be `in`: a thread reads elements before it writes them, and no other thread reads them.
template <class T, int kTerms>
__global__ void __launch_bounds__(kRowThreads, kRowBlocks) merge_rows(const __grid_constant__ ByRows given) {
  constexpr int kCount = Columns<kTerms>::kCount;
  constexpr int kAhead = Elements<T, kCount>::kVectors == 1 ? kMostAhead : kMostAhead / 2;
  const contract::LoraMerge& p = given.p;
  const std::int64_t col = first_column<kTerms>();
  const Band band = band_of(given, col);
  const T* in = static_cast<const T*>(p.in) + band.first * p.cols + col;
  T* out = static_cast<T*>(p.out) + band.first * p.cols + col;
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
  for_rows<kTerms, kAhead, 1>(p, band, col, load, finish);
}

// ---- by rows, to NF4 ----

// What is merged: an array, or the source, with plain or nested absmax.
enum class From { array, plain, nested };

struct To4bit {
  ByRows by_rows;
  Weight4bit source;
  std::uint8_t* packed;
  float* absmax;
  bool decodes;  // whether `out` is written
  Bins bins;
  float values[format::kCodes4];
};

struct To4bitTables {
  Bins bins;
  float values[format::kCodes4];  // of codes, which NF4's ranks are
  float source[format::kCodes4];
  float map[format::kCodes8];
};

template <From kFrom>
__device__ inline void load_tables(const To4bit& a, To4bitTables& tables) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < format::kCodes4) {
    tables.values[i] = a.values[i];
    tables.source[i] = a.source.values[i];
  }
  if (kFrom == From::nested)
    for (int code = i; code < format::kCodes8; code += kRowThreads)
      tables.map[code] = cuda::load<true>(a.source.nested_quant_map + code);
  load_bins(a.bins, tables.bins);
}

template <class T, int kCount>
__device__ inline void round_to(float (&values)[kCount]) {
  constexpr int kOfWord = sizeof(std::uint32_t) / sizeof(T);
  std::uint32_t words[kCount / kOfWord];
#pragma unroll
  for (int w = 0; w < kCount / kOfWord; ++w) words[w] = Rounding<T>::word(values + w * kOfWord);
#pragma unroll
  for (int c = 0; c < kCount; ++c) values[c] = widen<T>(words, c);
}

// A thread's adjacent elements of rows of `in`.
template <class T, int kCount>
struct FromArray {
  using Row = Elements<T, kCount>;
  const T* at;

  __device__ FromArray(const To4bit& a, std::int64_t first) : at(static_cast<const T*>(a.by_rows.p.in) + first) {}
  __device__ void load(const To4bit& /*a*/, Row& row) const { row.load(at); }
  __device__ void advance(const To4bit& a) { at += a.by_rows.p.cols; }
  __device__ float decode(const To4bitTables& /*tables*/, const Row& row, float (&values)[kCount]) const {
#pragma unroll
    for (int c = 0; c < kCount; ++c) values[c] = row[c];
    return 0.0F;
  }
};

// The same of the source, of which rows are whole blocks. decode() returns their absmax.
template <class T, int kCount, bool kNested>
struct FromCodes {
  struct Row {
    std::uint32_t codes;
    Absmax absmax;
  };
  const std::uint8_t* codes;
  std::int64_t block;
  float offset;

  __device__ FromCodes(const To4bit& a, std::int64_t first)
      : codes(a.source.packed + first / 2),
        block(first >> a.source.block_shift),
        offset(load_offset<true, kNested>(a.source)) {}
  __device__ void load(const To4bit& a, Row& row) const {
    row.codes = load_bytes_once<kCount / 2>(codes);
    if constexpr (kNested)
      row.absmax = {
          __ldg(a.source.absmax_8bit + block),
          cuda::load<true>(a.source.nested_absmax + (block >> (a.source.nested_shift - a.source.block_shift)))};
    else
      row.absmax = {0, cuda::load<true>(a.source.absmax + block)};
  }
  __device__ void advance(const To4bit& a) {
    codes += a.by_rows.p.cols / 2;
    block += a.by_rows.p.cols >> a.source.block_shift;
  }
  __device__ float decode(const To4bitTables& tables, const Row& row, float (&values)[kCount]) const {
    const float scale = decode_absmax(kNested, tables.map, row.absmax, offset);
#pragma unroll
    for (int c = 0; c < kCount; ++c) values[c] = mul_ftz(tables.source[nibble(row.codes, c)], scale);
    round_to<T>(values);
    return scale;
  }
};

template <From kFrom, class T, int kCount>
using Input =
    std::conditional_t<kFrom == From::array, FromArray<T, kCount>, FromCodes<T, kCount, kFrom == From::nested>>;

// Returns the absmax of the block that a thread's adjacent elements are of. All threads of a warp must call this.
template <int kCount>
__device__ inline float absmax_of(const float (&values)[kCount]) {
  float most = kNoNumber;
#pragma unroll
  for (int c = 0; c < kCount; ++c) most = larger(most, values[c]);
#pragma unroll
  for (int step = 1; step < kTargetBlock / kCount; step *= 2) most = fmaxf(most, exchange(most, step));
  return most;
}

// Encodes a thread's adjacent elements, which become what their codes decode to. Returns the codes. kAny: elements may
// be beyond absmax.
template <bool kAny, int kCount>
__device__ inline std::uint32_t encode_elements(const To4bitTables& tables, float absmax, float scale,
                                                float (&values)[kCount]) {
  std::uint32_t codes = 0;
#pragma unroll
  for (int byte = kCount / 2 - 1; byte >= 0; --byte)
#pragma unroll
    for (int c = 2 * byte; c < 2 * byte + 2; ++c) {
      const float scaled = mul_ftz(values[c], scale);
      codes = append_rank<false>(codes, tables.bins, kAny ? within_codes(scaled) : scaled);
      values[c] = mul_ftz(tables.values[codes & 0xfU], absmax);
    }
  return codes;
}

template <int kCount>
__device__ inline void store_codes(std::uint8_t* to, std::uint32_t codes) {
  if constexpr (kCount == 8)
    *reinterpret_cast<std::uint32_t*>(to) = codes;
  else
    *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(codes);
}

// `out` may be `in`, as for merge_rows. kKeeps: absmax are the source's, and not written.
template <class T, int kTerms, From kFrom, bool kKeeps>
__global__ void __launch_bounds__(kRowThreads, kRowBlocks) merge_rows_to_nf4(const __grid_constant__ To4bit given) {
  constexpr int kCount = Columns<kTerms>::kCount;
  __shared__ To4bitTables tables;
  const contract::LoraMerge& p = given.by_rows.p;
  const std::int64_t col = first_column<kTerms>();
  const Band band = band_of(given.by_rows, col);
  load_tables<kFrom>(given, tables);
  const std::int64_t first = band.first * p.cols + col;
  Input<kFrom, T, kCount> input(given, first);
  std::uint8_t* packed = given.packed + first / 2;
  float* absmax = kKeeps ? nullptr : given.absmax + first / kTargetBlock;
  T* out = static_cast<T*>(p.out) + first;
  const bool is_first_of_block = col % kTargetBlock == 0;
  typename Input<kFrom, T, kCount>::Row ahead[kTogetherAhead] = {};
  const auto load = [&](int r, bool is_there) {
    if (is_there) input.load(given, ahead[r]);
    input.advance(given);
  };
  const auto finish = [&](int r, const float(&sums)[kTogether][kCount], int left) {
    float values[kTogether][kCount];
    float most[kTogether];
    float scale[kTogether];
    std::uint32_t codes[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      most[i] = input.decode(tables, ahead[r + i], values[i]);
#pragma unroll
      for (int c = 0; c < kCount; ++c) values[i][c] = added(values[i][c], sums[i][c], p.scale);
      round_to<T>(values[i]);
      if constexpr (!kKeeps) most[i] = absmax_of(values[i]);
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) scale[i] = reciprocal_ftz(most[i]);
#pragma unroll
    for (int i = 0; i < kTogether; ++i) codes[i] = encode_elements<kKeeps>(tables, most[i], scale[i], values[i]);
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      if (r + i < left) {
        store_codes<kCount>(packed, codes[i]);
        if (!kKeeps && is_first_of_block) *absmax = most[i];
        if (given.decodes) store_vectors(out, values[i]);
      }
      packed += p.cols / 2;
      if constexpr (!kKeeps) absmax += p.cols / kTargetBlock;
      out += p.cols;
    }
  };
  for_rows<kTerms, kTogetherAhead, kTogether>(p, band, col, load, finish);
}

// ---- by rows, from MXFP4 to MXFP4 ----

struct InMx {
  ByRows by_rows;
  const std::uint8_t* from;
  const std::uint8_t* from_scales;
  std::uint8_t* to;
  std::uint8_t* to_scales;  // null: kept
  bool is_nearest;
  float values[format::kCodes4];
};

// A thread's adjacent elements of a row, and where those of the next row are.
template <int kCount>
struct MxRows {
  std::int64_t at;  // in elements

  __device__ std::uint32_t codes(const InMx& a) const { return load_bytes_once<kCount / 2>(a.from + at / 2); }
  __device__ unsigned scale(const InMx& a) const { return __ldg(a.from_scales + at / format::kMinBlocksize); }
  __device__ void advance(const InMx& a) { at += a.by_rows.p.cols; }
};

// Returns the bits of the largest magnitude of the block. All threads of a warp must call this.
template <int kCount>
__device__ inline std::uint32_t most_of_block(const float (&values)[kCount]) {
  std::uint32_t most = 0;
#pragma unroll
  for (int c = 0; c < kCount; ++c) most = larger_magnitude(most, values[c]);
#pragma unroll
  for (int step = 1; step < format::kMinBlocksize / kCount; step *= 2)
    most = larger_magnitude(most, __uint_as_float(exchange(most, step)));
  return most;
}

template <int kCount>
__device__ inline std::uint32_t encode_mx(bool is_nearest, unsigned exponent, const float (&values)[kCount]) {
  const float factor = format::mx_factor(is_nearest, static_cast<std::uint8_t>(exponent));
  std::uint32_t codes = 0;
#pragma unroll
  for (int c = 0; c < kCount; ++c)
    codes |= static_cast<std::uint32_t>(format::to_e2m1(is_nearest, values[c] * factor)) << (4 * c);
  return codes;
}

template <int kCount>
__device__ inline void decode_mx(const float* table, std::uint32_t codes, unsigned exponent, float (&values)[kCount]) {
  const float scale = format::from_ue8m0(exponent);
#pragma unroll
  for (int c = 0; c < kCount; ++c) values[c] = __fmul_rn(table[codes >> (4 * c) & 0xfU], scale);
}

// `out` may be `in`, as for merge_rows.
template <class T, int kTerms>
__global__ void __launch_bounds__(kRowThreads, kRowBlocks) merge_rows_in_mxfp4(const __grid_constant__ InMx given) {
  constexpr int kCount = Columns<kTerms>::kCount;
  __shared__ float table[format::kCodes4];
  const contract::LoraMerge& p = given.by_rows.p;
  const std::int64_t col = first_column<kTerms>();
  const Band band = band_of(given.by_rows, col);
  if (threadIdx.x < format::kCodes4) table[threadIdx.x] = given.values[threadIdx.x];
  __syncthreads();
  MxRows<kCount> input{band.first * p.cols + col};
  MxRows<kCount> output = input;
  std::uint32_t codes[kTogetherAhead] = {};
  unsigned scales[kTogetherAhead] = {};
  const auto load = [&](int r, bool is_there) {
    if (is_there) {
      codes[r] = input.codes(given);
      scales[r] = input.scale(given);
    }
    input.advance(given);
  };
  const auto finish = [&](int r, const float(&sums)[kTogether][kCount], int left) {
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      float values[kCount];
      decode_mx(table, codes[r + i], scales[r + i], values);
      round_to<T>(values);
#pragma unroll
      for (int c = 0; c < kCount; ++c) values[c] = added(values[c], sums[i][c], p.scale);
      round_to<T>(values);
      const std::uint32_t most = most_of_block(values);
      const unsigned exponent =
          given.to_scales == nullptr ? scales[r + i] : format::mx_exponent(given.is_nearest, most);
      const std::uint32_t made = encode_mx(given.is_nearest, exponent, values);
      if (r + i < left) {
        store_codes<kCount>(given.to + output.at / 2, made);
        if (given.to_scales != nullptr && col % format::kMinBlocksize == 0)
          given.to_scales[output.at / format::kMinBlocksize] = static_cast<std::uint8_t>(exponent);
        decode_mx(table, made, exponent, values);
        store_vectors(static_cast<T*>(p.out) + output.at, values);
      }
      output.advance(given);
    }
  };
  for_rows<kTerms, kTogetherAhead, kTogether>(p, band, col, load, finish);
}

}  // namespace qfuse::cuda::lora_merge

#endif  // QFUSE_BACKEND_CUDA_LORA_MERGE_ROWS_CUH
