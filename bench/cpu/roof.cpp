#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/roof.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/roof.h"

HWY_BEFORE_NAMESPACE();
namespace qfuse::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Reads a vector at a time; what comes back depends on all of it, so that no compiler can leave the reads out.
HWY_INLINE std::uint8_t read_all(std::span<const std::uint8_t> in) {
  const hn::ScalableTag<std::uint8_t> d;
  auto all = hn::Zero(d);
  for (std::size_t i = 0; i + hn::Lanes(d) <= in.size(); i += hn::Lanes(d))
    all = hn::Xor(all, hn::LoadU(d, in.data() + i));
  return hn::GetLane(all);
}

template <bool kStream>
HWY_INLINE void write_all(std::uint8_t byte, std::span<std::uint8_t> out) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto value = hn::Set(d, byte);
  for (std::size_t i = 0; i + hn::Lanes(d) <= out.size(); i += hn::Lanes(d)) {
    if constexpr (kStream) {
      hn::Stream(value, d, out.data() + i);
    } else {
      hn::StoreU(value, d, out.data() + i);
    }
  }
}

void move_pieces(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::size_t in_piece,
                 std::size_t out_piece, bool stream) {
  while (!out.empty()) {
    const std::size_t reads = std::min(in_piece, in.size());
    const std::size_t writes = std::min(out_piece, out.size());
    const std::uint8_t byte = read_all(in.first(reads));
    stream ? write_all<true>(byte, out.first(writes)) : write_all<false>(byte, out.first(writes));
    in = in.subspan(reads);
    out = out.subspan(writes);
  }
  if (stream) hwy::FlushStream();
}

}  // namespace qfuse::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "backend/cpu/parallel_for.h"

namespace qfuse::bench {
namespace {

HWY_EXPORT(move_pieces);

constexpr std::size_t kOutPiece = 4096;                 // bytes written between two reads: both streams stay sequential
constexpr std::int64_t kGrain = (1 << 18) / kOutPiece;  // pieces: what the kernels' ranges hold, about

}  // namespace

void move_bytes(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, Stores stores, int threads) {
  const auto pieces = static_cast<std::int64_t>((out.size() + kOutPiece - 1) / kOutPiece);
  if (pieces == 0) return;
  const std::size_t in_piece = in.size() / static_cast<std::size_t>(pieces);
  cpu::parallel_for(pieces, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(end);
    const std::size_t out_end = std::min(out.size(), last * kOutPiece);
    HWY_DYNAMIC_DISPATCH(move_pieces)
    (in.subspan(first * in_piece, (last - first) * in_piece),
     out.subspan(first * kOutPiece, out_end - first * kOutPiece), in_piece, kOutPiece, stores == Stores::streaming);
  });
}

}  // namespace qfuse::bench

#endif  // HWY_ONCE
