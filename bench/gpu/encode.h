#ifndef QFUSE_BENCH_GPU_ENCODE_H
#define QFUSE_BENCH_GPU_ENCODE_H

#include "gpu/peer.h"
#include "gpu/report.h"

namespace qfuse::bench {

// A table for one shape and dtype: the roof of plain encoding, plain, nested, the nested step alone, and the peer.
void time_encode(Report& report, const Card& card, const Peer* peer, Shape shape, qfuse_dtype dtype);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_ENCODE_H
