// Row scales of one byte as nested absmax, for kernels that multiply by 4-bit weights. A scale's byte is an index into
// a map of all bytes' values; the nested absmax is 1 or the global scale, and the offset -0, which changes no sum.
// Decoding such an absmax gives the scale, rounded once if it is global; what is subnormal is flushed to zero.
#ifndef QFUSE_FORMAT_ROW_ABSMAX_H
#define QFUSE_FORMAT_ROW_ABSMAX_H

#include <cstdint>

#include "format/fp8_groups.h"
#include "format/layout.h"

namespace qfuse::format {

struct RowAbsmax {
  float ue8m0[kCodes8];
  float e4m3[kCodes8];
  float absmax;
  float offset;
};

constexpr RowAbsmax make_row_absmax() {
  RowAbsmax arrays{{}, {}, 1.0F, -0.0F};
  for (std::uint32_t code = 0; code < kCodes8; ++code) {
    arrays.ue8m0[code] = from_ue8m0(code);
    arrays.e4m3[code] = from_e4m3(static_cast<std::uint8_t>(code));
  }
  return arrays;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ROW_ABSMAX_H
