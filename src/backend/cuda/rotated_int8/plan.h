// How the ops of rotated_int8 run on CUDA.
#ifndef QFUSE_BACKEND_CUDA_ROTATED_INT8_PLAN_H
#define QFUSE_BACKEND_CUDA_ROTATED_INT8_PLAN_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cuda/rotated_int8/kernels.h"
#include "contract/plan.h"

namespace qfuse::cuda::rotated_int8 {

inline constexpr int kLaneTerms = 32;          // per thread at a time: 16 bytes of codes with one absmax
inline constexpr int kMostRowThreads = 512;    // so that rows of up to 16384 terms are read once
inline constexpr int kMostAheadThreads = 448;  // so that two blocks have 72 registers per thread, for 14336 channels
inline constexpr int kReservedBytes = 1024;    // bytes of shared memory that a block costs in addition to its own
inline constexpr int kWeightRowThreads = 64;   // a thread's fixed work is then a quarter of its work for 32 terms
inline constexpr int kAheadThreads = 128;      // for a weight: 64 columns, each of two halves
inline constexpr int kAheadBlocks = 4;         // per multiprocessor; five of 96 registers took 7 % longer forward
inline constexpr int kTileCols = 64;           // columns of a weight that are transposed at a time; divides every width

// What a kernel computes from rows of terms: scales, codes from given scales, or both.
enum class Pass { both, scales, codes };

struct TermsPlan {
  int block = 0;            // terms that are rotated together
  int threads = 0;          // per thread block
  bool wide = false;        // 16-byte loads and stores; else any address
  std::int64_t blocks = 0;  // thread blocks
  std::int64_t tiles = 1;   // thread blocks that share 64 columns, backward

  [[nodiscard]] std::array<contract::Field, 5> fields() const {
    return {{contract::field("block", block), contract::field("threads", threads), contract::field("wide", wide),
             contract::field("blocks", blocks), contract::field("tiles", tiles)}};
  }
};
struct QuantizePlan : TermsPlan {
  static constexpr const char* kOp = contract::RotatedInt8Quantize::kName;
};
struct SwigluPlan : TermsPlan {
  static constexpr const char* kOp = contract::RotatedInt8Swiglu::kName;
  bool ahead = false;    // persistent blocks, which prefetch their next token into shared memory
  int shared_bytes = 0;  // per block

  [[nodiscard]] std::array<contract::Field, 6> fields() const {
    return {{contract::field("block", block), contract::field("threads", threads), contract::field("wide", wide),
             contract::field("ahead", ahead), contract::field("blocks", blocks),
             contract::field("shared_bytes", shared_bytes)}};
  }
};
struct WeightScalesPlan : TermsPlan {
  static constexpr const char* kOp = contract::RotatedInt8WeightScales::kName;
};
struct WeightPlan : TermsPlan {
  static constexpr const char* kOp = contract::RotatedInt8Weight::kName;
  bool ahead = false;  // persistent blocks, whose threads rotate whole blocks and prefetch their next codes

  [[nodiscard]] std::array<contract::Field, 6> fields() const {
    return {{contract::field("block", block), contract::field("threads", threads), contract::field("wide", wide),
             contract::field("ahead", ahead), contract::field("blocks", blocks), contract::field("tiles", tiles)}};
  }
};

struct MatmulPlan {
  static constexpr const char* kOp = contract::RotatedInt8Matmul::kName;
  Kernel kernel = Kernel::mma;
  int tokens = 0;           // per tile
  int outputs = 0;          // per tile
  int threads = 0;          // per thread block
  std::int64_t blocks = 0;  // thread blocks
  int shared_bytes = 0;     // per thread block

  [[nodiscard]] std::array<contract::Field, 6> fields() const {
    constexpr std::array kNames = {"wgmma", "mma", "mma_unaligned"};
    return {{{"kernel", kNames.at(static_cast<std::size_t>(kernel))},
             contract::field("tokens", tokens),
             contract::field("outputs", outputs),
             contract::field("threads", threads),
             contract::field("blocks", blocks),
             contract::field("shared_bytes", shared_bytes)}};
  }
};

// candidates() returns every plan that a call can have, plan() the one that it gets by default.
std::vector<QuantizePlan> candidates(const contract::RotatedInt8Quantize& p);
QuantizePlan plan(const contract::RotatedInt8Quantize& p);
std::vector<SwigluPlan> candidates(const contract::RotatedInt8Swiglu& p, const DeviceFacts& facts);
SwigluPlan plan(const contract::RotatedInt8Swiglu& p, const DeviceFacts& facts);
std::vector<WeightScalesPlan> candidates(const contract::RotatedInt8WeightScales& p);
WeightScalesPlan plan(const contract::RotatedInt8WeightScales& p);
std::vector<WeightPlan> candidates(const contract::RotatedInt8Weight& p, const DeviceFacts& facts);
WeightPlan plan(const contract::RotatedInt8Weight& p, const DeviceFacts& facts);

// Returns how many warps forward, or thread blocks backward, a weight has work for.
std::int64_t count_ahead_groups(const contract::RotatedInt8Weight& p);
std::vector<MatmulPlan> candidates(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts);
MatmulPlan plan(const contract::RotatedInt8Matmul& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda::rotated_int8

#endif  // QFUSE_BACKEND_CUDA_ROTATED_INT8_PLAN_H
