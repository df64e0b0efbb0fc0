// Quantizes a weight with given scales, along its rows (forward) or its columns (backward), in blocks of 128 terms. A
// thread has half a block, so that only one step of the rotation is between lanes, and copies its next codes while it
// rotates.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_AHEAD_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_AHEAD_CUH

#include <cstdint>

#include "backend/cuda/rotated_int8/steps.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- kernel arguments ----

struct AheadArguments {
  Weight4bit source;
  std::int64_t rows;
  std::int64_t cols;
  const float* scale;
  std::int8_t* q;
  unsigned groups;  // units of work: 16 blocks in memory order or, backward, tiles of 64 columns
  unsigned step;    // how many of them run at a time
};

// ---- a warp's blocks: lane i has the first half of block i, lane i + 16 its second half ----

constexpr int kTerms = static_cast<int>(format::kRotatedBlock);
constexpr int kHalf = kTerms / 2;
constexpr int kWarpBlocks = kWarp / 2;
constexpr int kAheadWarps = kAheadThreads / kWarp;
constexpr unsigned kVector = sizeof(uint4);
__device__ inline unsigned lane_block() { return threadIdx.x % kWarpBlocks; }
__device__ inline unsigned lane_half() { return threadIdx.x % kWarp / kWarpBlocks; }

// ---- steps ----

// Called by all threads. Copies the values of the 8-bit codes to shared memory.
template <bool kNested>
__device__ const float* shared_map(const Weight4bit& w) {
  if constexpr (kNested) {
    __shared__ float map[format::kCodes8];
    for (unsigned i = threadIdx.x; i < format::kCodes8; i += kAheadThreads) map[i] = w.nested_quant_map[i];
    __syncthreads();
    return map;
  }
  return nullptr;
}

// Absmax of an element as it is stored, so that it can be loaded long before it is decoded.
template <bool kNested>
__device__ Absmax load_absmax(const Weight4bit& w, std::int64_t element) {
  const std::int64_t block = element >> w.block_shift;
  if constexpr (!kNested) return {0, w.absmax[block]};
  return {w.absmax_8bit[block], w.nested_absmax[(w.nested_begin + block) >> (w.nested_shift - w.block_shift)]};
}

// Where a unit of work is, in rows of `width` units; advances by another place without a division.
struct Place {
  unsigned width;
  unsigned row;
  unsigned at;

  __device__ Place(unsigned unit, unsigned width) : width(width), row(unit / width), at(unit % width) {}
  __device__ void advance(const Place& by) {
    row += by.row;
    at += by.at;
    if (at < width) return;
    at -= width;
    ++row;
  }
};

template <int kDistance>
__device__ void rotate_from(float (&v)[kHalf]) {
  rotate_own<kDistance>(v);
  if constexpr (2 * kDistance < kHalf) rotate_from<2 * kDistance>(v);
}

// The second half gets the difference: it multiplies its own value by -1, which is exact.
__device__ inline void rotate_halves(float (&v)[kHalf]) {
  rotate_from<1>(v);
  const float sign = lane_half() == 0 ? 1.0F : -1.0F;
#pragma unroll
  for (float& x : v) x = __fmaf_rn(sign, x, exchange(x, kWarpBlocks));
}

// A warp's blocks of int8, on their way to memory: lanes write their own halves and read vectors of neighbors, so that
// a store fills whole lines. The place of a vector depends on the lane, so that neither conflicts.
class Staged {
 public:
  // Called by a warp. A factor of 0 gives zeros, even for values that are not finite.
  __device__ void put(float (&v)[kHalf], float factor) {
    if (factor == 0.0F)
      for (float& x : v) x = 0.0F;
#pragma unroll
    for (unsigned i = 0; i < kVectors; ++i) {
      std::uint32_t words[4];
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) words[j] = nearest(v + kVector * i + 4 * j, factor);
      vectors_[place(threadIdx.x % kWarp, i)] = vector_of(words);
    }
    sync_warp();
  }

  // Stores the warp's first `count` blocks; to(block): the address of a block.
  template <class To>
  __device__ void store(int count, const To& to) const {
    constexpr unsigned kOfBlock = 2 * kVectors;
    const unsigned vector = threadIdx.x % kOfBlock;
#pragma unroll
    for (unsigned i = 0; i < kVectors; ++i) {
      const int block = static_cast<int>(threadIdx.x % kWarp / kOfBlock + i * (kWarp / kOfBlock));
      const unsigned lane = static_cast<unsigned>(block) + vector / kVectors * kWarpBlocks;
      if (block < count) reinterpret_cast<uint4*>(to(block))[vector] = vectors_[place(lane, vector % kVectors)];
    }
  }

 private:
  static constexpr unsigned kVectors = kHalf / kVector;  // per lane
  static __device__ unsigned place(unsigned lane, unsigned i) {
    const unsigned slot = lane ^ lane / kWarpBlocks;
    return slot * kVectors + (i ^ slot / 2 % kVectors);
  }

  uint4 vectors_[kWarp * kVectors];
};

// ---- forward: a warp has 16 blocks, which are neighbors in memory ----

// Lanes copy neighboring vectors, and each reads those of its half.
class BlockCodes {
 public:
  // Called by a warp; `count`: blocks that exist.
  __device__ void begin(Copies& copies, const std::uint8_t* packed, int count) {
#pragma unroll
    for (int i = 0; i < kVectors * kWarpBlocks; i += kWarp) {
      const int vector = static_cast<int>(threadIdx.x % kWarp) + i;
      if (vector < count * kVectors)
        copies.begin(vectors_ + place(vector / kVectors, vector % kVectors),
                     packed + vector * static_cast<int>(kVector));
    }
    copies.close();
  }

  __device__ void decode(const float* values, float absmax, float (&v)[kHalf]) const {
    constexpr int kOfHalf = kVectors / 2;
#pragma unroll
    for (int i = 0; i < kOfHalf; ++i) {
      std::uint32_t words[kEights];
      unpack(vectors_[place(static_cast<int>(lane_block()), static_cast<int>(lane_half()) * kOfHalf + i)], words);
#pragma unroll
      for (int j = 0; j < kEights; ++j)
        decode_word(
            values, words[j], [&](int) { return absmax; }, v + kLaneTerms * i + kEight * j);
    }
  }

 private:
  static constexpr int kVectors = kHalf / static_cast<int>(kVector);  // per block; one of padding prevents conflicts
  static __device__ int place(int block, int i) { return block * (kVectors + 1) + i; }

  uint4 vectors_[kWarpBlocks * (kVectors + 1)];
};

template <bool kNested>
__global__ void __launch_bounds__(kAheadThreads, kAheadBlocks)
    quantize_rows_ahead(const __grid_constant__ AheadArguments a) {
  __shared__ BlockCodes of_warps[kAheadWarps];
  __shared__ Staged staged_of_warps[kAheadWarps];
  const float* const map = shared_map<kNested>(a.source);
  const float* const values = shared_values(a.source);
  BlockCodes& codes = of_warps[threadIdx.x / kWarp];
  Staged& staged = staged_of_warps[threadIdx.x / kWarp];
  const auto blocks_a_row = static_cast<unsigned>(a.cols / kTerms);
  const auto blocks = static_cast<unsigned>(a.rows) * blocks_a_row;
  const float offset = load_offset<true, kNested>(a.source);
  const auto count_from = [&](unsigned first) {
    return static_cast<int>(blocks - first < kWarpBlocks ? blocks - first : kWarpBlocks);
  };
  Copies copies;
  Absmax absmax = {};
  const auto begin = [&](unsigned first) {
    codes.begin(copies, a.source.packed + std::int64_t{first} * kHalf, count_from(first));
    const unsigned block = first + lane_block();
    if (block < blocks) absmax = load_absmax<kNested>(a.source, std::int64_t{block} * kTerms + lane_half() * kHalf);
  };
  unsigned group = blockIdx.x * kAheadWarps + threadIdx.x / kWarp;
  Place place(group * kWarpBlocks + lane_block(), blocks_a_row);
  const Place step(a.step * kWarpBlocks, blocks_a_row);
  if (group < a.groups) begin(group * kWarpBlocks);
#pragma unroll 1
  for (; group < a.groups; group += a.step, place.advance(step)) {
    const unsigned first = group * kWarpBlocks;
    const float scale = a.scale[place.row < a.rows ? place.row : 0];
    const float decoded = decode_absmax(kNested, map, absmax, offset);
    float v[kHalf];
    copies.wait<0>();
    sync_warp();
    codes.decode(values, decoded, v);
    sync_warp();  // all lanes have read their codes
    if (a.groups - group > a.step) begin((group + a.step) * kWarpBlocks);
    rotate_halves(v);
    staged.put(v, format::rotated_factor(scale, format::rotated_root(kTerms)));
    std::int8_t* const q = a.q + std::int64_t{first} * kTerms;
    const auto to = [&](int of) { return q + of * kTerms; };
    if (count_from(first) == kWarpBlocks)  // without comparisons
      staged.store(kWarpBlocks, to);
    else
      staged.store(count_from(first), to);
  }
}

// ---- backward: a thread block has 64 columns by 128 rows, a thread half a column ----

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

class ColumnCodes {
 public:
  // The column that is a block of this thread's warp: those of eight neighbors are eight apart.
  static __device__ unsigned col_of(unsigned block) {
    return block % kEight * kEight + block / kEight + threadIdx.x / kWarp * (kWarpBlocks / kEight);
  }

  // Called by all threads. packed: the tile's first byte; stride: bytes from a row to the next.
  __device__ void begin(Copies& copies, const std::uint8_t* packed, std::int64_t stride) {
    constexpr unsigned kVectors = kTileCols / 2 / kVector;  // per row
#pragma unroll
    for (unsigned i = threadIdx.x; i < kTerms * kVectors; i += kAheadThreads) {
      const unsigned row = i / kVectors;
      copies.begin(reinterpret_cast<uint4*>(stored_ + row_place(row)) + i % kVectors,
                   packed + row * stride + i % kVectors * kVector);
    }
    copies.close();
  }

  // Called by all threads. absmax: of the row threadIdx.x.
  __device__ void transpose_tile(float absmax) {
    constexpr unsigned kAcross = kTileCols / kEight;
    const unsigned across = threadIdx.x % kAcross;
    const unsigned word = threadIdx.x / kAcross;
    std::uint32_t codes[kEight];
#pragma unroll
    for (unsigned row = 0; row < kEight; ++row) codes[row] = stored_[row_place(word * kEight + row) + across];
    transpose(codes);
#pragma unroll
    for (unsigned col = 0; col < kEight; ++col) words_[place(across * kEight + col, word)] = codes[col];
    absmax_[threadIdx.x] = __float_as_uint(absmax);
    __syncthreads();
  }

  __device__ void decode(unsigned col, const float* values, float (&v)[kHalf]) const {
    const unsigned first = lane_half() * kHalf;
#pragma unroll
    for (unsigned i = 0; i < kHalf; i += kLaneTerms) {
      std::uint32_t words[kEights];
      unpack(*reinterpret_cast<const uint4*>(words_ + place(col, (first + i) / kEight)), words);
#pragma unroll
      for (unsigned j = 0; j < kEights; ++j) {
        const unsigned term = i + kEight * j;
        std::uint32_t absmax[kEight];
        unpack(*reinterpret_cast<const uint4*>(absmax_ + first + term), absmax);
        unpack(*reinterpret_cast<const uint4*>(absmax_ + first + term + 4), absmax + 4);
        decode_word(
            values, words[j], [&](int k) { return __uint_as_float(absmax[k]); }, v + term);
      }
    }
  }

 private:
  static constexpr unsigned kWords = kTerms / kEight;  // a column's
  static constexpr unsigned kPadding = 4;              // words after eight columns
  static_assert(kAheadThreads == kWords * kTileCols / kEight, "a word of eight columns per thread");
  static_assert(kAheadThreads == kTerms && kAheadThreads == 2 * kTileCols, "a row and half a column per thread");

  // Where a row of codes begins, in words: eight words that follow eight rows prevent conflicts.
  static __device__ unsigned row_place(unsigned row) { return (row + row / kEight) * (kTileCols / kEight); }
  // Neither lanes that write words of eight columns each nor lanes that read vectors conflict.
  static __device__ unsigned place(unsigned col, unsigned word) {
    return col * kWords + word + col / kEight * kPadding;
  }

  alignas(kVector) std::uint32_t stored_[(kTerms + kTerms / kEight) * (kTileCols / kEight)];
  alignas(kVector) std::uint32_t words_[kTileCols * kWords + kTileCols / kEight * kPadding];
  alignas(kVector) std::uint32_t absmax_[kTerms];
};

template <bool kNested>
__global__ void __launch_bounds__(kAheadThreads, kAheadBlocks)
    quantize_columns_ahead(const __grid_constant__ AheadArguments a) {
  __shared__ ColumnCodes codes;
  __shared__ Staged staged_of_warps[kAheadWarps];
  const float* const map = shared_map<kNested>(a.source);
  const float* const values = shared_values(a.source);
  Staged& staged = staged_of_warps[threadIdx.x / kWarp];
  const unsigned col = ColumnCodes::col_of(lane_block());
  const auto tiles_a_row = static_cast<unsigned>(a.cols / kTileCols);
  const float offset = load_offset<true, kNested>(a.source);
  Copies copies;
  Absmax absmax = {};  // of the row threadIdx.x
  const auto begin = [&](const Place& tile) {
    const std::int64_t first = std::int64_t{tile.row} * kTerms * a.cols + tile.at * kTileCols;
    codes.begin(copies, a.source.packed + first / 2, a.cols / 2);
    absmax = load_absmax<kNested>(a.source, first + threadIdx.x * a.cols);
  };
  const Place step(a.step, tiles_a_row);
  Place next(blockIdx.x, tiles_a_row);
  if (blockIdx.x < a.groups) begin(next);
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < a.groups; tile += a.step) {
    const std::int64_t first_row = std::int64_t{next.row} * kTerms;
    const unsigned first_col = next.at * kTileCols;
    const float scale = a.scale[first_col + col];
    copies.wait<0>();
    __syncthreads();
    codes.transpose_tile(decode_absmax(kNested, map, absmax, offset));
    next.advance(step);
    if (a.groups - tile > a.step) begin(next);
    float v[kHalf];
    codes.decode(col, values, v);
    rotate_halves(v);
    staged.put(v, format::rotated_factor(scale, format::rotated_root(kTerms)));
    std::int8_t* const q = a.q + first_col * a.rows + first_row;
    staged.store(kWarpBlocks,
                 [&](int block) { return q + ColumnCodes::col_of(static_cast<unsigned>(block)) * a.rows; });
    sync_warp();  // all lanes have read what was staged
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_WEIGHT_AHEAD_CUH
