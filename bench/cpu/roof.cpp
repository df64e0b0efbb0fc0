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

#ifndef QFUSE_BENCH_CPU_ROOF_PIECES
#define QFUSE_BENCH_CPU_ROOF_PIECES
namespace qfuse::bench {

// Returns part i of `pieces` nearly equal parts of an array. Each part begins at a multiple of 64 bytes, as streaming
// stores need.
template <class T>
std::span<T> piece(std::span<T> all, std::size_t i, std::size_t pieces) {
  constexpr std::size_t kLine = 64;
  const auto begin_of = [&](std::size_t at) {
    return at == pieces ? all.size() : all.size() / kLine * at / pieces * kLine;
  };
  return all.subspan(begin_of(i), begin_of(i + 1) - begin_of(i));
}

}  // namespace qfuse::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Reads one vector at a time. The result depends on every byte, so that the compiler cannot remove the reads.
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

// Moves pieces [begin, end) out of `pieces`.
void move_pieces(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::size_t begin, std::size_t end,
                 std::size_t pieces, bool stream) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint8_t byte = read_all(piece(in, i, pieces));
    stream ? write_all<true>(byte, piece(out, i, pieces)) : write_all<false>(byte, piece(out, i, pieces));
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

constexpr std::size_t kPiece = 4096;  // bytes of the longer array per piece, so that both streams stay sequential
constexpr std::int64_t kGrain = (1 << 18) / kPiece;  // pieces per thread range: 256 KiB, about the kernels'

}  // namespace

void move_bytes(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, Stores stores, int threads) {
  const std::size_t pieces = (std::max(in.size(), out.size()) + kPiece - 1) / kPiece;
  cpu::parallel_for(static_cast<std::int64_t>(pieces), kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    HWY_DYNAMIC_DISPATCH(move_pieces)
    (in, out, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), pieces, stores == Stores::streaming);
  });
}

}  // namespace qfuse::bench

#endif  // HWY_ONCE
