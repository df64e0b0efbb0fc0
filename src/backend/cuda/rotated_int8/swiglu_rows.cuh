// Quantizes rows that a SwiGLU block makes of gate, up and grad_y: y, or d_gate and d_up. No step may be fused with
// another: files that include this are compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH

#include <cstdint>

#include "backend/cuda/device/int8_groups.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/swiglu.cuh"
#include "backend/cuda/rotated_int8/rows.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- kernel arguments ----

struct Bfloat16Rows {
  const void* values;
  std::int64_t stride;  // elements
};

struct SwigluRows {
  Bfloat16Rows gate;
  Bfloat16Rows up;
  Bfloat16Rows grad_y;
  void* out;  // bf16, contiguous rows; NULL: not written
  std::int64_t tokens;
  unsigned blocks;  // thread blocks
};

template <bool kBackward>
constexpr int kSwigluArrays = kBackward ? 3 : 2;

// ---- steps: eight neighboring channels, as pairs of bf16 ----

constexpr int kPairs = kEight / 2;
using Pairs = std::uint32_t[kPairs];

// Returns the start of a token's row.
__device__ inline const Bfloat16* row_of(const Bfloat16Rows& rows, std::int64_t token) {
  return static_cast<const Bfloat16*>(rows.values) + token * rows.stride;
}

__device__ inline void load_pairs(const Bfloat16* from, bool is_wide, Pairs& pairs) {
  const auto* const vector = reinterpret_cast<const uint4*>(from);
  unpack(is_wide ? *vector : load_bytes<uint4>(vector), pairs);
}

__device__ inline void store_pairs(Bfloat16* to, bool is_wide, const Pairs& pairs) {
  if (is_wide)
    *reinterpret_cast<uint4*>(to) = vector_of(pairs);
  else
    store_bytes(to, vector_of(pairs));
}

enum class Made { y, d_gate, d_up };

template <bool kFast>
__device__ float sigmoid_of(float g) {
  return kFast ? fast_sigmoid(g) : sigmoid(g);
}

__device__ inline float made_of(Made made, float g, float u, float dy, float s) {
  if (made == Made::y) return g * s * u;
  return made == Made::d_up ? dy * (g * s) : gate_gradient(g, u, dy, s);
}

// Overwrites the gates with the results.
template <bool kFast>
__device__ void make_pairs(Made made, Pairs& gate, const Pairs& up, const Pairs& grad_y) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const auto channel = [&](int c) {
      const float g = widen<Bfloat16>(gate, c);
      return made_of(made, g, widen<Bfloat16>(up, c), widen<Bfloat16>(grad_y, c), sigmoid_of<kFast>(g));
    };
    const float pair[] = {channel(2 * i), channel(2 * i + 1)};
    gate[i] = Rounding<Bfloat16>::word(pair);
  }
}

// Overwrites the gates with d_gate and the gradients with d_up.
template <bool kFast>
__device__ void make_gradients(Pairs& gate, const Pairs& up, Pairs& grad_y) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    float d_gate[2];
    float d_up[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float g = widen<Bfloat16>(gate, 2 * i + e);
      const float u = widen<Bfloat16>(up, 2 * i + e);
      const float dy = widen<Bfloat16>(grad_y, 2 * i + e);
      const float s = sigmoid_of<kFast>(g);
      d_gate[e] = made_of(Made::d_gate, g, u, dy, s);
      d_up[e] = made_of(Made::d_up, g, u, dy, s);
    }
    gate[i] = Rounding<Bfloat16>::word(d_gate);
    grad_y[i] = Rounding<Bfloat16>::word(d_up);
  }
}

__device__ inline bool has_fast_sigmoids(const Pairs& gate) {
  return are_at_most(magnitudes(find_absmax(gate)), kFastSigmoidMost);
}

__device__ inline void widen_eight(const Pairs& pairs, float* v) {
#pragma unroll
  for (int j = 0; j < kEight; ++j) v[j] = widen<Bfloat16>(pairs, j);
}

// Makes a lane's channels; fetch(array, i, pairs) loads its group of eight number i. `out` NULL: not written.
enum class Array { gate, up, grad_y };
template <int kBlock, class Fetch>
__device__ void make_lane(Made made, const Fetch& fetch, Bfloat16* out, bool is_wide, float (&v)[kLaneTerms]) {
#pragma unroll
  for (int i = 0; i < kEights; ++i) {
    Pairs pairs;
    Pairs up = {};
    Pairs grad_y = {};
    fetch(Array::gate, i, pairs);
    if (made != Made::d_up) fetch(Array::up, i, up);
    if (made != Made::y) fetch(Array::grad_y, i, grad_y);
    if (has_fast_sigmoids(pairs))
      make_pairs<true>(made, pairs, up, grad_y);
    else
      make_pairs<false>(made, pairs, up, grad_y);
    if (out != nullptr) store_pairs(out + BlockLanes<kBlock>::kStep * i, is_wide, pairs);
    widen_eight(pairs, v + kEight * i);
  }
}

// Backward, the rows d_gate and d_up of a token are m apart.
__device__ inline std::int64_t row_of_made(const SwigluRows& rows, Made made, std::int64_t token) {
  return made == Made::d_up ? rows.tokens + token : token;
}
__device__ inline Bfloat16* out_of(const SwigluRows& rows, std::int64_t row, std::int64_t cols, std::int64_t col) {
  return rows.out == nullptr ? nullptr : static_cast<Bfloat16*>(rows.out) + row * cols + col;
}

// ---- one row per thread block ----

// Neighboring blocks make the rows of a token; the second one finds the inputs that they share in the cache.
template <bool kBackward>
class SwigluRow {
 public:
  using Source = SwigluRows;
  __device__ SwigluRow(const SwigluRows& rows, std::int64_t block, std::int64_t cols)
      : rows_(rows),
        token_(kBackward ? block / 2 : block),
        cols_(cols),
        made_(!kBackward       ? Made::y
              : block % 2 == 0 ? Made::d_gate
                               : Made::d_up) {}

  [[nodiscard]] __device__ std::int64_t index() const { return row_of_made(rows_, made_, token_); }

  template <int kBlock>
  __device__ void load(std::int64_t col, bool exists, bool is_wide, float (&v)[kLaneTerms]) const {
    if (!exists) return;
    const Bfloat16* const gate = row_of(rows_.gate, token_) + col;
    const Bfloat16* const up = row_of(rows_.up, token_) + col;
    const Bfloat16* const grad_y = kBackward ? row_of(rows_.grad_y, token_) + col : nullptr;
    const auto fetch = [&](Array array, int i, Pairs& pairs) {
      const Bfloat16* const from = array == Array::gate ? gate : array == Array::up ? up : grad_y;
      load_pairs(from + BlockLanes<kBlock>::kStep * i, is_wide, pairs);
    };
    make_lane<kBlock>(kBackward ? made_ : Made::y, fetch, out_of(rows_, index(), cols_, col), is_wide, v);
  }

 private:
  const SwigluRows& rows_;
  std::int64_t token_;
  std::int64_t cols_;
  Made made_;
};

// ---- tokens that pass through shared memory: a block copies its next token while it quantizes one ----

// Copies a thread's own vectors, which no other thread reads.
template <bool kBackward, int kBlock>
class TokenAhead {
 public:
  __device__ TokenAhead(const SwigluRows& rows, int col) : rows_(rows), col_(col) {}

  // Copies arrays from `first` on, without `last`.
  __device__ void begin(std::int64_t token, int first, int last) {
    const Bfloat16Rows* const arrays[] = {&rows_.gate, &rows_.up, &rows_.grad_y};
#pragma unroll
    for (int array = first; array < last; ++array)
#pragma unroll
      for (int i = 0; i < kEights; ++i)
        copies_.begin(vector(array, i), row_of(*arrays[array], token) + col_ + BlockLanes<kBlock>::kStep * i);
    copies_.close();
  }
  __device__ void wait() { copies_.template wait<0>(); }

  __device__ void fetch(Array array, int i, Pairs& pairs) const { unpack(*vector(static_cast<int>(array), i), pairs); }
  __device__ void keep(Array array, int i, const Pairs& pairs) {
    *vector(static_cast<int>(array), i) = vector_of(pairs);
  }

 private:
  static __device__ uint4* vector(int array, int i) {
    const int number = array * kEights + i;
    return static_cast<uint4*>(dynamic_shared()) + number * static_cast<int>(blockDim.x) + threadIdx.x;
  }

  const SwigluRows& rows_;
  int col_;
  Copies copies_;
};

// Makes d_gate, and d_up in the place of the token's gradients, so that each sigmoid is computed once.
template <int kBlock, class Ahead>
__device__ void make_lane_of_gradients(Ahead& ahead, Bfloat16* d_gate, Bfloat16* d_up, float (&v)[kLaneTerms]) {
#pragma unroll
  for (int i = 0; i < kEights; ++i) {
    Pairs gate;
    Pairs up;
    Pairs grad_y;
    ahead.fetch(Array::gate, i, gate);
    ahead.fetch(Array::up, i, up);
    ahead.fetch(Array::grad_y, i, grad_y);
    if (has_fast_sigmoids(gate))
      make_gradients<true>(gate, up, grad_y);
    else
      make_gradients<false>(gate, up, grad_y);
    if (d_gate != nullptr) {
      store_pairs(d_gate + BlockLanes<kBlock>::kStep * i, true, gate);
      store_pairs(d_up + BlockLanes<kBlock>::kStep * i, true, grad_y);
    }
    ahead.keep(Array::grad_y, i, grad_y);
    widen_eight(gate, v + kEight * i);
  }
}

template <bool kBackward, int kBlock>
__global__ void __launch_bounds__(kMostAheadThreads, 2)
    quantize_swiglu_ahead(const __grid_constant__ RowArguments<SwigluRows, Pass::both> a) {
  constexpr int kArrays = kSwigluArrays<kBackward>;
  constexpr int kUnkept = 2;  // arrays in whose place nothing is kept
  const SwigluRows& rows = a.source;
  const int col = BlockLanes<kBlock>::first_term();
  const bool exists = col < a.cols;
  TokenAhead<kBackward, kBlock> ahead(rows, col);
  if (exists) ahead.begin(blockIdx.x, 0, kArrays);
  const auto quantize = [&](std::int64_t row, float(&v)[kLaneTerms]) {
    rotate<kBlock>(v);
    __syncthreads();  // the previous row's maximum has been read
    write_row<kBlock>(a, row, col, exists, v);
  };
#pragma unroll 1
  for (unsigned token = blockIdx.x; token < rows.tokens; token += rows.blocks) {  // plan() keeps it below 2^31
    const std::int64_t up_row = row_of_made(rows, Made::d_up, token);
    const bool has_next = exists && token + rows.blocks < rows.tokens;
    Bfloat16* const out = out_of(rows, token, a.cols, col);
    float v[kLaneTerms] = {};
    ahead.wait();
    if constexpr (kBackward) {
      if (exists) make_lane_of_gradients<kBlock>(ahead, out, out_of(rows, up_row, a.cols, col), v);
    } else {
      const auto fetch = [&](Array array, int i, Pairs& pairs) { ahead.fetch(array, i, pairs); };
      if (exists) make_lane<kBlock>(Made::y, fetch, out, true, v);
    }
    if (has_next) ahead.begin(token + rows.blocks, 0, kUnkept);
    quantize(token, v);
    if constexpr (kBackward) {
#pragma unroll
      for (int i = 0; i < kEights; ++i) {
        Pairs d_up = {};
        if (exists) ahead.fetch(Array::grad_y, i, d_up);
        widen_eight(d_up, v + kEight * i);
      }
      if (has_next) ahead.begin(token + rows.blocks, kUnkept, kArrays);
      quantize(up_row, v);
    }
  }
}

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH
