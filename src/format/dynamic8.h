// The signed dynamic 8-bit code of nested absmax: 256 ascending values, -1.0 not among them. It is made as
// bitsandbytes' create_dynamic_map(signed=True, max_exponent_bits=7, total_bits=8) makes it: for i = 0..6 the midpoints
// of linspace(0.1, 1, 2^i + 1), times 10^(i-6), with both signs; then 0 and 1.
// torch's linspace rounds start + step*k once (a fused multiply-add). Here double does that: the sum of an fp32 and an
// fp32 times a small integer is exact in 53 bits, so its conversion to float is the only rounding.
#ifndef QFUSE_FORMAT_DYNAMIC8_H
#define QFUSE_FORMAT_DYNAMIC8_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "format/layout.h"

namespace qfuse::format {

namespace dynamic8 {

constexpr int kExponents = 7;
constexpr std::array<float, kExponents> kScales = {1e-6F, 1e-5F, 1e-4F, 1e-3F, 1e-2F, 1e-1F, 1e0F};

// Point k of torch.linspace(0.1, 1, intervals + 1), computed from the nearer end with one rounding.
constexpr float linspace(int k, int intervals) {
  const float start = 0.1F;
  const float end = 1.0F;
  const float step = (end - start) / static_cast<float>(intervals);
  const bool near_start = k < (intervals + 1) / 2;
  return near_start ? static_cast<float>(static_cast<double>(start) + static_cast<double>(step) * k)
                    : static_cast<float>(static_cast<double>(end) - static_cast<double>(step) * (intervals - k));
}

constexpr std::array<float, kCodes8> make_map() {
  std::array<float, kCodes8> map{};
  std::size_t count = 0;
  for (int i = 0; i < kExponents; ++i) {
    const int intervals = 1 << i;
    for (int k = 0; k < intervals; ++k) {
      const float midpoint = (linspace(k, intervals) + linspace(k + 1, intervals)) * 0.5F;
      map[count++] = kScales[static_cast<std::size_t>(i)] * midpoint;
      map[count++] = -kScales[static_cast<std::size_t>(i)] * midpoint;
    }
  }
  map[count++] = 0.0F;
  map[count++] = 1.0F;
  std::ranges::sort(map);
  return map;
}

// CRC32 (IEEE 802.3) of the values' little-endian bytes.
constexpr std::uint32_t crc32(std::span<const float> values) {
  std::uint32_t crc = 0xffffffffU;
  for (const float value : values) {
    crc ^= std::bit_cast<std::uint32_t>(value);
    for (int bit = 0; bit < 32; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

// Thresholds for the nearest code, ties to the even index: the code is the number of thresholds strictly below a value.
// Each is the fp32 midpoint of a gap or, if the upper index is even, the number just below the midpoint.
constexpr std::array<float, kCodes8 - 1> make_thresholds(const std::array<float, kCodes8>& map) {
  std::array<float, kCodes8 - 1> thresholds{};
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const float midpoint = (map[i] + map[i + 1]) * 0.5F;
    const auto bits = std::bit_cast<std::uint32_t>(midpoint);
    const std::uint32_t just_below = midpoint > 0 ? bits - 1 : bits + 1;  // no midpoint is zero
    thresholds[i] = i % 2 == 1 ? std::bit_cast<float>(just_below) : midpoint;
  }
  return thresholds;
}

}  // namespace dynamic8

inline constexpr std::array<float, kCodes8> kDynamic8 = dynamic8::make_map();
inline constexpr std::array<float, kCodes8 - 1> kDynamic8Thresholds = dynamic8::make_thresholds(kDynamic8);

// The map equals, bit by bit, what bitsandbytes computes with torch 2.11 on x86-64 and what checkpoints hold.
static_assert(dynamic8::crc32(kDynamic8) == 454261483U);

// Copies the map of nested absmax to any address, hence void*. Null: the caller does not want it.
inline void store_nested_quant_map(void* map) {
  if (map != nullptr) std::memcpy(map, kDynamic8.data(), sizeof kDynamic8);
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_DYNAMIC8_H
