// Rows of terms that a SwiGLU block makes of gate, up and grad_y: y, or d_gate and d_up. No step may be fused with
// another: whoever includes this is compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH

#include <cstdint>

#include "backend/cuda/device/int8_groups.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/swiglu.cuh"
#include "backend/cuda/rotated_int8/steps.cuh"

namespace qfuse::cuda::rotated_int8 {

// ---- what a kernel sees ----

struct Bfloat16Rows {
  const void* values;
  std::int64_t stride;  // elements
};

struct SwigluRows {
  Bfloat16Rows gate;
  Bfloat16Rows up;
  Bfloat16Rows grad_y;
  void* out;  // bf16, rows without gaps; NULL: not asked for
  std::int64_t tokens;
};

// ---- steps: eight neighbouring channels, pairs of bf16 ----

constexpr int kPairs = kEight / 2;
using Pairs = std::uint32_t[kPairs];

// Where a token's row of them lies.
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
__device__ float made_of(Made made, float g, float u, float dy) {
  const float s = kFast ? fast_sigmoid(g) : sigmoid(g);
  if (made == Made::y) return g * s * u;
  return made == Made::d_up ? dy * (g * s) : gate_gradient(g, u, dy, s);
}

// In the place of the gates.
template <bool kFast>
__device__ void make_pairs(Made made, Pairs& gate, const Pairs& up, const Pairs& grad_y) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const auto channel = [&](int c) {
      return made_of<kFast>(made, widen<Bfloat16>(gate, c), widen<Bfloat16>(up, c), widen<Bfloat16>(grad_y, c));
    };
    const float pair[] = {channel(2 * i), channel(2 * i + 1)};
    gate[i] = Rounding<Bfloat16>::word(pair);
  }
}

// ---- a row ----

// Backward a token's d_gate and d_up are made by neighbouring thread blocks, so that the second one finds what they
// share in the cache. They lie m rows apart.
template <bool kBackward>
class SwigluRow {
 public:
  using Source = SwigluRows;
  __device__ SwigluRow(const SwigluRows& rows, std::int64_t block, std::int64_t cols)
      : rows_(rows), token_(kBackward ? block / 2 : block), cols_(cols), is_up_(kBackward && block % 2 == 1) {}

  [[nodiscard]] __device__ std::int64_t index() const { return is_up_ ? rows_.tokens + token_ : token_; }

  template <int kBlock>
  __device__ void load(std::int64_t col, bool exists, bool is_wide, float (&v)[kLaneTerms]) const {
    if (!exists) return;
    const Bfloat16* const gate = row_of(rows_.gate, token_) + col;
    const Bfloat16* const up = row_of(rows_.up, token_) + col;
    const Bfloat16* const grad_y = kBackward ? row_of(rows_.grad_y, token_) + col : nullptr;
    Bfloat16* const out = rows_.out == nullptr ? nullptr : static_cast<Bfloat16*>(rows_.out) + index() * cols_ + col;
    const Made what = !kBackward ? Made::y : is_up_ ? Made::d_up : Made::d_gate;
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      const int at = BlockLanes<kBlock>::kStep * i;
      Pairs made;
      Pairs of_up = {};
      Pairs of_grad_y = {};
      load_pairs(gate + at, is_wide, made);
      if (!is_up_) load_pairs(up + at, is_wide, of_up);
      if constexpr (kBackward) load_pairs(grad_y + at, is_wide, of_grad_y);
      if (are_at_most(magnitudes(find_absmax(made)), kFastSigmoidMost))
        make_pairs<true>(what, made, of_up, of_grad_y);
      else
        make_pairs<false>(what, made, of_up, of_grad_y);
      if (out != nullptr) store_pairs(out + at, is_wide, made);
#pragma unroll
      for (int j = 0; j < kEight; ++j) v[kEight * i + j] = widen<Bfloat16>(made, j);
    }
  }

 private:
  const SwigluRows& rows_;
  std::int64_t token_;
  std::int64_t cols_;
  bool is_up_;
};

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH
