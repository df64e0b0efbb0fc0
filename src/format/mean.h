// The order in which the nested offset, the mean of absmax, is summed: part of the format as qfuse writes it, so that
// every device and thread count gives the same bytes.
// Entries are taken in chunks of kMeanChunk. In a chunk, lane l of kMeanLanes sums entries l, l + kMeanLanes, ... in
// ascending order, and the lanes fold in halves (lane i += lane i + half). Chunk sums are added in ascending order.
// Entries past the end count as +0. The total is divided by the count in fp64 and rounded once to fp32.
#ifndef QFUSE_FORMAT_MEAN_H
#define QFUSE_FORMAT_MEAN_H

#include <cstdint>

namespace qfuse::format {

inline constexpr std::int64_t kMeanChunk = 4096;
inline constexpr std::int64_t kMeanLanes = 256;  // a power of two: a CUDA thread block's width

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_MEAN_H
