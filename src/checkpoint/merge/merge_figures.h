// Measures, while a tensor is made, how much adapters change it and how much of the change codes keep.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H

#include <cstdint>
#include <memory>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/round_trip.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/merge/merged.h"

namespace qfuse::checkpoint {

// Sums over a tensor's elements in fp64, added in an order that does not depend on the number of threads.
struct MergeFigures {
  std::int64_t elements = 0;
  double added = 0.0;   // squares of the change that adapters make
  double weight = 0.0;  // squares of the base's values
  double kept = 0.0;    // products of the change and what is left of it
  double kept_squares = 0.0;

  MergeFigures& operator+=(const MergeFigures& other);
  void put_into(MergedTensor& row, bool is_encoded) const;
  // Standard error of the share that survives: how far rounding to codes moves it by chance.
  [[nodiscard]] double survival_error() const;
};

// Like merged(), and adds up `figures` of the merge as it is read, so it must be read once, from beginning to end.
// `encoded` is the round trip of the output's format, or empty; only `figures` depend on it.
Source measured(const Source& base, const Merging& merging, Dtype dtype, const RoundTrip& encoded,
                std::shared_ptr<MergeFigures> figures);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_FIGURES_H
