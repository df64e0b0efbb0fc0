#include "checkpoint/convert/encode.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "format/layout.h"
#include "format/mean.h"

namespace qfuse::checkpoint {
namespace {

constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

// The arrays of a piece.
constexpr std::size_t kEncoderIn = 0;
constexpr std::size_t kEncodedCodes = 1;
constexpr std::size_t kEncodedAbsmax = 2;

// quantize_4bit() with plain absmax of `in`, which the device can reach; codes and absmax are the host's.
void encode_piece(std::span<const std::byte> in, Dtype dtype, const QuantState& state, std::span<std::byte> codes,
                  std::span<std::byte> absmax, Piece& piece) {
  const std::span<std::byte> packed = piece.output(kEncodedCodes, codes);
  const std::span<std::byte> scales = piece.output(kEncodedAbsmax, absmax);
  quantize_4bit(in, dtype,
                {.cols = static_cast<std::int64_t>(in.size() / dtype_size(dtype)),
                 .blocksize = state.blocksize,
                 .quant_type = state.quant_type,
                 .packed = {reinterpret_cast<std::uint8_t*>(packed.data()), packed.size()},
                 .absmax = {reinterpret_cast<float*>(scales.data()), scales.size() / sizeof(float)}},
                piece.exec());
  piece.fetch(kEncodedCodes, codes);
  piece.fetch(kEncodedAbsmax, absmax);
}

// What the readers of one weight share. Nested absmax are encoded less their mean, which is known only when all have
// been made, so they wait in a file: the first reader writes them there, later ones read them.
struct Weight {
  PlainWeight plain;
  QuantState state;  // but for the offset, until all is read
  ScratchFile& scratch;
  std::int64_t piece_bytes;
  format::Mean mean;  // of the absmax that were made

  // How many absmax, of a multiple of `unit`, are in memory when they are read again: fewer than when they are made.
  [[nodiscard]] std::int64_t absmax_piece(std::int64_t unit) const {
    return std::max(piece_bytes / 16 / (unit * kFloatBytes), std::int64_t{1}) * unit;
  }
};
using WeightPointer = std::shared_ptr<Weight>;

// Encodes the weight from byte `from` on; gives back how many bytes of it `codes` are.
std::int64_t read_codes(const WeightPointer& weight, std::int64_t from, std::span<std::byte> codes, Piece& piece) {
  const PlainWeight& plain = weight->plain;
  const auto element = static_cast<std::int64_t>(dtype_size(plain.dtype));
  const std::int64_t size = std::min(2 * std::ssize(codes) * element, plain.bytes - from);
  const auto in =
      piece.input<std::byte>(kEncoderIn, size, [&](std::span<std::byte> bytes) { plain.read(from, bytes); });
  const std::int64_t blocks = qfuse_block_count(size / element, weight->state.blocksize);
  const std::span<std::byte> absmax = piece.host(kEncodedAbsmax, static_cast<std::size_t>(blocks * kFloatBytes));
  encode_piece(in, plain.dtype, weight->state, codes, absmax, piece);
  piece.when_done([weight, absmax, place = from / element / weight->state.blocksize * kFloatBytes, blocks] {
    weight->scratch.write(place, absmax);
    if (weight->state.nested) weight->mean.add(reinterpret_cast<const float*>(absmax.data()), blocks);
  });
  return size;
}

// Pieces hold whole chunks of the mean of absmax.
TensorReader codes_reader(const WeightPointer& weight) {
  const auto element = static_cast<std::int64_t>(dtype_size(weight->plain.dtype));
  const std::int64_t least = format::kMeanChunk * weight->state.blocksize;
  const std::int64_t elements = std::max(weight->piece_bytes / (least * element), std::int64_t{1}) * least;
  return {elements / 2, [weight, element](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            return read_codes(weight, 2 * begin * element, out, piece);
          }};
}

// fp32 values that wait in the scratch file: plain absmax, or what nested_absmax_reader() left of nested ones.
TensorReader scratch_reader(const WeightPointer& weight) {
  return {weight->absmax_piece(1) * kFloatBytes, [weight](std::int64_t begin, std::span<std::byte> out, Piece&) {
            weight->scratch.read(begin, out);
            return 0;
          }};
}

// The 8-bit codes of absmax. Their scales take the place of absmax that were read.
TensorReader nested_absmax_reader(const WeightPointer& weight) {
  const std::int64_t blocksize = weight->state.nested->blocksize;
  return {weight->absmax_piece(blocksize),
          [weight, blocksize](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            std::vector<float> absmax(out.size());
            std::vector<float> scales(static_cast<std::size_t>(qfuse_block_count(std::ssize(out), blocksize)));
            weight->scratch.read(begin * kFloatBytes, std::as_writable_bytes(std::span(absmax)));
            quantize_blockwise(absmax, blocksize, weight->mean.value(),
                               {reinterpret_cast<std::uint8_t*>(out.data()), out.size()}, scales, piece.host_exec());
            weight->scratch.write(begin / blocksize * kFloatBytes, std::as_bytes(std::span(scales)));
            return 0;
          }};
}

TensorReader constant_reader(std::vector<float> values) {
  const std::int64_t bytes = std::ssize(values) * kFloatBytes;
  return {bytes, [values = std::move(values)](std::int64_t /*begin*/, std::span<std::byte> out, Piece&) {
            std::ranges::copy(std::as_bytes(std::span(values)), out.begin());
            return 0;
          }};
}

}  // namespace

void require_encodable(QuantType quant_type, std::int64_t blocksize, Pipeline& pipeline) {
  Piece& piece = pipeline.next();
  const auto weight = piece.input<std::byte>(kEncoderIn, sizeof(float),
                                             [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{}); });
  encode_piece(weight, Dtype::float32, {quant_type, blocksize, Dtype::float32, {}, {}}, piece.host(kEncodedCodes, 1),
               piece.host(kEncodedAbsmax, sizeof(float)), piece);
  piece.complete();
}

std::int64_t absmax_bytes(const QuantState& state) {
  return qfuse_block_count(element_count(state.shape).value(), state.blocksize) * kFloatBytes;
}

PlainWeight plain_weight(const StoredTensor& stored) {
  return {dtype_of(stored.entry->type).value(), stored.entry->bytes(),
          [stored](std::int64_t begin, std::span<std::byte> out) { stored.read(begin, out); }};
}

PlainWeight transposed_weight(const StoredTensor& stored) {
  PlainWeight weight = plain_weight(stored);
  const std::vector<std::int64_t>& shape = stored.entry->shape;
  weight.read = transposed({shape[0], shape[1], static_cast<std::int64_t>(dtype_size(weight.dtype))}, weight.read);
  return weight;
}

OpenedTensor open_encoded(const PlainWeight& plain, const QuantState& state, ScratchFile& scratch,
                          std::int64_t piece_bytes) {
  const WeightPointer weight(new Weight{plain, state, scratch, piece_bytes, {}});
  OpenedTensor opened{
      .readers = {codes_reader(weight), state.nested ? nested_absmax_reader(weight) : scratch_reader(weight),
                  constant_reader(stored_quant_map(state.quant_type))},
      .text = [weight] {
        if (weight->state.nested) weight->state.nested->offset = weight->mean.value();
        return print_quant_state(weight->state);
      }};
  if (state.nested) {
    opened.readers.push_back(scratch_reader(weight));
    opened.readers.push_back(constant_reader(stored_nested_quant_map()));
  }
  return opened;
}

}  // namespace qfuse::checkpoint
