// Finds a weight's scales and quantizes it, along its rows (forward) or columns (backward). A thread has one rotated
// block of terms at a time, so that sums and differences need no exchange: between lanes go 4-bit codes before decoding
// and bytes after rounding, but no fp32.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_CUH

#include <cstdint>

#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/rotated_int8/rows.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- kernel arguments ----

struct Weights {
  Weight4bit weight;
  bool is_nested;
  std::int64_t rows;
  std::int64_t cols;
  bool is_wide;
};

struct ScalesArguments : Weights {
  float* scale;
};
struct CodesArguments : Weights {
  const float* scale;
  std::int8_t* q;
};

// Thread blocks per multiprocessor, for 168 registers per thread. On AMD GPUs the bound counts wavefronts per SIMD.
constexpr int kWeightBlocks = kHasMatrixInstructions ? 6 : 1;
constexpr int kWeightWarps = kWeightThreads / kWarp;
constexpr std::int64_t kPrefetched = 792;  // thread blocks ahead: as many as an H100 or H200 has at a time
constexpr int kVector = static_cast<int>(sizeof(uint4));

// ---- a thread's block of terms ----

// Loads the absmax of kCount elements, of which at(i) is number i. No load waits for another number's.
template <bool kAligned, int kCount, class At>
__device__ void load_absmax(const Weights& a, const At& at, float (&absmax)[kCount]) {
  const Weight4bit& w = a.weight;
  if (!a.is_nested) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) absmax[i] = load<kAligned>(w.absmax + (at(i) >> w.block_shift));
    return;
  }
  unsigned codes[kCount];
  float scales[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const std::int64_t block = at(i) >> w.block_shift;
    codes[i] = w.absmax_8bit[block];
    scales[i] = load<kAligned>(w.nested_absmax + ((w.nested_begin + block) >> (w.nested_shift - w.block_shift)));
  }
  const float offset = load<kAligned>(w.nested_offset);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    absmax[i] = decode_absmax(load<kAligned>(w.nested_quant_map + codes[i]), scales[i], [&] { return offset; });
}

// Loads the absmax of groups of 32 elements, of which at(i) is the first of group i. Groups 0 and 1, 2 and 3 and so on
// are aligned pairs.
template <int kCount, class At>
__device__ void load_absmax_of_groups(const Weights& a, const At& at, float (&absmax)[kCount]) {
  if (!a.is_wide) {
    load_absmax<false>(a, at, absmax);
  } else if ((kLaneTerms >> a.weight.block_shift) != 0) {
    load_absmax<true>(a, at, absmax);
  } else {
    float of_pairs[kCount / 2];
    load_absmax<true>(
        a, [&](int i) { return at(2 * i); }, of_pairs);
#pragma unroll
    for (int i = 0; i < kCount; ++i) absmax[i] = of_pairs[i / 2];
  }
}

__device__ inline float value_of_lane(const Weights& a) { return a.weight.values[threadIdx.x % format::kCodes4]; }

// Lane i has the value of code i % 16; lanes are counted modulo 32, so higher bits of `codes` do not matter.
__device__ inline float value_of_code(float values, std::uint32_t codes, int i) {
  return value_of(values, static_cast<int>(codes >> (8 * (i / 2) + (i % 2 == 0 ? 4 : 0))));
}

template <int kBlock>
__device__ void rotate_all(float (&v)[kBlock]) {
  rotate_own<1>(v);
  rotate_own<2>(v);
  rotate_own<4>(v);
  rotate_own<8>(v);
  rotate_own<16>(v);
  rotate_own<32>(v);
  if constexpr (kBlock > format::kSmallRotatedBlock) rotate_own<format::kSmallRotatedBlock>(v);
}

// ---- a warp's blocks of int8, on their way to memory ----

// Lanes write their own blocks and read vectors of neighbors, so that a store fills whole lines. The place of a vector
// in its block depends on the lane, so that neither conflicts.
template <int kBlock>
class Staged {
 public:
  static constexpr unsigned kVectors = kBlock / kVector;  // per block

  // Called by a warp, with the lane's rotated terms. A factor of 0 gives zeros, even for values that are not finite.
  __device__ void put(float (&v)[kBlock], float factor) {
    const unsigned lane = threadIdx.x % kWarp;
    if (factor == 0.0F)
      for (float& x : v) x = 0.0F;
#pragma unroll
    for (unsigned i = 0; i < kVectors; ++i) {
      std::uint32_t words[4];
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) words[j] = nearest(v + kVector * i + 4 * j, factor);
      vectors_[place(lane, i)] = vector_of(words);
    }
    sync_warp();
  }

  // Stores the blocks of the warp's first `count` lanes; to(lane): the address of a lane's block.
  template <class To>
  __device__ void store(int count, bool is_wide, const To& to) const {
    if (is_wide)
      store_each(count, to, [](uint4* at, uint4 vector) { *at = vector; });
    else
      store_each(count, to, [](uint4* at, uint4 vector) { store_bytes(at, vector); });
  }

 private:
  // Eight lanes, or eight neighbors in memory, have different banks.
  static __device__ unsigned place(unsigned lane, unsigned i) {
    return lane * kVectors + (i ^ (lane * kVectors / 8 % kVectors));
  }

  template <class To, class Store>
  __device__ void store_each(int count, const To& to, const Store& store) const {
    const unsigned first = threadIdx.x % kWarp / kVectors;
    const unsigned vector = threadIdx.x % kVectors;
#pragma unroll
    for (unsigned i = 0; i < kVectors; ++i) {
      const unsigned lane = first + i * (kWarp / kVectors);
      const uint4 stored = vectors_[place(lane, vector)];
      if (static_cast<int>(lane) < count) store(reinterpret_cast<uint4*>(to(lane)) + vector, stored);
    }
  }

  uint4 vectors_[kWarp * kVectors];
};

// ---- forward ----

// Blocks are numbered in memory order. Loads come first, so that none waits for another's result.
template <int kBlock>
__device__ void decode_along_row(const Weights& a, std::int64_t block, float values, float (&v)[kBlock]) {
  constexpr int kGroups = kBlock / kLaneTerms;
  const std::int64_t first = block * kBlock;
  std::uint32_t codes[kGroups][kEights];
  const auto* const packed = reinterpret_cast<const uint4*>(a.weight.packed + first / 2);
  if (a.is_wide)
    for (int i = 0; i < kGroups; ++i) unpack(load_once(packed + i), codes[i]);
  else
    for (int i = 0; i < kGroups; ++i) unpack(load_bytes<uint4>(packed + i), codes[i]);
  float absmax[kGroups];
  load_absmax_of_groups(
      a, [&](int i) { return first + i * kLaneTerms; }, absmax);
#pragma unroll
  for (int i = 0; i < kBlock; ++i)
    v[i] = mul_ftz(value_of_code(values, codes[i / kLaneTerms][i % kLaneTerms / kEight], i % kEight),
                   absmax[i / kLaneTerms]);
}

template <int kBlock>
__global__ void __launch_bounds__(kWeightThreads, kWeightBlocks)
    find_scales_of_rows(const __grid_constant__ ScalesArguments a) {
  const std::int64_t blocks_a_row = a.cols / kBlock;
  std::uint32_t largest = 0;
#pragma unroll 1
  for (std::int64_t first = 0; first < blocks_a_row; first += kWeightThreads) {
    const std::int64_t block = first + threadIdx.x < blocks_a_row ? first + threadIdx.x : first;
    float v[kBlock];
    decode_along_row(a, blockIdx.x * blocks_a_row + block, value_of_lane(a), v);
    rotate_all(v);
    largest = larger_of(largest, v);
  }
  const float scale = format::rotated_scale(largest_of_block(largest), format::rotated_root(kBlock));
  if (threadIdx.x == 0) store<false>(a.scale + blockIdx.x, scale);
}

// Prefetches to L2 the codes of a block that begins when those that run now have ended.
template <int kBlock>
__device__ void prefetch_codes_after(const Weights& a, std::int64_t block) {
  const std::int64_t later = block + kPrefetched * kWeightThreads;
  if (later < a.rows * a.cols / kBlock) prefetch(a.weight.packed + later * (kBlock / 2));
}

// A lane that has no block computes the first one again, and stores nothing.
template <int kBlock>
__global__ void __launch_bounds__(kWeightThreads, kWeightBlocks)
    quantize_along_rows(const __grid_constant__ CodesArguments a) {
  __shared__ Staged<kBlock> staged[kWeightWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t blocks_a_row = a.cols / kBlock;
  const std::int64_t first = std::int64_t{kWeightThreads} * blockIdx.x + static_cast<int>(threadIdx.x) - lane;
  const std::int64_t left = a.rows * blocks_a_row - first;  // none in a warp: at most 0
  const int count = static_cast<int>(left < kWarp ? left : kWarp);
  const std::int64_t block = lane < count ? first + lane : 0;
  if (lane < count) prefetch_codes_after<kBlock>(a, block);
  const float scale = load<false>(a.scale + block / blocks_a_row);
  float v[kBlock];
  decode_along_row(a, block, value_of_lane(a), v);
  rotate_all(v);
  Staged<kBlock>& own = staged[threadIdx.x / kWarp];
  own.put(v, format::rotated_factor(scale, format::rotated_root(kBlock)));
  own.store(count, a.is_wide, [&](unsigned of) { return a.q + (first + of) * kBlock; });
}

// ---- backward: a thread block has 64 columns by one rotated block of rows ----

// Turns eight rows' codes of eight columns into eight columns' codes of eight rows.
__device__ inline void transpose(std::uint32_t (&codes)[kEight]) {
  constexpr std::uint32_t kHigh = 0xf0f0f0f0;  // of every byte
  std::uint32_t pairs[2][kEight / 2];          // of even columns and of odd ones: bytes of two rows' codes
#pragma unroll
  for (int i = 0; i < kEight / 2; ++i) {
    const std::uint32_t first = codes[2 * i];
    const std::uint32_t second = codes[2 * i + 1];
    pairs[0][i] = (first & kHigh) | (second >> 4 & ~kHigh);
    pairs[1][i] = (first << 4 & kHigh) | (second & ~kHigh);
  }
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    const std::uint32_t(&p)[kEight / 2] = pairs[odd];
    const std::uint32_t low[] = {permuted(p[0], p[1], 0x5140), permuted(p[2], p[3], 0x5140)};
    const std::uint32_t high[] = {permuted(p[0], p[1], 0x7362), permuted(p[2], p[3], 0x7362)};
    codes[odd] = permuted(low[0], low[1], 0x5410);
    codes[odd + 2] = permuted(low[0], low[1], 0x7632);
    codes[odd + 4] = permuted(high[0], high[1], 0x5410);
    codes[odd + 6] = permuted(high[0], high[1], 0x7632);
  }
}

template <int kBlock>
class ColumnTile {
 public:
  // Called by all threads. `first`: the tile's first element.
  __device__ void load(const Weights& a, std::int64_t first) {
    load_codes(a, first);
    load_absmax_of_rows(a, first);
    __syncthreads();
  }

  __device__ void decode(unsigned col, float values, float (&v)[kBlock]) const {
#pragma unroll
    for (int i = 0; i < kBlock; i += kLaneTerms) {
      std::uint32_t codes[kEights];
      unpack(*reinterpret_cast<const uint4*>(words_ + place(col / kEight, col % kEight, i / kEight)), codes);
#pragma unroll
      for (int j = 0; j < kLaneTerms; j += 4) {
        std::uint32_t absmax[4];
        unpack(*reinterpret_cast<const uint4*>(absmax_[col / kLaneTerms] + i + j), absmax);
#pragma unroll
        for (int k = 0; k < 4; ++k)
          v[i + j + k] = mul_ftz(value_of_code(values, codes[j / kEight], j % kEight + k), __uint_as_float(absmax[k]));
      }
    }
  }

 private:
  static constexpr int kWords = kBlock / kEight;  // a column's
  static constexpr int kHalves = kTileCols / kLaneTerms;
  static constexpr int kPadding = 4;  // words between absmax of two halves, for other banks

  // The place of a word of column `col` of eight columns. Eight lanes that read vectors have different banks; those
  // that write words of eight columns meet in pairs.
  static __device__ unsigned place(unsigned eight, unsigned col, unsigned word) {
    constexpr unsigned kVectors = kWords / 4;
    const unsigned vector = ((word / 4 ^ eight) % kVectors) ^ (col * kVectors / kEight);
    return (eight * kEight + col) * kWords + vector * 4 + word % 4;
  }

  // Eight threads share rows.
  __device__ void load_codes(const Weights& a, std::int64_t first) {
    if (a.is_wide)
      load_codes(a, first, [](const std::uint32_t* from) { return load_once(from); });
    else
      load_codes(a, first, [](const std::uint32_t* from) { return load_bytes<std::uint32_t>(from); });
  }
  template <class Load>
  __device__ void load_codes(const Weights& a, std::int64_t first, const Load& load_word) {
    constexpr unsigned kAcross = kTileCols / kEight;
    const unsigned across = threadIdx.x % kAcross;
#pragma unroll
    for (unsigned i = 0; i < kWords; i += kWeightThreads / kAcross) {
      const unsigned word = i + threadIdx.x / kAcross;
      const std::uint8_t* const packed = a.weight.packed + (first + word * kEight * a.cols + across * kEight) / 2;
      std::uint32_t codes[kEight];
#pragma unroll
      for (int row = 0; row < kEight; ++row)
        codes[row] = load_word(reinterpret_cast<const std::uint32_t*>(packed + row * (a.cols / 2)));
      transpose(codes);
#pragma unroll
      for (unsigned c = 0; c < kEight; ++c) words_[place(across, c, word)] = codes[c];
    }
  }

  __device__ void load_absmax_of_rows(const Weights& a, std::int64_t first) {
    constexpr int kRows = kBlock / kWeightThreads;
    const int row = static_cast<int>(threadIdx.x);
    float absmax[kRows * kHalves];
    load_absmax_of_groups(
        a, [&](int i) { return first + (row + i / kHalves * kWeightThreads) * a.cols + i % kHalves * kLaneTerms; },
        absmax);
#pragma unroll
    for (int i = 0; i < kRows * kHalves; ++i)
      absmax_[i % kHalves][row + i / kHalves * kWeightThreads] = __float_as_uint(absmax[i]);
  }

  alignas(sizeof(uint4)) std::uint32_t words_[kTileCols * kWords];
  alignas(sizeof(uint4)) std::uint32_t absmax_[kHalves][kBlock + kPadding];
};

template <int kBlock>
__global__ void __launch_bounds__(kWeightThreads, kWeightBlocks)
    find_scales_of_columns(const __grid_constant__ ScalesArguments a) {
  __shared__ ColumnTile<kBlock> tile;
  const std::int64_t first_col = std::int64_t{kTileCols} * blockIdx.x;
  std::uint32_t largest = 0;
#pragma unroll 1
  for (std::int64_t row = 0; row < a.rows; row += kBlock) {
    __syncthreads();  // the previous tile has been read
    tile.load(a, row * a.cols + first_col);
    float v[kBlock];
    tile.decode(threadIdx.x, value_of_lane(a), v);
    rotate_all(v);
    largest = larger_of(largest, v);
  }
  const float scale = format::rotated_scale(largest, format::rotated_root(kBlock));
  store<false>(a.scale + first_col + threadIdx.x, scale);
}

// Tiles are numbered along the rows.
template <int kBlock>
__global__ void __launch_bounds__(kWeightThreads, kWeightBlocks)
    quantize_along_columns(const __grid_constant__ CodesArguments a) {
  static_assert(kWeightThreads == kTileCols, "one column per thread");
  __shared__ ColumnTile<kBlock> tile;
  __shared__ Staged<kBlock> staged[kWeightWarps];
  const unsigned thread = threadIdx.x;
  const std::int64_t tiles_a_row = a.cols / kTileCols;
  const std::int64_t first_row = blockIdx.x / tiles_a_row * kBlock;
  const std::int64_t first_col = blockIdx.x % tiles_a_row * kTileCols;
  const float scale = load<false>(a.scale + first_col + thread);
  tile.load(a, first_row * a.cols + first_col);
  float v[kBlock];
  tile.decode(thread, value_of_lane(a), v);
  rotate_all(v);
  Staged<kBlock>& own = staged[thread / kWarp];
  own.put(v, format::rotated_factor(scale, format::rotated_root(kBlock)));
  std::int8_t* const first = a.q + (first_col + thread / kWarp * kWarp) * a.rows + first_row;
  own.store(kWarp, a.is_wide, [&](unsigned lane) { return first + lane * a.rows; });
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_CUH
