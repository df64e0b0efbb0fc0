// What the benchmarks of NF4 on a GPU share.
#ifndef QFUSE_BENCH_GPU_NF4_H
#define QFUSE_BENCH_GPU_NF4_H

#include "gpu/device.h"
#include "gpu/nf4_weights.h"
#include "gpu/peer.h"
#include "gpu/timing.h"

namespace qfuse::bench {

// Runs `enqueue` once on the first set and compares with the oracle; throws how they differ.
void require_decoded(const DecodeWeights& weights, const Bytes& oracle, const Enqueue& enqueue);

// A table for one shape: roofs, qfuse's decode cold, in L2 and read afterwards, the peer if there is one.
void time_decode(Report& report, const Card& card, const Peer* peer, Shape shape);

// A table for one shape and dtype: the roof of plain encoding, plain, nested, the nested step alone, and the peer.
void time_encode(Report& report, const Card& card, const Peer* peer, Shape shape, qfuse_dtype dtype);

// The test that unsloth published for NF4 decoders, without Python: three configurations of three matrices (gate, up,
// down), each decoded 1000 times with a synchronization after every one; wall-clock seconds.
void time_published(Report& report, const Card& card, const Peer* peer);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_NF4_H
