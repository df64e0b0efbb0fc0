// The summation order of the nested offset, which is the mean of absmax. The order is part of the format that qfuse
// writes, so that every device and thread count gives the same bytes.
// Entries are taken in chunks of kMeanChunk. In a chunk, lane l of kMeanLanes sums entries l, l + kMeanLanes, ... in
// ascending order; then the lanes fold in halves (lane i += lane i + half). Chunk sums are added in ascending order.
// Entries past the end count as +0. The total is divided by the count in fp64 and rounded once to fp32.
#ifndef QFUSE_FORMAT_MEAN_H
#define QFUSE_FORMAT_MEAN_H

#include <algorithm>
#include <array>
#include <cstdint>

#include "format/elements.h"
#include "format/rounding.h"

namespace qfuse::format {

inline constexpr std::int64_t kMeanChunk = 4096;
inline constexpr std::int64_t kMeanLanes = 256;  // a power of two; the width of a CUDA thread block

// The mean of values that come piece by piece, like the absmax of a tensor that is larger than memory.
class Mean {
 public:
  // Every piece but the last holds a multiple of kMeanChunk values.
  void add(const float* values, std::int64_t count) {
    for (std::int64_t at = 0; at < count; at += kMeanChunk)
      total_ += sum_chunk(values, at, std::min(count, at + kMeanChunk));
    count_ += count;
  }
  // Requires at least one value.
  [[nodiscard]] float value() const { return canonical(static_cast<float>(total_ / static_cast<double>(count_))); }

 private:
  static double sum_chunk(const float* values, std::int64_t begin, std::int64_t end) {
    std::array<double, kMeanLanes> lanes{};
    for (std::int64_t row = begin; row < end; row += kMeanLanes) {
      const std::int64_t count = std::min(kMeanLanes, end - row);
      for (std::int64_t lane = 0; lane < count; ++lane)
        lanes[static_cast<std::size_t>(lane)] += load_unaligned<float>(values, row + lane);
    }
    for (std::size_t half = lanes.size() / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }

  double total_ = 0.0;
  std::int64_t count_ = 0;
};

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_MEAN_H
