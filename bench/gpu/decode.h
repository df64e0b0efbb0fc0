#ifndef QFUSE_BENCH_GPU_DECODE_H
#define QFUSE_BENCH_GPU_DECODE_H

#include <cstddef>
#include <vector>

#include "gpu/peer.h"
#include "gpu/report.h"
#include "gpu/timing.h"
#include "gpu/weights.h"

namespace qfuse::bench {

// The op of the library, through its front door; throws what it refuses.
void enqueue_decode(const format::Dequantize4bit& p, int device, void* stream);

// Runs `enqueue` once on the first set and compares with the oracle; throws how they differ.
void require_decoded(const DecodeWeights& weights, const Bytes& oracle, const Enqueue& enqueue);

// The kernels that move decode's bytes, one candidate each; and which of their timings is the roof.
std::vector<Candidate> decode_roofs(const DecodeWeights& weights);
std::size_t best(const std::vector<Timing>& timings, std::size_t begin, std::size_t end);

// A table for one shape: roofs, qfuse's decode cold, in L2 and read afterwards, the peer if there is one.
void time_decode(Report& report, const Card& card, const Peer* peer, Shape shape);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_DECODE_H
