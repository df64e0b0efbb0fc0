// The absmax of a block and its reciprocal, for the encoders of the oracle.
#ifndef QFUSE_REFERENCE_ABSMAX_H
#define QFUSE_REFERENCE_ABSMAX_H

#include <cfloat>
#include <cmath>

#include "format/rounding.h"

namespace qfuse::reference {

// Largest magnitude of a block, ignoring NaN. A block of only NaN: bitsandbytes' start value if full; 0 if short,
// because bitsandbytes pads it with zeros.
class AbsmaxOf {
 public:
  explicit AbsmaxOf(bool full_block) : max_(full_block ? -FLT_MAX : 0.0F) {}
  void add(float x) {
    if (std::fabs(x) > max_) max_ = std::fabs(x);
  }
  [[nodiscard]] float value() const { return max_; }

 private:
  float max_;
};

inline float reciprocal(float absmax) { return format::ftz(1.0F / absmax); }

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_ABSMAX_H
