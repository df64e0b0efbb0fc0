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

// The oracle processes a weight in pieces of whole nested blocks, so that each piece is a weight of its own.
constexpr std::int64_t kPieceBlocks = std::int64_t{64} * QFUSE_NESTED_BLOCKSIZE;
constexpr std::int64_t kPiece = kPieceBlocks * kBlocksize;

void for_pieces(std::int64_t count, const auto& body) {
  cpu::parallel_for(format::ceil_div(count, kPiece), 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece)
      body(piece * kPiece, std::min(kPiece, count - piece * kPiece));
  });
}

auto size(std::int64_t count) { return static_cast<std::size_t>(count); }

Codes codes_for(std::int64_t count) {
  const std::int64_t blocks = format::block_count(count, kBlocksize);
  return {.packed = Bytes(size(format::packed_size(count))),
          .absmax = std::vector<float>(size(blocks)),
          .absmax_8bit = Bytes(size(blocks)),
          .nested_absmax = std::vector<float>(size(format::block_count(blocks, QFUSE_NESTED_BLOCKSIZE)))};
}

}  // namespace

// Seeds every piece separately, so that threads need not wait for one another.
Bytes trained_weights(std::int64_t count, qfuse_dtype dtype) {
  Bytes values(size(count * format::dtype_size(dtype)));
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    std::mt19937 random(static_cast<std::uint32_t>(begin / kPiece));
    std::normal_distribution<float> normal(0.0F, 0.02F);
    for (std::int64_t i = begin; i < begin + n; ++i) format::store_rounded(values.data(), i, dtype, normal(random));
  });
  return values;
}

Codes random_codes(std::int64_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> scale(0.01F, 0.2F);
  Codes codes = codes_for(count);
  std::ranges::generate(codes.packed, [&] { return static_cast<std::uint8_t>(random()); });
  std::ranges::generate(codes.absmax_8bit, [&] { return static_cast<std::uint8_t>(random()); });
  std::ranges::generate(codes.nested_absmax, [&] { return scale(random); });
  codes.nested_offset = 0.05F;
  return codes;
}

contract::Quantize4bit encode_params(std::int64_t count, qfuse_dtype dtype, const void* in, std::uint8_t* packed,
                                     float* absmax) {
  contract::Quantize4bit p{};
  p.in_dtype = dtype;
  p.in = in;
  p.weight = {.struct_size = sizeof p.weight,
              .rows = 1,
              .cols = count,
              .blocksize = kBlocksize,
              .quant_type = QFUSE_NF4,
              .packed = packed,
              .absmax = absmax,
              .absmax_8bit = nullptr,
              .nested_absmax = nullptr,
              .nested_quant_map = nullptr,
              .nested_offset = nullptr,
              .nested_blocksize = QFUSE_NESTED_BLOCKSIZE,
              .scales = nullptr,
              .mx_scales = QFUSE_MX_UP};
  return p;
}

contract::QuantizeBlockwise nested_step_params(std::int64_t blocks, const float* in, float offset, std::uint8_t* codes,
                                               float* absmax) {
  contract::QuantizeBlockwise p{};
  p.n = blocks;
  p.blocksize = QFUSE_NESTED_BLOCKSIZE;
  p.in_dtype = QFUSE_FLOAT32;
  p.in = in;
  p.offset = offset;
  p.codes = codes;
  p.absmax = absmax;
  return p;
}

contract::Dequantize4bit decode_params(std::int64_t count, qfuse_dtype dtype, const qfuse_weight_4bit& arrays,
                                       void* out) {
  contract::Dequantize4bit p{};
  p.weight = arrays;
  p.out_dtype = dtype;
  p.out = out;
  p.weight.struct_size = sizeof p.weight;
  p.weight.rows = 1;
  p.weight.cols = count;
  p.weight.blocksize = kBlocksize;
  p.weight.quant_type = QFUSE_NF4;
  p.weight.nested_blocksize = QFUSE_NESTED_BLOCKSIZE;
  return p;
}

Codes encode_by_oracle(const Bytes& values, std::int64_t count, qfuse_dtype dtype) {
  const std::int64_t blocks = format::block_count(count, kBlocksize);
  Codes codes = codes_for(count);
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    reference::quantize_4bit(encode_params(n, dtype, values.data() + begin * format::dtype_size(dtype),
                                           codes.packed.data() + begin / 2, codes.absmax.data() + begin / kBlocksize));
  });
  format::Mean mean;
  mean.add(codes.absmax.data(), blocks);
  codes.nested_offset = mean.value();
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    const std::int64_t block = begin / kBlocksize;
    reference::quantize_blockwise(nested_step_params(format::block_count(n, kBlocksize), codes.absmax.data() + block,
                                                     codes.nested_offset, codes.absmax_8bit.data() + block,
                                                     codes.nested_absmax.data() + block / QFUSE_NESTED_BLOCKSIZE));
  });
  return codes;
}

Bytes decode_by_oracle(const Codes& codes, std::int64_t count, qfuse_dtype dtype) {
  const std::int64_t element = format::dtype_size(dtype);
  std::vector<float> map(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(map.data());
  Bytes decoded(size(element * count));
  for_pieces(count, [&](std::int64_t begin, std::int64_t n) {
    qfuse_weight_4bit arrays{};
    arrays.packed = codes.packed.data() + begin / 2;
    arrays.absmax_8bit = codes.absmax_8bit.data() + begin / kBlocksize;
    arrays.nested_absmax = codes.nested_absmax.data() + begin / kBlocksize / QFUSE_NESTED_BLOCKSIZE;
    arrays.nested_quant_map = map.data();
    arrays.nested_offset = &codes.nested_offset;
    reference::dequantize_4bit(decode_params(n, dtype, arrays, decoded.data() + element * begin));
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
