// How a call of dequantize_4bit runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "contract/dequantize_4bit.h"
#include "contract/plan.h"

namespace qfuse::cuda::dequantize_4bit {

struct Plan {
  static constexpr const char* kOp = "dequantize_4bit";
  bool by_rows = false;     // decode tiles of rows (weights with row scales); else the weight as one run of blocks
  bool wide = false;        // 16-byte stores; else element by element, for unaligned arrays
  bool stream = false;      // streaming stores, which do not keep the output in the caches
  int group = 0;            // consecutive elements that a thread decodes at once
  int groups = 0;           // groups that a thread has in flight
  int threads = 0;          // threads per block
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 7> fields() const {
    return {{contract::field("threads", threads), contract::field("groups", groups), contract::field("group", group),
             contract::field("wide", wide), contract::field("stream", stream), contract::field("by_rows", by_rows),
             contract::field("blocks", blocks)}};
  }
};

inline constexpr int kStoreBytes = 16;  // the widest store that every architecture has
inline constexpr int kNarrowGroup = 2;  // one byte of codes, so that neighboring threads write neighboring elements

// Thread block shape. With (threads, groups) of (128, 2), (256, 2), (512, 2) and (256, 4), an H200 decodes 1024 x 4096
// in 3.96, 3.78, 3.90 and 3.80 us, 2048 x 8192 in 12.2, 12.0, 12.6 and 12.5, 8192 x 28672 in 145, 145, 146 and 148.
inline constexpr int kDecodeThreads = 256;
inline constexpr int kDecodeGroups = 2;

// candidates() returns every plan that the call can have, plan() the one that it gets by default.
std::vector<Plan> candidates(const contract::Dequantize4bit& p, const DeviceFacts& facts);
Plan plan(const contract::Dequantize4bit& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda::dequantize_4bit

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H
