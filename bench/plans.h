#ifndef QFUSE_BENCH_PLANS_H
#define QFUSE_BENCH_PLANS_H

#include "backend/cuda/facts.h"
#include "contract/ops.h"
#include "options.h"

namespace qfuse::bench {

// Microseconds that a forward product should take, by the faster of SPLIT and PLAIN; infinity where none is known.
double estimate_us(const contract::Matmul4bit& p, const cuda::DeviceFacts& facts);

// Prints the plan that each op gets on a device, at the shapes that are timed, and every other one that it could have;
// or what forces these. Needs no GPU. Gives the program's exit status.
int print_plans(const Options& options);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_PLANS_H
