// Other designs of qfuse's kernels, each as small as it can be and right to the bit but for those that say so: what
// each choice brings. docs/KERNEL_VARIANTS.md goes through them.
#ifndef QFUSE_BENCH_VARIANTS_VARIANTS_H
#define QFUSE_BENCH_VARIANTS_VARIANTS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/swiglu/plan.h"
#include "contract/ops.h"
#include "gpu/device.h"
#include "gpu/timing.h"

namespace qfuse::bench {

// One decode of a weight in blocks of 64, nested in blocks of 256, to fp16 or bf16, whose size the variant can take.
struct Nf4Run {
  contract::Dequantize4bit p;
  Shape shape;
  float* scratch;  // [n/64]
  int multiprocessors;
  cudaStream_t stream;
};
struct Nf4Variant {
  const char* name;
  void (*enqueue)(const Nf4Run& run);  // null: qfuse's op itself
  int compute_capability = 0;          // that it needs
};
std::span<const Nf4Variant> nf4_variants();

// One SwiGLU backward on whole tiles: m and h multiples of 128, rows without gaps, arrays aligned to 16, all outputs.
struct SwigluRun {
  contract::Swiglu p;
  cuda::SwigluPlan plan;  // the library's, for those that work on tiles
  void* y;                // scratch: [m, h] bf16
  cudaStream_t stream;
};
struct SwigluVariant {
  const char* name;
  void (*enqueue)(const SwigluRun& run);  // null: qfuse's op itself
  bool exact = true;
};
std::span<const SwigluVariant> swiglu_variants();

// Times the variants and the roofs in turn: a table of the variants, and then the best roof. Shares of the roof are
// those of `bytes`, of which the roofs move `roof_bytes`.
void add_variants(Report& report, const std::string& op, Shape shape, const std::vector<Candidate>& variants,
                  const std::vector<Candidate>& roofs, int sets, std::int64_t bytes, std::int64_t roof_bytes);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_VARIANTS_VARIANTS_H
