#ifndef QFUSE_BENCH_GPU_RUN_H
#define QFUSE_BENCH_GPU_RUN_H

#include "options.h"

namespace qfuse::bench {

// Each prints its tables and gives the program's exit status; throws where there is no such GPU.
int run_gpu_nf4(const Options& options, int device);
int run_gpu_ladder(const Options& options, int device);
int run_gpu_swiglu(const Options& options, int device);
int run_gpu_swiglu_ladder(const Options& options, int device);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_RUN_H
