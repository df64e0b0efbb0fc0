// Encodes values in a lossy format and decodes them again, for the statistics of a merge. The codes are kept for the
// output, so that values are encoded once.
#ifndef QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
#define QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace qfuse::checkpoint {

// Codes, and scales or absmax, of consecutive stretches of a tensor.
struct Encoded {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
};

// `begin` returns a function that encodes `values`, a stretch of a tensor from element `first` on, appends the
// result to `encoded` and decodes it to `left`. `first` is a multiple of `unit`. An empty `begin`: the tensor is not
// encoded.
struct RoundTrip {
  using Pass = std::function<void(std::int64_t first, std::span<const std::byte> values, Dtype dtype, Encoded& encoded,
                                  std::span<float> left, const Exec& exec)>;
  std::int64_t unit = 1;
  std::function<Pass()> begin = {};
};

// Appends `size` bytes and returns them.
inline std::span<std::byte> append_room(std::vector<std::byte>& bytes, std::int64_t size) {
  bytes.resize(bytes.size() + static_cast<std::size_t>(size));
  return std::span(bytes).last(static_cast<std::size_t>(size));
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ROUND_TRIP_H
