// What a lossy format leaves of values, for the figures of a merge.
#ifndef QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
#define QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace qfuse::checkpoint {

// `begin` gives a function, with memory of its own, that encodes `values`, a stretch of a tensor from element `first`
// on, a multiple of `unit`, and decodes them to `left`. Empty: the tensor is not encoded.
struct RoundTrip {
  using Pass = std::function<void(std::int64_t first, std::span<const std::byte> values, Dtype dtype,
                                  std::span<float> left, const Exec& exec)>;
  std::int64_t unit = 1;
  std::function<Pass()> begin = {};
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
