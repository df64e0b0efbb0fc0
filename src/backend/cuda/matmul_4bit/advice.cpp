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

constexpr std::array<std::int64_t, 5> kRows = {128, 64, 32, 16, 8};  // values of m for which times are compared
constexpr std::int64_t kPipelineRows = 256;  // upper bound on Hopper; at about twice as many, cuBLAS is usually faster
// Forward, twice as many rows are fused if decoding is estimated to take over kPipelineMargin times as long. On an
// H200, 512 rows of 4096 -> 14336 take 104 us fused, 125 decoded (estimates: 95, 114); 14336 -> 4096 takes 114 in both.
constexpr double kPipelineMargin = 1.1;

contract::Matmul4bit product_of(const contract::Matmul4bit& p, qfuse_sum sum, std::int64_t rows) {
  contract::Matmul4bit product = p;
  product.sum = sum;
  product.m = rows;
  return product;
}

double us_of(const contract::Matmul4bit& p, const DeviceFacts& facts) { return plan_us(plan(p, facts), p, facts); }

std::int64_t pipeline_rows(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const contract::Matmul4bit twice = product_of(p, QFUSE_SUM_PLAIN, 2 * kPipelineRows);
  if (!is_forward(p) || !has_estimates(facts)) return kPipelineRows;
  return kPipelineMargin * us_of(twice, facts) < decoded_us(twice, facts) ? twice.m : kPipelineRows;
}

}  // namespace

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  const bool has_instructions = has_tensor_cores(p.dtype, facts);
  contract::Matmul4bitAdvice advice{.few = QFUSE_SUM_OF_DEVICE, .few_rows = 0, .fused_rows = -1};
  if (p.dtype == QFUSE_FLOAT32) return advice;
  if (!has_estimates(facts)) advice.fused_rows = w.cols % kCodesALoad == 0 ? kRows.back() : -1;
  if (!has_instructions) return advice;
  const bool has_pipeline = kHasWgmma && facts.compute_capability == kHopper && w.cols % kPanelCols == 0 &&
                            w.rows % kValuesALoad == 0 && w.blocksize >= kPanelCols;
  const bool has_split_k = takes(Kernel::split_k, product_of(p, QFUSE_SUM_SPLIT, kRows.back()), {}, facts);
  advice.few = QFUSE_SUM_SPLIT;
  if (has_pipeline) advice.fused_rows = pipeline_rows(p, facts);
  if (!has_estimates(facts)) {
    if (has_split_k) advice.few_rows = kRows.back();
    return advice;
  }
  for (const std::int64_t rows : kRows) {
    const contract::Matmul4bit of_split = product_of(p, QFUSE_SUM_SPLIT, rows);
    const contract::Matmul4bit of_plain = product_of(p, QFUSE_SUM_PLAIN, rows);
    const bool splits = takes(Kernel::split_k, of_split, {}, facts);
    const double plain = us_of(of_plain, facts);
    const double split = splits ? us_of(of_split, facts) : plain;
    if (std::min(plain, split) < decoded_us(of_plain, facts)) advice.fused_rows = std::max(advice.fused_rows, rows);
    if (splits && split <= plain) advice.few_rows = std::max(advice.few_rows, rows);
  }
  advice.few_rows = std::clamp<std::int64_t>(advice.fused_rows, 0, advice.few_rows);
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
