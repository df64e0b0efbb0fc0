// How a thread gets its inputs: those of its next row are on their way while it works on one. They come to registers; or, in
// a kernel that is staged, to shared memory past the registers, which takes 1 to 11 % less time on an H200 where tiles are
// many. Outputs that are transposed need shared memory anyway.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH

#include <cstdint>

#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/steps.cuh"
#include "backend/cuda/swiglu/arguments.cuh"
#include "backend/cuda/swiglu/columns.cuh"
#include "backend/cuda/swiglu/steps.cuh"

namespace qfuse::cuda {

// kMoves: the addresses move on from row to row. kRepeats: tokens that are not there may repeat the thread's one before.
template <class W, bool kWide, bool kMoves, bool kRepeats>
class AheadInRegisters {
 public:
  __device__ AheadInRegisters(const SwigluArguments& a, const Tile& tile, uint4* /*planes*/, int token, int chunk)
      : source_(source_at<W::gradients>(a, tile, token, chunk)) {
    if (token < tile.tokens) load_row<kWide, W::gradients>(a, source_, next_);
  }

  // The row of `token`; begins to load the one `rows` further on.
  __device__ Inputs take(const SwigluArguments& a, const Tile& tile, int token, int rows, int chunk) {
    const Inputs in = next_;
    if (!kRepeats) next_ = {};
    if (token + rows < tile.tokens) {
      if (kMoves)
        move_on<W::gradients>(a, source_);
      else
        source_ = source_at<W::gradients>(a, tile, token + rows, chunk);
      load_row<kWide, W::gradients>(a, source_, next_);
    }
    return in;
  }

 private:
  Source source_;
  Inputs next_ = {};
};

// In a backward each input has a plane, and what is transposed takes its place: a thread writes where it alone has read. In a
// forward, of whose smaller blocks more have room, the inputs lie behind the plane of y, in room for two rows a thread.
template <class W>
class AheadInShared {
 public:
  __device__ AheadInShared(const SwigluArguments& a, const Tile& tile, uint4* planes, int token, int chunk)
      : inputs_(W::gradients ? planes : planes + kSwigluTile * kRowChunks),
        source_(source_at<W::gradients>(a, tile, token, chunk)) {
    if (token < tile.tokens) copy_row(a, token, chunk);
    copies_.close();
  }

  __device__ Inputs take(const SwigluArguments& a, const Tile& tile, int token, int rows, int chunk) {
    if (token + rows < tile.tokens) {
      move_on<W::gradients>(a, source_);
      copy_row(a, token + rows, chunk);
    }
    copies_.close();
    copies_.wait<1>();
    Inputs in = {};
    if (token >= tile.tokens) return in;
    const uint4* const row = inputs_ + place(token % kTokens, chunk);
    unpack(row[0], in.gate);
    unpack(row[kInput], in.up);
    if constexpr (W::gradients) unpack(row[2 * kInput], in.grad_y);
    return in;
  }

 private:
  static constexpr int kTokens = staged_tokens(W::gradients);
  static constexpr int kInput = kTokens * kRowChunks;  // vectors

  __device__ void copy_row(const SwigluArguments& a, int token, int chunk) {
    uint4* const row = inputs_ + place(token % kTokens, chunk);
    copies_.begin(row, source_.x);
    copies_.begin(row + kInput, source_.x + 2 * a.h);
    if constexpr (W::gradients) copies_.begin(row + 2 * kInput, source_.grad_y);
  }

  uint4* inputs_;
  Source source_;
  Copies copies_;
};

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_AHEAD_CUH
