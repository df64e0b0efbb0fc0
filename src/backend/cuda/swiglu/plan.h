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
  bool wide_t = false;      // 16-byte stores of transposed outputs; else byte by byte
  bool together = true;     // one launch; else one for the transposed gradient, then one for the rest
  int threads = 0;          // per block, which has one tile of 128 tokens by 128 channels
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 11> fields() const;
};

// Measured on an H200; the tile and the threads per block also on an H100.
inline constexpr int kTile = 128;     // tokens and channels per tile: groups of both directions end within it
inline constexpr int kChunk = 8;      // channels per thread in a row: 16 bytes
inline constexpr int kThreads = 512;  // with the next row's loads in flight; usually 2 % faster than 256
// Threads of smaller blocks, of which more fit. They are used if there are more tiles than a wave of large blocks: for
// backward outputs without the transposed gradient, up to two waves (11 % faster at 320 tiles, 2 % at 512); for a
// forward, of which five blocks fit, if the last wave of staged blocks would leave more idle.
inline constexpr int kFewerThreads = 256;
inline constexpr int kForwardBlocks = 5;                // per multiprocessor
inline constexpr int kThreadsPerMultiprocessor = 1024;  // at 64 registers each
inline constexpr int kPlaneBytes = kTile * kTile * 2;   // of shared memory: a tile in bf16
inline constexpr int kSumThreads = 128;                 // of a block that adds parts of grad_weights, one token each
static_assert(kTile == format::kGroupSize);

// Staged kernels: the fixed number of threads per block, the number of tokens whose inputs fit in shared memory, and
// the bytes of these inputs and of what is transposed, which in a backward overwrites the inputs. Two blocks fit on a
// multiprocessor, or four of the forward.
constexpr int staged_threads(bool gradients) { return gradients ? kThreads : kFewerThreads; }
constexpr int staged_tokens(bool gradients) { return gradients ? kTile : 2 * kFewerThreads * kChunk / kTile; }
constexpr int staged_bytes(bool gradients) {
  return gradients ? 3 * kPlaneBytes : kPlaneBytes + 2 * staged_tokens(gradients) * kTile * 2;
}

// Largest row stride of the staged kernels, in elements: byte offsets within a tile then fit in 32 bits.
inline constexpr std::int64_t kMostStagedStride = std::int64_t{1} << 24;
static_assert(kTile * kMostStagedStride * 2 <= std::int64_t{1} << 32);

// If one block may have this much, all staged blocks of a multiprocessor fit: those of a backward or of a forward.
inline constexpr int kStagedBytesPerMultiprocessor = 2 * staged_bytes(true);
static_assert(4 * staged_bytes(false) <= kStagedBytesPerMultiprocessor);

inline unsigned wanted_outputs(const contract::Swiglu& p) {
  return (contract::wants_rows(p) ? kGradRows : 0U) | (contract::wants_transposed(p) ? kGradTransposed : 0U) |
         (contract::wants_y_rows(p) ? kYRows : 0U) | (contract::wants_y_transposed(p) ? kYTransposed : 0U);
}

// Planes of shared memory for transposed outputs; d_gate and d_up need one each.
QFUSE_HOST_DEVICE constexpr int transposed_planes(unsigned outputs) {
  return ((outputs & kYTransposed) != 0 ? 1 : 0) + ((outputs & kGradTransposed) != 0 ? 2 : 0);
}

// candidates() returns every plan that the call can have, plan() the one that it gets by default.
std::vector<Plan> candidates(const contract::Swiglu& p, const DeviceFacts& facts);
Plan plan(const contract::Swiglu& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_PLAN_H
