#include "nf4_oracle.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "backend/cpu/parallel_for.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/mean.h"
#include "reference/reference.h"

namespace qfuse::bench {
namespace {

// The oracle takes a weight in pieces: whole nested blocks, so that each is a weight of its own.
constexpr std::int64_t kPieceBlocks = 64 * format::kNestedBlocksize;
constexpr std::int64_t kPiece = kPieceBlocks * kBlocksize;

void for_pieces(std::int64_t count, const auto& body) {
  cpu::parallel_for(format::ceil_div(count, kPiece), 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece)
      body(piece * kPiece, std::min(kPiece, count - piece * kPiece));
  });
}

auto size(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

// Each piece from a seed of its own, so that threads need not wait for one another.
Bytes trained_weights(std::int64_t count, qfuse_dtype dtype) {
  Bytes values(size(count * format::dtype_size(dtype)));
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    std::mt19937 random(static_cast<std::uint32_t>(begin / kPiece));
    std::normal_distribution<float> normal(0.0F, 0.02F);
    for (std::int64_t i = begin; i < begin + n; ++i) format::store_rounded(values.data(), i, dtype, normal(random));
  });
  return values;
}

format::Quantize4bit plain_params(std::int64_t count, qfuse_dtype dtype, const void* in, std::uint8_t* packed,
                                  float* absmax) {
  format::Quantize4bit p{};
  p.struct_size = sizeof p;
  p.n = count;
  p.blocksize = kBlocksize;
  p.quant_type = QFUSE_NF4;
  p.in_dtype = dtype;
  p.in = in;
  p.packed = packed;
  p.absmax = absmax;
  return p;
}

format::QuantizeBlockwise nested_step_params(std::int64_t blocks, const float* in, float offset, std::uint8_t* codes,
                                             float* absmax) {
  format::QuantizeBlockwise p{};
  p.struct_size = sizeof p;
  p.n = blocks;
  p.blocksize = format::kNestedBlocksize;
  p.in = in;
  p.offset = offset;
  p.codes = codes;
  p.absmax = absmax;
  return p;
}

Codes encode_by_oracle(const Bytes& values, std::int64_t count, qfuse_dtype dtype) {
  const std::int64_t blocks = format::block_count(count, kBlocksize);
  Codes codes{.packed = Bytes(size(format::packed_size(count))),
              .absmax = std::vector<float>(size(blocks)),
              .absmax_8bit = Bytes(size(blocks)),
              .nested_absmax = std::vector<float>(size(format::block_count(blocks, format::kNestedBlocksize)))};
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    reference::quantize_4bit(plain_params(n, dtype, values.data() + begin * format::dtype_size(dtype),
                                          codes.packed.data() + begin / 2, codes.absmax.data() + begin / kBlocksize));
  });
  format::Mean mean;
  mean.add(codes.absmax.data(), blocks);
  codes.nested_offset = mean.value();
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    const std::int64_t block = begin / kBlocksize;
    reference::quantize_blockwise(nested_step_params(format::block_count(n, kBlocksize), codes.absmax.data() + block,
                                                     codes.nested_offset, codes.absmax_8bit.data() + block,
                                                     codes.nested_absmax.data() + block / format::kNestedBlocksize));
  });
  return codes;
}

Bytes decode_by_oracle(const format::Dequantize4bit& p) {
  const std::int64_t element = format::dtype_size(p.out_dtype);
  Bytes decoded(size(element * p.n));
  for_pieces(p.n, [&](std::int64_t begin, std::int64_t n) {
    format::Dequantize4bit piece = p;
    piece.n = n;
    piece.packed += begin / 2;
    piece.absmax_8bit += begin / kBlocksize;
    piece.nested_absmax += begin / kBlocksize / format::kNestedBlocksize;
    piece.out = decoded.data() + element * begin;
    reference::dequantize_4bit(piece);
  });
  return decoded;
}

std::string difference(const void* expected, const void* actual, std::int64_t size, std::int64_t element) {
  if (std::memcmp(expected, actual, static_cast<std::size_t>(size)) == 0) return {};
  const auto* const e = static_cast<const std::uint8_t*>(expected);
  const auto* const a = static_cast<const std::uint8_t*>(actual);
  const std::int64_t at = std::mismatch(e, e + size, a).first - e;
  const std::int64_t begin = at / element * element;
  const auto value = [&](const std::uint8_t* from) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text = "0x";
    for (std::int64_t b = std::min(begin + element, size) - 1; b >= begin; --b)
      text.append({kDigits[from[b] >> 4], kDigits[from[b] & 0xf]});
    return text;
  };
  return "element " + std::to_string(begin / element) + " is " + value(a) + " where the oracle has " + value(e);
}

}  // namespace qfuse::bench
