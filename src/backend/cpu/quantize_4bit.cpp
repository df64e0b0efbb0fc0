// in:     in [n] fp32, fp16 or bf16; any address
// out:    packed [ceil(n/2)] u8, absmax [blocks] fp32, and if nested absmax_8bit [blocks] u8, nested_absmax, offset
// math:   absmax = max |x|; code = rank(ftz(x * ftz(1/absmax))); nested: the same of absmax - offset, in the 8-bit code
// cost:   2n or 4n bytes read, n/2 + 4n/blocksize written: bound by the comparisons of the ranks, 4 to 15 an element
// oracle: reference/quantize_4bit.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/quantize_4bit.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <limits>

#include "backend/cpu/parallel_for.h"
#include "backend/cpu/quantize_4bit.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/targets.h"
#include "format/codebook4.h"
#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- policy ----

// Nested absmax goes through a scratch of this many entries, small enough to stay in the first cache.
constexpr std::int64_t kNestedPiece = 256;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

// ---- steps ----

// Magnitudes as integers, which order like the numbers they are; NaN loses against every number.
constexpr std::int32_t kNoNumber = -1;

HWY_INLINE hn::Vec<Ints> comparable_magnitude(hn::Vec<Floats> v) {
  const auto magnitude = hn::BitCast(Ints(), magnitude_bits(Floats(), v));
  const auto is_nan = hn::Gt(magnitude, hn::Set(Ints(), static_cast<std::int32_t>(format::kInfBits)));
  return hn::IfThenElse(is_nan, hn::Set(Ints(), kNoNumber), magnitude);
}

// A full block of NaN alone keeps bitsandbytes' start value; a short one is padded with zeros there.
HWY_INLINE float absmax_of(std::int32_t magnitude, bool full_block) {
  if (magnitude == kNoNumber) return full_block ? -FLT_MAX : 0.0F;
  return format::ftz(std::bit_cast<float>(magnitude));
}

HWY_INLINE float reciprocal(float absmax) { return format::ftz(1.0F / absmax); }

HWY_INLINE hn::Mask<Ints> is_above(hn::Vec<Floats> v, hn::Vec<Floats> threshold) {
  return hn::RebindMask(Ints(), hn::Gt(v, threshold));
}

HWY_INLINE hn::Vec<Ints> step_if(hn::Mask<Ints> above, hn::Vec<Ints> rank, std::int32_t step) {
  return hn::IfThenElse(above, hn::Add(rank, hn::Set(Ints(), step)), rank);
}

// How many thresholds lie strictly below v: by halving where one register holds them all, else one after the other.
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

// The same of the 255 thresholds of the 8-bit code.
HWY_INLINE hn::Vec<Ints> rank_8bit(hn::Vec<Floats> v) {
  auto rank = hn::Zero(Ints());
  for (std::int32_t step = format::kCodes8 / 2; step > 0; step /= 2) {
    const auto at = hn::Add(rank, hn::Set(Ints(), step - 1));
    const auto threshold = hn::GatherIndex(Floats(), format::kDynamic8Thresholds.data(), at);
    rank = step_if(is_above(v, threshold), rank, step);
  }
  return rank;
}

// ---- kernel: the blocks [begin, end) ----

// One block, its elements padded with zeros to whole vectors.
template <qfuse_dtype kDtype>
HWY_INLINE float find_absmax(const std::uint8_t* in, std::int64_t count, bool full_block) {
  auto most = hn::Set(Ints(), kNoNumber);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(Floats())))
    most = hn::Max(most, comparable_magnitude(load_as_float<kDtype>(Floats(), in + i * format::dtype_size(kDtype))));
  return absmax_of(hn::GetLane(hn::MaxOfLanes(Ints(), most)), full_block);
}

using Codes = hn::Rebind<std::uint8_t, Floats>;

// A vector of scaled weights from in[i] on, as codes. kTame leaves out the flushing of subnormals, where it cannot
// show.
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

// `count` weights, a whole number of vectors and of pairs, to count/2 bytes: the even element in the high nibble.
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
    const auto joined = hn::Or(hn::ShiftLeft<4>(pairs), hn::ShiftRight<8>(pairs));  // in the low byte
    hn::StoreU(hn::TruncateTo(packed_d8, joined), packed_d8, packed + i / 2);
  }
#endif
}

// A subnormal weight scaled by at most 1/kTameAbsmax is far from every threshold of NF4; FP4 would see its sign.
template <qfuse_quant_type kQuantType>
HWY_INLINE bool is_tame(float absmax) {
  constexpr float kTameAbsmax = 0x1p-100F;
  return !format::codebook4(kQuantType).signed_magnitude && absmax >= kTameAbsmax;
}

template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_INLINE void encode_block(const std::uint8_t* in, std::int64_t blocksize, bool full_block, float* absmax_out,
                             std::uint8_t* packed) {
  const float absmax = find_absmax<kDtype>(in, blocksize, full_block);
  format::store_unaligned(absmax_out, 0, absmax);
  is_tame<kQuantType>(absmax) ? encode_codes<kDtype, kQuantType, true>(in, blocksize, absmax, packed)
                              : encode_codes<kDtype, kQuantType, false>(in, blocksize, absmax, packed);
}

// The short last block: the same, on copies padded with zeros.
template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
HWY_NOINLINE void encode_short_block(const format::Quantize4bit& p, std::int64_t block) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  std::array<std::uint8_t, format::kMaxBlocksize * kSize> in{};
  std::array<std::uint8_t, format::kMaxBlocksize / 2> packed;
  const std::int64_t first = block * p.blocksize;
  const std::int64_t count = p.n - first;
  std::memcpy(in.data(), static_cast<const std::uint8_t*>(p.in) + first * kSize,
              static_cast<std::size_t>(count * kSize));
  encode_block<kDtype, kQuantType>(in.data(), p.blocksize, false, p.absmax + block, packed.data());
  std::memcpy(p.packed + first / 2, packed.data(), static_cast<std::size_t>(format::packed_size(count)));
}

template <qfuse_dtype kDtype, qfuse_quant_type kQuantType>
void encode_blocks(const format::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t full_end = std::min(end, p.n / p.blocksize);
  const auto* const in = static_cast<const std::uint8_t*>(p.in);
  for (std::int64_t block = begin; block < full_end; ++block) {
    const std::int64_t first = block * p.blocksize;
    encode_block<kDtype, kQuantType>(in + first * format::dtype_size(kDtype), p.blocksize, true, p.absmax + block,
                                     p.packed + first / 2);
  }
  if (end > full_end) encode_short_block<kDtype, kQuantType>(p, end - 1);
}

template <qfuse_dtype kDtype>
void encode(const format::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  switch (p.quant_type) {
    case QFUSE_FP4: return encode_blocks<kDtype, QFUSE_FP4>(p, begin, end);
    case QFUSE_NF4: return encode_blocks<kDtype, QFUSE_NF4>(p, begin, end);
  }
}

void quantize_4bit_blocks(const format::Quantize4bit& p, std::int64_t begin, std::int64_t end) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return encode<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return encode<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return encode<QFUSE_BFLOAT16>(p, begin, end);
  }
}

// ---- kernel: the nested blocks [begin, end) of absmax ----

// Entries [first, first + count) of absmax - offset, padded to whole vectors with NaN, which no maximum takes.
HWY_INLINE void load_piece(const format::Quantize4bit& p, float offset, std::int64_t first, std::int64_t count,
                           std::array<float, kNestedPiece>& piece) {
  for (std::int64_t i = 0; i < count; ++i)
    piece[static_cast<std::size_t>(i)] = format::load_unaligned<float>(p.absmax, first + i) - offset;
  std::fill(piece.begin() + count, piece.end(), std::numeric_limits<float>::quiet_NaN());
}

// Calls body(first, count, piece) for the entries [first, last), piece by piece.
template <class Body>
HWY_INLINE void for_each_piece(const format::Quantize4bit& p, float offset, std::int64_t first, std::int64_t last,
                               const Body& body) {
  alignas(64) std::array<float, kNestedPiece> piece;
  for (; first < last; first += kNestedPiece) {
    const std::int64_t count = std::min(kNestedPiece, last - first);
    load_piece(p, offset, first, count, piece);
    body(first, count, piece);
  }
}

void quantize_absmax_blocks(const format::Quantize4bit& p, float offset, std::int64_t begin, std::int64_t end) {
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  const hn::Rebind<std::uint8_t, Floats> d8;
  alignas(64) std::array<std::uint8_t, kNestedPiece> codes;
  for (std::int64_t block = begin; block < end; ++block) {
    const std::int64_t first = block * p.nested_blocksize;
    const std::int64_t last = first + std::min(blocks - first, p.nested_blocksize);
    auto most = hn::Set(Ints(), kNoNumber);
    for_each_piece(p, offset, first, last, [&](std::int64_t, std::int64_t, const auto& piece) HWY_ATTR {
      for (std::size_t i = 0; i < piece.size(); i += hn::Lanes(Floats()))
        most = hn::Max(most, comparable_magnitude(hn::Load(Floats(), piece.data() + i)));
    });
    const float absmax = absmax_of(hn::GetLane(hn::MaxOfLanes(Ints(), most)), last - first == p.nested_blocksize);
    format::store_unaligned(p.nested_absmax, block, absmax);
    const auto scale = hn::Set(Floats(), reciprocal(absmax));
    for_each_piece(p, offset, first, last, [&](std::int64_t at, std::int64_t count, const auto& piece) HWY_ATTR {
      for (std::size_t i = 0; i < piece.size(); i += hn::Lanes(Floats())) {
        const auto rank = rank_8bit(mul_ftz(Floats(), hn::Load(Floats(), piece.data() + i), scale));
        hn::StoreU(hn::DemoteTo(d8, rank), d8, codes.data() + i);
      }
      std::memcpy(p.absmax_8bit + at, codes.data(), static_cast<std::size_t>(count));
    });
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "format/mean.h"

namespace qfuse::cpu {
namespace {

HWY_EXPORT(quantize_4bit_blocks);
HWY_EXPORT(quantize_absmax_blocks);

// Elements a range holds at least: enough work to be worth a hand-over, little enough to balance.
constexpr std::int64_t kGrainElements = 1 << 16;

// The sum of one chunk in the order of format/mean.h.
double sum_chunk(const float* values, std::int64_t begin, std::int64_t end) {
  std::array<double, format::kMeanLanes> lanes{};
  for (std::int64_t row = begin; row < end; row += format::kMeanLanes) {
    const std::int64_t count = std::min(format::kMeanLanes, end - row);
    for (std::int64_t lane = 0; lane < count; ++lane)
      lanes[static_cast<std::size_t>(lane)] += format::load_unaligned<float>(values, row + lane);
  }
  for (std::size_t half = lanes.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// One thread: 4 bytes a block, little beside the block's own elements.
float mean(const float* values, std::int64_t count) {
  double total = 0.0;
  for (std::int64_t chunk = 0; chunk < count; chunk += format::kMeanChunk)
    total += sum_chunk(values, chunk, std::min(count, chunk + format::kMeanChunk));
  return format::canonical(static_cast<float>(total / static_cast<double>(count)));
}

float choose_offset(const format::Quantize4bit& p, std::int64_t blocks) {
  return p.given_offset != nullptr ? format::load_unaligned<float>(p.given_offset, 0) : mean(p.absmax, blocks);
}

}  // namespace

format::Outcome quantize_4bit(const format::Quantize4bit& p, const qfuse_exec& exec) {
  std::size_t row = 0;
  if (format::Outcome o = choose_target(exec.cpu_target, row); !o.ok()) return o;
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  parallel_for(blocks, kGrainElements / p.blocksize, exec.threads, [&](std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(quantize_4bit_blocks)[row](p, begin, end);
  });
  if (!format::is_nested(p)) return {};
  const float offset = choose_offset(p, blocks);
  format::store_unaligned(p.nested_offset, 0, offset);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrainElements / p.nested_blocksize);
  parallel_for(format::block_count(blocks, p.nested_blocksize), grain, exec.threads,
               [&](std::int64_t begin, std::int64_t end) {
                 HWY_DISPATCH_TABLE(quantize_absmax_blocks)[row](p, offset, begin, end);
               });
  return {};
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
