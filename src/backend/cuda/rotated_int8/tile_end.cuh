// Epilogue of a rotated_int8_matmul tile: scales, LoRA's terms, bias, addend, rounding and stores.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_TILE_END_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_TILE_END_CUH

#include <cstdint>

#include "backend/cuda/align.h"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/rotated_int8/matmul.cuh"
#include "format/matrix_step.h"

namespace qfuse::cuda::rotated_int8 {

// In matrix instructions a lane has two of every 16 tokens (g = lane / 4 and g + 8), and two neighbors of every 8
// outputs (2 * (lane % 4) and the next). This order makes a lane's outputs of two such groups of 8 a single load.
__device__ inline int output_place(int output) {
  return output / 16 * 16 + output % 8 / 2 * 4 + output / 8 % 2 * 2 + output % 2;
}

// Inputs of the epilogue, in shared memory.
template <int kTokens, int kOutputs>
struct TileEnd {
  static constexpr int kOffset = 4;  // against bank conflicts
  float lora_in[kLoraTerms][kTokens + kOffset];
  float lora_weight[kLoraTerms][kOutputs + kOffset];
  float in_scale[kTokens];
  float weight_scale[kOutputs];
  float bias[kOutputs];
};

// Loads as many adjacent values as fill the words, of which `left` exist; the others are zeros.
template <class Value, int kWords>
__device__ void load_words(const Value* from, std::int64_t left, std::uint32_t (&words)[kWords]) {
  constexpr int kValues = kWords * 4 / static_cast<int>(sizeof(Value));
  if (left >= kValues && is_aligned(from, sizeof(uint4))) {
#pragma unroll
    for (int i = 0; i < kWords / 4; ++i) unpack(reinterpret_cast<const uint4*>(from)[i], words + 4 * i);
    return;
  }
#pragma unroll
  for (std::uint32_t& word : words) word = 0;
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    if (i < left) insert(words, i, load<false>(from + i));
}

template <class Value>
__device__ void load_eight(const Value* from, std::int64_t left, float (&v)[kLoraTerms]) {
  std::uint32_t words[kLoraTerms * sizeof(Value) / 4];
  load_words(from, left, words);
#pragma unroll
  for (int i = 0; i < kLoraTerms; ++i) v[i] = widen<Value>(words, i);
}

// Loads kLoraTerms terms of kRows rows of an array [rows, rank] or, transposed, [rank, rows], by vectors.
template <class Value, int kRows, class Place>
__device__ void fill_lora(const void* values, bool is_transposed, std::int64_t rows, std::int64_t rank,
                          std::int64_t first_row, std::int64_t first_term, int thread, int threads,
                          const Place& place) {
  constexpr int kRowVectors = kRows / kLoraTerms;  // vectors per term
#pragma unroll 1
  for (int i = thread; i < kRows; i += threads) {
    const int row = is_transposed ? i % kRowVectors * kLoraTerms : i;
    const int term = is_transposed ? i / kRowVectors : 0;
    const std::int64_t rows_left = rows - first_row - row;
    const std::int64_t terms_left = rank - first_term - term;
    const std::int64_t left = is_transposed ? (terms_left > 0 ? rows_left : 0) : (rows_left > 0 ? terms_left : 0);
    const std::int64_t at =
        is_transposed ? (first_term + term) * rows + first_row + row : (first_row + row) * rank + first_term;
    float v[kLoraTerms];
    load_eight(static_cast<const Value*>(values) + at, left, v);
#pragma unroll
    for (int e = 0; e < kLoraTerms; ++e) place(is_transposed ? row + e : row, is_transposed ? term : e) = v[e];
  }
}

// Called by some threads for a tile. Loads LoRA's terms from first_term on, scales with the first, bias with the last.
template <class Value, int kTokens, int kOutputs>
__device__ void fill_end(const MatmulArguments& a, const TilePlace& tile, std::int64_t first_term, int thread,
                         int threads, TileEnd<kTokens, kOutputs>& end) {
  if (first_term == 0) {
    for (int i = thread; i < kTokens; i += threads)
      end.in_scale[i] = tile.token + i < a.m ? load<false>(a.in_scale + tile.token + i) : 0.0F;
    for (int i = thread; i < kOutputs; i += threads)
      end.weight_scale[output_place(i)] = tile.output + i < a.n ? load<false>(a.weight_scale + tile.output + i) : 0.0F;
  }
  if (a.bias != nullptr && first_term + kLoraTerms >= a.lora_rank)
    for (int i = thread; i < kOutputs; i += threads)
      end.bias[output_place(i)] =
          tile.output + i < a.n ? widen(load<false>(static_cast<const Value*>(a.bias) + tile.output + i)) : 0.0F;
  if (first_term >= a.lora_rank) return;
  fill_lora<Value, kTokens>(a.lora_in, false, a.m, a.lora_rank, tile.token, first_term, thread, threads,
                            [&](int row, int term) -> float& { return end.lora_in[term][row]; });
  fill_lora<Value, kOutputs>(a.lora_weight, !a.is_forward, a.n, a.lora_rank, tile.output, first_term, thread, threads,
                             [&](int row, int term) -> float& { return end.lora_weight[term][output_place(row)]; });
}

// Sums of a lane: kFragments times 16 tokens by kColumns times 8 outputs, four sums for each.
template <class T, int kFragments, int kColumns>
struct LaneSums {
  T of[kFragments][kColumns][4];
};

// A lane's first token and first output in the tile; the output as a place in shared memory (output_place()).
struct LanePlace {
  int token;
  int output;
  __device__ LanePlace(int warp_token, int warp_output)
      : token(warp_token + static_cast<int>(threadIdx.x) % kWarp / 4),
        output(warp_output + static_cast<int>(threadIdx.x) % 4 * 4) {}
};

// Replaces each of a lane's sums by step(sum, of_token, of_output).
template <int kFragments, int kColumns, class Step>
__device__ void for_each_sum(LaneSums<float, kFragments, kColumns>& y, const LanePlace& at, const float* of_tokens,
                             const float* of_outputs, const Step& step) {
  float token[kFragments][2];
#pragma unroll
  for (int f = 0; f < kFragments; ++f)
#pragma unroll
    for (int h = 0; h < 2; ++h) token[f][h] = of_tokens[at.token + 16 * f + 8 * h];
#pragma unroll
  for (int c = 0; c < kColumns; c += 2) {
    const float4 four = *reinterpret_cast<const float4*>(of_outputs + at.output + 8 * c);
    const float output[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int f = 0; f < kFragments; ++f)
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        float& sum = y.of[f][c + i / 4][i % 4];
        sum = step(sum, token[f][i % 4 / 2], output[i / 4 * 2 + i % 2]);
      }
  }
}

template <int kFragments, int kColumns>
__device__ LaneSums<float, kFragments, kColumns> rounded(const LaneSums<int, kFragments, kColumns>& sums) {
  LaneSums<float, kFragments, kColumns> y;
#pragma unroll
  for (int f = 0; f < kFragments; ++f)
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
#pragma unroll
      for (int i = 0; i < 4; ++i) y.of[f][c][i] = static_cast<float>(sums.of[f][c][i]);
  return y;
}

template <class End, int kFragments, int kColumns>
__device__ void scale_sums(const End& end, const LanePlace& at, LaneSums<float, kFragments, kColumns>& y) {
  for_each_sum(y, at, end.in_scale, end.weight_scale,
               [](float sum, float in, float weight) { return __fmul_rn(__fmul_rn(sum, in), weight); });
}

// Terms beyond the rank are not added as zeros, because that would turn -0 into +0.
template <class End, int kFragments, int kColumns>
__device__ void add_lora(const End& end, const LanePlace& at, std::int64_t left,
                         LaneSums<float, kFragments, kColumns>& y) {
  const int terms = left < kLoraTerms ? static_cast<int>(left) : kLoraTerms;
#pragma unroll 1
  for (int j = 0; j < terms; ++j)
    for_each_sum(y, at, end.lora_in[j], end.lora_weight[j],
                 [](float sum, float in, float weight) { return __fmaf_rn(in, weight, sum); });
}

template <class End, int kFragments, int kColumns>
__device__ void add_bias(const End& end, const LanePlace& at, LaneSums<float, kFragments, kColumns>& y) {
  for_each_sum(y, at, end.in_scale, end.bias, [](float sum, float /*in*/, float bias) { return __fadd_rn(sum, bias); });
}

// Lanes `apart` lanes apart exchange one word each: the first keeps `first` of both, the second keeps `second`.
__device__ inline void exchange_halves(std::uint32_t& first, std::uint32_t& second, int apart) {
  const bool is_second = (static_cast<int>(threadIdx.x) & apart) != 0;
  const std::uint32_t other = exchange(is_second ? first : second, apart);
  (is_second ? first : second) = other;
}

// Four lanes have two neighboring outputs each of every 8, as words. Afterwards each lane has a vector of neighbors, or
// back: this is its own inverse. With 16-bit values, a lane has one word of each of four vectors.
template <class Value>
__device__ void exchange_vectors(std::uint32_t (&words)[4]) {
  exchange_halves(words[0], words[sizeof(Value) == 2 ? 1 : 2], 1);
  exchange_halves(words[sizeof(Value) == 2 ? 2 : 1], words[3], 1);
  if constexpr (sizeof(Value) == 4) return;
  exchange_halves(words[0], words[2], 2);
  exchange_halves(words[1], words[3], 2);
}

// The first output of a lane's vector.
template <class Value>
__device__ int first_of_vector() {
  const int lane = static_cast<int>(threadIdx.x) % 4;
  return sizeof(Value) == 4 ? lane % 2 * 8 + lane / 2 * 4 : lane * 8;
}

// Called by all lanes, whether or not their tokens exist. Loads several vectors before it adds them.
template <class Value, int kFragments, int kColumns>
__device__ void add_addend(const MatmulArguments& a, std::int64_t token, std::int64_t output,
                           LaneSums<float, kFragments, kColumns>& y) {
  constexpr int kValues = static_cast<int>(sizeof(uint4) / sizeof(Value));
  constexpr int kColumnsOfVector = kValues / 2;
  constexpr int kVectors = kColumns / kColumnsOfVector;
  constexpr int kTogether = kVectors < kValues ? kVectors : kValues;  // more fp32 vectors spill registers
#pragma unroll
  for (int half = 0; half < 2 * kFragments; ++half) {
    const std::int64_t row = token + 8 * half;
    const Value* const from = static_cast<const Value*>(a.addend) + row * a.n;
#pragma unroll
    for (int first = 0; first < kVectors; first += kTogether) {
      std::uint32_t words[kTogether][4];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const std::int64_t at = output + 8 * kColumnsOfVector * (first + i) + first_of_vector<Value>();
        load_words(from + at, row < a.m ? a.n - at : 0, words[i]);
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        exchange_vectors<Value>(words[i]);
#pragma unroll
        for (int e = 0; e < kValues; ++e) {
          float& sum = y.of[half / 2][kColumnsOfVector * (first + i) + e / 2][half % 2 * 2 + e % 2];
          sum = __fadd_rn(sum, widen<Value>(words[i], e));
        }
      }
    }
  }
}

// Stores neighboring outputs of a token, of which `left` exist.
template <class Value>
__device__ void store_vector_of(Value* to, bool is_wide, std::int64_t left, const std::uint32_t (&words)[4]) {
  constexpr int kValues = static_cast<int>(sizeof(uint4) / sizeof(Value));
  if (is_wide && left >= kValues) {
    *reinterpret_cast<uint4*>(to) = vector_of(words);
    return;
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    if (i >= left) continue;
    if constexpr (sizeof(Value) == 4)
      store_bytes(to + i, words[i]);
    else
      store_bytes(to + i, static_cast<std::uint16_t>(words[i / 2] >> (16 * (i % 2))));
  }
}

// Called by all lanes, whether or not their token exists.
template <class Value, int kColumns>
__device__ void store_token(const MatmulArguments& a, std::int64_t token, std::int64_t output, int half,
                            const float (&y)[kColumns][4]) {
  constexpr int kWords = static_cast<int>(sizeof(Value)) / 2;  // words per two outputs
  Value* const to = static_cast<Value*>(a.out) + token * a.out_stride;
#pragma unroll
  for (int c = 0; c < kColumns; c += 4 / kWords) {
    std::uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = Rounding<Value>::word(&y[c + i / kWords][2 * half + i % kWords]);
    const std::int64_t at = output + 8 * c + first_of_vector<Value>();
    exchange_vectors<Value>(words);
    if (token < a.m) store_vector_of(to + at, a.is_wide, a.n - at, words);
  }
}

template <class Value, int kFragments, int kColumns>
__device__ void store_sums(const MatmulArguments& a, std::int64_t token, std::int64_t output,
                           const LaneSums<float, kFragments, kColumns>& y) {
#pragma unroll
  for (int f = 0; f < kFragments; ++f)
#pragma unroll
    for (int h = 0; h < 2; ++h) store_token<Value>(a, token + 16 * f + 8 * h, output, h, y.of[f]);
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_TILE_END_CUH
