// Device steps that encode scaled values as codes of 4 bits.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_ENCODE_4BIT_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_ENCODE_4BIT_CUH

#include <array>
#include <cstdint>
#include <span>

#include "backend/cuda/device/encode.cuh"
#include "format/block_codes.h"
#include "format/codebook4.h"

namespace qfuse::cuda {

// Thresholds by position: bins so narrow that each holds at most one threshold. The rank of a scaled weight is its
// bin's rank plus the result of one comparison. [-1, 1] fills 33 bins, stored in the 32 banks of shared memory, so that
// lookups hardly ever conflict. Scales below absmax fill the bins beside them: those of numbers above 1, and the last
// ones, of numbers below -1. The very last bin is also for NaN.
constexpr int kBins = 64;
constexpr int kBinsPerUnit = 16;
constexpr int kBinsFromMinusOne = 3 * kBinsPerUnit;  // bins of [-1, 2); the others are of [-2, -1)
struct Bins {
  float threshold[kBins];
  int rank[kBins];
};

constexpr double kBinSlack = 0.25;  // in bins: more than the rounding in bin_offset moves a bin's edges

constexpr Bins make_bins(std::span<const float> thresholds, int per_unit, int begin) {
  Bins bins = {};
  for (int b = 0; b < kBins; ++b) {
    const double low = (b - kBinSlack) / per_unit + begin;
    const double high = (b + 1 + kBinSlack) / per_unit + begin;
    bins.threshold[b] = format::kNoThreshold;
    if (b >= kBinsFromMinusOne) continue;
    for (const float threshold : thresholds) {
      if (threshold < low) ++bins.rank[b];
      if (threshold < low || threshold > high) continue;
      if (bins.threshold[b] != format::kNoThreshold) throw "two thresholds in one bin";
      bins.threshold[b] = threshold;
    }
  }
  return bins;
}

constexpr Bins kNf4Bins = make_bins(format::kNf4.used_thresholds(), kBinsPerUnit, -1);
constexpr Bins kFp4Bins = make_bins(format::kFp4.used_thresholds(), kBinsPerUnit, -1);

// The bins of E2M1's magnitudes. Halfway between two codes is beyond the threshold where a tie goes up: to any code, as
// in to_e2m1_up(), or to even ones, as in to_e2m1_even().
constexpr int kE2m1BinsPerUnit = 4;
constexpr Bins make_e2m1_bins(bool is_nearest) {
  std::array<float, format::kSignRank - 1> thresholds = {};
  for (std::size_t code = 0; code < thresholds.size(); ++code) {
    const float half = (format::kE2m1[code] + format::kE2m1[code + 1]) / 2;
    thresholds[code] = !is_nearest || code % 2 == 1 ? format::float_of(format::bits_of(half) - 1) : half;
  }
  return make_bins(thresholds, kE2m1BinsPerUnit, 0);
}
constexpr Bins kE2m1UpBins = make_e2m1_bins(false);
constexpr Bins kE2m1NearestBins = make_e2m1_bins(true);

__device__ inline void load_bins(const Bins& from, Bins& bins) {
  if (threadIdx.x < kBins) {
    bins.threshold[threadIdx.x] = from.threshold[threadIdx.x];
    bins.rank[threadIdx.x] = from.rank[threadIdx.x];
  }
  __syncthreads();
}

// Returns the byte offset, in each array of Bins, of the bin of v: a number in [-1.9, 1.9], or NaN; in [0, 15] if the
// bins begin at 0. The last bits of the sum are quarters of a bin.
template <int kPerUnit = kBinsPerUnit, int kBegin = -1>
__device__ inline unsigned bin_offset(float v) {
  constexpr float kQuarters = 0x1.8p21F;
  return __float_as_uint(__fmaf_rn(v, kPerUnit, kQuarters - kBegin * kPerUnit)) & 4 * (kBins - 1);
}

template <class T>
__device__ T at_offset(const T* array, unsigned bytes) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(array) + bytes);
}

// Returns the larger of `most` and the bits of v's magnitude, which integers order. NaN is the largest.
__device__ inline std::uint32_t larger_magnitude(std::uint32_t most, float v) {
  const std::uint32_t magnitude = __float_as_uint(v) & ~format::kSignBit;
  return magnitude > most ? magnitude : most;
}

// Returns v, or the outermost value of the codebook if v is beyond it: its rank is the same, and it has a bin.
__device__ inline float within_codes(float v) { return v > 1.0F ? 1.0F : v < -1.0F ? -1.0F : v; }

// Appends the rank of v as a new lowest nibble.
template <bool kSigned>
__device__ std::uint32_t append_rank(std::uint32_t ranks, const Bins& bins, float v) {
  const float number = kSigned ? fabsf(v) : v;
  const unsigned offset = bin_offset(number);
  ranks = (ranks << 4) + at_offset(bins.rank, offset);
  if (number > at_offset(bins.threshold, offset)) ++ranks;
  if (kSigned && v < 0) ranks += format::kSignRank;
  return ranks;
}

// Appends the code of v as a new lowest nibble, by the rule of the bins. NaN has code 0.
__device__ inline std::uint32_t append_e2m1(std::uint32_t codes, const Bins& bins, bool is_nearest, float v) {
  const float number = v == v ? __fadd_rn(v, is_nearest ? 0.0F : -0.0F) : 0.0F;  // -0 becomes 0 in to_e2m1_even()
  const float magnitude = fminf(fabsf(number), format::kE2m1Most);
  const unsigned offset = bin_offset<kE2m1BinsPerUnit, 0>(magnitude);
  codes = (codes << 4) + at_offset(bins.rank, offset);
  if (magnitude > at_offset(bins.threshold, offset)) ++codes;
  return codes | (__float_as_uint(number) >> 28 & format::kSignRank);
}

// Converts eight ranks, one per nibble, to their codes. FP4: bit 1 of a rank flips bit 2.
template <bool kSigned>
__device__ __host__ constexpr std::uint32_t codes_of_ranks(std::uint32_t ranks) {
  return kSigned ? ranks ^ (ranks & 0x22222222U) << 1 : ranks;
}

template <bool kSigned>
constexpr bool gives_the_codes_of(const format::Codebook4& codebook) {
  for (std::uint32_t rank = 0; rank < format::kCodes4; ++rank)
    if (codes_of_ranks<kSigned>(rank) != codebook.code_of_rank[rank]) return false;
  return true;
}
static_assert(gives_the_codes_of<false>(format::kNf4) && gives_the_codes_of<true>(format::kFp4));

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_ENCODE_4BIT_CUH
