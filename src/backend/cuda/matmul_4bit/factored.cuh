// FACTORED: the steps of its kernels, and `factored`, a kernel for any size and address on every GPU with matrix
// instructions. Its warps do not cooperate: each loads codes and inputs from global memory, decodes and multiplies
// (mma.sync) in its registers, one chunk of 256 elements of K at a time.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_FACTORED_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_FACTORED_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/groups.cuh"
#include "format/factored.h"

namespace qfuse::cuda::matmul_4bit {

// ---- policy ----

constexpr int kChunkBlocks = QFUSE_SPLIT_TERMS / format::kFactoredBlock;
constexpr int kBlockSteps = format::kFactoredBlock / format::kStepTerms;
constexpr int kRunTerms = format::kFactoredBlock / 4;  // elements per block and lane: 8 bytes of codes
constexpr int kRunWords = kRunTerms / 2;               // of 16-bit inputs

// ---- steps ----

// A lane's part of a chunk of inputs. A column is 8 tokens, of which the lane has token g = lane / 4: its fp16 values,
// two per word, and the factor of its sums.
template <int kColumns>
struct ChunkInputs {
  std::uint32_t words[kColumns][kChunkBlocks][kRunWords];
  float down[kColumns];
};

// Converts loaded inputs to scaled fp16 and returns the factor of their sums. Magnitudes of 16-bit floats compare like
// their bits.
template <class Value>
__device__ float scale_chunk(std::uint32_t (&words)[kChunkBlocks][kRunWords]) {
  constexpr std::uint32_t kMagnitudes = 0x7fff7fff;
  std::uint32_t larger = 0;
#pragma unroll
  for (int b = 0; b < kChunkBlocks; ++b)
#pragma unroll
    for (int i = 0; i < kRunWords; ++i) larger = larger_halves(larger, words[b][i] & kMagnitudes);
#pragma unroll
  for (int lanes = 1; lanes < 4; lanes *= 2) larger = larger_halves(larger, exchange(larger, lanes));
  larger = larger_halves(larger, larger >> 16) & 0xffffU;
  const format::ChunkScale scale = format::chunk_scale(widen<Value>(&larger, 0));
#pragma unroll
  for (int b = 0; b < kChunkBlocks; ++b)
#pragma unroll
    for (int i = 0; i < kRunWords; ++i)
      words[b][i] = half_bits(__fmul_rn(widen<Value>(&words[b][i], 0), scale.up),
                              __fmul_rn(widen<Value>(&words[b][i], 1), scale.up));
  return scale.down;
}

// Multiplies 16 outputs by one block, by codes of rows g and g + 8. pair(word, byte) decodes a byte to two values.
template <int kColumns, class PairOf>
__device__ void multiply_block(const std::uint32_t (&codes)[2][2], const float (&absmax)[2], const PairOf& pair,
                               const ChunkInputs<kColumns>& inputs, int block, float (&sums)[kColumns][4]) {
  float parts[kColumns][4] = {};
#pragma unroll
  for (int step = 0; step < kBlockSteps; ++step) {
    const std::uint32_t words[2] = {codes[0][step / 2], codes[1][step / 2]};
    const std::uint32_t weights[4] = {pair(words[0], step % 2 * 2), pair(words[1], step % 2 * 2),
                                      pair(words[0], step % 2 * 2 + 1), pair(words[1], step % 2 * 2 + 1)};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const std::uint32_t terms[2] = {inputs.words[c][block][2 * step], inputs.words[c][block][2 * step + 1]};
      multiply_half(weights, terms, parts[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[c][i] = __fmaf_rn(parts[c][i], absmax[i / 2], sums[c][i]);
}

// Multiplies sums by their tokens' factors. In each column, lane t of four has sums of tokens 2t and 2t + 1; the factor
// of token i is in lane 4i.
template <int kColumns>
__device__ void scale_sums(const ChunkInputs<kColumns>& inputs, float (&sums)[kColumns][4]) {
  const int t = static_cast<int>(threadIdx.x % 4);
#pragma unroll
  for (int c = 0; c < kColumns; ++c)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float down = value_of(inputs.down[c], (2 * t + i) * 4);
      sums[c][i] = __fmul_rn(sums[c][i], down);
      sums[c][i + 2] = __fmul_rn(sums[c][i + 2], down);
    }
}

// ---- kernel ----

__device__ inline void load_any_inputs(const MatmulArguments& a, std::int64_t token, std::int64_t term,
                                       std::uint32_t (&words)[kRunWords]) {
  const auto* const from = static_cast<const std::uint16_t*>(a.in) + token * a.in_stride + term;
#pragma unroll
  for (int i = 0; i < kRunWords; ++i)
    words[i] = token < a.m && term < a.cols
                   ? load_bytes<std::uint16_t>(from + 2 * i) |
                         static_cast<std::uint32_t>(load_bytes<std::uint16_t>(from + 2 * i + 1)) << 16
                   : 0U;
}

// A warp makes 16 outputs of 8 tokens.
template <class Value>
__device__ void multiply_tile_factored(const MatmulArguments& a, const BlockTile& block) {
  __shared__ float values[format::kCodes4];
  if (threadIdx.x < format::kCodes4) values[threadIdx.x] = a.weight.values[threadIdx.x];
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int g = lane / 4;
  const int t = lane % 4;
  const std::int64_t output = block.first_output + threadIdx.x / kWarp * kSplitKOutputs + g;
  const std::int64_t token = block.first_token;
  const auto pair = [&](std::uint32_t codes, int byte) {
    return half_bits(values[nibble(codes, 2 * byte)], values[nibble(codes, 2 * byte + 1)]);
  };
  float totals[4] = {};
  for (std::int64_t chunk = 0; chunk < a.cols; chunk += QFUSE_SPLIT_TERMS) {
    ChunkInputs<1> inputs;
#pragma unroll
    for (int b = 0; b < kChunkBlocks; ++b)
      load_any_inputs(a, token + g, chunk + b * format::kFactoredBlock + t * kRunTerms, inputs.words[0][b]);
    inputs.down[0] = scale_chunk<Value>(inputs.words[0]);
    float sums[1][4] = {};
#pragma unroll
    for (int b = 0; b < kChunkBlocks; ++b) {
      if (chunk + b * format::kFactoredBlock >= a.cols) break;
      std::uint32_t codes[2][2] = {};
      float absmax[2] = {};
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        if (output + 8 * h >= a.rows) continue;
        const std::int64_t first = (output + 8 * h) * a.cols + chunk + b * format::kFactoredBlock + t * kRunTerms;
#pragma unroll
        for (int i = 0; i < kRunTerms / 2; ++i)
          codes[h][i / 4] |= static_cast<std::uint32_t>(a.weight.packed[first / 2 + i]) << (i % 4 * 8);
        absmax[h] = load_decoded_absmax<false>(a.weight, a.is_nested, first >> a.weight.block_shift);
      }
      multiply_block(codes, absmax, pair, inputs, b, sums);
    }
    scale_sums(inputs, sums);
#pragma unroll
    for (int i = 0; i < 4; ++i) totals[i] = chunk == 0 ? sums[0][i] : __fadd_rn(totals[i], sums[0][i]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) store_output<Value>(a, token + 2 * t + i % 2, output + i / 2 * 8, a.rows, totals[i]);
}

constexpr int kFactoredOutputs = kFactoredThreads / kWarp * kSplitKOutputs;  // per thread block

template <class Value>
__global__ void __launch_bounds__(kFactoredThreads) multiply_factored(const __grid_constant__ MatmulArguments a) {
  multiply_tile_factored<Value>(a, tile_of_block(a, kFactoredOutputs, kFactoredTokens));
}

template <class Value>
__global__ void __launch_bounds__(kFactoredThreads)
    multiply_groups_factored(const __grid_constant__ GroupedArguments a) {
  with_tile<Value, true>(a, kFactoredOutputs, kFactoredTokens, [&](const MatmulArguments& own, const BlockTile& tile) {
    multiply_tile_factored<Value>(own, tile);
  });
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_FACTORED_CUH
