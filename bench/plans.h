#ifndef QFUSE_BENCH_PLANS_H
#define QFUSE_BENCH_PLANS_H

#include "backend/cuda/facts.h"
#include "contract/ops.h"
#include "options.h"

namespace qfuse::bench {

// Estimated microseconds of a forward product, the faster of SPLIT and PLAIN; infinity if there is no estimate.
double estimate_us(const contract::Matmul4bit& p, const cuda::DeviceFacts& facts);

// Prints each op's chosen plan on a device, at typical shapes, and every other plan that it could have. With
// options.forced prints values of QFUSE_PLAN that force them. Needs no GPU. Returns the program's exit status.
int print_plans(const Options& options);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_PLANS_H
