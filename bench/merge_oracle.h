// A weight and a LoRA adapter on the host, and their sum by the oracle.
#ifndef QFUSE_BENCH_MERGE_ORACLE_H
#define QFUSE_BENCH_MERGE_ORACLE_H

#include <array>
#include <cstdint>
#include <vector>

#include "contract/ops.h"
#include "nf4_oracle.h"
#include "report.h"

namespace qfuse::bench {

inline constexpr std::array<std::int64_t, 4> kMergeRanks = {8, 16, 32, 64};

struct MergeAnswers {
  MergeAnswers(Shape its_shape, std::int64_t its_rank);

  Shape shape;
  std::int64_t rank;
  Bytes in;  // bf16
  std::vector<float> a;
  std::vector<float> b;
  Bytes merged;
};

// Parameters over arrays of bf16 and factors.
contract::LoraMerge merge_params(Shape shape, std::int64_t rank, const void* in, const float* a, const float* b,
                                 void* out);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_MERGE_ORACLE_H
