// How a call of quantize_4bit runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_PLAN_H
#define QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "contract/plan.h"
#include "contract/quantize_4bit.h"

namespace qfuse::cuda::quantize_4bit {

struct Plan {
  static constexpr const char* kOp = "quantize_4bit";
  bool wide = false;        // 16-byte loads; else element by element, for unaligned arrays
  int threads = 0;          // per block, each with 16 elements
  int lanes = 0;            // threads that share an absmax
  std::int64_t blocks = 0;  // thread blocks
  std::int64_t chunks = 0;  // nested: chunks of the mean except the last; 0 if the offset is given

  [[nodiscard]] std::array<contract::Field, 5> fields() const {
    return {{contract::field("threads", threads), contract::field("lanes", lanes), contract::field("wide", wide),
             contract::field("blocks", blocks), contract::field("chunks", chunks)}};
  }
};

// Elements that a thread encodes at once: 8 bytes of codes. On an H100 arithmetic is the bottleneck, not memory, and a
// thread's fixed work is shared by more elements than with 8.
inline constexpr int kEncodeGroup = 16;
inline constexpr int kEncodeGroupShift = 4;  // log2 of kEncodeGroup
inline constexpr int kEncodeThreads = 256;
static_assert(1 << kEncodeGroupShift == kEncodeGroup);
static_assert(std::int64_t{kEncodeThreads} * kEncodeGroup ==
              format::kMaxBlocksize);  // so a block never spans two thread blocks

// Every call has exactly one plan.
Plan plan(const contract::Quantize4bit& p);
std::vector<Plan> candidates(const contract::Quantize4bit& p);

}  // namespace qfuse::cuda::quantize_4bit

#endif  // QFUSE_BACKEND_CUDA_QUANTIZE_4BIT_PLAN_H
