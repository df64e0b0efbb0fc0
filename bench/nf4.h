#ifndef QFUSE_BENCH_NF4_H
#define QFUSE_BENCH_NF4_H

namespace qfuse::bench {

// Registers "nf4/<decode|encode>/<dtype>/<target>/threads:<n>" with Google Benchmark.
void register_nf4();

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_NF4_H
