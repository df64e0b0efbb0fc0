#ifndef QFUSE_BENCH_SWIGLU_H
#define QFUSE_BENCH_SWIGLU_H

namespace qfuse::bench {

// Registers "swiglu/<m>x<h>/<target>/threads:<n>" with Google Benchmark, the oracle as a target of one thread.
void register_swiglu();

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_SWIGLU_H
