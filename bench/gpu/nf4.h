// Shared by the benchmarks of NF4 on a GPU.
#ifndef QFUSE_BENCH_GPU_NF4_H
#define QFUSE_BENCH_GPU_NF4_H

#include "gpu/device.h"
#include "gpu/nf4_weights.h"
#include "gpu/peer.h"
#include "gpu/timing.h"

namespace qfuse::bench {

// Runs `enqueue` once on the first set. Throws if the output differs from the oracle, and says how.
void require_decoded(const DecodeWeights& weights, const Bytes& oracle, const Enqueue& enqueue);

// Adds a table for one shape: roofs, qfuse's decode (cold, in L2, followed by a reader), and the peer if any.
void time_decode(Report& report, const Card& card, const Peer* peer, Shape shape);

// Adds a table for one shape and dtype: the roof of plain encoding, plain, nested, only the nested step, and the peer.
void time_encode(Report& report, const Card& card, const Peer* peer, Shape shape, qfuse_dtype dtype);

// Runs the test that unsloth published for NF4 decoders, without Python: three configurations of three matrices (gate,
// up, down). Decodes each matrix 1000 times, synchronizes after every decode, and reports wall-clock seconds.
void time_published(Report& report, const Card& card, const Peer* peer);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_NF4_H
