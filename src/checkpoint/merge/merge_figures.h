// How much adapters change a tensor, and how much of it codes keep: measured while the tensor is made.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H

#include <cstdint>
#include <memory>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/round_trip.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/merge/merged.h"

namespace qfuse::checkpoint {

// Sums over a tensor's elements, in fp64 and in their order.
struct MergeFigures {
  std::int64_t elements = 0;
  double added = 0.0;   // of squares
  double weight = 0.0;  // of squares
  double kept = 0.0;    // of what was added times what is left of it
  double kept_squares = 0.0;

  void put_into(MergedTensor& row, bool is_encoded) const;
  // Of the share that survives: how far rounding to codes moves it by chance.
  [[nodiscard]] double survival_error() const;
};

// As merged(), and adds up `figures` of the merge while it is read: so once, from the beginning to the end. `encoded`:
// what the format does to the result, if that gets one, else nothing; figures alone depend on it.
Source measured(const Source& base, const Merging& merging, Dtype dtype, const RoundTrip& encoded,
                std::shared_ptr<MergeFigures> figures);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H
