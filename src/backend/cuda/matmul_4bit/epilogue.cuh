// Epilogue: a warp adds the bias to the sums in its registers, rounds them, and stores them as wide as addresses allow.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_EPILOGUE_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_EPILOGUE_CUH

#include <cstdint>

#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda::matmul_4bit {

// Destination of a tile's sums.
struct TileOutputs {
  void* out;
  std::int64_t stride;
  std::int64_t end;  // first token that is not stored
  const void* bias;
};

// Adds the bias to a lane's sums: per 8 outputs, two adjacent ones of each of two tokens.
template <class Value, int kOutputs>
__device__ void add_bias(const TileOutputs& to, std::int64_t output, std::int64_t outputs,
                         float (&sums)[kOutputs / 2]) {
  const auto* const bias = static_cast<const Value*>(to.bias);
#pragma unroll
  for (int i = 0; i < kOutputs / 2; ++i) {
    const std::int64_t at = output + i / 4 * 8 + i % 2;
    if (at < outputs) sums[i] = __fadd_rn(sums[i], widen(load_bytes<Value>(bias + at)));
  }
}

// Stores two adjacent outputs of a token, if they exist; in one store if the address is aligned to 4 bytes (is_even).
template <class Value>
__device__ void store_pair(Value* to, bool is_even, int output, int outputs, const float* pair) {
  if (is_even && output + 1 < outputs) {
    *reinterpret_cast<std::uint32_t*>(to) = Rounding<Value>::word(pair);
  } else {
    if (output < outputs) store_bytes(to, Rounding<Value>::one(pair[0]));
    if (output + 1 < outputs) store_bytes(to + 1, Rounding<Value>::one(pair[1]));
  }
}

template <class Value, int kOutputs>
__device__ void store_token(const TileOutputs& outs, std::int64_t token, int output, int outputs, const float* sums) {
  if (token >= outs.end) return;
  Value* const to = static_cast<Value*>(outs.out) + token * outs.stride + output;
  const bool is_even = is_aligned(to, sizeof(std::uint32_t));
#pragma unroll
  for (int j = 0; j < kOutputs; j += 8) store_pair(to + j, is_even, output + j, outputs, sums + j / 2);
}

// Stores four adjacent outputs of a token, of which `left` exist; in one store if all exist and the address allows it.
template <class Value>
__device__ void store_four(Value* to, bool is_vector, int left, const std::uint32_t (&words)[2]) {
  if (is_vector) {
    *reinterpret_cast<uint2*>(to) = {words[0], words[1]};
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < left) store_bytes(to + i, Value{static_cast<std::uint16_t>(words[i / 2] >> (16 * (i % 2)))});
}

// Stores two adjacent outputs, or four, per kWords.
template <int kWords, class Value>
__device__ void store_words(Value* to, bool is_vector, int left, const std::uint32_t (&words)[2]) {
  if constexpr (kWords == 2) {
    store_four(to, is_vector, left, words);
  } else if (is_vector) {
    *reinterpret_cast<std::uint32_t*>(to) = words[0];
  } else {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (i < left) store_bytes(to + i, Value{static_cast<std::uint16_t>(words[0] >> (16 * i))});
  }
}

// For weights as the left operand: a lane has two of a warp's 16 outputs, 8 apart, and two adjacent tokens of every 8.
// A transpose gives it two pairs of adjacent outputs of one token. It then exchanges one pair with the adjacent lane,
// and has four adjacent outputs.
template <class Value, class Tiles>
__device__ void store_outputs(const TileOutputs& outs, std::int64_t token, int output, int outputs,
                              const float (&sums)[Tiles::kColumns / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const bool is_odd = lane % 2 != 0;
  const int first = output + (is_odd ? 8 : 0) + lane / 2 % 2 * 4;
  token += lane / 4;
  Value* to = static_cast<Value*>(outs.out) + token * outs.stride + first;
  constexpr std::int64_t kVectorValues = 4;
  const bool is_vector =
      first + kVectorValues <= outputs && is_aligned(outs.out, sizeof(uint2)) && outs.stride % kVectorValues == 0;
#pragma unroll
  for (int i = 0; i < Tiles::kColumns / 2; i += 4, token += 8, to += 8 * outs.stride) {
    const std::uint32_t low = transposed(Rounding<Value>::word(sums + i));
    const std::uint32_t high = transposed(Rounding<Value>::word(sums + i + 2));
    const std::uint32_t other = exchange(is_odd ? low : high, 1);
    const std::uint32_t words[2] = {is_odd ? other : low, is_odd ? high : other};
    if (token < outs.end) store_four(to, is_vector, outputs - first, words);
  }
}

template <class Value, class Tiles>
__device__ void add_bias_of_rows(const TileOutputs& to, int output, int outputs, float (&sums)[Tiles::kColumns / 2]) {
  const auto* const bias = static_cast<const Value*>(to.bias);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    if (output + 8 * h >= outputs) continue;
    const float value = widen(load_bytes<Value>(bias + output + 8 * h));
#pragma unroll
    for (int i = 2 * h; i < Tiles::kColumns / 2; i += 4)
#pragma unroll
      for (int e = 0; e < 2; ++e) sums[i + e] = __fadd_rn(sums[i + e], value);
  }
}

template <class Value, class Tiles, class Scheduler>
__device__ void finish_tile(const MatmulArguments& a, const Scheduler& scheduler, const typename Scheduler::Tile& tile,
                            int warp, int outputs, float (&sums)[Tiles::kColumns / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  TileOutputs to = {a.out, a.out_stride, scheduler.end(tile), a.bias};
  if (a.bias != nullptr)
    to.bias = static_cast<const Value*>(a.bias) + static_cast<std::int64_t>(scheduler.expert(tile)) * outputs;
  if constexpr (Tiles::kWeightsFirst) {
    const int output = scheduler.output(tile) + warp * 16;
    if (to.bias != nullptr) add_bias_of_rows<Value, Tiles>(to, output + lane / 4, outputs, sums);
    store_outputs<Value, Tiles>(to, scheduler.token(tile), output, outputs, sums);
  } else {
    const int output = scheduler.output(tile) + lane % 4 * 2;
    const int token = scheduler.token(tile) + warp * 16 + lane / 4;
    if (to.bias != nullptr) add_bias<Value, Tiles::kColumns>(to, output, outputs, sums);
    store_token<Value, Tiles::kColumns>(to, token, output, outputs, sums);
    store_token<Value, Tiles::kColumns>(to, token + 8, output, outputs, sums + 2);
  }
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_EPILOGUE_CUH
