// The benchmarks that run on a GPU.
#ifndef QFUSE_BENCH_GPU_GPU_H
#define QFUSE_BENCH_GPU_GPU_H

#include "options.h"
#include "report.h"

namespace qfuse::bench {

// Times the benchmark named in options. Returns the program's exit status. Throws if there is no such GPU.
int run_on_gpu(const Options& options, int device);

struct Card;
void time_nf4_on_gpu(const Options& options, Report& report, const Card& card);
void time_rows_on_gpu(const Options& options, Report& report, const Card& card);
void time_fp8_on_gpu(const Options& options, Report& report, const Card& card);
void time_merge_on_gpu(const Options& options, Report& report, const Card& card);
void time_matmul_on_gpu(const Options& options, Report& report, const Card& card);
void time_swiglu_on_gpu(const Options& options, Report& report, const Card& card);
void time_rotated_int8_on_gpu(const Options& options, Report& report, const Card& card);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_GPU_H
