// Launch plan of scale on CUDA.
#ifndef QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_PLAN_H
#define QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "contract/plan.h"
#include "skeleton/contract/scale.h"

namespace qfuse::cuda::scale {

struct Plan {
  static constexpr const char* kOp = "scale";
  bool bulk = false;        // bulk copies through shared memory (Hopper); otherwise single loads and stores
  int threads = 0;          // per thread block
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 3> fields() const {
    return {{contract::field("bulk", bulk), contract::field("threads", threads), contract::field("blocks", blocks)}};
  }
};

inline constexpr int kThreads = 256;
inline constexpr int kValues = 4;           // per thread, one at a time, neighboring threads side by side
inline constexpr int kTileBytes = 8 << 10;  // per thread block in the bulk kernel

std::vector<Plan> candidates(const contract::Scale& p, const DeviceFacts& facts);
Plan plan(const contract::Scale& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda::scale

#endif  // QFUSE_TESTS_SKELETON_BACKEND_CUDA_SCALE_PLAN_H
