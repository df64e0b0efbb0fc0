// in:     in [n] fp32, fp16 or bf16; any address
// out:    codes [n] u8, absmax [blocks] fp32
// math:   v = in - offset; absmax = max |v|; code = nearest of the dynamic 8-bit code to ftz(v * ftz(1/absmax))
// cost:   4n or 2n bytes read twice (then from a cache), n written: bound by the gathers for the ranks, 8 per vector
// oracle: reference/quantize_blockwise.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/quantize_blockwise.cpp"
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
#include "format/dynamic8.h"
#include "format/elements.h"
#include "format/layout.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

// ---- policy ----

// Values per piece: a block is processed in pieces that are small enough to stay in the L1 cache.
constexpr std::int64_t kPiece = 256;

// ---- steps ----

using Piece = std::array<float, kPiece>;

// Loads values [first, first + count) minus the offset, and pads the piece with NaN, which the maximum ignores.
template <qfuse_dtype kDtype>
HWY_INLINE void load_piece(const contract::QuantizeBlockwise& p, std::int64_t first, std::int64_t count, Piece& piece) {
  for (std::int64_t i = 0; i < count; ++i)
    piece[static_cast<std::size_t>(i)] = format::load_as_float(p.in, first + i, kDtype) - p.offset;
  std::fill(piece.begin() + count, piece.end(), std::numeric_limits<float>::quiet_NaN());
}

HWY_INLINE hn::Vec<Ints> most_of(hn::Vec<Ints> most, const Piece& piece) {
  for (std::size_t i = 0; i < piece.size(); i += hn::Lanes(Floats()))
    most = hn::Max(most, comparable_magnitude(hn::Load(Floats(), piece.data() + i)));
  return most;
}

// Number of the 255 thresholds that are strictly below v, by binary search.
HWY_INLINE hn::Vec<Ints> rank_8bit(hn::Vec<Floats> v) {
  auto rank = hn::Zero(Ints());
  for (std::int32_t step = format::kCodes8 / 2; step > 0; step /= 2) {
    const auto at = hn::Add(rank, hn::Set(Ints(), step - 1));
    const auto threshold = hn::GatherIndex(Floats(), format::kDynamic8Thresholds.data(), at);
    rank = step_if(is_above(v, threshold), rank, step);
  }
  return rank;
}

HWY_INLINE void encode_piece(const Piece& piece, float absmax, std::array<std::uint8_t, kPiece>& codes) {
  const hn::Rebind<std::uint8_t, Floats> d8;
  const auto scale = hn::Set(Floats(), reciprocal(absmax));
  for (std::size_t i = 0; i < piece.size(); i += hn::Lanes(Floats())) {
    const auto rank = rank_8bit(mul_ftz(Floats(), hn::Load(Floats(), piece.data() + i), scale));
    hn::StoreU(hn::DemoteTo(d8, rank), d8, codes.data() + i);
  }
}

// ---- kernel: the blocks [begin, end) ----

template <qfuse_dtype kDtype>
void encode_blocks(const contract::QuantizeBlockwise& p, std::int64_t begin, std::int64_t end) {
  alignas(64) Piece piece;
  alignas(64) std::array<std::uint8_t, kPiece> codes;
  for (std::int64_t block = begin; block < end; ++block) {
    const std::int64_t first = block * p.blocksize;
    const std::int64_t last = first + std::min(p.n - first, p.blocksize);
    auto most = hn::Set(Ints(), kNoNumber);
    for (std::int64_t at = first; at < last; at += kPiece) {
      load_piece<kDtype>(p, at, std::min(kPiece, last - at), piece);
      most = most_of(most, piece);
    }
    const float absmax = absmax_of(hn::GetLane(hn::MaxOfLanes(Ints(), most)), last - first == p.blocksize);
    format::store_unaligned(p.absmax, block, absmax);
    for (std::int64_t at = first; at < last; at += kPiece) {
      const std::int64_t count = std::min(kPiece, last - at);
      if (last - first > kPiece) load_piece<kDtype>(p, at, count, piece);
      encode_piece(piece, absmax, codes);
      std::memcpy(p.codes + at, codes.data(), static_cast<std::size_t>(count));
    }
  }
}

void quantize_blockwise_blocks(const contract::QuantizeBlockwise& p, std::int64_t begin, std::int64_t end) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return encode_blocks<QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return encode_blocks<QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return encode_blocks<QFUSE_BFLOAT16>(p, begin, end);
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(quantize_blockwise_blocks);

// Approximate number of values per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrain = 1 << 16;

}  // namespace

contract::Outcome quantize_blockwise(const contract::QuantizeBlockwise& p, const qfuse_exec& exec) {
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / p.blocksize);
  return run(p, format::block_count(p.n, p.blocksize), grain, exec,
             [&](std::size_t target, std::int64_t begin, std::int64_t end) {
               HWY_DISPATCH_TABLE(quantize_blockwise_blocks)[target](p, begin, end);
             });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
