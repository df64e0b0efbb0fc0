// The scale of a chunk of inputs in matmul_4bit's sum FACTORED. It is a power of two that brings the largest magnitude
// of the chunk to at least 2^14 and below 2^15, so that fp16 holds every bf16 and fp16 value down to 2^-28 of the
// largest exactly.
#ifndef QFUSE_FORMAT_FACTORED_H
#define QFUSE_FORMAT_FACTORED_H

#include <cstdint>

#include "format/host_device.h"
#include "format/rounding.h"

namespace qfuse::format {

// Terms that always share an absmax, because a block has at least as many.
inline constexpr int kFactoredBlock = 64;

struct ChunkScale {
  float up;
  float down;  // 1 / up
};

// `largest` is a magnitude. Both powers are normal numbers: an exponent below -111 counts as -111, and that of infinity
// or NaN as the largest exponent of a number.
QFUSE_HOST_DEVICE constexpr ChunkScale chunk_scale(float largest) {
  constexpr std::uint32_t kFractionBits = 23;
  constexpr std::uint32_t kBias = 127;
  constexpr std::uint32_t kExponent = 14;
  constexpr std::uint32_t kLeast = kExponent + 2;
  constexpr std::uint32_t kMost = 254;
  const std::uint32_t field = bits_of(largest) >> kFractionBits;
  const std::uint32_t exponent = field < kLeast ? kLeast : field > kMost ? kMost : field;
  return {float_of((2 * kBias + kExponent - exponent) << kFractionBits),
          float_of((exponent - kExponent) << kFractionBits)};
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_FACTORED_H
