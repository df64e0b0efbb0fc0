// How a call of swiglu runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H
#define QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "backend/cuda/swiglu/kernels.h"
#include "contract/plan.h"
#include "contract/swiglu.h"
#include "format/host_device.h"

namespace qfuse::cuda::swiglu {

struct Plan {
  static constexpr const char* kOp = "swiglu";
  Kernel kernel{};
  bool wide_t = false;      // 16-byte stores of what is transposed; else byte by byte
  bool together = true;     // one launch; else a first one for the transposed gradient, and another for the rest
  int threads = 0;          // of a thread block, which has one tile of 128 tokens by 128 channels
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 11> fields() const;
};

// Measured on an H200, the tile and the threads of a block on an H100 too.
inline constexpr int kTile = 128;     // tokens and channels: both kinds of group close in a tile
inline constexpr int kChunk = 8;      // channels a thread has of a row: 16 bytes
inline constexpr int kThreads = 512;  // with the next row's loads under way: 2 % better than 256 as a rule
// Blocks of fewer threads, of which more have room, where tiles are more than a wave of the others: the outputs of a
// backward but the transposed gradient up to two waves (11 % at 320 tiles, 2 % at 512); a forward, of which five have
// room, where the last wave of one that is staged would leave more idle.
inline constexpr int kFewerThreads = 256;
inline constexpr int kForwardBlocks = 5;                // on a multiprocessor
inline constexpr int kThreadsPerMultiprocessor = 1024;  // at 64 registers each
inline constexpr int kPlaneBytes = kTile * kTile * 2;   // of shared memory: a tile of bf16
inline constexpr int kSumThreads = 128;                 // of a block that adds the parts of grad_weights, a token each
static_assert(kTile == format::kGroupSize);

// Of a kernel that is staged: the threads that a block always has, of how many tokens inputs have room in shared
// memory, and the bytes of that and of what is transposed, which in a backward takes the inputs' place. Two blocks have
// room on a multiprocessor, of the forward's four.
constexpr int staged_threads(bool gradients) { return gradients ? kThreads : kFewerThreads; }
constexpr int staged_tokens(bool gradients) { return gradients ? kTile : 2 * kFewerThreads * kChunk / kTile; }
constexpr int staged_bytes(bool gradients) {
  return gradients ? 3 * kPlaneBytes : kPlaneBytes + 2 * staged_tokens(gradients) * kTile * 2;
}

// Elements from row to row: those of a tile are less than 2^32 bytes apart then.
inline constexpr std::int64_t kMostStagedStride = std::int64_t{1} << 24;
static_assert(kTile * kMostStagedStride * 2 <= std::int64_t{1} << 32);

// Where a block can have so much, all of a multiprocessor's have: those of a backward, or of a forward.
inline constexpr int kStagedBytesPerMultiprocessor = 2 * staged_bytes(true);
static_assert(4 * staged_bytes(false) <= kStagedBytesPerMultiprocessor);

inline unsigned wanted_outputs(const contract::Swiglu& p) {
  return (contract::wants_rows(p) ? kGradRows : 0U) | (contract::wants_transposed(p) ? kGradTransposed : 0U) |
         (contract::wants_y_rows(p) ? kYRows : 0U) | (contract::wants_y_transposed(p) ? kYTransposed : 0U);
}

// Planes of shared memory for what is transposed, d_gate and d_up being two.
QFUSE_HOST_DEVICE constexpr int transposed_planes(unsigned outputs) {
  return ((outputs & kYTransposed) != 0 ? 1 : 0) + ((outputs & kGradTransposed) != 0 ? 2 : 0);
}

// Every plan that the call can have, and the one that it gets.
std::vector<Plan> candidates(const contract::Swiglu& p, const DeviceFacts& facts);
Plan plan(const contract::Swiglu& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H
