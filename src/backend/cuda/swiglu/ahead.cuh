// Prefetching of inputs: a thread's next row is loaded while it works on one. Rows are loaded to registers or, in a
// staged kernel, copied to shared memory without passing through registers, which takes 1 to 11 % less time on an H200
// if there are many tiles. Outputs that are transposed need shared memory anyway.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/steps.cuh"
#include "backend/cuda/swiglu/arguments.cuh"
#include "backend/cuda/swiglu/columns.cuh"
#include "backend/cuda/swiglu/steps.cuh"

namespace qfuse::cuda::swiglu {

// kMoves: addresses advance row by row. kRepeats: tokens that do not exist may repeat another token of the tile.
template <bool kBackward, bool kWide, bool kMoves, bool kRepeats>
class AheadInRegisters {
 public:
  __device__ AheadInRegisters(const Arguments& a, const Tile& tile, uint4* /*planes*/, int token, int chunk)
      : place_(input_at<kBackward>(a, tile, token, chunk)) {
    if (token < tile.tokens) load_row<kWide, kBackward>(a, place_, next_);
  }

  // Returns the inputs of `token`, and begins to load the row `rows` further on.
  __device__ Inputs take(const Arguments& a, const Tile& tile, int token, int rows, int chunk) {
    const Inputs in = next_;
    if (!kRepeats) next_ = {};
    if (token + rows < tile.tokens) {
      if (kMoves)
        move_on<kBackward>(a, place_);
      else
        place_ = input_at<kBackward>(a, tile, token + rows, chunk);
      load_row<kWide, kBackward>(a, place_, next_);
    }
    return in;
  }

 private:
  InputPlace place_;
  Inputs next_ = {};
};

// Backward, each input has a plane in shared memory, and outputs to be transposed overwrite it: a thread writes only
// where it has read. Forward, blocks need less memory, so that more of them fit; the inputs are behind the plane of y,
// with room for two rows per thread.
template <bool kBackward, bool kRepeats>
class AheadInShared {
 public:
  __device__ AheadInShared(const Arguments& a, const Tile& tile, uint4* planes, int token, int chunk)
      : tile_(input_at<kBackward, true>(a, tile, 0, 0)),
        next_(kBackward ? planes + place(token, chunk) : planes + kPlane + threadIdx.x),
        to_next_(kBackward ? place(token + kRows, chunk) - place(token, chunk) : kInput / 2) {
    const bool exists = token < tile.tokens;
    const auto row = static_cast<std::uint32_t>(kRepeats && !exists ? 0 : token);
    const auto channel = static_cast<std::uint32_t>(chunk * kChunk);
    x_ = 2 * (row * static_cast<std::uint32_t>(a.x_stride) + channel);
    grad_y_ = 2 * (row * static_cast<std::uint32_t>(a.grad_y_stride) + channel);
    if (kRepeats || exists) copy_row(a);
    copies_.close();
  }

  __device__ Inputs take(const Arguments& a, const Tile& tile, int token, int rows, int /*chunk*/) {
    row_ = next_;
    next_ += to_next_;
    to_next_ = kToSecondNext - to_next_;
    if (token + rows < tile.tokens) {
      x_ += static_cast<std::uint32_t>(a.x_step);
      grad_y_ += static_cast<std::uint32_t>(a.grad_y_step);
    }
    if (token + rows < (kRepeats ? kTile : tile.tokens)) copy_row(a);
    copies_.close();
    copies_.wait<1>();
    Inputs in = {};
    if (!kRepeats && token >= tile.tokens) return in;
    unpack(row_[0], in.gate);
    unpack(row_[kInput], in.up);
    if constexpr (kBackward) unpack(row_[2 * kInput], in.grad_y);
    return in;
  }

  // Backward only: where the row taken last has been, and where its outputs to be transposed belong.
  __device__ uint4* row() const { return row_; }

 private:
  // In vectors. A thread's two row steps alternate, because chunks are permuted within their row.
  static constexpr int kRows = staged_threads(true) / kRowChunks;
  static constexpr int kToSecondNext = kBackward ? 2 * kRows * kRowChunks : 0;
  static constexpr int kInput = staged_tokens(kBackward) * kRowChunks;

  __device__ void copy_row(const Arguments& a) {
    const std::uint8_t* const gate = tile_.x + x_;
    copies_.begin(next_, gate);
    copies_.begin(next_ + kInput, gate + 2 * a.h);
    if constexpr (kBackward) copies_.begin(next_ + 2 * kInput, tile_.grad_y + grad_y_);
  }

  InputPlace tile_;
  std::uint32_t x_;  // bytes from the tile's first row on; kMostStagedStride keeps them within 32 bits
  std::uint32_t grad_y_;
  uint4* row_ = nullptr;
  uint4* next_;
  int to_next_;
  Copies copies_;
};

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH
