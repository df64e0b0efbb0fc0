// Kernels of lora_merge that encode the sum, in 4 bits.
#ifndef QFUSE_BACKEND_CUDA_LORA_MERGE_CODES_CUH
#define QFUSE_BACKEND_CUDA_LORA_MERGE_CODES_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/device/encode_4bit.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/lora_merge_rows.cuh"
#include "contract/lora_merge.h"
#include "format/block_codes.h"
#include "format/codebook4.h"
#include "format/layout.h"

namespace qfuse::cuda::lora_merge {

// To NF4, in blocks of 64, bitsandbytes' own, or of any size with the source's absmax. Rows are encoded two at a time:
// a thread waits for its neighbors and for tables at each step, and few threads fit.
constexpr int kTargetBlock = 64;
constexpr int kTogether = 2;
constexpr int kTogetherAhead = 4;  // rows

// ---- to NF4 ----

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

template <From kFrom, int kThreads>
__device__ inline void load_tables(const To4bit& a, To4bitTables& tables) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < format::kCodes4) {
    tables.values[i] = a.values[i];
    tables.source[i] = a.source.values[i];
  }
  if (kFrom == From::nested)
    for (int code = i; code < format::kCodes8; code += kThreads)
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
template <class T, class Way, From kFrom, bool kKeeps>
__global__ void __launch_bounds__(Way::kThreads, Way::kBlocks) merge_rows_to_nf4(const __grid_constant__ To4bit given) {
  constexpr int kCount = Way::kCount;
  __shared__ To4bitTables tables;
  const contract::LoraMerge& p = given.by_rows.p;
  const Part part = Way::part(given.by_rows);
  load_tables<kFrom, Way::kThreads>(given, tables);
  const std::int64_t first = part.first * p.cols + part.col;
  Input<kFrom, T, kCount> input(given, first);
  std::uint8_t* packed = given.packed + first / 2;
  float* absmax = kKeeps ? nullptr : given.absmax + first / kTargetBlock;
  T* out = static_cast<T*>(p.out) + first;
  const bool is_first_of_block = part.col % kTargetBlock == 0;
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
  Way::template for_rows<kTogetherAhead, kTogether>(p, part, load, finish);
}

// ---- from MXFP4 to MXFP4 ----

struct InMx {
  ByRows by_rows;
  const std::uint8_t* from;
  const std::uint8_t* from_scales;
  std::uint8_t* to;
  std::uint8_t* to_scales;  // null: kept
  bool is_nearest;
  Bins bins;
  float values[format::kCodes4];
};

struct InMxTables {
  Bins bins;
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

// Encodes a thread's adjacent elements, which become what their codes decode to. Returns the codes.
template <int kCount>
__device__ inline std::uint32_t encode_mx(const InMxTables& tables, bool is_nearest, unsigned exponent,
                                          float (&values)[kCount]) {
  const float factor = format::mx_factor(is_nearest, static_cast<std::uint8_t>(exponent));
  const float scale = format::from_ue8m0(exponent);
  std::uint32_t codes = 0;
#pragma unroll
  for (int c = kCount - 1; c >= 0; --c) {
    codes = append_e2m1(codes, tables.bins, is_nearest, __fmul_rn(values[c], factor));
    values[c] = __fmul_rn(tables.values[codes & 0xfU], scale);
  }
  return codes;
}

template <int kCount>
__device__ inline void decode_mx(const float* table, std::uint32_t codes, unsigned exponent, float (&values)[kCount]) {
  const float scale = format::from_ue8m0(exponent);
#pragma unroll
  for (int c = 0; c < kCount; ++c) values[c] = __fmul_rn(table[codes >> (4 * c) & 0xfU], scale);
}

// `out` may be `in`, as for merge_rows.
template <class T>
__global__ void __launch_bounds__(Tiles::kThreads, Tiles::kBlocks)
    merge_rows_in_mxfp4(const __grid_constant__ InMx given) {
  using Way = Tiles;
  constexpr int kCount = Way::kCount;
  __shared__ InMxTables tables;
  const contract::LoraMerge& p = given.by_rows.p;
  const Part part = Way::part(given.by_rows);
  if (threadIdx.x < format::kCodes4) tables.values[threadIdx.x] = given.values[threadIdx.x];
  load_bins(given.bins, tables.bins);
  MxRows<kCount> input{part.first * p.cols + part.col};
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
      decode_mx(tables.values, codes[r + i], scales[r + i], values);
      round_to<T>(values);
#pragma unroll
      for (int c = 0; c < kCount; ++c) values[c] = added(values[c], sums[i][c], p.scale);
      round_to<T>(values);
      const std::uint32_t most = most_of_block(values);
      const unsigned exponent =
          given.to_scales == nullptr ? scales[r + i] : format::mx_exponent(given.is_nearest, most);
      const std::uint32_t made = encode_mx(tables, given.is_nearest, exponent, values);
      if (r + i < left) {
        store_codes<kCount>(given.to + output.at / 2, made);
        if (given.to_scales != nullptr && part.col % format::kMinBlocksize == 0)
          given.to_scales[output.at / format::kMinBlocksize] = static_cast<std::uint8_t>(exponent);
        store_vectors(static_cast<T*>(p.out) + output.at, values);
      }
      output.advance(given);
    }
  };
  Way::template for_rows<kTogetherAhead, kTogether>(p, part, load, finish);
}

}  // namespace qfuse::cuda::lora_merge

#endif  // QFUSE_BACKEND_CUDA_LORA_MERGE_CODES_CUH
