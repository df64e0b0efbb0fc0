#ifndef QFUSE_BENCH_CPU_H
#define QFUSE_BENCH_CPU_H

#include "options.h"

namespace qfuse::bench {

// Times the ops on the CPU through Google Benchmark, a table row per op, dtype, SIMD target and thread count. Gives the
// program's exit status.
int run_cpu(const Options& options);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_CPU_H
