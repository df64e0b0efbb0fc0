#ifndef QFUSE_BENCH_GPU_PUBLISHED_H
#define QFUSE_BENCH_GPU_PUBLISHED_H

#include "gpu/peer.h"
#include "gpu/report.h"

namespace qfuse::bench {

// The test that unsloth published for NF4 decoders, without Python: three configurations of three matrices (gate, up,
// down), each decoded 1000 times with a synchronization after every one; wall-clock seconds.
void time_published(Report& report, const Card& card, const Peer* peer);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_PUBLISHED_H
