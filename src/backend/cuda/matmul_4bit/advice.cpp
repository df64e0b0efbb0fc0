#include <algorithm>
#include <array>

#include "backend/cuda/kernels.h"
#include "backend/cuda/matmul_4bit/estimates.h"
#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/gpu.h"
#endif

namespace qfuse::cuda {
namespace matmul_4bit {
namespace {

constexpr std::array<std::int64_t, 5> kRows = {8, 16, 32, 64, 128};  // values of m for which times are compared
constexpr std::int64_t kPipelineRows = 256;                          // likewise on Hopper; forward also twice as many
// Forward, twice as many rows are fused if decoding is estimated to take over kPipelineMargin times as long. On an
// H200, 512 rows of 3584 -> 18944 take 139 us fused, 137 decoded (estimates: 138, 141), of 14336 -> 4096 114 both ways
// (120, 127).
constexpr double kPipelineMargin = 1.1;

contract::Matmul4bit product_of(const contract::Matmul4bit& p, qfuse_sum sum, std::int64_t rows) {
  contract::Matmul4bit product = p;
  product.sum = sum;
  product.m = rows;
  return product;
}

double us_of(const contract::Matmul4bit& p, const DeviceFacts& facts) { return plan_us(plan(p, facts), p, facts); }

// The most rows, above kRows, for which a pipeline beats decoding; -1 if it does for none of them.
std::int64_t pipeline_rows(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const auto wins = [&](std::int64_t rows, double margin) {
    const contract::Matmul4bit product = product_of(p, QFUSE_SUM_PLAIN, rows);
    return margin * us_of(product, facts) < decoded_us(product, facts);
  };
  if (is_forward(p) && wins(2 * kPipelineRows, kPipelineMargin)) return 2 * kPipelineRows;
  return wins(kPipelineRows, 1) ? kPipelineRows : -1;
}

}  // namespace

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  const bool has_instructions = has_tensor_cores(p.dtype, facts);
  contract::Matmul4bitAdvice advice{.few = QFUSE_SUM_OF_DEVICE, .few_rows = 0, .fused_rows = -1};
  if (p.dtype == QFUSE_FLOAT32) return advice;
  if (!has_estimates(facts)) advice.fused_rows = w.cols % kCodesALoad == 0 ? kRows.front() : -1;
  if (!has_instructions) return advice;
  const bool has_pipeline = kHasWgmma && facts.compute_capability == kHopper && w.cols % kPanelCols == 0 &&
                            w.rows % kValuesALoad == 0 && w.blocksize >= kPanelCols;
  const bool has_split_k = takes(Kernel::split_k, product_of(p, QFUSE_SUM_SPLIT, kRows.front()), {}, facts);
  advice.few = QFUSE_SUM_SPLIT;
  if (!has_estimates(facts)) {
    if (has_pipeline) advice.fused_rows = kPipelineRows;
    if (has_split_k) advice.few_rows = kRows.front();
    return advice;
  }
  bool wins = true;  // backward, also with fewer rows: what loses with few wins by too little with many
  for (const std::int64_t rows : kRows) {
    const contract::Matmul4bit of_split = product_of(p, QFUSE_SUM_SPLIT, rows);
    const contract::Matmul4bit of_plain = product_of(p, QFUSE_SUM_PLAIN, rows);
    const double plain = us_of(of_plain, facts);
    const double decoded = decoded_us(of_plain, facts);
    wins = (is_forward(p) || wins) && plain < decoded;
    if (wins) advice.fused_rows = rows;
    if (takes(Kernel::split_k, of_split, {}, facts) && us_of(of_split, facts) <= std::min(plain, decoded))
      advice.few_rows = rows;
  }
  if (has_pipeline && (is_forward(p) || wins)) advice.fused_rows = std::max(advice.fused_rows, pipeline_rows(p, facts));
  return advice;
}

}  // namespace matmul_4bit

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, [[maybe_unused]] int index) {
  DeviceFacts facts;
#ifdef QFUSE_WITH_CUDA
  if (!device_facts(index, facts).ok()) facts = {};
#endif
  return matmul_4bit::advise(p, facts);
}

}  // namespace qfuse::cuda
