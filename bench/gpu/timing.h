// Measures GPU time: candidates run in turn, each with many launches between two events.
#ifndef QFUSE_BENCH_GPU_TIMING_H
#define QFUSE_BENCH_GPU_TIMING_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report.h"

namespace qfuse::bench {

// Enqueues one run of the timed operation on `stream`, with the buffers of one set.
using Enqueue = std::function<void(int set, void* stream)>;

enum class Cache { cold, warm };

struct Candidate {
  std::string name;
  Enqueue enqueue;
  Cache cache = Cache::cold;  // cold: cycles through all sets; warm: uses only the first
};

// Number of sets of `bytes` each so that an L2 cache of `l2_bytes` has evicted a set before its next use.
int sets_for(std::int64_t bytes, std::int64_t l2_bytes);

struct BesideRoof {
  std::string roof_name;
  Timing roof;                  // the fastest roof
  std::vector<Timing> timings;  // one per candidate
};

// Times with CUDA graphs, which hide the host's launch cost. `bytes`: approximate bytes that one run moves.
BesideRoof time_beside_roof(const Report& report, const std::vector<Candidate>& roofs,
                            const std::vector<Candidate>& candidates, int sets, std::int64_t bytes);

// Times launch by launch on the legacy default stream, for work that cannot be captured. If the host is slower than the
// GPU, the result is the host's time.
std::vector<Timing> time_launches(const Report& report, const std::vector<Candidate>& candidates, int sets);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_TIMING_H
