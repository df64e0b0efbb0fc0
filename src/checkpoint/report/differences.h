// Accumulates how far apart two tensors are, run by run.
#ifndef QFUSE_CHECKPOINT_REPORT_DIFFERENCES_H
#define QFUSE_CHECKPOINT_REPORT_DIFFERENCES_H

#include <cstddef>
#include <cstdint>
#include <qfuse/checkpoint.hpp>
#include <span>

#include "checkpoint/files/types.h"

namespace qfuse::checkpoint {

// Sums over the elements that are finite on both sides.
struct ErrorSums {
  std::int64_t finite = 0;
  double signal = 0.0;  // sum of a^2
  double noise = 0.0;   // sum of (a-b)^2

  [[nodiscard]] double snr_db() const;  // infinite if there is no noise
};

class Differences {
 public:
  Differences(TensorType type, TensorComparison& result) : type_(type), result_(result) {}

  // Adds the next elements of both sides.
  void add(std::span<const std::byte> a, std::span<const std::byte> b);
  // Counts the next elements, whose bytes are equal. If other elements differ, call add_signal() for these afterwards,
  // to include them in the signal.
  void add_equal(std::int64_t bytes);
  void add_signal(std::span<const std::byte> a);

  // Fills in the rest of the result.
  ErrorSums finish();

 private:
  struct Lanes;

  void add_bytes(std::span<const std::byte> a, std::span<const std::byte> b);
  template <class T, class Read>
  void add_runs(std::span<const std::byte> a, std::span<const std::byte> b, bool of_equal, const Read& read);
  void add_floats(std::span<const std::byte> a, std::span<const std::byte> b, bool of_equal);
  [[nodiscard]] std::int64_t element_bytes() const;

  TensorType type_;
  TensorComparison& result_;
  ErrorSums sums_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_REPORT_DIFFERENCES_H
