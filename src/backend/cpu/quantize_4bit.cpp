// in:     in [n] fp32, fp16 or bf16; importance [cols] fp32 or none; kept absmax, plain or nested, or none; any address
// out:    packed [ceil(n/2)] u8, absmax [blocks] fp32 or, nested, absmax_8bit [blocks] u8, nested_absmax and offset
// math:   absmax = max |x|; code = rank(ftz(x * ftz(1/absmax)));
//         nested: the same of absmax - offset, in the 8-bit code;
//         importance: absmax becomes absmax * f, where f has the least sum of importance * (decoded - x)^2;
//         kept: absmax = ftz(kept absmax); MXFP4: code = e2m1(x * 1/scale)
// cost:   2n or 4n bytes read, n/2 + 4n/blocksize written: bound by the comparisons for the ranks, 4 to 15 per element;
//         importance: 6 times as many more
// oracle: reference/quantize_4bit.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/quantize_4bit.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "backend/cpu/encode-inl.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "format/block_codes.h"
#include "format/codebook4.h"
#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/scale_search.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- steps ----

// Number of thresholds strictly below v: by binary search if one register holds them all, else one after the other.
HWY_INLINE hn::Vec<Ints> rank_number(const format::Codebook4& codebook, hn::Vec<Floats> v) {
  auto rank = hn::Zero(Ints());
  if constexpr (hn::MaxLanes(Floats()) >= format::kCodes4) {
    const auto thresholds = hn::LoadU(Floats(), codebook.thresholds.data());
    for (std::int32_t step = (codebook.threshold_count + 1) / 2; step > 0; step /= 2) {
      const auto at = hn::IndicesFromVec(Floats(), hn::Add(rank, hn::Set(Ints(), step - 1)));
      rank = step_if(is_above(v, hn::TableLookupLanes(thresholds, at)), rank, step);
    }
  } else {
    for (const float threshold : codebook.used_thresholds())  // a true lane of a mask is -1
      rank = hn::Sub(rank, hn::VecFromMask(Ints(), is_above(v, hn::Set(Floats(), threshold))));
  }
  return rank;
}

HWY_INLINE hn::Vec<Ints> rank_4bit(const format::Codebook4& codebook, hn::Vec<Floats> v) {
  if (!codebook.signed_magnitude) return rank_number(codebook, v);
  const auto negative = hn::RebindMask(Ints(), hn::Lt(v, hn::Zero(Floats())));
  const auto sign = hn::IfThenElseZero(negative, hn::Set(Ints(), format::kSignRank));
  return hn::Add(rank_number(codebook, hn::Abs(v)), sign);
}

// ---- kernel: the blocks [begin, end) ----

// Returns the absmax of one block, whose elements are whole vectors (a short block is zero-padded).
template <qfuse_dtype kDtype>
HWY_INLINE float find_absmax(const std::uint8_t* in, std::int64_t count, bool full_block) {
  auto most = hn::Set(Ints(), kNoNumber);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(Floats())))
    most = hn::Max(most, comparable_magnitude(load_as_float<kDtype>(Floats(), in + i * format::dtype_size(kDtype))));
  return absmax_of(hn::GetLane(hn::MaxOfLanes(Ints(), most)), full_block);
}

using Codes = hn::Rebind<std::uint8_t, Floats>;

// Encodes a vector of scaled weights that starts at in[i]. kTame omits the flushing of subnormals, where it cannot
// change a code.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType, bool kTame>
HWY_INLINE hn::Vec<Codes> encode_vector(const std::uint8_t* in, std::int64_t i, hn::Vec<Floats> scale) {
  constexpr const format::Codebook4& kCodebook = format::codebook4(kQuantType);
  const auto v = load_as_float<kDtype>(Floats(), in + i * format::dtype_size(kDtype));
  const auto scaled = kTame ? hn::Mul(v, scale) : mul_ftz(Floats(), v, scale);
  const auto rank = hn::DemoteTo(Codes(), rank_4bit(kCodebook, scaled));
  if constexpr (!kCodebook.signed_magnitude) return rank;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Codes(), kCodebook.code_of_rank[hn::GetLane(rank)]);
#else
  return hn::TableLookupBytes(hn::LoadU(hn::Full128<std::uint8_t>(), kCodebook.code_of_rank.data()), rank);
#endif
}

// Encodes `count` weights, in whole vectors and pairs, to count/2 bytes with the even element in the high nibble.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType, bool kTame>
HWY_INLINE void encode_codes(const std::uint8_t* in, std::int64_t count, float absmax, std::uint8_t* packed) {
  const auto scale = hn::Set(Floats(), reciprocal(absmax));
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t i = 0; i < count; i += 2) {
    const auto high = hn::GetLane(encode_vector<kDtype, kQuantType, kTame>(in, i, scale));
    const auto low = hn::GetLane(encode_vector<kDtype, kQuantType, kTame>(in, i + 1, scale));
    packed[i / 2] = static_cast<std::uint8_t>(high << 4 | low);
  }
#else
  const hn::Repartition<std::uint16_t, Codes> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> packed_d8;
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(Floats()))) {
    const auto pairs = hn::BitCast(d16, encode_vector<kDtype, kQuantType, kTame>(in, i, scale));
    const auto joined = hn::Or(hn::ShiftLeft<4>(pairs), hn::ShiftRight<8>(pairs));  // both codes in the low byte
    hn::StoreU(hn::TruncateTo(packed_d8, joined), packed_d8, packed + i / 2);
  }
#endif
}

// ---- the search for a scale, in the order of format/scale_search.h ----

constexpr std::int64_t kFloatBytes = sizeof(float);
using BlockFloats = std::array<float, format::kMaxBlocksize>;

constexpr auto values_by_rank(const format::Codebook4& codebook) {
  std::array<float, format::kCodes4> values{};
  for (std::size_t rank = 0; rank < values.size(); ++rank) values[rank] = codebook.values[codebook.code_of_rank[rank]];
  return values;
}

// The value of the code of v, a number.
template <qfuse_quant_type kQuantType>
HWY_INLINE hn::Vec<Floats> nearest_value(hn::Vec<Floats> v) {
  constexpr const format::Codebook4& kCodebook = format::codebook4(kQuantType);
  static constexpr auto kValues = values_by_rank(kCodebook);
  const auto number = kCodebook.signed_magnitude ? hn::Abs(v) : v;
  auto value = hn::Set(Floats(), kValues[0]);
  if constexpr (hn::MaxLanes(Floats()) >= format::kCodes4) {
    const auto rank = hn::IndicesFromVec(Floats(), rank_number(kCodebook, number));
    value = hn::TableLookupLanes(hn::LoadU(Floats(), kValues.data()), rank);
  } else {
    for (std::size_t i = 0; i < kCodebook.used_thresholds().size(); ++i)
      value = hn::IfThenElse(hn::Gt(number, hn::Set(Floats(), kCodebook.thresholds[i])),
                             hn::Set(Floats(), kValues[i + 1]), value);
  }
  return kCodebook.signed_magnitude ? hn::IfThenElse(hn::Lt(v, hn::Zero(Floats())), hn::Neg(value), value) : value;
}

// Adds the 16 terms of one group.
HWY_INLINE float fold_group(float* terms) {
#if HWY_TARGET == HWY_SCALAR
  for (int half = 8; half > 2; half /= 2)
    for (int i = 0; i < half; ++i) terms[i] += terms[i + half];
#else
  const hn::Full128<float> d;
  const auto low = hn::Add(hn::Load(d, terms), hn::Load(d, terms + 8));
  const auto high = hn::Add(hn::Load(d, terms + 4), hn::Load(d, terms + 12));
  hn::Store(hn::Add(low, high), d, terms);
#endif
  return (terms[0] + terms[2]) + (terms[1] + terms[3]);
}
static_assert(format::kErrorGroup == 16);

// Returns the error of a block if `scale` is stored in place of absmax.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_INLINE float error_of(const std::uint8_t* in, std::int64_t count, const float* importance, float scale) {
  const auto scales = hn::Set(Floats(), scale);
  const auto reciprocals = hn::Set(Floats(), reciprocal(scale));
  std::array<float, format::kMaxBlocksize / format::kErrorGroup> sums;
  for (std::int64_t group = 0; group < count; group += format::kErrorGroup) {
    alignas(64) float terms[format::kErrorGroup];
    for (int i = 0; i < format::kErrorGroup; i += static_cast<int>(hn::Lanes(Floats()))) {
      const auto v = load_as_float<kDtype>(Floats(), in + (group + i) * format::dtype_size(kDtype));
      const auto value = nearest_value<kQuantType>(hn::Mul(v, reciprocals));
      const auto error = hn::Sub(hn::Mul(value, scales), v);
      const auto term = hn::Mul(hn::LoadU(Floats(), importance + group + i), hn::Mul(error, error));
      hn::Store(hn::IfThenElseZero(hn::Eq(v, v), term), Floats(), terms + i);
    }
    sums[static_cast<std::size_t>(group / format::kErrorGroup)] = fold_group(terms);
  }
  for (std::size_t groups = static_cast<std::size_t>(count) / format::kErrorGroup; groups > 1; groups /= 2)
    for (std::size_t i = 0; i < groups / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
  return sums[0];
}

template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_NOINLINE float search_scale(const std::uint8_t* in, std::int64_t count, const float* importance, float absmax) {
  float best = absmax;
  float least = std::numeric_limits<float>::infinity();
  for (int i = 0; i < format::kScaleFactors; ++i) {
    const float scale = absmax * format::scale_factor(i);
    const float error = error_of<kDtype, kQuantType>(in, count, importance, scale);
    if (!(error < least)) continue;
    best = scale;
    least = error;
  }
  return best;
}

// ---- blocks ----

// NF4: a subnormal weight scaled by at most 1/kTameAbsmax is far from every threshold. FP4 would encode its sign.
template <qfuse_quant_type kQuantType>
HWY_INLINE bool is_tame(float absmax) {
  constexpr float kTameAbsmax = 0x1p-100F;
  return !format::codebook4(kQuantType).signed_magnitude && absmax >= kTameAbsmax;
}

HWY_INLINE float kept_absmax(const qfuse_weight_4bit& w, std::int64_t block) {
  if (!contract::is_nested(w)) return format::ftz(format::load_unaligned<float>(w.absmax, block));
  const float value = format::load_unaligned<float>(w.nested_quant_map, w.absmax_8bit[block]);
  const float scale = format::load_unaligned<float>(w.nested_absmax, block / w.nested_blocksize);
  return format::ftz(format::mul_ftz(value, scale) + contract::nested_offset(w));
}

// Encodes a block, of which `in` has whole vectors.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_INLINE void encode_block(const contract::Quantize4bit& p, std::int64_t block, const std::uint8_t* in,
                             bool full_block, const float* importance, std::uint8_t* packed) {
  const std::int64_t blocksize = p.weight.blocksize;
  const bool has_kept = contract::has_kept(p);
  const float absmax = has_kept ? kept_absmax(p.kept, block) : find_absmax<kDtype>(in, blocksize, full_block);
  const bool searched = importance != nullptr && format::is_searched(absmax);
  const float scale = searched ? search_scale<kDtype, kQuantType>(in, blocksize, importance, absmax) : absmax;
  if (!has_kept) format::store_unaligned(contract::absmax(p), block, scale);
  is_tame<kQuantType>(absmax) ? encode_codes<kDtype, kQuantType, true>(in, blocksize, scale, packed)
                              : encode_codes<kDtype, kQuantType, false>(in, blocksize, scale, packed);
}

// Copies the importance of each element of a block to `room`; what is after the last element is zero. Returns null if
// none is given.
HWY_INLINE const float* importance_of(const contract::Quantize4bit& p, std::int64_t block, BlockFloats& room) {
  if (p.importance == nullptr) return nullptr;
  const std::int64_t first = block * p.weight.blocksize;
  const std::int64_t count = std::min(p.weight.blocksize, contract::element_count(p.weight) - first);
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t col = (first + i) % p.weight.cols;
    const std::int64_t run = std::min(count - i, p.weight.cols - col);
    std::memcpy(room.data() + i, reinterpret_cast<const std::uint8_t*>(p.importance) + col * kFloatBytes,
                static_cast<std::size_t>(run * kFloatBytes));
    i += run;
  }
  std::fill(room.begin() + count, room.begin() + p.weight.blocksize, 0.0F);
  return room.data();
}

// Encodes the short last block with encode_block(), from a zero-padded copy.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_NOINLINE void encode_short_block(const contract::Quantize4bit& p, std::int64_t block) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  std::array<std::uint8_t, format::kMaxBlocksize * kSize> in{};
  std::array<std::uint8_t, format::kMaxBlocksize / 2> packed;
  const std::int64_t first = block * p.weight.blocksize;
  const std::int64_t count = contract::element_count(p.weight) - first;
  std::memcpy(in.data(), static_cast<const std::uint8_t*>(p.in) + first * kSize,
              static_cast<std::size_t>(count * kSize));
  BlockFloats room;
  encode_block<kDtype, kQuantType>(p, block, in.data(), false, importance_of(p, block, room), packed.data());
  std::memcpy(p.weight.packed + first / 2, packed.data(), static_cast<std::size_t>(format::packed_size(count)));
}

template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
void encode_blocks(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t full_end = std::min(end, contract::element_count(p.weight) / p.weight.blocksize);
  const auto* const in = static_cast<const std::uint8_t*>(p.in);
  BlockFloats room;
  for (std::int64_t block = begin; block < full_end; ++block) {
    const std::int64_t first = block * p.weight.blocksize;
    encode_block<kDtype, kQuantType>(p, block, in + first * format::dtype_size(kDtype), true,
                                     importance_of(p, block, room), p.weight.packed + first / 2);
  }
  if (end > full_end) encode_short_block<kDtype, kQuantType>(p, end - 1);
}

template <qfuse_dtype kDtype>
void encode(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  p.weight.quant_type == QFUSE_NF4 ? encode_blocks<kDtype, QFUSE_NF4>(p, begin, end)
                                   : encode_blocks<kDtype, QFUSE_FP4>(p, begin, end);
}

// ---- MXFP4 ----

// A block of 32, in loops over arrays, which compilers vectorize.
template <bool kNearest>
HWY_INLINE std::uint8_t find_mx_exponent(const float (&values)[format::kMinBlocksize]) {
  std::uint32_t most = 0;
  for (const float value : values) most = std::max(most, format::bits_of(value) & ~format::kSignBit);
  return format::mx_exponent(kNearest, most);
}

template <bool kNearest>
HWY_INLINE void encode_mx_block(const float (&values)[format::kMinBlocksize], std::uint8_t exponent,
                                std::uint8_t* packed) {
  const float factor = format::mx_factor(kNearest, exponent);
  std::uint8_t codes[format::kMinBlocksize];
  for (std::int64_t i = 0; i < format::kMinBlocksize; ++i) {
    const float scaled = values[i] * factor;
    const std::uint8_t code = kNearest ? format::to_e2m1_even(scaled) : format::to_e2m1_up(scaled);
    codes[i] = scaled == scaled ? code : 0;
  }
  for (std::int64_t i = 0; i < format::kMinBlocksize / 2; ++i)
    packed[i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4);
}

template <bool kNearest>
void encode_mx_blocks(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  const auto* const kept = static_cast<const std::uint8_t*>(p.kept.scales);
  for (std::int64_t block = begin; block < end; ++block) {
    float values[format::kMinBlocksize];
    for (std::int64_t i = 0; i < format::kMinBlocksize; ++i)
      values[i] = format::load_as_float(p.in, block * format::kMinBlocksize + i, p.in_dtype);
    const std::uint8_t exponent = kept != nullptr ? kept[block] : find_mx_exponent<kNearest>(values);
    if (kept == nullptr) p.weight.scales[block] = exponent;
    encode_mx_block<kNearest>(values, exponent, p.weight.packed + block * format::kMinBlocksize / 2);
  }
}

void quantize_4bit_blocks(const contract::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  if (contract::has_scales_of_rows(p.weight))
    return p.weight.mx_scales == QFUSE_MX_NEAREST ? encode_mx_blocks<true>(p, begin, end)
                                                  : encode_mx_blocks<false>(p, begin, end);
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return encode<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return encode<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return encode<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "format/mean.h"

namespace qfuse::cpu {
namespace {

HWY_EXPORT(quantize_4bit_blocks);

// Approximate number of elements per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrainElements = 1 << 16;

// One thread computes the mean: 4 bytes per block are little work compared to the block's own elements.
float choose_offset(const contract::Quantize4bit& p) {
  if (p.given_offset != nullptr) return format::load_unaligned<float>(p.given_offset, 0);
  const contract::DefaultFloatMode mode;
  format::Mean mean;
  mean.add(contract::absmax(p), contract::block_count(p.weight));
  return mean.value();
}

contract::Outcome encode_absmax(const contract::Quantize4bit& p, const qfuse_exec& exec) {
  const float offset = choose_offset(p);
  format::store_unaligned(p.weight.nested_offset, 0, offset);
  format::store_nested_quant_map(p.weight.nested_quant_map);
  return quantize_blockwise(contract::nested_step(p, offset), exec);
}

}  // namespace

contract::Outcome quantize_4bit(const contract::Quantize4bit& p, const qfuse_exec& exec) {
  const auto encode = [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(quantize_4bit_blocks)[target](p, begin, end);
  };
  contract::Outcome outcome =
      run(p, contract::block_count(p.weight), kGrainElements / p.weight.blocksize, exec, encode);
  return outcome.ok() && contract::nests_absmax(p) ? encode_absmax(p, exec) : outcome;
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
