// Terms that lie in rows: those of x or dy, those that a SwiGLU block makes, and forward a weight's. A thread block has
// a row.
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

// They stay in the caches: LoRA's first product reads them too.
template <class In>
class InputRow {
 public:
  using Source = Inputs;
  __device__ InputRow(const Inputs& inputs, std::int64_t block, std::int64_t /*cols*/)
      : in_(static_cast<const In*>(inputs.in) + block * inputs.stride), index_(block) {}

  // Of q and scale the row.
  [[nodiscard]] __device__ std::int64_t index() const { return index_; }

  __device__ void load(std::int64_t col, bool is_wide, float (&v)[kLaneTerms]) const {
    constexpr int kEach = static_cast<int>(sizeof(uint4) / sizeof(In));
    std::uint32_t words[kLaneTerms / kEach * 4];
    const auto* const vectors = reinterpret_cast<const uint4*>(in_ + col);
#pragma unroll
    for (int i = 0; i < kLaneTerms / kEach; ++i)
      unpack(is_wide ? vectors[i] : load_bytes<uint4>(vectors + i), words + 4 * i);
#pragma unroll
    for (int i = 0; i < kLaneTerms; ++i) v[i] = widen<In>(words, i);
  }

 private:
  const In* in_;
  std::int64_t index_;
};

// A lane's 32 codes share an absmax.
class WeightRow {
 public:
  using Source = Weights;
  __device__ WeightRow(const Weights& weights, std::int64_t block, std::int64_t cols)
      : weights_(weights), values_(shared_values(weights.weight)), index_(block), first_(block * cols) {}

  [[nodiscard]] __device__ std::int64_t index() const { return index_; }

  __device__ void load(std::int64_t col, bool is_wide, float (&v)[kLaneTerms]) const {
    const Weight4bit& w = weights_.weight;
    std::uint32_t codes[kLaneTerms / 8];
    unpack(load_code_vector(w.packed + (first_ + col) / 2, is_wide), codes);
    const float absmax = load_decoded_absmax<false>(w, weights_.is_nested, (first_ + col) >> w.block_shift);
#pragma unroll
    for (int i = 0; i < kLaneTerms / 8; ++i) decode_word(values_, codes[i], absmax, v + 8 * i);
  }

 private:
  const Weights& weights_;
  const float* values_;
  std::int64_t index_;
  std::int64_t first_;
};

// ---- what a kernel sees ----

template <class Source, Pass kPass>
struct RowArguments {
  Source source;
  std::int64_t cols;
  bool is_wide;
  Scale<kPass>* scale;
  std::int8_t* q;
};

// ---- steps ----

// By all threads. Beyond the row there are zeros.
template <int kBlock, class Row, class Arguments>
__device__ void load_rotated(const Row& row, const Arguments& a, std::int64_t col, float (&v)[kLaneTerms]) {
  if (col < a.cols) {
    row.load(col, a.is_wide, v);
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

// A row goes by in windows of as many terms as the block has at a time. That of a single window is loaded once, and
// stays in registers from the maximum to the rounding.
template <class Row, int kBlock, Pass kPass>
__global__ void __launch_bounds__(kMostRowThreads)
    quantize_rows(const __grid_constant__ RowArguments<typename Row::Source, kPass> a) {
  constexpr float kRoot = format::rotated_root(kBlock);
  const Row row(a.source, blockIdx.x, a.cols);
  const std::int64_t index = row.index();
  const std::int64_t window = std::int64_t{kLaneTerms} * blockDim.x;
  const std::int64_t of_thread = std::int64_t{kLaneTerms} * threadIdx.x;
  float v[kLaneTerms];
  float scale = 0.0F;
  if constexpr (kPass == Pass::codes) {
    scale = load<false>(a.scale + index);
  } else {
    std::uint32_t largest = 0;
#pragma unroll 1
    for (std::int64_t first = 0; first < a.cols; first += window) {
      load_rotated<kBlock>(row, a, first + of_thread, v);
      largest = larger_of(largest, v);
    }
    scale = format::rotated_scale(largest_of_block(largest), kRoot);
    if (threadIdx.x == 0) store<false>(a.scale + index, scale);
  }
  if constexpr (kPass != Pass::scales) {
    const float factor = format::rotated_factor(scale, kRoot);
#pragma unroll 1
    for (std::int64_t first = 0; first < a.cols; first += window) {
      const std::int64_t col = first + of_thread;
      if (kPass == Pass::codes || a.cols > window) load_rotated<kBlock>(row, a, col, v);
      if (col < a.cols) store_nearest(a.q + index * a.cols + col, a.is_wide, v, factor);
    }
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_ROWS_CUH
