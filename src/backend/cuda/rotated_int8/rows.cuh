// Quantizes terms along rows: of x or dy, of what a SwiGLU block makes, and of a weight forward. One thread block per
// row.
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

// Plain loads: the inputs stay in the caches, because LoRA's first product reads them too.
template <class In>
class InputRow {
 public:
  using Source = Inputs;
  __device__ InputRow(const Inputs& inputs, std::int64_t block, std::int64_t /*cols*/)
      : in_(static_cast<const In*>(inputs.in) + block * inputs.stride), index_(block) {}

  // The row of q and scale.
  [[nodiscard]] __device__ std::int64_t index() const { return index_; }

  template <int kBlock>
  __device__ void load(std::int64_t col, bool exists, bool is_wide, float (&v)[kLaneTerms]) const {
    constexpr int kVectors = kEight * static_cast<int>(sizeof(In) / sizeof(Half)) / 8;  // vectors per eight terms
    if (!exists) return;
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      std::uint32_t words[4 * kVectors];
      const auto* const vectors = reinterpret_cast<const uint4*>(in_ + col + BlockLanes<kBlock>::kStep * i);
#pragma unroll
      for (int j = 0; j < kVectors; ++j) unpack(is_wide ? vectors[j] : load_bytes<uint4>(vectors + j), words + 4 * j);
#pragma unroll
      for (int j = 0; j < kEight; ++j) v[kEight * i + j] = widen<In>(words, j);
    }
  }

 private:
  const In* in_;
  std::int64_t index_;
};

// Each lane has loaded 32 adjacent codes. Exchanges words of eight codes, so that each lane gets its own terms.
template <int kBlock>
__device__ void hand_out(std::uint32_t (&codes)[kEights]) {
  const int lane = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int lanes = 1; lanes < BlockLanes<kBlock>::kCount; lanes *= 2) {
    const bool is_upper = (lane & lanes) != 0;
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      if ((i & lanes) != 0) continue;
      const std::uint32_t other = exchange(is_upper ? codes[i] : codes[i + lanes], lanes);
      (is_upper ? codes[i] : codes[i + lanes]) = other;
    }
  }
  if (BlockLanes<kBlock>::kCount == 2) {
    const std::uint32_t second = codes[1];
    codes[1] = codes[2];
    codes[2] = second;
  }
}

// The 32 codes that a lane loads share an absmax.
class WeightRow {
 public:
  using Source = Weights;
  __device__ WeightRow(const Weights& weights, std::int64_t block, std::int64_t cols)
      : weights_(weights), values_(shared_values(weights.weight)), index_(block), first_(block * cols) {}

  [[nodiscard]] __device__ std::int64_t index() const { return index_; }

  template <int kBlock>
  __device__ void load(std::int64_t col, bool exists, bool is_wide, float (&v)[kLaneTerms]) const {
    using Lanes = BlockLanes<kBlock>;
    const Weight4bit& w = weights_.weight;
    const int lane = static_cast<int>(threadIdx.x) % Lanes::kCount;
    std::uint32_t codes[kEights] = {};
    float absmax = 0.0F;
    if (exists) {
      const std::int64_t own = first_ + col + (kLaneTerms - kEight) * lane;  // the first of 32 neighbors
      unpack(load_code_vector(w.packed + own / 2, is_wide), codes);
      absmax = load_decoded_absmax<false>(w, weights_.is_nested, own >> w.block_shift);
    }
    hand_out<kBlock>(codes);
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      const int holder = static_cast<int>(threadIdx.x) % kWarp - lane + i * Lanes::kStep / kLaneTerms;
      const float of_holder = value_of(absmax, holder);
      decode_word(
          values_, codes[i], [&](int) { return of_holder; }, v + kEight * i);
    }
  }

 private:
  const Weights& weights_;
  const float* values_;
  std::int64_t index_;
  std::int64_t first_;
};

// ---- kernel arguments ----

template <class Source, Pass kPass>
struct RowArguments {
  Source source;
  std::int64_t cols;
  bool is_wide;
  Scale<kPass>* scale;
  std::int8_t* q;
};

// ---- steps ----

// Called by all threads. Terms beyond the row are zeros.
template <int kBlock, class Row, class Arguments>
__device__ void load_rotated(const Row& row, const Arguments& a, std::int64_t col, float (&v)[kLaneTerms]) {
#pragma unroll
  for (float& x : v) x = 0.0F;
  row.template load<kBlock>(col, col < a.cols, a.is_wide, v);
  rotate<kBlock>(v);
}

// Called by all threads of the block; returns their maximum.
__device__ inline std::uint32_t largest_of_block(std::uint32_t largest) {
  __shared__ std::uint32_t of_warps[kMostRowThreads / kWarp];
#pragma unroll
  for (int lanes = 1; lanes < kWarp; lanes *= 2) largest = larger(largest, exchange(largest, lanes));
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = largest;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) largest = larger(largest, of_warps[warp]);
  return largest;
}

// Writes the scale and codes of a row whose terms are all in the threads' registers.
template <int kBlock, class Arguments>
__device__ void write_row(const Arguments& a, std::int64_t row, std::int64_t col, bool exists,
                          const float (&v)[kLaneTerms]) {
  constexpr float kRoot = format::rotated_root(kBlock);
  const float scale = format::rotated_scale(largest_of_block(larger_of(0, v)), kRoot);
  if (threadIdx.x == 0) store<false>(a.scale + row, scale);
  if (exists) store_nearest<kBlock>(a.q + row * a.cols + col, a.is_wide, v, format::rotated_factor(scale, kRoot));
}

// ---- kernel ----

// A block goes through a row in windows of kLaneTerms terms per thread. If there is only one window, it is loaded once
// and stays in registers from the maximum to the rounding.
template <class Row, int kBlock, Pass kPass>
__global__ void __launch_bounds__(kMostRowThreads)
    quantize_rows(const __grid_constant__ RowArguments<typename Row::Source, kPass> a) {
  constexpr float kRoot = format::rotated_root(kBlock);
  const Row row(a.source, blockIdx.x, a.cols);
  const std::int64_t index = row.index();
  const std::int64_t window = std::int64_t{kLaneTerms} * blockDim.x;
  const int of_thread = BlockLanes<kBlock>::first_term();
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
      if (col < a.cols) store_nearest<kBlock>(a.q + index * a.cols + col, a.is_wide, v, factor);
    }
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_ROWS_CUH
