// The scales that quantize_4bit tries for a block if it is given the importance of the columns, and the order in which
// it sums a scale's error. Both are part of the format that qfuse writes, so that every device gives the same bytes.
// docs/MODELS.md compares these factors with others: "search of 6, signed, weighted".
// In each group of kErrorGroup elements, the terms fold in halves (term i += term i + half). The sums of groups are
// added in pairs of neighbors, the sums of pairs likewise, until one is left. No step is fused.
#ifndef QFUSE_FORMAT_SCALE_SEARCH_H
#define QFUSE_FORMAT_SCALE_SEARCH_H

#include "format/host_device.h"

namespace qfuse::format {

inline constexpr int kScaleFactors = 6;
inline constexpr int kErrorGroup = 16;

// The factors of absmax, in their order: the first of equals wins.
QFUSE_HOST_DEVICE constexpr float scale_factor(int i) {
  const float magnitude = i < 2 ? 1.0F : i < 4 ? 0.95F : 0.9F;
  return i % 2 == 0 ? magnitude : -magnitude;
}

// Other blocks keep their absmax. In these, the squares of errors that matter neither overflow nor underflow, and no
// step of decoding gives a subnormal.
inline constexpr float kLeastSearched = 0x1p-60F;
inline constexpr float kMostSearched = 0x1p60F;

QFUSE_HOST_DEVICE constexpr bool is_searched(float absmax) {
  return absmax >= kLeastSearched && absmax <= kMostSearched;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_SCALE_SEARCH_H
