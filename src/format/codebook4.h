// The 4-bit formats: the only place of their values, of the thresholds of those that are encoded, and of their layout.
// NF4 is the NormalFloat of QLoRA (Dettmers et al., 2023, appendix E), FP4 the 1-2-1 float of bitsandbytes, both as
// bitsandbytes publishes them. Thresholds are the decimals of its CUDA encoder, rounded once to fp32. They are part of
// the format: NF4's 0, 8, 12 and 14, and most of FP4's, differ by ulps from the midpoints between neighboring values.
#ifndef QFUSE_FORMAT_CODEBOOK4_H
#define QFUSE_FORMAT_CODEBOOK4_H

#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "format/layout.h"

namespace qfuse::format {

// A value x is coded by its rank: the number of thresholds strictly below x, so ties go down and NaN to rank 0.
// `signed_magnitude` codebooks rank |x| and add kSignRank if x < 0; -0.0 and NaN count as positive.
struct Codebook4 {
  std::array<float, kCodes4> values;               // by code
  std::array<float, kCodes4> thresholds;           // ascending, then infinity, which is below no number
  int threshold_count;                             // number of finite ones: 15 or 7
  bool signed_magnitude;                           //
  std::array<std::uint8_t, kCodes4> code_of_rank;  //

  [[nodiscard]] constexpr std::span<const float> used_thresholds() const {
    return std::span(thresholds).first(static_cast<std::size_t>(threshold_count));
  }
};

inline constexpr int kSignRank = 8;
inline constexpr float kNoThreshold = std::numeric_limits<float>::infinity();

inline constexpr Codebook4 kNf4{
    .values = {-1.0F, -0.6961928009986877F, -0.5250730514526367F, -0.39491748809814453F, -0.28444138169288635F,
               -0.18477343022823334F, -0.09105003625154495F, 0.0F, 0.07958029955625534F, 0.16093020141124725F,
               0.24611230194568634F, 0.33791524171829224F, 0.44070982933044434F, 0.5626170039176941F,
               0.7229568362236023F, 1.0F},
    .thresholds = {-0.8480964004993439F, -0.6106329262256622F, -0.4599952697753906F, -0.33967943489551544F,
                   -0.23460740596055984F, -0.13791173323988914F, -0.045525018125772476F, 0.03979014977812767F,
                   0.1202552504837513F, 0.2035212516784668F, 0.2920137718319893F, 0.3893125355243683F,
                   0.5016634166240692F, 0.6427869200706482F, 0.8614784181118011F, kNoThreshold},
    .threshold_count = 15,
    .signed_magnitude = false,
    .code_of_rank = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

// Bit 3 is the sign, so code 8 is -0.0. The magnitudes, in twelfths: 0, 0.0625, 8, 12, 4, 6, 2, 3.
inline constexpr Codebook4 kFp4{
    .values = {0.0F, 0.0625F / 12, 8.0F / 12, 1.0F, 4.0F / 12, 0.5F, 2.0F / 12, 0.25F,  //
               -0.0F, -0.0625F / 12, -8.0F / 12, -1.0F, -4.0F / 12, -0.5F, -2.0F / 12, -0.25F},
    .thresholds = {0.00260417F, 0.0859375F, 0.20833333F, 0.29166667F, 0.4166667F, 0.583333F, 0.8333333F, kNoThreshold,
                   kNoThreshold, kNoThreshold, kNoThreshold, kNoThreshold, kNoThreshold, kNoThreshold, kNoThreshold,
                   kNoThreshold},
    .threshold_count = 7,
    .signed_magnitude = true,
    .code_of_rank = {0, 1, 6, 7, 4, 5, 2, 3, 8, 9, 14, 15, 12, 13, 10, 11}};

// The codebook of a checked quant_type that is NF4 or FP4.
constexpr const Codebook4& codebook4(qfuse_quant_type quant_type) { return quant_type == QFUSE_NF4 ? kNf4 : kFp4; }

// OCP's FP4: bit 3 is the sign, two bits are the exponent, with bias 1, and one bit is the fraction.
inline constexpr std::array<float, kCodes4> kE2m1{0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                                  -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
inline constexpr std::array<float, kCodes4> kNibbles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
inline constexpr std::array<float, kCodes4> kSignedNibbles{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

enum class NibbleOrder { high_first, low_first };

// What a format's scales belong to: blocks of the flattened tensor (absmax), or blocks along each row; then each row
// also starts a new byte.
enum class ScalesOf { flat_blocks, rows };

// A 4-bit format: value = (values[nibble] - zero point) * scale.
struct Format4 {
  qfuse_quant_type quant_type;
  const char* name;
  const std::array<float, kCodes4>& values;  // by nibble
  NibbleOrder order;
  ScalesOf scales;
  bool takes_zero_points;
  float zero_point;                         // if no zero points are given
  const std::array<float, kCodes4>& codes;  // by nibble: values less zero_point
};

inline constexpr std::array kFormats4{
    Format4{QFUSE_FP4, "QFUSE_FP4", kFp4.values, NibbleOrder::high_first, ScalesOf::flat_blocks, false, 0, kFp4.values},
    Format4{QFUSE_NF4, "QFUSE_NF4", kNf4.values, NibbleOrder::high_first, ScalesOf::flat_blocks, false, 0, kNf4.values},
    Format4{QFUSE_E2M1, "QFUSE_E2M1", kE2m1, NibbleOrder::low_first, ScalesOf::rows, false, 0, kE2m1},
    Format4{QFUSE_INT4, "QFUSE_INT4", kNibbles, NibbleOrder::low_first, ScalesOf::rows, true, 8, kSignedNibbles}};

// The format of a quant_type, or null if the number is no quant_type.
constexpr const Format4* find_format4(qfuse_quant_type quant_type) {
  for (const Format4& row : kFormats4)
    if (row.quant_type == quant_type) return &row;
  return nullptr;
}

// The format of a checked quant_type.
constexpr const Format4& format4(qfuse_quant_type quant_type) { return *find_format4(quant_type); }
constexpr bool is_low_first(qfuse_quant_type quant_type) { return format4(quant_type).order == NibbleOrder::low_first; }

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_CODEBOOK4_H
