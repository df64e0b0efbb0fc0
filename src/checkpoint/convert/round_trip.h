// Encodes values in a lossy format and decodes them again, for the statistics of a merge.
#ifndef QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
#define QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace qfuse::checkpoint {

// `begin` returns a function with buffers of its own. The function encodes `values`, a stretch of a tensor from element
// `first` on, a multiple of `unit`, and decodes them to `left`. If `begin` is empty, the tensor is not encoded.
struct RoundTrip {
  using Pass = std::function<void(std::int64_t first, std::span<const std::byte> values, Dtype dtype,
                                  std::span<float> left, const Exec& exec)>;
  std::int64_t unit = 1;
  std::function<Pass()> begin = {};
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
