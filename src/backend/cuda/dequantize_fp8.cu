// in:     codes [rows, cols] e4m3, scales [row blocks, column blocks] fp32, fp16, bf16 or UE8M0; any address
// out:    [rows, cols] fp32, fp16 or bf16; 16-byte stores if rows and blocks are whole vectors; otherwise any address
// math:   out = round(e4m3(code) * scale), the product rounded in fp32
// cost:   n bytes read, 2n or 4n written: bound by device memory bandwidth
// oracle: reference/dequantize_fp8.cpp
#include "backend/cuda/kernels.h"

#include <cstdint>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/row_tiles.cuh"
#include "backend/cuda/device/scales.cuh"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// In tiles of rows an H200 decodes 18432 x 7168 to bf16 in 101 us, at 94 % of its copy bandwidth; with 2 or 8 rows per
// thread in 102 and 101 us; with 16-byte loads of codes, two output vectors each, in 142 us.
constexpr int kVector = 16;  // bytes of the widest store
template <class Out, bool kWide>
constexpr int kFp8Group = kWide ? kVector / static_cast<int>(sizeof(Out)) : 1;

// ---- kernel arguments ----

struct Fp8Arguments {
  contract::DequantizeFp8 p;
  std::int64_t scale_cols;
  RowTiles tiles;
};

// ---- steps ----

// A group of codes, four per word; a group of one code has a word to itself.
template <int kCodes>
struct Fp8Codes {
  std::uint32_t words[kCodes == 8 ? 2 : 1];
};

template <int kCodes>
__device__ Fp8Codes<kCodes> load_fp8(const std::uint8_t* from) {
  if constexpr (kCodes == 8) {
    const std::uint64_t both = load_once(reinterpret_cast<const std::uint64_t*>(from));
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  } else {
    return {load_bytes_once<kCodes>(from)};
  }
}

template <class Out, int kCodes>
__device__ void decode_fp8(const Fp8Codes<kCodes>& codes, float scale, Out* out) {
  float numbers[kCodes + kCodes % 2];
#pragma unroll
  for (int e = 0; e < kCodes; e += 2) e4m3_numbers(codes.words[e / 4] >> (8 * (e % 4)), numbers[e], numbers[e + 1]);
#pragma unroll
  for (int e = 0; e < kCodes; ++e) numbers[e] = __fmul_rn(numbers[e], scale);
  if constexpr (kCodes == 1) {
    store<false>(out, Rounding<Out>::one(numbers[0]));
  } else {
    constexpr int kPerWord = sizeof(std::uint32_t) / sizeof(Out);
    const uint4 words = {Rounding<Out>::word(numbers), Rounding<Out>::word(numbers + kPerWord),
                         Rounding<Out>::word(numbers + 2 * kPerWord), Rounding<Out>::word(numbers + 3 * kPerWord)};
    store_vector<false>(out, words);
  }
}

// ---- kernel ----

template <class Out, bool kWide>
__global__ void __launch_bounds__(kTileThreads) decode_fp8_tile(const __grid_constant__ Fp8Arguments a) {
  constexpr int kGroup = kFp8Group<Out, kWide>;
  const contract::DequantizeFp8& p = a.p;
  const auto [row, group, row_threads] = place_in(a.tiles);
  const std::int64_t col = group * kGroup;
  if (col >= p.cols) return;
  const std::int64_t scale_col = quotient(col, p.block_cols);
  Fp8Codes<kGroup> codes[kRowsEach];
  float scales[kRowsEach];
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (row + r * row_threads < p.rows) codes[r] = load_fp8<kGroup>(p.codes + (row + r * row_threads) * p.cols + col);
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (row + r * row_threads < p.rows)
      scales[r] =
          load_scale(p.scales, quotient(row + r * row_threads, p.block_rows) * a.scale_cols + scale_col, p.scale_type);
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r)
    if (row + r * row_threads < p.rows)
      decode_fp8(codes[r], scales[r], static_cast<Out*>(p.out) + (row + r * row_threads) * p.cols + col);
}

// ---- launching the kernel of a call ----

// Whether every group is one aligned vector of codes and of outputs, and has a single scale.
template <class Out>
bool is_wide(const contract::DequantizeFp8& p) {
  constexpr int kGroup = kFp8Group<Out, true>;
  return p.cols % kGroup == 0 && (p.block_cols % kGroup == 0 || p.block_cols >= p.cols) &&
         is_aligned(p.codes, kGroup) && is_aligned(p.out, kVector);
}

template <class Out, bool kWide>
contract::Outcome launch_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec) {
  const Fp8Arguments a = {.p = p,
                          .scale_cols = format::ceil_div(p.cols, p.block_cols),
                          .tiles = row_tiles(p.rows, format::ceil_div(p.cols, kFp8Group<Out, kWide>))};
  return launch(decode_fp8_tile<Out, kWide>, {.blocks = a.tiles.blocks, .threads = kTileThreads}, a, exec);
}

template <class Out>
contract::Outcome launch_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec) {
  return is_wide<Out>(p) ? launch_fp8<Out, true>(p, exec) : launch_fp8<Out, false>(p, exec);
}

}  // namespace

contract::Outcome ops::dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec) {
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch_fp8<float>(p, exec);
    case QFUSE_FLOAT16: return launch_fp8<Half>(p, exec);
    case QFUSE_BFLOAT16: return launch_fp8<Bfloat16>(p, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
