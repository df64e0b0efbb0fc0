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

// ---- steps ----

constexpr int kLanePairs = kLaneTerms / 2;
constexpr int kPairsOfVector = 4;

using Pairs = std::uint32_t[kLanePairs];

__device__ inline void load_pairs(const Bfloat16Rows& rows, std::int64_t row, std::int64_t col, bool is_wide,
                                  Pairs& pairs) {
  const auto* const from =
      reinterpret_cast<const uint4*>(static_cast<const Bfloat16*>(rows.values) + row * rows.stride + col);
#pragma unroll
  for (int i = 0; i < kLanePairs / kPairsOfVector; ++i)
    unpack(is_wide ? from[i] : load_bytes<uint4>(from + i), pairs + kPairsOfVector * i);
}

__device__ inline void store_pairs(Bfloat16* to, bool is_wide, const Pairs& pairs) {
  auto* const vectors = reinterpret_cast<uint4*>(to);
#pragma unroll
  for (int i = 0; i < kLanePairs / kPairsOfVector; ++i)
    if (is_wide)
      vectors[i] = vector_of(pairs + kPairsOfVector * i);
    else
      store_bytes(vectors + i, vector_of(pairs + kPairsOfVector * i));
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
  for (int i = 0; i < kLanePairs; ++i) {
    const float pair[] = {
        made_of<kFast>(made, widen<Bfloat16>(gate, 2 * i), widen<Bfloat16>(up, 2 * i), widen<Bfloat16>(grad_y, 2 * i)),
        made_of<kFast>(made, widen<Bfloat16>(gate, 2 * i + 1), widen<Bfloat16>(up, 2 * i + 1),
                       widen<Bfloat16>(grad_y, 2 * i + 1))};
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

  __device__ void load(std::int64_t col, bool is_wide, float (&v)[kLaneTerms]) const {
    Pairs made;
    Pairs up = {};
    Pairs grad_y = {};
    load_pairs(rows_.gate, token_, col, is_wide, made);
    if (!is_up_) load_pairs(rows_.up, token_, col, is_wide, up);
    if constexpr (kBackward) load_pairs(rows_.grad_y, token_, col, is_wide, grad_y);
    const Made what = !kBackward ? Made::y : is_up_ ? Made::d_up : Made::d_gate;
    if (are_at_most(magnitudes(find_absmax(made)), kFastSigmoidMost))
      make_pairs<true>(what, made, up, grad_y);
    else
      make_pairs<false>(what, made, up, grad_y);
    if (rows_.out != nullptr) store_pairs(static_cast<Bfloat16*>(rows_.out) + index() * cols_ + col, is_wide, made);
#pragma unroll
    for (int i = 0; i < kLaneTerms; ++i) v[i] = widen<Bfloat16>(made, i);
  }

 private:
  const SwigluRows& rows_;
  std::int64_t token_;
  std::int64_t cols_;
  bool is_up_;
};

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_SWIGLU_ROWS_CUH
