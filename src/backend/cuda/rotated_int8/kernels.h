// Kernels of rotated_int8_matmul: which exist, which calls each takes, its tile shapes and clock cycles. A plan names
// one of them. Tokens are rows of the input (M), outputs are N, terms are elements along K.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H

#include <array>
#include <cstdint>

#include "backend/cuda/align.h"
#include "backend/cuda/facts.h"
#include "contract/rotated_int8.h"

namespace qfuse::cuda::rotated_int8 {

enum class Kernel {
  wgmma,         // Hopper: one warp loads tiles of both operands by TMA, two warpgroups multiply
  mma,           // Turing and later: stages of both operands are prefetched to shared memory
  mma_unaligned  // likewise, at any address
};

inline constexpr int kWarpThreads = 32;
inline constexpr std::int64_t kVectorBytes = 16;  // the widest load and store that every architecture has

// The size of a tile's epilogue in shared memory: its scales, its bias, and both LoRA factors, of which kLoraTerms of
// the rank are there at a time.
inline constexpr int kLoraTerms = 8;
constexpr std::int64_t end_shared_bytes(int tokens, int outputs) {
  constexpr int kOffset = 4;  // padding of a row of terms, against bank conflicts
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  return kFloat * (kLoraTerms * (tokens + outputs + 2 * kOffset) + tokens + 2 * outputs);
}

// mma: the tile of a thread block, the part of it that a warp has, and the number of stages of 64 terms in shared
// memory. Derived, not measured: warps of 64 x 64 read half as much as would keep an A100's matrix instructions
// waiting, and two blocks' stages fit the 99 KiB of a GeForce.
inline constexpr int kMmaTerms = 64;  // k is a multiple of this
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

// wgmma: the outputs of a tile of 128 tokens, the slots of its ring (128 terms each), and the clock cycles of a stage:
// those of the matrix instructions or, for the smaller tile, an estimate for its loads.
inline constexpr int kWgmmaTokens = 128;
inline constexpr int kWgmmaTerms = 128;
inline constexpr int kWgmmaMultipliers = 8;  // warps: two warpgroups
inline constexpr int kWgmmaFillers = 3;      // warps that load the epilogues' inputs; one more warp loads stages
inline constexpr int kWgmmaThreads = kWarpThreads * (kWgmmaMultipliers + kWgmmaFillers + 1);
inline constexpr int kWgmmaEnds = 2;                  // slots of the fillers' ring
inline constexpr std::int64_t kMbarrierBytes = 1024;  // upper bound
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

// Returns the number of tiles of this many tokens and outputs.
std::int64_t count_tiles(const contract::RotatedInt8Matmul& p, int tokens, int outputs);

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_KERNELS_H
