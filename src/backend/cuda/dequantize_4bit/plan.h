// How a call of dequantize_4bit runs on CUDA.
#ifndef QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H
#define QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H

#include <array>
#include <cstdint>
#include <vector>

#include "backend/cuda/facts.h"
#include "contract/dequantize_4bit.h"
#include "contract/plan.h"

namespace qfuse::cuda {

struct Dequantize4bitPlan {
  static constexpr const char* kOp = "dequantize_4bit";
  bool wide = false;        // 16-byte stores; else element by element, for arrays at odd addresses
  bool stream = false;      // store past the caches
  int group = 0;            // elements that a thread decodes at once
  int groups = 0;           // of them that it has in flight
  int threads = 0;          // of a thread block
  std::int64_t blocks = 0;  // thread blocks

  [[nodiscard]] std::array<contract::Field, 6> fields() const {
    return {{contract::field("threads", threads), contract::field("groups", groups), contract::field("group", group),
             contract::field("wide", wide), contract::field("stream", stream), contract::field("blocks", blocks)}};
  }
};

inline constexpr int kStoreBytes = 16;  // the widest store of every architecture
inline constexpr int kNarrowGroup = 2;  // one byte of codes: neighbouring threads then write neighbouring elements

// The shapes of a thread block that kernels are compiled for; element by element there is the first alone.
struct Shape {
  int threads;
  int groups;
};
inline constexpr std::array<Shape, 6> kDecodeShapes = {{{256, 2}, {128, 2}, {512, 2}, {256, 1}, {512, 1}, {256, 4}}};

// Every plan that the call can have, and the one that it gets.
std::vector<Dequantize4bitPlan> candidates(const contract::Dequantize4bit& p, const DeviceFacts& facts);
Dequantize4bitPlan plan(const contract::Dequantize4bit& p, const DeviceFacts& facts);

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEQUANTIZE_4BIT_PLAN_H
