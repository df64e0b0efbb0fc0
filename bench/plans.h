#ifndef QFUSE_BENCH_PLANS_H
#define QFUSE_BENCH_PLANS_H

#include "options.h"

namespace qfuse::bench {

// Prints the plan that each op gets on a device, at the shapes that are timed, and every other one that it could have;
// or what forces these. Needs no GPU. Gives the program's exit status.
int print_plans(const Options& options);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_PLANS_H
