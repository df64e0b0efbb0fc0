// How the GPU benchmark takes time: candidates in turn, each many launches in a CUDA graph between two events.
#ifndef QFUSE_BENCH_GPU_TIMING_H
#define QFUSE_BENCH_GPU_TIMING_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qfuse::bench {

// Enqueues one run of what is to be timed, on the buffers of one set and on `stream`.
using Enqueue = std::function<void(int set, void* stream)>;

enum class Cache { cold, warm };

struct Candidate {
  std::string name;
  Enqueue enqueue;
  Cache cache = Cache::cold;  // cold: goes round all sets; warm: stays on the first
};

// Microseconds a run.
struct Timing {
  double median = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;
};

// Sets of `bytes` each, so many that a cache of `l2_bytes` holds nothing of a set when its turn comes again.
int sets_for(std::int64_t bytes, std::int64_t l2_bytes);

// By graphs, which leave out what a launch costs the host. `bytes`: what a run moves, about.
std::vector<Timing> time_in_turn(const std::vector<Candidate>& candidates, int sets, std::int64_t bytes);

// On the legacy default stream, launch by launch, for what cannot be captured; where the host is slower than the GPU,
// its time is what is seen.
std::vector<Timing> time_launches(const std::vector<Candidate>& candidates, int sets);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_TIMING_H
