// Runs candidates in turn and summarizes their times.
#ifndef QFUSE_BENCH_TIMING_H
#define QFUSE_BENCH_TIMING_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace qfuse::bench {

// Microseconds per run.
struct Timing {
  double median = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;
};

// The q-quantile, 0 <= q <= 1, by nearest rank. Needs at least one value.
inline double quantile(std::vector<double> values, double q) {
  const auto rank = static_cast<std::ptrdiff_t>(std::lround(q * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

struct Rounds {
  int warm_ups;
  int timed;
};

// timer(c) runs candidate c and returns its microseconds. Every round runs all candidates one after the other, so that
// a temporary disturbance of the machine affects them alike.
inline std::vector<Timing> time_in_turn(std::size_t candidates, Rounds rounds, const auto& timer) {
  std::vector<std::vector<double>> times(candidates);
  for (int round = -rounds.warm_ups; round < rounds.timed; ++round) {
    for (std::size_t c = 0; c < candidates; ++c) {
      const double time = timer(c);
      if (round >= 0) times[c].push_back(time);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(candidates);
  for (const std::vector<double>& t : times) timings.push_back({median(t), quantile(t, 0.1), quantile(t, 0.9)});
  return timings;
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_TIMING_H
