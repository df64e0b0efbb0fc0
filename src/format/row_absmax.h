// Row scales of one byte as nested absmax, for kernels that multiply by 4-bit weights. A scale's byte is an index into
// a map of all bytes' values; the nested absmax is 1 or the global scale, and the offset -0, which changes no sum.
// Decoding such an absmax gives the scale, rounded once if it is global; what is subnormal is flushed to zero.
#ifndef QFUSE_FORMAT_ROW_ABSMAX_H
#define QFUSE_FORMAT_ROW_ABSMAX_H

#include <cstdint>

#include "format/fp8_groups.h"
#include "format/layout.h"
#include "format/rounding.h"

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

// A global scale, for kernels that apply it to one E4M3 scale after another: A * factor, or A / size * factor, whose
// factor is a power of two unless the divisor is 0, infinite or NaN.
struct GlobalScale {
  float size;        // positive
  float reciprocal;  // of size
  float factor;
};

// divide(a, b): rounds to nearest even.
template <class Divide>
QFUSE_HOST_DEVICE constexpr GlobalScale divided_by(float divisor, const Divide& divide) {
  constexpr std::uint32_t kMostPower = 0x7f000000U;  // 2^127
  const std::uint32_t bits = bits_of(divisor) & ~kSignBit;
  const std::uint32_t sign = bits_of(divisor) & kSignBit;
  if (bits == 0 || bits == kInfBits) return {1.0F, 1.0F, float_of((bits ^ kInfBits) | sign)};
  const std::uint32_t power = kInfBits - (bits & kInfBits);  // of a normal divisor whose size is 2 to 4
  const std::uint32_t factor = power < kMinNormalBits ? kMinNormalBits : power > kMostPower ? kMostPower : power;
  const float size = float_of(bits) * float_of(factor);
  return {size, divide(1.0F, size), float_of(factor | sign)};
}

// Returns what is multiplied by the factor: `scale` / size, rounded once (Markstein, 1990: the product with a rounded
// reciprocal is corrected by its remainder, which an FMA gives exactly). Its signs keep that of a zero.
template <class Fma>
QFUSE_HOST_DEVICE constexpr float over_size(float scale, const GlobalScale& global, const Fma& fma) {
  const float near = scale * global.reciprocal;
  return fma(fma(global.size, near, -scale), -global.reciprocal, near);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ROW_ABSMAX_H
