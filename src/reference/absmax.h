// The scale of a block, for the encoders of the oracle.
#ifndef QFUSE_REFERENCE_ABSMAX_H
#define QFUSE_REFERENCE_ABSMAX_H

#include <cfloat>
#include <cmath>

#include "format/rounding.h"

namespace qfuse::reference {

// The largest magnitude of a block, NaN skipped. A full block of NaN alone keeps bitsandbytes' start value; a short
// one is padded with zeros there.
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
