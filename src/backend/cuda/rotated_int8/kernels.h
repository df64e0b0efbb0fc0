// The kernels of rotated_int8_matmul: which exist, what each takes, the shapes of its tiles, and the clocks that these
// take. The plan names one of them.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H

#include <array>
#include <cstdint>

#include "backend/cuda/align.h"
#include "backend/cuda/facts.h"
#include "contract/rotated_int8.h"

namespace qfuse::cuda::rotated_int8 {

enum class Kernel {
  wgmma,         // on Hopper: a warp loads tiles of both operands by TMA, two warpgroups multiply
  mma,           // on every GPU from Turing on: stages of both operands are copied to shared memory ahead
  mma_unaligned  // likewise, at any address
};

inline constexpr int kWarpThreads = 32;
inline constexpr std::int64_t kVectorBytes = 16;  // the widest load and store of every architecture

// What a tile's end reads of its tokens and outputs: scales, bias, and so many terms of LoRA's at a time.
inline constexpr int kLoraTerms = 8;
constexpr std::int64_t end_shared_bytes(int tokens, int outputs) {
  constexpr int kOffset = 4;  // of a row of terms, to different banks
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  return kFloat * (kLoraTerms * (tokens + outputs + 2 * kOffset) + tokens + 2 * outputs);
}

// mma: the tile of a thread block, the part of it that a warp has, and how many stages of 64 terms lie in shared
// memory. By arithmetic, not measured: warps of 64 x 64 read half of what matrix instructions of an A100 wait for, and
// two blocks' stages fit into the 99 KiB of a GeForce.
inline constexpr int kMmaTerms = 64;  // every number of terms is a multiple
struct MmaShape {
  int tokens;
  int outputs;
  int warp_tokens;
  int warp_outputs;
  int stages;

  [[nodiscard]] constexpr int threads() const {
    return kWarpThreads * (tokens / warp_tokens) * (outputs / warp_outputs);
  }
  [[nodiscard]] constexpr std::int64_t shared_bytes() const {
    return std::int64_t{stages} * (tokens + outputs) * kMmaTerms;
  }
};
inline constexpr std::array<MmaShape, 2> kMmaShapes = {{{128, 128, 64, 64, 3}, {64, 64, 32, 32, 4}}};

// wgmma: the outputs of a tile of 128 tokens, the slots of its ring, each of 128 terms, and the clocks of a stage: what
// a multiprocessor's matrix instructions need, and for the smaller one what its loads were estimated to.
inline constexpr int kWgmmaTokens = 128;
inline constexpr int kWgmmaTerms = 128;
inline constexpr int kWgmmaMultipliers = 8;  // warps, two warpgroups
inline constexpr int kWgmmaFillers = 3;      // warps that fill what tiles' ends read; one more loads
inline constexpr int kWgmmaThreads = kWarpThreads * (kWgmmaMultipliers + kWgmmaFillers + 1);
inline constexpr int kWgmmaEnds = 2;                  // slots of their ring
inline constexpr std::int64_t kMbarrierBytes = 1024;  // at most
struct WgmmaShape {
  int outputs;
  int slots;
  int clocks;

  [[nodiscard]] constexpr std::int64_t shared_bytes() const {
    return kTileAlignment + std::int64_t{slots} * (kWgmmaTokens + outputs) * kWgmmaTerms +
           kWgmmaEnds * end_shared_bytes(kWgmmaTokens, outputs) + kMbarrierBytes;
  }
};
inline constexpr std::array<WgmmaShape, 2> kWgmmaShapes = {{{256, 4, 1024}, {128, 6, 640}}};

// Whether the kernel exists in this build and takes the call on the device.
bool takes(Kernel kernel, const contract::RotatedInt8Matmul& p, const DeviceFacts& facts);

// Tiles of so many tokens and outputs.
std::int64_t count_tiles(const contract::RotatedInt8Matmul& p, int tokens, int outputs);

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H
