// How a call of swiglu runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H
#define QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "contract/plan.h"
#include "contract/swiglu.h"

namespace qfuse::cuda {

struct SwigluPlan {
  static constexpr const char* kOp = "swiglu";
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
inline constexpr int kSwigluTile = 128;     // tokens and channels: both kinds of group close in a tile
inline constexpr int kSwigluChunk = 8;      // channels a thread has of a row: 16 bytes
inline constexpr int kSwigluThreads = 512;  // with the next row's loads under way: 2 % better than 256 as a rule
// Where those tiles would not fill a second wave: 15 % at 320 tiles. And in the forward, where there are more than one
// wave: five such blocks have room, and take 8 % less at 640 tiles, 3 % less at 1280, 3 % more at 1024.
inline constexpr int kSwigluFewerThreads = 256;
inline constexpr int kSwigluThreadsPerMultiprocessor = 1024;             // at 64 registers each
inline constexpr int kSwigluPlaneBytes = kSwigluTile * kSwigluTile * 2;  // of shared memory: a tile of bf16
inline constexpr int kSwigluSumThreads = 128;  // of a block that adds the parts of grad_weights, a token each
static_assert(kSwigluTile == format::kGroupSize);

// The outputs of a call, as bits.
enum WantedOutputs : unsigned { kRows = 1, kTransposed = 2, kYRows = 4, kYTransposed = 8 };
inline unsigned wanted_outputs(const contract::Swiglu& p) {
  return (contract::wants_rows(p) ? kRows : 0U) | (contract::wants_transposed(p) ? kTransposed : 0U) |
         (contract::wants_y_rows(p) ? kYRows : 0U) | (contract::wants_y_transposed(p) ? kYTransposed : 0U);
}

// Every plan that the call can have, and the one that it gets.
std::vector<SwigluPlan> candidates(const contract::Swiglu& p, const DeviceFacts& facts);
SwigluPlan plan(const contract::Swiglu& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H
