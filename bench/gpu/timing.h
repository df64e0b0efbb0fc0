// How a GPU's time is taken: candidates in turn, each many launches between two events.
#ifndef QFUSE_BENCH_GPU_TIMING_H
#define QFUSE_BENCH_GPU_TIMING_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report.h"

namespace qfuse::bench {

// Enqueues one run of what is to be timed, on the buffers of one set and on `stream`.
using Enqueue = std::function<void(int set, void* stream)>;

enum class Cache { cold, warm };

struct Candidate {
  std::string name;
  Enqueue enqueue;
  Cache cache = Cache::cold;  // cold: goes round all sets; warm: stays on the first
};

// Sets of `bytes` each, so many that a cache of `l2_bytes` holds nothing of a set when its turn comes again.
int sets_for(std::int64_t bytes, std::int64_t l2_bytes);

struct BesideRoof {
  std::string roof_name;
  Timing roof;                  // the best of all roofs
  std::vector<Timing> timings;  // of the candidates
};

// By CUDA graphs, which leave out what a launch costs the host. `bytes`: what a run moves, about.
BesideRoof time_beside_roof(const Report& report, const std::vector<Candidate>& roofs,
                            const std::vector<Candidate>& candidates, int sets, std::int64_t bytes);

// On the legacy default stream, launch by launch, for what cannot be captured; where the host is slower than the GPU,
// its time is what is seen.
std::vector<Timing> time_launches(const Report& report, const std::vector<Candidate>& candidates, int sets);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_TIMING_H
