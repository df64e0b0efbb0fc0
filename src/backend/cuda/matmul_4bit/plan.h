// Plans of matmul_4bit on CUDA: the kernel of a call, its tiles, and its launch.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_PLAN_H
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_PLAN_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend/cuda/matmul_4bit/kernels.h"
#include "contract/plan.h"

namespace qfuse::cuda::matmul_4bit {

struct Plan {
  static constexpr const char* kOp = "matmul_4bit";
  Kernel kernel = Kernel::tiled;
  int tokens = 0;           // per thread block
  int outputs = 0;          // per thread block
  int threads = 0;          // per thread block
  std::int64_t blocks = 0;  // thread blocks
  int shared_bytes = 0;     // dynamic, per thread block
  bool is_turing = false;   // split-K and `multistage` run their variant for Turing

  [[nodiscard]] std::array<contract::Field, 6> fields() const {
    constexpr std::array kNames = {
        "split_k", "factored_split_k", "factored", "warp_specialized", "register_weights", "multistage",
        "tiled",   "tiled_unaligned",  "fp32"};
    return {{{"kernel", kNames.at(static_cast<std::size_t>(kernel))},
             contract::field("tokens", tokens),
             contract::field("outputs", outputs),
             contract::field("threads", threads),
             contract::field("blocks", blocks),
             contract::field("shared_bytes", shared_bytes)}};
  }
};

// Returns a plan's fields and one more.
template <std::size_t kCount>
std::array<contract::Field, kCount + 1> with_field(const std::array<contract::Field, kCount>& fields,
                                                   const contract::Field& field) {
  std::array<contract::Field, kCount + 1> all;
  std::ranges::copy(fields, all.begin());
  all.back() = field;
  return all;
}

// One launch of several products with one input.
struct ManyPlan : Plan {
  static constexpr const char* kOp = "matmul_4bit_many";
  std::size_t products = 0;

  [[nodiscard]] auto fields() const { return with_field(Plan::fields(), contract::field("products", products)); }
};

// For a stack of experts. With one tile per thread block, `blocks` is an upper bound on tiles, for any split of rows.
struct GroupedPlan : Plan {
  static constexpr const char* kOp = "matmul_4bit_grouped";
  bool in_turn = false;  // persistent blocks take tiles in turn, otherwise contiguous runs of tiles

  [[nodiscard]] auto fields() const { return with_field(Plan::fields(), contract::field("in_turn", in_turn)); }
};

// Returns UNSUPPORTED if the device has no instructions for the sum.
contract::Outcome check_facts(const contract::Matmul4bit& p, const DeviceFacts& facts);

// From estimated times (estimates.h): up to how many rows the op beats decoding plus cuBLAS, and by which qfuse_sum.
contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, const DeviceFacts& facts);

// All plans that the call can have, and the one that it gets.
std::vector<Plan> candidates(const contract::Matmul4bit& p, const DeviceFacts& facts);
Plan plan(const contract::Matmul4bit& p, const DeviceFacts& facts);

std::vector<GroupedPlan> candidates(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts);
GroupedPlan plan(const contract::Matmul4bitGrouped& p, const DeviceFacts& facts);

// Plan of one launch for several products with one input, given their own plans. None if no kernel can do that.
std::optional<ManyPlan> shared_plan(std::span<const contract::Matmul4bit> products, std::span<const Plan> plans,
                                    const DeviceFacts& facts);

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_PLAN_H
