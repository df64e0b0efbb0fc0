// How a call of swiglu_backward runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_BACKWARD_PLAN_H
#define QFUSE_BACKEND_CUDA_SWIGLU_BACKWARD_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "contract/plan.h"
#include "contract/swiglu_backward.h"

namespace qfuse::cuda {

struct SwigluBackwardPlan {
  static constexpr const char* kOp = "swiglu_backward";
  bool wide = false;     // 16-byte loads of rows and 8-byte stores of gradients; else element by element
  bool wide_t = false;   // 16-byte stores of what is transposed; else byte by byte
  bool together = true;  // all outputs by one kernel; else the transposed gradient by a second one, which reads again
  int threads = 0;       // of a thread block, which has one tile of 128 tokens by 128 channels
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 5> fields() const {
    return {{contract::field("threads", threads), contract::field("wide", wide), contract::field("wide_t", wide_t),
             contract::field("together", together), contract::field("blocks", blocks)}};
  }
};

// Measured on an H100.
inline constexpr int kSwigluTile = 128;          // tokens and channels: both kinds of group close in a tile
inline constexpr int kSwigluChunk = 8;           // channels a thread has of a row: 16 bytes
inline constexpr int kSwigluThreads = 512;       // with the next row's loads under way: 2 % better than 256 as a rule
inline constexpr int kSwigluFewerThreads = 256;  // where those tiles would not fill a second wave: 15 % at 320 tiles
inline constexpr int kSwigluThreadsPerMultiprocessor = 1024;             // at 64 registers each
inline constexpr int kSwigluPlaneBytes = kSwigluTile * kSwigluTile * 2;  // of shared memory: a tile of bf16
static_assert(kSwigluTile == format::kGroupSize);

// Every plan that the call can have, and the one that it gets.
std::vector<SwigluBackwardPlan> candidates(const contract::SwigluBackward& p, const DeviceFacts& facts);
SwigluBackwardPlan plan(const contract::SwigluBackward& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_BACKWARD_PLAN_H
