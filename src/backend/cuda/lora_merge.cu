// in:     in [rows, cols] fp32, fp16 or bf16, or a 4-bit source; a [rank, cols] fp32, b [rows, rank] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; any address; perhaps a 4-bit target
// math:   out[i][j] = round(in[i][j] + acc * scale), acc = fma(b[i][k], a[k][j], acc) for k ascending from +0, all in
//         fp32
// cost:   4 to 8 bytes read and written per element, and `rank` FMAs; `a` is in registers or in shared memory; from NF4
//         to NF4 about 3 bytes, and 22 instructions beside the FMAs
// oracle: reference/lora_merge.cpp
#include "backend/cuda/kernels.h"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/align.h"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/lora_merge_codes.cuh"
#include "backend/cuda/lora_merge_rows.cuh"
#include "format/layout.h"

namespace qfuse::cuda::lora_merge {
namespace {

// ---- policy ----

// For everything else: a block has 16 rows of 1024 columns; a thread has four adjacent columns and keeps
// their 64 sums in registers, so that an element of `a` is loaded once for 16 rows.
constexpr int kThreads = 256;
constexpr int kRows = 16;
constexpr int kColumns = 4;
constexpr int kBlockCols = kThreads * kColumns;
constexpr int kTerms = 32;  // columns of b that a block holds at a time

using Sums = float[kRows][kColumns];

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
  const std::int64_t tiles = (p.cols + kBlockCols - 1) / kBlockCols;
  const std::int64_t col = blockIdx.x % tiles * kBlockCols + threadIdx.x * kColumns;
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

// Sets the rows per block, by which bands fill the GPU once, and the grid of such blocks.
contract::Outcome find_bands(const qfuse_exec& exec, std::int64_t block_cols, ByRows& given, LaunchShape& shape) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  shape.blocks = format::ceil_div(given.p.cols, block_cols);
  const std::int64_t bands = std::max<std::int64_t>(1, kRowBlocks * facts.multiprocessors / shape.blocks);
  given.rows = format::ceil_div(format::ceil_div(given.p.rows, bands), kMostAhead) * kMostAhead;
  shape.rows = static_cast<int>(format::ceil_div(given.p.rows, given.rows));
  return {};
}

template <class Way>
contract::Outcome find_shape(const qfuse_exec& exec, ByRows& given, LaunchShape& shape) {
  shape.threads = Way::kThreads;
  if constexpr (!std::is_same_v<Way, Tiles>) return find_bands(exec, Way::kThreads * Way::kCount, given, shape);
  shape.blocks = format::ceil_div(given.p.cols, kTileCols) * format::ceil_div(given.p.rows, kTileRows);
  return {};
}

template <class T, class Way>
contract::Outcome launch_rows(const contract::LoraMerge& p, const qfuse_exec& exec) {
  ByRows given{p, 0};
  LaunchShape shape{};
  if (contract::Outcome o = find_shape<Way>(exec, given, shape); !o.ok()) return o;
  return launch(merge_rows<T, Way>, shape, given, exec);
}

template <class T>
contract::Outcome launch_rows(const contract::LoraMerge& p, const qfuse_exec& exec) {
  return p.rank <= kFewTerms    ? launch_rows<T, Bands<kFewTerms>>(p, exec)
         : p.rank <= kMostTerms ? launch_rows<T, Bands<kMostTerms>>(p, exec)
                                : launch_rows<T, Tiles>(p, exec);
}

contract::Outcome run_step(const contract::Dequantize4bit& step, const qfuse_exec& exec) {
  return ops::dequantize_4bit(step, exec);
}
contract::Outcome run_step(const contract::Quantize4bit& step, const qfuse_exec& exec) {
  return ops::quantize_4bit(step, exec);
}
contract::Outcome run_step(const contract::LoraMerge& p, const qfuse_exec& exec) {
  if (p.in_dtype == p.out_dtype && p.rank <= kMostOfTiles && is_aligned(p.b, sizeof(float)) &&
      are_vectors(p, p.rank > kFewTerms && p.rank <= kMostTerms ? Bands<kMostTerms>::kCount : Tiles::kCount))
    switch (p.in_dtype) {
      case QFUSE_FLOAT32: return launch_rows<float>(p, exec);
      case QFUSE_FLOAT16: return launch_rows<Half>(p, exec);
      case QFUSE_BFLOAT16: return launch_rows<Bfloat16>(p, exec);
    }
  const LaunchShape shape = {.blocks = format::ceil_div(p.rows, kRows) * format::ceil_div(p.cols, kBlockCols),
                             .threads = kThreads};
  return are_vectors(p, kColumns) ? launch(merge_tile<true>, shape, p, exec)
                                  : launch(merge_tile<false>, shape, p, exec);
}

// ---- to NF4 ----

template <class T, class Way, From kFrom>
contract::Outcome launch_to_nf4(const contract::LoraMerge& p, const LaunchShape& shape, const To4bit& given,
                                const qfuse_exec& exec) {
  if constexpr (kFrom != From::array)
    if (contract::keeps_absmax(p)) return launch(merge_rows_to_nf4<T, Way, kFrom, true>, shape, given, exec);
  return launch(merge_rows_to_nf4<T, Way, kFrom, false>, shape, given, exec);
}

template <class T, class Way>
contract::Outcome launch_to_nf4(const contract::LoraMerge& p, const qfuse_exec& exec) {
  const bool is_coded = contract::has_source(p);
  To4bit given{.by_rows = {p, 0},
               .source = is_coded ? device_view(p.source) : Weight4bit{},
               .packed = p.target.packed,
               .absmax = contract::absmax(contract::target_step(p)),
               .decodes = !contract::nests_absmax(contract::target_step(p)),
               .bins = kNf4Bins,
               .values = {}};
  std::ranges::copy(format::kNf4.values, given.values);
  LaunchShape shape{};
  if (contract::Outcome o = find_shape<Way>(exec, given.by_rows, shape); !o.ok()) return o;
  if (!is_coded) return launch_to_nf4<T, Way, From::array>(p, shape, given, exec);
  return contract::is_nested(p.source) ? launch_to_nf4<T, Way, From::nested>(p, shape, given, exec)
                                       : launch_to_nf4<T, Way, From::plain>(p, shape, given, exec);
}

// Whether rows are whole blocks, and kernels can load and store all arrays of a weight in vectors of `columns`.
bool are_whole_vectors(const auto& w, std::int64_t columns) {
  const bool is_aligned_absmax = contract::is_nested(w) ? is_aligned(w.nested_absmax, sizeof(float)) &&
                                                              is_aligned(w.nested_quant_map, sizeof(float)) &&
                                                              is_aligned(w.nested_offset, sizeof(float))
                                                        : is_aligned(w.absmax, sizeof(float));
  return w.cols % w.blocksize == 0 && is_aligned(w.packed, static_cast<std::size_t>(columns / 2)) && is_aligned_absmax;
}

// Whether tiles can load the factors. Without terms these may be null.
bool are_factors_of_tiles(const contract::LoraMerge& p) {
  return p.rank > 0 && p.rank <= kMostOfTiles && is_aligned(p.b, sizeof(float));
}

// Whether merge_rows_to_nf4 does the call. On an H200, 14336 x 4096 by rank 16, in us, and its steps: from NF4 to plain
// NF4 143 and 188, nested to nested 190 and 213, from bf16 to plain 141 and 150, but to nested 190 and 175. By rank 64,
// and its steps with merge_tile: 274 and 373, 331 and 399, 257 and 334, 312 and 360; with tiles to nested 312, too.
bool is_to_nf4_by_rows(const contract::LoraMerge& p) {
  if (contract::has_source(p) ? contract::has_scales_of_rows(p.source) : contract::is_nested(p.target)) return false;
  if (!contract::has_target(p) || p.target.quant_type != QFUSE_NF4 || p.in_dtype == QFUSE_FLOAT32) return false;
  constexpr std::int64_t kCount = Tiles::kCount;
  if (!contract::keeps_absmax(p) && p.target.blocksize != kTargetBlock) return false;
  if (!are_factors_of_tiles(p)) return false;
  if (!are_whole_vectors(p.target, kCount) || !is_aligned(contract::absmax(contract::target_step(p)), sizeof(float)))
    return false;
  return contract::has_source(p) ? are_whole_vectors(p.source, kCount) && are_vectors(contract::sum_step(p), kCount)
                                 : are_vectors(p, kCount);
}

bool is_in_mxfp4_by_rows(const contract::LoraMerge& p) {
  if (!contract::has_source(p) || !contract::has_target(p) || p.in_dtype == QFUSE_FLOAT32) return false;
  if (!contract::has_scales_of_rows(p.source) || !contract::has_scales_of_rows(p.target)) return false;
  constexpr std::int64_t kCount = Tiles::kCount;
  return are_factors_of_tiles(p) && is_aligned(p.source.packed, kCount / 2) &&
         is_aligned(p.target.packed, kCount / 2) && are_vectors(contract::sum_step(p), kCount);
}

template <class T>
contract::Outcome launch_in_mxfp4(const contract::LoraMerge& p, const qfuse_exec& exec) {
  InMx given{.by_rows = {p, 0},
             .from = p.source.packed,
             .from_scales = static_cast<const std::uint8_t*>(p.source.scales),
             .to = p.target.packed,
             .to_scales = contract::keeps_absmax(p) ? nullptr : p.target.scales,
             .is_nearest = p.target.mx_scales == QFUSE_MX_NEAREST,
             .bins = p.target.mx_scales == QFUSE_MX_NEAREST ? kE2m1NearestBins : kE2m1UpBins,
             .values = {}};
  std::ranges::copy(format::kE2m1, given.values);
  LaunchShape shape{};
  if (contract::Outcome o = find_shape<Tiles>(exec, given.by_rows, shape); !o.ok()) return o;
  return launch(merge_rows_in_mxfp4<T>, shape, given, exec);
}

// ---- to any ----

template <class T, class Way>
contract::Outcome run_to_nf4(const contract::LoraMerge& p, const qfuse_exec& exec) {
  if (contract::Outcome o = launch_to_nf4<T, Way>(p, exec);
      !o.ok() || !contract::nests_absmax(contract::target_step(p)))
    return o;
  if (contract::Outcome o = nest_absmax(contract::target_step(p), exec); !o.ok()) return o;
  return ops::dequantize_4bit(contract::result_step(p), exec);
}

// From NF4 to NF4 as above, bands take 143 us by up to 16 terms; tiles 127 by 8, 148 by 16. In MXFP4,
// bands take 179, tiles 142 and 160.
template <class T>
contract::Outcome run_encoding(const contract::LoraMerge& p, const qfuse_exec& exec) {
  if (contract::has_scales_of_rows(p.target)) return launch_in_mxfp4<T>(p, exec);
  return p.rank > kTileTerms && p.rank <= kFewTerms ? run_to_nf4<T, Bands<kFewTerms>>(p, exec)
                                                    : run_to_nf4<T, Tiles>(p, exec);
}

}  // namespace

}  // namespace qfuse::cuda::lora_merge

namespace qfuse::cuda {

contract::Outcome ops::lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec) {
  using namespace cuda::lora_merge;
  if (is_to_nf4_by_rows(p) || is_in_mxfp4_by_rows(p))
    return p.in_dtype == QFUSE_FLOAT16 ? run_encoding<Half>(p, exec) : run_encoding<Bfloat16>(p, exec);
  return contract::run_steps(p, [&](const auto& step) { return run_step(step, exec); });
}

}  // namespace qfuse::cuda
