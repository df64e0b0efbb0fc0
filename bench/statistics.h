// Medians and quantiles of timings.
#ifndef QFUSE_BENCH_STATISTICS_H
#define QFUSE_BENCH_STATISTICS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace qfuse::bench {

// The q-quantile, 0 <= q <= 1, by the nearest rank; of at least one value.
inline double quantile(std::vector<double> values, double q) {
  const auto rank = static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_STATISTICS_H
