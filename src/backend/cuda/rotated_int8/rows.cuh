// Terms that lie in rows of memory: those of x or dy, and forward a weight's. A thread block has a row.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_ROWS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_ROWS_CUH

#include <cstdint>

#include "backend/cuda/rotated_int8/steps.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- where a lane's terms come from ----

struct Inputs {
  const void* in;
  std::int64_t stride;  // elements
};

template <class In, bool kWide>
class InputRow {
 public:
  using Source = Inputs;
  __device__ InputRow(const Inputs& inputs, std::int64_t row, std::int64_t /*cols*/)
      : in_(static_cast<const In*>(inputs.in) + row * inputs.stride) {}

  __device__ void load(std::int64_t col, float (&v)[kLaneTerms]) const {
    constexpr int kWords = kLaneTerms * static_cast<int>(sizeof(In)) / 4;
    std::uint32_t words[kWords] = {};
    if constexpr (kWide) {
#pragma unroll
      for (int i = 0; i < kWords / 4; ++i)
        unpack(load_once(reinterpret_cast<const uint4*>(in_ + col) + i), words + 4 * i);
    } else {
#pragma unroll
      for (int i = 0; i < kLaneTerms; ++i) insert(words, i, cuda::load<false>(in_ + col + i));
    }
#pragma unroll
    for (int i = 0; i < kLaneTerms; ++i) v[i] = widen<In>(words, i);
  }

 private:
  const In* in_;
};

// A lane's 32 codes share an absmax.
template <bool kWide>
class WeightRow {
 public:
  using Source = Weights;
  __device__ WeightRow(const Weights& weights, std::int64_t row, std::int64_t cols)
      : weights_(weights), values_(shared_values(weights.weight)), first_(row * cols) {}

  __device__ void load(std::int64_t col, float (&v)[kLaneTerms]) const {
    const Weight4bit& w = weights_.weight;
    const auto* const packed = reinterpret_cast<const uint4*>(w.packed + (first_ + col) / 2);
    std::uint32_t codes[kLaneTerms / 8];
    unpack(kWide ? load_once(packed) : load_bytes<uint4>(packed), codes);
    const float absmax = load_decoded_absmax<kWide>(w, weights_.is_nested, (first_ + col) >> w.block_shift);
#pragma unroll
    for (int i = 0; i < kLaneTerms; ++i) v[i] = mul_ftz(values_[nibble(codes[i / 8], i % 8)], absmax);
  }

 private:
  const Weights& weights_;
  const float* values_;
  std::int64_t first_;
};

// ---- what a kernel sees ----

template <class Source, Pass kPass>
struct RowArguments {
  Source source;
  std::int64_t cols;
  Scale<kPass>* scale;
  std::int8_t* q;
};

// ---- steps ----

// By all threads. Beyond the row there are zeros.
template <int kBlock, class Row>
__device__ void load_rotated(const Row& row, std::int64_t col, std::int64_t cols, float (&v)[kLaneTerms]) {
  if (col < cols) {
    row.load(col, v);
  } else {
#pragma unroll
    for (float& x : v) x = 0.0F;
  }
  rotate<kBlock>(v);
}

// By all threads.
__device__ inline std::uint32_t largest_of_block(std::uint32_t largest) {
  __shared__ std::uint32_t of_warps[kMostRowThreads / kWarp];
#pragma unroll
  for (int lanes = 1; lanes < kWarp; lanes *= 2) largest = larger(largest, exchange(largest, lanes));
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = largest;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) largest = larger(largest, of_warps[warp]);
  return largest;
}

// ---- kernel ----

// kOnce: a block has a thread for all terms, which stay in registers from the maximum to the rounding.
template <class Row, int kBlock, bool kWide, Pass kPass, bool kOnce>
__global__ void __launch_bounds__(kMostRowThreads)
    quantize_rows(const __grid_constant__ RowArguments<typename Row::Source, kPass> a) {
  constexpr float kRoot = format::rotated_root(kBlock);
  const std::int64_t index = blockIdx.x;
  const Row row(a.source, index, a.cols);
  float v[kLaneTerms];
  const auto for_each_window = [&](const auto& use) {
    const std::int64_t col = std::int64_t{kLaneTerms} * threadIdx.x;
    if constexpr (kOnce)
      use(col);
    else
      for (std::int64_t begin = 0; begin < a.cols; begin += std::int64_t{kLaneTerms} * blockDim.x) use(begin + col);
  };
  float scale = 0.0F;
  if constexpr (kPass == Pass::codes) {
    scale = load<false>(a.scale + index);
  } else {
    std::uint32_t largest = 0;
    for_each_window([&](std::int64_t col) {
      load_rotated<kBlock>(row, col, a.cols, v);
      largest = larger_of(largest, v);
    });
    scale = format::rotated_scale(largest_of_block(largest), kRoot);
    if (threadIdx.x == 0) store<false>(a.scale + index, scale);
  }
  if constexpr (kPass != Pass::scales) {
    const float factor = format::rotated_factor(scale, kRoot);
    for_each_window([&](std::int64_t col) {
      if constexpr (kPass == Pass::codes || !kOnce) load_rotated<kBlock>(row, col, a.cols, v);
      if (col < a.cols) store_nearest<kWide>(a.q + index * a.cols + col, v, factor);
    });
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_ROWS_CUH
