// The 16 weights of a block, from which codes are decoded by permutations of bytes, without loads.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_WEIGHTS_16_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_WEIGHTS_16_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda::matmul_4bit {

// The 16 weights that a block can have, rounded, as their low and their high bytes: a permutation of bytes looks up
// four codes at once among eight of them. Or the eight of codes without a sign, of two blocks.
struct Weights16 {
  std::uint32_t low[4];
  std::uint32_t high[4];
};

// Makes the low and high bytes of four rounded weights.
template <class Value>
__device__ void make_four(const float* values, float absmax, std::uint32_t& low, std::uint32_t& high) {
  constexpr std::uint32_t kLowBytes = 0x6420;
  constexpr std::uint32_t kHighBytes = 0x7531;
  std::uint32_t words[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float pair[2] = {mul_ftz(values[2 * i], absmax), mul_ftz(values[2 * i + 1], absmax)};
    words[i] = Rounding<Value>::word(pair);
  }
  low = permuted(words[0], words[1], kLowBytes);
  high = permuted(words[0], words[1], kHighBytes);
}

template <class Value>
__device__ Weights16 weights_of(const float* values, float absmax) {
  Weights16 weights;
#pragma unroll
  for (int i = 0; i < 4; ++i) make_four<Value>(values + 4 * i, absmax, weights.low[i], weights.high[i]);
  return weights;
}

// Looks up four bytes. Where a byte of `upper` is 0xff, takes the entry 8 higher.
__device__ inline std::uint32_t looked_up(const std::uint32_t (&table)[4], std::uint32_t indices, std::uint32_t upper) {
  return (permuted(table[0], table[1], indices) & ~upper) | (permuted(table[2], table[3], indices) & upper);
}

// Byte selectors that make two weights of the looked-up bytes: of codes 0 and 1, and of codes 2 and 3.
struct PairOrder {
  std::uint32_t first_two;
  std::uint32_t last_two;
};
__device__ constexpr PairOrder pair_order(bool is_low_first) {
  return is_low_first ? PairOrder{0x5140, 0x7362} : PairOrder{0x4051, 0x6273};
}
__device__ inline void put_in_order(std::uint32_t low, std::uint32_t high, const PairOrder& order,
                                    std::uint32_t* words) {
  words[0] = permuted(low, high, order.first_two);
  words[1] = permuted(low, high, order.last_two);
}

// Decodes four codes, whose low three bits are `indices`.
__device__ inline void decode_four(const Weights16& weights, const PairOrder& order, std::uint32_t indices,
                                   std::uint32_t upper, std::uint32_t* words) {
  put_in_order(looked_up(weights.low, indices, upper), looked_up(weights.high, indices, upper), order, words);
}

// Decodes the four codes of a word's low half.
__device__ inline void decode_low_four(const Weights16& weights, const PairOrder& order, std::uint32_t codes,
                                       std::uint32_t* words) {
  constexpr std::uint32_t kIndices = 0x7777;
  const std::uint32_t moved = codes << 4;  // has the low nibbles' highest bits as the bytes' signs
  decode_four(weights, order, codes & kIndices, spread_signs<0>(codes, moved), words);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_WEIGHTS_16_CUH
