// UE8M0 scales as nested absmax, for kernels that multiply by 4-bit weights. A scale's byte is an index into a map of
// the values of all bytes; the nested absmax is 1 and the offset 0. Decoding such an absmax gives the scale unchanged,
// except for 2^-127, which is subnormal and is flushed to zero.
#ifndef QFUSE_FORMAT_UE8M0_ABSMAX_H
#define QFUSE_FORMAT_UE8M0_ABSMAX_H

#include <cstdint>

#include "format/fp8_groups.h"
#include "format/layout.h"

namespace qfuse::format {

struct Ue8m0Absmax {
  float map[kCodes8];
  float absmax;
  float offset;
};

constexpr Ue8m0Absmax make_ue8m0_absmax() {
  Ue8m0Absmax arrays{{}, 1.0F, 0.0F};
  for (std::uint32_t code = 0; code < kCodes8; ++code) arrays.map[code] = from_ue8m0(code);
  return arrays;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_UE8M0_ABSMAX_H
